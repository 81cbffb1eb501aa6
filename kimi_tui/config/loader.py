"""Loads `config.yaml`, or TOML, or JSON of the same shape.

A wrong value is an error with file, key and cause; an unknown key is a warning, since one file may serve several
versions.
"""

import tomllib
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from kimi_tui import json_text, paths, yaml_text
from kimi_tui.config.schema import Config
from kimi_tui.config.source_position import with_line
from kimi_tui.config.unknown_keys import UnknownKey, unknown_keys
from kimi_tui.errors import ConfigError
from kimi_tui.i18n import tr
from kimi_tui.regular_file import TooLargeError, read_text
from kimi_tui.surrogates import without_surrogates

MAX_BYTES = 1 << 20
MAX_PROJECT_BYTES = 1 << 16
"""Limit for a project's file, which is read before the user decides on trust: YAML takes 10 s per MiB."""
PROJECT_KEYS = ("permissions", "sandbox")
_MAX_WARNINGS = 20
_MAX_TYPOS = 1_000


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """A configuration, its file (None without one) and its warnings."""

    config: Config
    file: Path | None
    warnings: tuple[str, ...] = ()


def default_file() -> Path | None:
    """Return the first existing file of config.yaml, config.yml, config.toml and config.json in our home."""
    for name in ("config.yaml", "config.yml", "config.toml", "config.json"):
        file = paths.home() / name
        if file.exists():
            return file
    return None


def load_config(file: Path | None = None, *, text: str | None = None) -> LoadedConfig:
    """Read `file` of at most `MAX_BYTES` bytes, or `text` (JSON, else TOML, else YAML), or the default file.

    Raises ConfigError.
    """
    if text is not None:
        return _checked(_parsed_text(text), None)
    file = file or default_file()
    if file is None:
        return LoadedConfig(Config(), None)
    return _checked(_parsed_file(file, MAX_BYTES), file)


def load_project_config(file: Path) -> LoadedConfig:
    """Read a project's file, of which only `PROJECT_KEYS` count: what else is in it keeps no program from starting.

    Raises ConfigError.
    """
    value = _parsed_file(file, MAX_PROJECT_BYTES)
    if not isinstance(value, dict):
        return _checked(value, file)
    table = cast(dict[str, Any], value)
    loaded = _checked({key: table[key] for key in PROJECT_KEYS if key in table}, file)  # defence: project-keys-only
    ignored = [key for key in Config.model_fields if key in table and key not in PROJECT_KEYS]
    warnings = _warnings(file, {key: value for key, value in table.items() if key not in ignored})
    if file.stat().st_size == 0:
        warnings = (tr("{file}: the file is empty", file=file),)
    if ignored:
        text = tr("{file}: ignored in a project: {keys}", file=file, keys=", ".join(ignored))
        warnings = (*warnings, text)
    return LoadedConfig(loaded.config, file, warnings)


def _parsed_file(file: Path, max_bytes: int) -> object:
    try:
        text = read_text(file, most=max_bytes)  # defence: regular-config-file
    except TooLargeError as error:
        raise ConfigError(error.strerror or str(error), file=file) from None
    except FileNotFoundError:
        raise ConfigError(tr("file not found"), file=file) from None
    except UnicodeDecodeError as error:
        raise ConfigError(tr("this is not UTF-8 text (byte {number})", number=error.start), file=file) from error
    except OSError as error:
        raise ConfigError(error.strerror or str(error), file=file) from error
    try:
        match file.suffix.lower():
            case ".json":
                return json_text.loads(text) if text.strip() else {}
            case ".toml":
                return tomllib.loads(text)
            case _:
                return _yaml(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(str(error).replace("\n", " "), file=file) from error


def _parsed_text(text: str) -> object:
    for read in (json_text.loads, tomllib.loads, _yaml):
        try:
            value = read(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return cast(object, value)
    raise ConfigError(tr("not a valid JSON, TOML or YAML configuration"), file="--config")


def _yaml(text: str) -> object:
    value = _yaml_outcome(text)
    if isinstance(value, ValueError):
        raise ValueError(str(value))
    return deepcopy(value)


@lru_cache(maxsize=4)  # defence: read-config-once
def _yaml_outcome(text: str) -> object:
    """Return the parsed value, or the ValueError. Cached, since a start reads a project's file three times."""
    try:
        return _parsed_yaml(text)
    except ValueError as error:
        return error


def _parsed_yaml(text: str) -> object:
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    yaml_text.check(text)  # defence: bound-yaml
    try:
        value: object = yaml_text.reader("safe").load(text)
    except MarkedYAMLError as error:
        mark = cast(Any, error.problem_mark)  # pyright: ignore[reportUnknownMemberType]
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise ValueError(f"{where}{error.problem or error.context or 'this is not YAML'}") from error
    except YAMLError as error:
        raise ValueError(str(error)) from error
    return {} if value is None else without_surrogates(cast(Any, value))  # defence: config-is-a-mapping


def _checked(value: object, file: Path | None) -> LoadedConfig:
    if not isinstance(value, dict):
        kind = tr("a list") if isinstance(value, list) else tr("a single value")
        raise ConfigError(tr("the configuration must be a mapping, not {kind}", kind=kind), file=_place(file))
    table = cast(dict[str, Any], value)
    try:
        config = Config.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        typo = _find_typo(table, first["loc"]) if first["type"] == "missing" else None
        if typo is not None:
            raise _typo_error(file, typo) from None
        key = ".".join(str(step) for step in first["loc"])
        # defence: place-of-config-error
        raise ConfigError(first["msg"], file=_place(file, *first["loc"]), key=key) from None
    _check_references(config, table, file)
    return LoadedConfig(config, file, _warnings(file, table))


def _find_typo(table: dict[str, Any], missing: tuple[str | int, ...]) -> UnknownKey | None:
    """Return the first unknown key at the same level that is a misspelling of the missing one."""
    for key in islice(unknown_keys(table), _MAX_TYPOS):
        if (*key.steps[:-1], key.near) == missing:
            return key
    return None


def _typo_error(file: Path | None, typo: UnknownKey) -> ConfigError:
    return ConfigError(_problem(typo), file=_place(file, *typo.steps), key=typo.name)


def _warnings(file: Path | None, table: dict[str, Any]) -> tuple[str, ...]:
    keys = unknown_keys(table)
    first = list(islice(keys, _MAX_WARNINGS))  # defence: bound-config-warnings
    warnings = [_warning(file, key) for key in first]
    if next(keys, None) is not None:
        warnings.append(tr("{file}: more keys are unknown", file=file or "--config"))
    return tuple(warnings)


def _warning(file: Path | None, key: UnknownKey) -> str:
    return f"{_place(file, *key.steps)}: {key.name}: {_problem(key)}"


def _problem(key: UnknownKey) -> str:
    return tr("no such key; did you mean {near}?", near=key.near) if key.near else tr("no such key")


def _place(file: Path | None, *steps: str | int) -> str:
    return "--config" if file is None else with_line(file, steps)


def _check_references(config: Config, table: dict[str, Any], file: Path | None) -> None:
    """Raise ConfigError for a name that is not defined; if its whole section is mistyped, the error names that."""
    for name, model in config.models.items():
        if model.provider not in config.providers:
            if (typo := _find_typo(table, ("providers",))) is not None:
                raise _typo_error(file, typo)
            raise ConfigError(
                tr("no provider named {name!r}", name=model.provider),
                file=_place(file, "models", name, "provider"),
                key=f"models.{name}.provider",
            )
    if config.default_model and config.default_model not in config.models:
        if (typo := _find_typo(table, ("models",))) is not None:
            raise _typo_error(file, typo)
        raise ConfigError(
            tr("no model named {name!r}", name=config.default_model),
            file=_place(file, "default_model"),
            key="default_model",
        )
