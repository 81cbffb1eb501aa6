"""Converts the usable part of a Kimi CLI configuration to ours."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from kimi_tui import paths
from kimi_tui.config.loader import load_config
from kimi_tui.config.schema import Config
from kimi_tui.config.yaml_editor import KeyPath, Value
from kimi_tui.errors import ConfigError
from kimi_tui.i18n import tr
from kimi_tui.regular_file import read_text

_IGNORED_KEYS = frozenset({"theme"})
_RENAMED = {("loop_control", "max_steps_per_run"): "max_steps_per_turn"}
Table = dict[str, Value]


@dataclass(frozen=True, slots=True)
class KimiCliImport:
    """The usable settings of Kimi CLI, or the reason why there are none.

    `models` have a key or need none; `logins` are the skipped providers and services with an OAuth login, which
    kimi-tui must not use.
    """

    file: Path
    changes: Mapping[KeyPath, Value] = field(default_factory=dict[KeyPath, Value])
    models: tuple[str, ...] = ()
    default_model: str = ""
    logins: tuple[str, ...] = ()
    trouble: str = ""


def find_kimi_cli_import(kimi_home: Path | None = None) -> KimiCliImport | None:
    """Return the importable settings; None if there are none, or if it is our own home."""
    folder = kimi_home or paths.kimi_home()
    file = folder / "config.toml"
    if not file.is_file() or folder == paths.home():
        return None
    try:
        config = load_config(file).config
        table = cast(Table, tomllib.loads(read_text(file)))
    except ConfigError as error:
        return KimiCliImport(file, trouble=error.cause)
    except (OSError, ValueError) as error:
        return KimiCliImport(file, trouble=str(error))
    return _takeover(file, config, table)


def _takeover(file: Path, config: Config, table: Table) -> KimiCliImport:
    providers, services = _table(table, "providers"), _table(table, "services")
    signed_in = [name for name in providers if config.providers[name].signed_in_elsewhere]
    signed_in_services = [
        name for name, section in services.items() if isinstance(section, dict) and _has_login_alone(section)
    ]
    models = {name: section for name, section in config.models.items() if section.provider not in signed_in}
    omitted = {
        "providers": signed_in,
        "services": signed_in_services,
        "models": [*config.models.keys() - models.keys()],
    }
    changes: dict[KeyPath, Value] = {}
    for key, value in table.items():
        if key not in Config.model_fields or key in _IGNORED_KEYS or key == "default_model":
            continue
        if not isinstance(value, dict):
            changes[key,] = value
            continue
        for entry_name, section in value.items():
            name = _RENAMED.get((key, entry_name), entry_name)
            if name not in omitted.get(key, ()):
                changes[key, name] = _without_login(section) if key in ("providers", "services") else section
    default = config.default_model if config.default_model in models else next(iter(models), "")
    if default:
        changes["default_model",] = default
    logins = (*signed_in, *signed_in_services)
    trouble = "" if models else tr("it configures no model")
    if logins and not models:
        names = ", ".join(logins)
        trouble = tr("{names}: the OAuth login cannot be imported; enter an API key", names=names)
    return KimiCliImport(file, changes, tuple(models), default, logins, trouble)


def _has_login_alone(section: Table) -> bool:
    return bool(section.get("oauth")) and not section.get("api_key")


def _table(table: Table, key: str) -> Table:
    section = table.get(key)
    return section if isinstance(section, dict) else {}


def _without_login(section: Value) -> Value:
    return {key: value for key, value in section.items() if key != "oauth"} if isinstance(section, dict) else section
