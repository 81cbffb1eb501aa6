"""Themes: a YAML file to a Textual theme. A file that is wrong is refused with its line and changes nothing."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from textual.color import Color, ColorParseError
from textual.theme import Theme

from kimi_tui.errors import ConfigError
from kimi_tui.paths import bundled, home

DEFAULT_THEME = "kimi-dark"
REQUIRED = ("background", "foreground", "muted", "faint", "line", "primary", "success", "warning", "error")
OPTIONAL = ("surface", "panel", "secondary", "accent")
_TOP = {"name": str, "title": str, "dark": bool, "ansi": bool, "colours": dict, "variables": dict}
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}\Z")

VARIABLE_DEFAULTS: Mapping[str, str] = {
    "muted": "#808080",
    "faint": "#606060",
    "line": "#404040",
    "ansi-background": "transparent",
    "ansi-foreground": "transparent",
}
"""Our own CSS variables, for themes of Textual that lack them; and two that Textual forgets in its ANSI themes."""


@dataclass(frozen=True, slots=True)
class ThemeFile:
    """A theme and where it came from; `title` is for people."""

    title: str
    theme: Theme
    path: Path


def theme_folders() -> tuple[Path, ...]:
    """Where themes are looked for; a later folder's theme replaces an earlier one's of the same name."""
    return (bundled("themes"), home() / "themes")


def find_themes(folders: tuple[Path, ...] | None = None) -> Iterator[Path]:
    for folder in theme_folders() if folders is None else folders:
        if folder.is_dir():
            yield from sorted(folder.glob("*.yaml"))


def find_theme(name: str, folders: tuple[Path, ...] | None = None) -> Path | None:
    """The file of the theme called `name`, by its file name."""
    return next((path for path in reversed(list(find_themes(folders))) if path.stem == name), None)


def load_theme(path: Path) -> ThemeFile:
    """Read one theme. Raises ConfigError with file, line and key."""
    try:
        data: object = YAML(typ="rt").load(path.read_text("utf-8"))  # pyright: ignore[reportUnknownMemberType]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(error), file=path) from error
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        raise ConfigError(str(error.problem or "is not YAML"), file=f"{path}:{line}") from error  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    except YAMLError as error:
        raise ConfigError("is not YAML", file=path) from error
    if not isinstance(data, CommentedMap):
        raise ConfigError("a theme is a mapping with name and colours", file=path)
    return _Reader(path).theme(data)


class _Reader:
    """Checks the parts of one file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def wrong(self, where: CommentedMap, key: str, cause: str) -> ConfigError:
        try:
            line = int(where.lc.key(key)[0]) + 1  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        except (KeyError, TypeError, AttributeError):
            line = 1
        return ConfigError(cause, file=f"{self.path}:{line}", key=key)

    def theme(self, data: CommentedMap) -> ThemeFile:
        for key, value in cast(Mapping[str, object], data).items():
            if key not in _TOP:
                raise self.wrong(data, str(key), f"unknown key; known are {', '.join(_TOP)}")
            if not isinstance(value, _TOP[key]):
                raise self.wrong(data, key, f"must be a {_TOP[key].__name__}")
        fields = cast(Mapping[str, object], data)
        name = str(fields.get("name", self.path.stem))
        if not _NAME.match(name):
            raise self.wrong(data, "name", "a name has small letters, digits and hyphens")
        colours = self.colours(data)
        variables = {str(k): str(v) for k, v in cast(Mapping[object, object], fields.get("variables", {})).items()}
        ansi, dark = bool(fields.get("ansi", False)), bool(fields.get("dark", True))
        theme = _theme(name, colours, variables, dark=dark, ansi=ansi)
        return ThemeFile(str(fields.get("title", name)), theme, self.path)

    def colours(self, data: CommentedMap) -> dict[str, str]:
        raw = cast(Mapping[str, object], data).get("colours")
        if not isinstance(raw, CommentedMap):
            raise self.wrong(data, "colours", "must be a mapping of colours")
        colours: dict[str, str] = {}
        for key, value in cast(Mapping[str, object], raw).items():
            if key not in REQUIRED and key not in OPTIONAL:
                raise self.wrong(raw, str(key), f"unknown colour; known are {', '.join(REQUIRED + OPTIONAL)}")
            try:
                Color.parse(str(value))
            except ColorParseError:
                raise self.wrong(raw, key, f"{value!r} is no colour; write #rrggbb or ansi_NAME") from None
            colours[key] = str(value)
        if missing := [key for key in REQUIRED if key not in colours]:
            raise self.wrong(data, "colours", f"{missing[0]} is missing")
        return colours


def _theme(name: str, colours: dict[str, str], variables: dict[str, str], *, dark: bool, ansi: bool) -> Theme:
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
        variables=ours | variables,
    )
