"""Reads theme files, simple ones without loading the YAML parser. An invalid theme is rejected."""

import re
from collections.abc import Mapping
from pathlib import Path

from kimi_tui.regular_file import read_text
from kimi_tui.ui.tui.themes.theme import MAX_BYTES, NAME, OPTIONAL, REQUIRED, ThemeFile, is_colour, make_theme

_TABLES, _SWITCHES = ("colours", "variables"), ("dark", "ansi")
_NO_TEXT = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_PLAIN = re.compile(r"""\ *(?:\#.*)? | (\ \ )?([a-z-]+):(?:\ (?:"([^"\\]*)"|([^\W\d][\w-]*(?:\ [\w-]+)*)))?""", re.X)


def load_theme(path: Path) -> ThemeFile:
    """Read one theme. Raises ConfigError with file, line and key."""
    found = _read_plain(path)
    if found is None:
        from kimi_tui.ui.tui.themes.theme_parser import read_theme

        found = read_theme(path)
    return found


def _read_plain(path: Path) -> ThemeFile | None:
    """Read a theme in a simple YAML subset, without loading the full parser; None for any other theme."""
    try:
        lines = read_text(path, most=MAX_BYTES).splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    top: dict[str, str] = {}
    inner: dict[str, dict[str, str]] = {}
    under = ""
    for line in lines:
        found = _PLAIN.fullmatch(line)
        if found is None:
            return None
        indent, key, quoted, bare = found.groups()
        if key is None:
            continue
        value = bare if quoted is None else quoted
        if indent and under and value is not None:
            table = inner[under]
        elif indent or (value is None) != (key in _TABLES):
            return None
        else:
            table, under = top, key if value is None else ""
            if value is None:
                value = ""
                inner[key] = {}
        switch = not indent and key in _SWITCHES
        if key in table or (bare not in ("true", "false") if switch else (bare or "").lower() in _NO_TEXT):
            return None
        table[key] = value
    return _plain_theme(path, top, inner)


def _plain_theme(path: Path, top: Mapping[str, str], inner: Mapping[str, dict[str, str]]) -> ThemeFile | None:
    name, colours = top.get("name", path.stem), inner.get("colours", {})
    switches = {key: top.get(key, default) for key, default in (("ansi", "false"), ("dark", "true"))}
    right = (
        top.keys() <= {"title", "name", *_TABLES, *_SWITCHES}
        and NAME.match(name)
        and set(REQUIRED) <= colours.keys() <= {*REQUIRED, *OPTIONAL}
        and all(is_colour(colour) for colour in colours.values())
        and not inner.get("variables")
    )
    if not right:
        return None
    on = {key: value == "true" for key, value in switches.items()}
    theme = make_theme(name, colours, {}, dark=on["dark"], ansi=on["ansi"])
    return ThemeFile(top.get("title", name), theme, path)
