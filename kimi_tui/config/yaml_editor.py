"""Edits `config.yaml` and keeps everything else, comments and order included.

Invariant: the file on disk is always a complete, loadable configuration; an edit that would break it is refused.
"""

import contextlib
import io
import json
import re
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import cast

from pydantic import JsonValue
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError

from kimi_tui import paths, secret_store
from kimi_tui.atomic_file import replacement
from kimi_tui.config.json_schema import FILE_NAME, config_schema
from kimi_tui.config.loader import LoadedConfig, default_file, load_config
from kimi_tui.errors import ConfigError
from kimi_tui.file_lock import changing
from kimi_tui.i18n import tr
from kimi_tui.regular_file import read_text

KeyPath = tuple[str, ...]
Value = JsonValue | None

_NEW = f"# yaml-language-server: $schema={FILE_NAME}\n# The configuration of kimi-tui.\n"
_LIST = re.compile(r"^( *)[^\s#-][^\n]*:[ \t]*\n(?: *#[^\n]*\n)*\1( +)- ", re.M)
_TABLE = re.compile(r"^( *)[^\s#-][^\n]*:[ \t]*\n(?: *#[^\n]*\n)*\1( +)[^\s#-]", re.M)


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
        old_text = _read(file)
        table = _parsed(old_text, file)
        for path, value in changes.items():
            _put(table, path, value, file)
        loaded = _replace(file, _dumped(table, old_text))
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
    return all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines())


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
