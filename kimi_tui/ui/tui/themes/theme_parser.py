"""Parses a theme's YAML and reports errors with their position.

A theme that `extends` another contains only the differences; it may have the same name as that theme.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from kimi_tui import yaml_text
from kimi_tui.errors import ConfigError
from kimi_tui.regular_file import read_text
from kimi_tui.ui.tui.themes.theme import (
    MAX_BYTES,
    NAME,
    OPTIONAL,
    REQUIRED,
    VARIABLE_DEFAULTS,
    ThemeFile,
    find_themes,
    is_colour,
    make_theme,
    theme_folders,
)

_TOP = {"name": str, "title": str, "extends": str, "dark": bool, "ansi": bool, "colours": dict, "variables": dict}
_STYLES = frozenset(("none", "not", "bold", "dim", "italic", "underline", "reverse", "strike"))


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a theme, including those of the theme it extends."""

    colours: Mapping[str, str]
    variables: Mapping[str, str]
    dark: bool
    ansi: bool


def read_theme(path: Path) -> ThemeFile:
    """Read a theme. Raises ConfigError with file, line and key."""
    return _Reader(path, ()).theme(_load(path))


def _load(path: Path) -> CommentedMap:
    try:
        text = read_text(path, most=MAX_BYTES)
        yaml_text.check(text)
        data: object = yaml_text.reader("rt").load(text)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(str(error), file=path) from error
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        raise ConfigError(str(error.problem or "is not YAML"), file=f"{path}:{line}") from error  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    except YAMLError as error:
        raise ConfigError("is not YAML", file=path) from error
    if not isinstance(data, CommentedMap):
        raise ConfigError("a theme is a mapping with name and colours", file=path)
    return data


class _Reader:
    """Validates the parts of one file; `under` are the files that extend it."""

    def __init__(self, path: Path, under: tuple[Path, ...]) -> None:
        self.path, self.under = path, under

    def wrong(self, where: CommentedMap, key: str, cause: str) -> ConfigError:
        try:
            line = int(where.lc.key(key)[0]) + 1  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        except (KeyError, TypeError, AttributeError):
            line = 1
        return ConfigError(cause, file=f"{self.path}:{line}", key=key)

    def theme(self, data: CommentedMap) -> ThemeFile:
        parts = self.parts(data)
        fields = cast(Mapping[str, object], data)
        name = str(fields.get("name", self.path.stem))
        if not NAME.match(name):
            raise self.wrong(data, "name", "a name must contain only lower-case letters, digits and hyphens")
        if missing := [key for key in REQUIRED if key not in parts.colours]:
            raise self.wrong(data, "colours", f"{missing[0]} is missing")
        bare = make_theme(name, parts.colours, {}, dark=parts.dark, ansi=parts.ansi)
        self.check_variables(data, {*bare.to_color_system().generate(), *bare.variables, *VARIABLE_DEFAULTS})
        theme = make_theme(name, parts.colours, parts.variables, dark=parts.dark, ansi=parts.ansi)
        return ThemeFile(str(fields.get("title", name)), theme, self.path)

    def parts(self, data: CommentedMap) -> _Parts:
        for key, value in cast(Mapping[str, object], data).items():
            if key not in _TOP:
                raise self.wrong(data, str(key), f"unknown key; expected {', '.join(_TOP)}")
            if not isinstance(value, _TOP[key]):
                raise self.wrong(data, key, f"must be a {_TOP[key].__name__}")
        fields = cast(Mapping[str, object], data)
        base = self.base(data) if "extends" in fields else _Parts({}, {}, dark=True, ansi=False)
        variables = {str(k): str(v) for k, v in cast(Mapping[object, object], fields.get("variables", {})).items()}
        return _Parts(
            {**base.colours, **self.colours(data)},
            {**base.variables, **variables},
            dark=bool(fields.get("dark", base.dark)),
            ansi=bool(fields.get("ansi", base.ansi)),
        )

    def base(self, data: CommentedMap) -> _Parts:
        """The parts of the theme that this one extends."""
        name, seen = str(cast(Mapping[str, object], data)["extends"]), (*self.under, self.path)
        found = [path for path in find_themes((*theme_folders(), self.path.parent)) if path.stem == name]
        file = next((path for path in reversed(found) if path not in seen), None)
        if file is None:
            raise self.wrong(data, "extends", f"no other theme named {name}")
        return _Reader(file, seen).parts(_load(file))

    def colours(self, data: CommentedMap) -> dict[str, str]:
        fields = cast(Mapping[str, object], data)
        raw = fields.get("colours")
        if raw is None and "extends" in fields:
            return {}
        if not isinstance(raw, CommentedMap):
            raise self.wrong(data, "colours", "must be a mapping of colours")
        colours: dict[str, str] = {}
        for key, value in cast(Mapping[str, object], raw).items():
            if key not in REQUIRED and key not in OPTIONAL:
                raise self.wrong(raw, str(key), f"unknown colour; expected {', '.join(REQUIRED + OPTIONAL)}")
            if not is_colour(str(value)):
                raise self.wrong(raw, key, f"{value!r} is not a colour; write #rrggbb or ansi_NAME")
            colours[key] = str(value)
        return colours

    def check_variables(self, data: CommentedMap, known: Set[str]) -> None:
        """Validate the variables: one that is invalid in the style sheets would end the program."""
        raw = cast(Mapping[str, object], data).get("variables")
        if not isinstance(raw, CommentedMap):
            return
        for key, value in cast(Mapping[str, object], raw).items():
            if str(key) not in known:
                raise self.wrong(raw, str(key), "unknown variable")
            if str(key).endswith("-style"):
                if not set(str(value).split()) <= _STYLES:
                    raise self.wrong(raw, str(key), f"{value!r} is not a style; use {', '.join(sorted(_STYLES))}")
            elif not _is_css_colour(str(value)):
                raise self.wrong(raw, str(key), f"{value!r} is not a colour; write #rrggbb or ansi_NAME")


def _is_css_colour(text: str) -> bool:
    """A colour or `auto`, with an optional percentage."""
    colour, _, share = text.partition(" ")
    share = share.strip()
    number = share.removesuffix("%")
    shared = not share or (share.endswith("%") and number.replace(".", "", 1).isdigit())
    return shared and (colour in ("auto", "initial") or is_colour(colour))
