"""Edits `config.yaml` and keeps everything else, comments and order included.

Invariant: the file on disk is always a complete, loadable configuration; an edit that would break it is refused.
"""

import contextlib
import io
import json
import re
from collections import Counter
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import cast

from pydantic import JsonValue
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import FoldedScalarString, LiteralScalarString

from kimi_tui import paths, secret_store
from kimi_tui.atomic_file import replacement
from kimi_tui.config.json_schema import FILE_NAME, config_schema
from kimi_tui.config.loader import LoadedConfig, default_file, load_config
from kimi_tui.errors import ConfigError
from kimi_tui.file_lock import changing
from kimi_tui.i18n import tr
from kimi_tui.regular_file import read_text
from kimi_tui.text_safety import one_line

KeyPath = tuple[str, ...]
Value = JsonValue | None

_NEW = f"# yaml-language-server: $schema={FILE_NAME}\n# The configuration of kimi-tui.\n"
_LIST = re.compile(r"^( *)[^\s#-][^\n]*:[ \t]*\n(?: *#[^\n]*\n)*\1( +)- ", re.M)
_TABLE = re.compile(r"^( *)[^\s#-][^\n]*:[ \t]*\n(?: *#[^\n]*\n)*\1( +)[^\s#-]", re.M)
_COMMENT = re.compile(r"(?<!\S)#[^\n]*")


def editable_file(file: Path | None = None) -> Path:
    """Return the file to edit. Raises ConfigError if it is not YAML: only YAML edits keep comments."""
    file = file or default_file() or paths.home() / "config.yaml"
    if file.suffix.lower() not in (".yaml", ".yml"):
        raise ConfigError(tr("only a YAML configuration can be edited here; change this one by hand"), file=file)
    return file


def edit(changes: Mapping[KeyPath, Value], file: Path | None = None) -> LoadedConfig:
    """Set each key to its value, or remove it if None; returns the new configuration.

    Raises ConfigError, and leaves the file unchanged, if it cannot be read, would not load, or cannot be written.
    """
    file = editable_file(file)
    with _writable(file):
        old_text = text = _read(file)
        for path, value in changes.items():
            text = _without_lines(text, path, value, file)  # defence: comments-after-a-removed-key
        table = _parsed(text, file)
        for path, value in changes.items():
            _put(table, path, value, file)
        new_text = _dumped(table, text)
        _check_comments(text, new_text, file)  # defence: edits-keep-comments
        loaded = _replace(file, new_text)
    if old_text == _NEW:
        _write_schema(file.resolve().parent)
    return loaded


def _write_schema(folder: Path) -> None:
    """Write the schema that a new file names, for editors; without it they only know less."""
    with contextlib.suppress(OSError), replacement(folder / FILE_NAME, json.dumps(config_schema(), indent=2) + "\n"):
        pass


def without_keys(changes: Mapping[KeyPath, Value]) -> dict[KeyPath, Value]:
    """Return the changes with every `api_key` moved to the system keyring, if there is one that accepts it."""
    return {path: _put_away(value, path) for path, value in changes.items()}


def _put_away(value: Value, path: KeyPath) -> Value:
    if isinstance(value, dict):
        return {key: _put_away(inner, (*path, key)) for key, inner in value.items()}
    if path[-1:] != ("api_key",) or not isinstance(value, str) or not value or secret_store.is_reference(value):
        return value
    return secret_store.REFERENCE if secret_store.store(".".join(path[:-1]), value) else value


def read_table(file: Path) -> Mapping[str, object]:
    """Read the file's table, without defaults; empty without a file. Raises ConfigError."""
    return cast(Mapping[str, object], _parsed(_read(file), file))


def _read(file: Path) -> str:
    try:
        return read_text(file)
    except FileNotFoundError:
        return _NEW
    except UnicodeDecodeError as error:
        raise ConfigError(tr("this is not UTF-8 text (byte {number})", number=error.start), file=file) from error
    except OSError as error:
        raise ConfigError(error.strerror or str(error), file=file) from error


def _yaml(text: str = "") -> YAML:
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 10_000
    indent = found[2] if (found := _TABLE.search(text)) else "  "
    dash = found[2] if (found := _LIST.search(text)) else ""
    yaml.indent(mapping=len(indent), sequence=len(dash) + 2, offset=len(dash))
    return yaml


def _parsed(text: str, file: Path) -> CommentedMap:
    try:
        value: object = _yaml().load(text)
    except YAMLError as error:
        raise ConfigError(str(error).replace("\n", " "), file=file) from error
    if value is None:
        return CommentedMap()
    if not isinstance(value, CommentedMap):
        raise ConfigError(tr("the configuration must be a mapping"), file=file)
    return value


def _without_lines(text: str, path: KeyPath, value: Value, file: Path) -> str:
    """Return the text without the lines of a key that gets no value, or had one of several lines; unchanged for others.

    A table attaches the comments behind a value to it, so without the value they would be gone.
    """
    tables = [_parsed(text, file)]
    for step in path[:-1]:
        child = cast(object, tables[-1].get(step))
        if not isinstance(child, CommentedMap):
            return text
        tables.append(child)
    old_value = cast(object, tables[-1].get(path[-1]))
    if path[-1] not in tables[-1] or (value is not None and not _may_hold_comments(old_value)):
        return text
    lines = text.splitlines(keepends=True)
    removed: set[int] = set()
    for table, key in zip(reversed(tables), reversed(path), strict=True):
        places = cast("dict[str, list[int]]", table.lc.data or {})  # line and column of each key and of its value
        if table.fa.flow_style() or key not in places:
            return text
        line, column = places[key][:2]
        removed |= {line} if removed else _block(lines, line, column)
        if len(table) > 1 or table is tables[0]:
            del table[key]
            break
    rest = "".join(line for number, line in enumerate(lines) if number not in removed)
    try:
        return rest if _parsed(rest, file) == tables[0] else text
    except ConfigError:
        return text


def _may_hold_comments(value: object) -> bool:
    return isinstance(value, CommentedMap | CommentedSeq | LiteralScalarString | FoldedScalarString) or (
        isinstance(value, str) and "#" in value
    )


def _block(lines: list[str], first: int, column: int) -> set[int]:
    """The numbers of the lines of a key and its value, without the comments and empty lines behind them."""
    last = first
    for number, line in enumerate(lines[first + 1 :], first + 1):
        content = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        if not content or content.startswith("#"):
            continue
        if indent < column or (indent == column and not (content + " ").startswith("- ")):
            break
        last = number
    return set(range(first, last + 1))


def _check_comments(before: str, after: str, file: Path) -> None:
    """Raises ConfigError if a comment is gone: a table does not hold those inside of `{...}`, for example."""
    lost = _comments(before) - _comments(after)
    if lost:
        comment = one_line(next(iter(lost))[:80])
        raise ConfigError(
            tr("the comment {comment} would be lost; change this file by hand", comment=comment), file=file
        )


def _comments(text: str) -> Counter[str]:
    return Counter(comment.strip() for comment in _COMMENT.findall(text))


def _put(table: CommentedMap, path: KeyPath, value: Value, file: Path) -> None:
    *parents, last = path
    node = table
    for step in parents:
        child = cast(object, node.get(step))
        if child is None:
            if value is None:
                return
            child = node[step] = CommentedMap()
        if not isinstance(child, CommentedMap):
            raise ConfigError(tr("expected a mapping"), file=file, key=".".join(path))
        node = child
    if value is None:
        node.pop(last, None)
    else:
        node[last] = value


def _dumped(table: CommentedMap, old_text: str) -> str:
    stream = io.StringIO()
    _yaml(old_text).dump(table, stream)
    text = stream.getvalue() if table else ""
    # A file of only comments has no table that could hold them.
    return text if old_text != _NEW and not _only_comments(old_text) else old_text + text


def _only_comments(text: str) -> bool:
    return all(line.strip() in ("", "---") or line.lstrip().startswith("#") for line in text.splitlines())


@contextlib.contextmanager
def _writable(file: Path) -> Generator[None]:
    """Lock the file during the block. Raises ConfigError if that, or the block, cannot write."""
    try:
        with changing(file.resolve()):  # defence: one-writer-of-settings
            yield
    except OSError as error:
        raise _unwritable(file, error) from error


def _unwritable(file: Path, error: OSError) -> ConfigError:
    return ConfigError(tr("cannot be written: {cause}", cause=error.strerror or error), file=file)


def _replace(file: Path, text: str) -> LoadedConfig:
    try:
        with replacement(file, text, follow_link=True, sync_folder=True) as temporary:
            loaded = load_config(temporary)
    except ConfigError as error:
        raise ConfigError(error.cause, file=file, key=error.key) from None
    except OSError as error:
        raise _unwritable(file, error) from error
    return LoadedConfig(loaded.config, file, loaded.warnings)
