"""How the first frame looks: what the configuration says of it, found without reading all of that."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from kimi_tui import paths
from kimi_tui.regular_file import read_start
from kimi_tui.ui.tui.accessibility import Manners
from kimi_tui.ui.tui.themes.theme import DEFAULT_THEME

_LINE = re.compile(r"""^(theme|ascii|plain|reduced_motion|language)\s*[:=]\s*["']?([A-Za-z0-9-]+)""", re.M)
_PEER_NAMES = {"dark": "kimi-dark", "light": "kimi-light"}


@dataclass(frozen=True, slots=True)
class FirstLook:
    theme: str = DEFAULT_THEME
    manners: Manners = field(default_factory=Manners)
    language: str = "auto"


def first_look(file: Path | None = None) -> FirstLook:
    """From the top level of the file, or of the default one. The whole of it takes long to load: that comes later."""
    home = paths.home()
    for one in (file,) if file else (home / "config.yaml", home / "config.yml", home / "config.toml"):
        try:
            text = read_start(one, 1 << 20).decode("utf-8", "replace")
        except OSError:
            continue
        found: dict[str, str] = dict(_LINE.findall(text))
        theme = found.get("theme", DEFAULT_THEME)
        on = {key for key, value in found.items() if value.lower() in ("true", "on", "yes")}
        return FirstLook(
            _PEER_NAMES.get(theme, theme),
            Manners(ascii="ascii" in on, motion="reduced_motion" not in on, plain="plain" in on),
            found.get("language", "auto"),
        )
    return FirstLook()
