"""Finds themes, and converts their YAML files to Textual themes. An invalid theme is rejected and changes nothing."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from textual.color import Color, ColorParseError
from textual.theme import Theme

from kimi_tui.paths import bundled, home
from kimi_tui.regular_file import read_text

DEFAULT_THEME = "kimi-dark"
REQUIRED = ("background", "foreground", "muted", "faint", "line", "primary", "success", "warning", "error")
OPTIONAL = ("surface", "panel", "secondary", "accent")
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}\Z")

_TABLES, _SWITCHES = ("colours", "variables"), ("dark", "ansi")
_NO_TEXT = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_PLAIN = re.compile(r"""\ *(?:\#.*)? | (\ \ )?([a-z-]+):(?:\ (?:"([^"\\]*)"|([^\W\d][\w-]*(?:\ [\w-]+)*)))?""", re.X)

VARIABLE_DEFAULTS: Mapping[str, str] = {
    "muted": "#808080",
    "faint": "#606060",
    "line": "#404040",
    "ansi-background": "transparent",
    "ansi-foreground": "transparent",
}
"""Our own CSS variables, for Textual themes that lack them; and two that Textual omits in its ANSI themes."""


@dataclass(frozen=True, slots=True)
class ThemeFile:
    """A theme and its source; `title` is the display name."""

    title: str
    theme: Theme
    path: Path


def theme_folders() -> tuple[Path, ...]:
    """The theme folders; a later folder's theme replaces an earlier one of the same name."""
    return (bundled("themes"), home() / "themes")


def find_themes(folders: tuple[Path, ...] | None = None) -> Iterator[Path]:
    for folder in theme_folders() if folders is None else folders:
        if folder.is_dir():
            yield from sorted(folder.glob("*.yaml"))


def find_theme(name: str, folders: tuple[Path, ...] | None = None) -> Path | None:
    """The file of the theme called `name`, by file name."""
    return next((path for path in reversed(list(find_themes(folders))) if path.stem == name), None)


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
        lines = read_text(path).splitlines()
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
        and all(_is_colour(colour) for colour in colours.values())
        and not inner.get("variables")
    )
    if not right:
        return None
    on = {key: value == "true" for key, value in switches.items()}
    theme = make_theme(name, colours, {}, dark=on["dark"], ansi=on["ansi"])
    return ThemeFile(top.get("title", name), theme, path)


def _is_colour(text: str) -> bool:
    try:
        Color.parse(text)
    except ColorParseError:
        return False
    return True


def make_theme(name: str, colours: Mapping[str, str], variables: Mapping[str, str], *, dark: bool, ansi: bool) -> Theme:
    """The Textual theme: roles that the file omits are derived from others."""
    base = {role: colours[role] for role in ("background", "foreground", "primary", "success", "warning", "error")}
    secondary = colours.get("secondary", colours["primary"])
    accent = colours.get("accent", colours["primary"])
    surface = colours.get("surface", colours["background"])
    panel = colours.get("panel", surface)
    line, muted, faint = colours["line"], colours["muted"], colours["faint"]
    ours = {
        "muted": muted,
        "faint": faint,
        "line": line,
        "border": colours["primary"],
        "border-blurred": line,
        "text-muted": muted,
        "text-disabled": muted,
        "scrollbar": line,
        "scrollbar-hover": faint,
        "scrollbar-active": colours["primary"],
        "scrollbar-background": colours["background"],
        "scrollbar-background-hover": colours["background"],
        "scrollbar-background-active": colours["background"],
        "scrollbar-corner-color": colours["background"],
        "text-secondary": secondary,
        "text-accent": accent,
        **{f"text-{role}": base[role] for role in ("primary", "success", "warning", "error")},
    }
    if not ansi:
        ours |= {"block-cursor-foreground": colours["background"], "input-cursor-background": colours["primary"]}
    return Theme(
        name=name,
        primary=base["primary"],
        secondary=secondary,
        accent=accent,
        foreground=base["foreground"],
        background=base["background"],
        surface=surface,
        panel=panel,
        success=base["success"],
        warning=base["warning"],
        error=base["error"],
        dark=dark,
        ansi=ansi,
        variables={**ours, **variables},
    )
