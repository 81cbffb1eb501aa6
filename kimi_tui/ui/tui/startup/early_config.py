"""Reads the few settings needed for the first frame without parsing the whole configuration."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from kimi_tui import paths
from kimi_tui.regular_file import read_start
from kimi_tui.ui.tui.accessibility import DisplayOptions
from kimi_tui.ui.tui.themes.theme import DEFAULT_THEME

_LINE = re.compile(r"""^(theme|ascii|plain|reduced_motion|language)\s*[:=]\s*["']?([A-Za-z0-9-]+)""", re.M)
_PEER_NAMES = {"dark": "kimi-dark", "light": "kimi-light"}


@dataclass(frozen=True, slots=True)
class EarlyConfig:
    theme: str = DEFAULT_THEME
    display_options: DisplayOptions = field(default_factory=DisplayOptions)
    language: str = "auto"


def read_early_config(file: Path | None = None) -> EarlyConfig:
    """Read the settings from the top level of the given or the default file. The full configuration is loaded later,
    because that is slow."""
    home = paths.home()
    for candidate in (file,) if file else (home / "config.yaml", home / "config.yml", home / "config.toml"):
        try:
            text = read_start(candidate, 1 << 20).decode("utf-8", "replace")
        except OSError:
            continue
        values: dict[str, str] = dict(_LINE.findall(text))
        theme = values.get("theme", DEFAULT_THEME)
        enabled = {key for key, value in values.items() if value.lower() in ("true", "on", "yes")}
        return EarlyConfig(
            _PEER_NAMES.get(theme, theme),
            DisplayOptions(ascii="ascii" in enabled, motion="reduced_motion" not in enabled, plain="plain" in enabled),
            values.get("language", "auto"),
        )
    return EarlyConfig()
