"""Text styles, derived from a theme's variables only."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.style import Style
from textual.color import Color

if TYPE_CHECKING:
    from textual.widget import Widget

    from kimi_tui.flow.render.chart_style import Role

_PLAIN = Style()
_DIM, _BOLD, _ITALIC = Style(dim=True), Style(bold=True), Style(italic=True)
_UNDERLINE, _REVERSE = Style(underline=True), Style(reverse=True)


@dataclass(frozen=True, slots=True)
class Palette:
    """One style per role. `base` has the background colour; the others are combined with it.

    `faint` is for decoration without information: rules, bars, separators. Readable text is at least `muted`.
    """

    base: Style = _PLAIN
    muted: Style = _DIM
    faint: Style = _DIM
    accent: Style = _BOLD
    secondary: Style = _PLAIN
    success: Style = _PLAIN
    warning: Style = _PLAIN
    error: Style = _BOLD
    heading: Style = _BOLD
    link: Style = _UNDERLINE
    code: Style = _PLAIN
    code_bg: Style = _PLAIN
    user_bg: Style = _PLAIN
    decision_bg: Style = _PLAIN
    diff_add: Style = _PLAIN
    diff_add_word: Style = _REVERSE
    diff_remove: Style = _PLAIN
    diff_remove_word: Style = _REVERSE
    selection: Style = _REVERSE
    found: Style = _UNDERLINE
    found_here: Style = _REVERSE
    keyword: Style = _PLAIN
    string: Style = _PLAIN
    number: Style = _PLAIN
    comment: Style = _ITALIC
    function: Style = _PLAIN
    name_type: Style = _PLAIN

    def of_role(self, role: "Role") -> Style:
        match role:
            case "plain":
                return self.base
            case "muted":
                return self.muted
            case "faint":
                return self.faint
            case "accent":
                return self.accent
            case "success":
                return self.success
            case "warning":
                return self.warning
            case "error":
                return self.error
            case "secondary":
                return self.secondary


COLOURLESS = Palette(
    accent=_BOLD,
    success=_BOLD,
    warning=_BOLD,
    heading=_BOLD,
    code=_ITALIC,
    diff_add_word=_BOLD + _UNDERLINE,
    diff_remove_word=_BOLD + _UNDERLINE,
    selection=_REVERSE,
    found=_UNDERLINE,
    found_here=_REVERSE,
    keyword=_BOLD,
    comment=_DIM + _ITALIC,
)
"""For terminals without colours."""


class _Theme:
    """Reads colours from a theme's variables; a role that is missing or `auto` uses its fallback."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.variables = variables
        self.background = self.colour("background", Color(18, 18, 18))
        self.foreground = self.colour("foreground", Color(224, 224, 224))

    @property
    def is_ansi(self) -> bool:
        """Whether the theme uses the terminal's own colours, which cannot be mixed."""
        return self.background.ansi is not None or self.foreground.ansi is not None

    @property
    def is_stark(self) -> bool:
        """Whether the theme is black and white, where the usual mixed backgrounds would be barely visible."""
        return abs(self.foreground.brightness - self.background.brightness) > 0.98

    def colour(self, name: str, fallback: Color) -> Color:
        value = self.variables.get(name, "")
        if not value or value.startswith("auto"):
            return fallback
        return Color.parse(value)

    def mix(self, name: str, amount: float) -> Color:
        """`amount` of the named colour over the background."""
        return self.background.blend(self.colour(name, self.foreground), amount, alpha=1.0)

    def ink(self, name: str, attributes: Style = _PLAIN) -> Style:
        colour = self.colour(f"text-{name}", self.colour(name, self.foreground))
        return _style(colour, None, attributes)


def _style(colour: Color | None, background: Color | None, attributes: Style = _PLAIN) -> Style:
    return (
        Style(color=colour.rich_color if colour else None, bgcolor=background.rich_color if background else None)
        + attributes
    )


def palette_around(widget: "Widget") -> Palette:
    """The palette of the theme that a widget is shown in."""
    return COLOURLESS if widget.app.no_color else palette_from_theme(widget.app.theme_variables)


def palette_from_theme(variables: Mapping[str, str]) -> Palette:
    """The palette of a Textual theme; `variables` is `App.theme_variables`."""
    return _palette(tuple(variables.items()))


@lru_cache(maxsize=4)
def _palette(variables: tuple[tuple[str, str], ...]) -> Palette:
    theme = _Theme(dict(variables))
    return _ansi_palette(theme) if theme.is_ansi else _mixed_palette(theme)


def _mixed_palette(theme: _Theme) -> Palette:
    text, background = theme.foreground, theme.background
    muted = theme.colour("muted", background.blend(text, 0.62, alpha=1.0))
    faint = theme.colour("faint", background.blend(text, 0.30, alpha=1.0))
    panel = theme.mix("foreground", 0.1 if theme.is_stark else 0.055)
    chosen = theme.mix("primary", 0.18 if theme.is_stark else 0.1)
    return Palette(
        base=_style(text, background),
        muted=_style(muted, None),
        faint=_style(faint, None),
        accent=theme.ink("primary"),
        secondary=theme.ink("secondary"),
        success=theme.ink("success"),
        warning=theme.ink("warning"),
        error=theme.ink("error"),
        heading=theme.ink("primary", _BOLD),
        link=theme.ink("primary", _UNDERLINE),
        code=theme.ink("warning"),
        code_bg=_style(None, panel),
        user_bg=_style(None, chosen),
        decision_bg=_style(None, theme.mix("secondary", 0.1 if theme.is_stark else 0.14)),
        diff_add=_style(None, theme.mix("success", 0.16)),
        diff_add_word=_style(text, theme.mix("success", 0.38), _BOLD),
        diff_remove=_style(None, theme.mix("error", 0.16)),
        diff_remove_word=_style(text, theme.mix("error", 0.38), _BOLD),
        selection=_style(text, theme.mix("primary", 0.45)),
        found=_style(text, theme.mix("warning", 0.30), _UNDERLINE),
        found_here=_style(background, theme.colour("warning", text), _BOLD),
        keyword=theme.ink("primary"),
        string=theme.ink("success"),
        number=theme.ink("warning"),
        comment=_style(muted, None, _ITALIC),
        function=theme.ink("accent"),
        name_type=theme.ink("secondary"),
    )


def _ansi_palette(theme: _Theme) -> Palette:
    """For a theme of the terminal's own colours: weight, reverse and dim in place of mixed backgrounds."""
    return Palette(
        base=_style(theme.foreground, theme.background),
        accent=theme.ink("primary"),
        secondary=theme.ink("secondary"),
        success=theme.ink("success"),
        warning=theme.ink("warning"),
        error=theme.ink("error", _BOLD),
        heading=theme.ink("primary", _BOLD),
        link=theme.ink("primary", _UNDERLINE),
        code=theme.ink("warning"),
        diff_add=theme.ink("success"),
        diff_add_word=theme.ink("success", _REVERSE),
        diff_remove=theme.ink("error"),
        diff_remove_word=theme.ink("error", _REVERSE),
        keyword=theme.ink("primary"),
        string=theme.ink("success"),
        number=theme.ink("warning"),
        comment=_DIM + _ITALIC,
        function=theme.ink("accent"),
        name_type=theme.ink("secondary"),
    )
