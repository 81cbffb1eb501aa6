"""Which theme the first frame is in: the configuration's, found without reading all of it."""

import re
from pathlib import Path

from kimi_tui import paths
from kimi_tui.ui.tui.themes import DEFAULT_THEME

_LINE = re.compile(r"""^theme\s*[:=]\s*["']?([a-z0-9-]+)""", re.M)
_PEER_NAMES = {"dark": "kimi-dark", "light": "kimi-light"}


def first_theme(file: Path | None = None) -> str:
    """The theme that the configuration names at its top level. The whole of it takes long to load: that comes later."""
    home = paths.home()
    for one in (file,) if file else (home / "config.yaml", home / "config.yml", home / "config.toml"):
        try:
            with one.open(encoding="utf-8", errors="replace") as lines:
                text = lines.read(1 << 20)
        except OSError:
            continue
        found = _LINE.search(text)
        return _PEER_NAMES.get(found[1], found[1]) if found else DEFAULT_THEME
    return DEFAULT_THEME
