"""Finds theme files, and creates Textual themes from their colours."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from textual.color import Color, ColorParseError
from textual.theme import Theme

from kimi_tui.paths import bundled, home

DEFAULT_THEME = "kimi-dark"
REQUIRED = ("background", "foreground", "muted", "faint", "line", "primary", "success", "warning", "error")
OPTIONAL = ("surface", "panel", "secondary", "accent")
MAX_BYTES = 1 << 16
"""The largest theme file."""
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}\Z")

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
    """Find the file of the theme called `name`, by file name."""
    return next((path for path in reversed(list(find_themes(folders))) if path.stem == name), None)


def make_theme(name: str, colours: Mapping[str, str], variables: Mapping[str, str], *, dark: bool, ansi: bool) -> Theme:
    """Make the Textual theme; roles that the file omits are derived from others."""
    base = {role: colours[role] for role in ("background", "foreground", "primary", "success", "warning", "error")}
    secondary = colours.get("secondary", colours["primary"])
    accent = colours.get("accent", colours["primary"])
    surface = colours.get("surface", colours["background"])
    panel = colours.get("panel", surface)
    line, muted, faint = colours["line"], colours["muted"], colours["faint"]
    trough = colours["background"] if ansi else "transparent"  # on a card, the card's
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
        "scrollbar-background": trough,
        "scrollbar-background-hover": trough,
        "scrollbar-background-active": trough,
        "scrollbar-corner-color": trough,
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


def is_colour(text: str) -> bool:
    """Whether Textual accepts the value as a colour."""
    try:
        Color.parse(text)
    except ColorParseError:
        return False
    return True
