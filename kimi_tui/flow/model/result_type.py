"""The type of a node's result, written as `severity: low | mid | high, files: [text], note?: text`."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kimi_tui.i18n import tr

MAX_FIELDS = 20
MAX_CHARS = 2000
Plain: TypeAlias = Literal["text", "int", "number", "bool"]
PLAIN: tuple[Plain, ...] = ("text", "int", "number", "bool")
TAKEN = frozenset({"text", "status", "output", "choice", "branch", "path"})
"""Reserved names: the built-in fields of nodes."""
_FIELD = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]{0,39})(\?)?\s*:\s*(.*\S)\s*\Z", re.DOTALL)
_WORD = re.compile(r"[^\s\[\]|,:\"'`{}$<>\\]+(?: [^\s\[\]|,:\"'`{}$<>\\]+)*\Z")


@dataclass(frozen=True, slots=True)
class ResultField:
    """One field: a plain type, or one of the `words`; with `many`, a list of these."""

    name: str
    plain: Plain | None = None
    words: tuple[str, ...] = ()
    many: bool = False
    optional: bool = False


def read_result_type(text: str) -> tuple[ResultField, ...]:
    """The fields in order. Raises ValueError with the cause."""
    if len(text) > MAX_CHARS:
        raise ValueError(tr("a result type can have at most {most} characters", most=MAX_CHARS))
    fields = tuple(_field(part) for part in text.split(","))
    if len(fields) > MAX_FIELDS:
        raise ValueError(tr("a result can have at most {most} fields", most=MAX_FIELDS))
    names = [one.name for one in fields]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(tr("the field `{name}` is listed twice", name=name))
        if name in TAKEN:
            raise ValueError(tr("`{name}` is a field that every node has; rename it", name=name))
    return fields


def _field(part: str) -> ResultField:
    match = _FIELD.match(part)
    if match is None:
        raise ValueError(
            tr("write fields like `severity: low | mid | high, files: [text]`, not `{found}`", found=part.strip()[:40])
        )
    name, optional, kind = match.group(1), bool(match.group(2)), match.group(3)
    many = kind.startswith("[") and kind.endswith("]")
    words = tuple(word.strip() for word in (kind[1:-1] if many else kind).split("|"))
    plain: Plain | None = next((plain for plain in PLAIN if words == (plain,)), None)
    if plain is not None:
        return ResultField(name, plain, (), many, optional)
    if len(words) < 2 or len(set(words)) < len(words) or not all(_WORD.match(word) for word in words):
        raise ValueError(
            tr(
                "the type of `{name}` must be one of {types}, two or more words such as `low | high`, or one of "
                "these in brackets",
                name=name,
                types=", ".join(f"`{plain}`" for plain in PLAIN),
            )
        )
    return ResultField(name, None, words, many, optional)
