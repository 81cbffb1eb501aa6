"""Reads any theme's YAML, and says where it is wrong."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from textual.color import Color, ColorParseError

from kimi_tui.errors import ConfigError
from kimi_tui.ui.tui.themes import NAME, OPTIONAL, REQUIRED, ThemeFile, make_theme

_TOP = {"name": str, "title": str, "dark": bool, "ansi": bool, "colours": dict, "variables": dict}


def read_theme(path: Path) -> ThemeFile:
    """Raises ConfigError with file, line and key."""
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
        if not NAME.match(name):
            raise self.wrong(data, "name", "a name has small letters, digits and hyphens")
        colours = self.colours(data)
        variables = {str(k): str(v) for k, v in cast(Mapping[object, object], fields.get("variables", {})).items()}
        ansi, dark = bool(fields.get("ansi", False)), bool(fields.get("dark", True))
        theme = make_theme(name, colours, variables, dark=dark, ansi=ansi)
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
