"""The YAML table at the top of a skill file, each field with its place.

Fields are read as text (also `2024` and `yes`), so no value can become a date, a number or an object. Plain
`key: value` lines, which most skills consist of, are read without ruamel.yaml, which takes 0.4 ms a skill.

Invariant: both ways give the same result; the tests check it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from kimi_tui import yaml_text
from kimi_tui.i18n import UserText, tr
from kimi_tui.surrogates import without_surrogates

MAX_CHARS = 16 * 1024
"""The size limit of the table: parsing YAML takes 12 ms per KiB."""
_FENCE = re.compile(r"---[ \t]*\Z")
_VALUE = r"""
    (?: "(?P<double>[^"\\]*)" | '(?P<single>[^']*)'
      | (?P<plain>[\w(/.<$+](?:[^\s:#]|[:#](?=[^\s#])|[ ](?=[^\s#]))*) )
    [ ]*\Z"""
_KEY = r"(?P<key>[A-Za-z][A-Za-z0-9_-]*)"
_PLAIN_LINE = re.compile(rf"{_KEY}:[ ]+{_VALUE}", re.VERBOSE)
_OPENING_LINE = re.compile(rf"{_KEY}:[ ]*\Z", re.VERBOSE)
_NESTED_LINE = re.compile(rf"(?P<indent>[ ]+){_KEY}:[ ]+{_VALUE}", re.VERBOSE)

_INDENTED_LINE = re.compile(r"(?P<indent>[ \t]+)(?P<key>[\w-]+):(?:\s|$)")
_WITH_VALUE = re.compile(r"[\w-]+:[ \t]+[^\s|>&#\[{]")


@dataclass(frozen=True, slots=True)
class Field:
    """One field: text, items or pairs, and its line and column in the file (from 1).

    `not_text`: the keys of a table whose values are not text, such as a table or nothing; they are not in `pairs`.
    """

    line: int
    column: int
    text: str | None = None
    items: tuple[str, ...] | None = None
    pairs: Mapping[str, str] | None = None
    not_text: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return self.items is None and self.pairs is None and not (self.text or "").strip()


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The fields, and how many lines of the file the table takes (0: no table)."""

    fields: Mapping[str, Field]
    lines: int


class FrontmatterError(Exception):
    """Why the table cannot be read, and the place in the file."""

    def __init__(self, cause: UserText, line: int, column: int | None = None) -> None:
        self.cause, self.line, self.column = cause, line, column
        super().__init__(cause)


def read_frontmatter(lines: Sequence[str]) -> Frontmatter:
    """The table at the top of `lines`; a missing table is no error. Raises FrontmatterError."""
    if not lines or not _FENCE.match(lines[0]):
        return Frontmatter({}, 0)
    end = next((number for number in range(1, len(lines)) if _FENCE.match(lines[number])), None)
    if end is None:
        raise FrontmatterError(tr("the frontmatter is not closed; end it with `---`"), 1)
    table = lines[1:end]
    if sum(len(line) + 1 for line in table) > MAX_CHARS:
        raise FrontmatterError(tr("the frontmatter is longer than 16 KiB"), 1)
    fields = read_plain(table)
    return Frontmatter(read_yaml(table) if fields is None else fields, end + 1)


def read_plain(table: Sequence[str]) -> dict[str, Field] | None:
    """The fields, if every line is a plain `key: value` or part of a plain table below a key; else None."""
    fields: dict[str, Field] = {}
    pairs: dict[str, str] | None = None
    indent: str | None = None
    for number, line in enumerate(table, start=2):
        if not line.isprintable():
            return None
        if match := _NESTED_LINE.match(line):
            text = _plain_text(match)
            if text is None or pairs is None or match["key"] in pairs or indent not in (None, match["indent"]):
                return None
            pairs[match["key"]], indent = text, match["indent"]
            continue
        if pairs == {}:
            return None
        pairs, indent = None, None
        if match := _PLAIN_LINE.match(line):
            field = Field(number, 1, text) if (text := _plain_text(match)) is not None else None
        elif match := _OPENING_LINE.match(line):
            pairs = {}
            field = Field(number, 1, pairs=pairs)
        else:
            return None
        if field is None or match["key"] in fields or match["key"].lower() == "null":
            return None
        fields[match["key"]] = field
    return None if pairs == {} else fields


def _plain_text(match: re.Match[str]) -> str | None:
    """A line's value; None for YAML's null words."""
    if match["key"].lower() == "null" or (match["plain"] or "").lower() == "null":
        return None
    return next(value for value in match.group("double", "single", "plain") if value is not None)


def read_yaml(table: Sequence[str]) -> dict[str, Field]:
    """The fields, read with ruamel.yaml. Raises FrontmatterError with the file's line."""
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.nodes import MappingNode

    text = "\n".join(table) + "\n"
    try:
        # Composed, not constructed: nodes know their place, and no value is interpreted.
        yaml_text.check(text)  # defence: bound-frontmatter
        root: Any = yaml_text.reader("safe").compose(text)
    except MarkedYAMLError as error:
        raise _indented(table) or _located(error, len(table) + 2) from error
    except (YAMLError, ValueError) as error:
        cause = str(error).splitlines()[0] if str(error) else "it is not YAML"
        raise FrontmatterError(tr("the frontmatter is not YAML: {cause}", cause=cause), 1) from error
    except RecursionError as error:
        raise FrontmatterError(tr("the frontmatter is nested too deeply"), 1) from error
    if root is None or (root.tag.endswith(":null")):
        return {}
    if not isinstance(root, MappingNode):
        raise FrontmatterError(tr("the frontmatter must be a mapping of `key: value` lines"), root.start_mark.line + 2)
    return _fields(cast(Any, root))


def _indented(table: Sequence[str]) -> FrontmatterError | None:
    """An error for the first line that is indented although no table precedes it."""
    holds_table = False
    for number, line in enumerate(table, start=2):
        match = _INDENTED_LINE.match(line)
        if match is not None and not holds_table:
            cause = tr("`{key}` is indented; write it at the start of the line", key=match["key"])
            return FrontmatterError(cause, number, len(match["indent"]) + 1)
        if line.strip() and match is None:
            holds_table = line[0] in "-#" or not _WITH_VALUE.match(line)
    return None


def _located(error: Any, last_line: int) -> FrontmatterError:
    cause = str(error.problem or error.context or "it is not YAML")
    if "mapping values are not allowed" in cause:
        cause = "a value with `: ` in it must stand in quotes"
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 2, mark.column + 1) if mark is not None else (1, None)
    return FrontmatterError(tr("the frontmatter is not YAML: {cause}", cause=cause), min(line, last_line), column)


def _fields(root: Any) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    for key_node, value_node in root.value:
        line, column = key_node.start_mark.line + 2, key_node.start_mark.column + 1
        key = _scalar(key_node)
        if key is None:
            raise FrontmatterError(tr("frontmatter keys must be plain words"), line, column)
        if key in fields:
            raise FrontmatterError(tr("`{key}` appears twice in the frontmatter", key=key), line, column)
        fields[key] = _field(value_node, line, column)
    return fields


def _field(node: Any, line: int, column: int) -> Field:
    match node.id:
        case "scalar":
            return Field(line, column, _scalar(node))
        case "sequence":
            return Field(line, column, items=tuple(text for each in node.value if (text := _scalar(each)) is not None))
        case _:
            return _table(node, line, column)


def _table(node: Any, line: int, column: int) -> Field:
    pairs: dict[str, str] = {}
    not_text: list[str] = []
    for key_node, value_node in node.value:
        key, value = _scalar(key_node), _scalar(value_node)
        if key is None:
            continue
        if key in pairs or key in not_text:
            place = key_node.start_mark.line + 2, key_node.start_mark.column + 1
            raise FrontmatterError(tr("`{key}` appears twice in the frontmatter", key=key), *place)
        if value is None:
            not_text.append(key)
        else:
            pairs[key] = value
    return Field(line, column, pairs=pairs, not_text=tuple(not_text))


def _scalar(node: Any) -> str | None:
    """The text of a scalar as written; None for nested and null values."""
    if node.id != "scalar" or node.tag.endswith(":null"):
        return None
    return without_surrogates(str(node.value))
