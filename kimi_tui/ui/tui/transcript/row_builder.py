"""Converts lines to terminal rows: only this module turns text into strips, and so only it sanitizes text."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells
from kimi_tui.ui.tui.text.wrap import slice_runs
from kimi_tui.ui.tui.themes.palette import Palette

MARGIN = 2  # columns left of the text; the first holds the cursor
RIGHT = 2  # columns right of it


class Row:
    """A full-width strip, and the number of columns before the plain background."""

    __slots__ = ("ink", "strip")

    def __init__(self, strip: Strip, ink: int) -> None:
        self.strip = strip
        self.ink = ink

    def same_as(self, other: "Row") -> bool:
        """Whether both look alike."""
        return self is other or (self.ink == other.ink and self.strip == other.strip)


class RowBuilder:
    """Builds rows of `width` columns."""

    def __init__(self, width: int, palette: Palette) -> None:
        self.width = width
        self.palette = palette
        self.blank = Row(Strip([Segment(" " * width, palette.base)], width), 0)
        self._styles: dict[Style, Style] = {}

    def row(self, line: Line, *, cursor: bool = False, marks: Sequence[tuple[int, int, Style]] = ()) -> Row:
        """Convert a line to a row. `marks` are (start, end, style) over the characters of the row, margin included."""
        runs: list[Run] = [(" " * MARGIN if not cursor else "›" + " " * (MARGIN - 1), self._margin_style(cursor))]
        runs.extend(line.runs)
        for start, end, style in marks:
            runs = _marked(runs, start, end, style)
        segments: list[Segment] = []
        used = 0
        for text, style in runs:
            text = sanitize(text)
            size = cells(text)
            if used + size > self.width:
                text = _fit(text, self.width - used)
                size = cells(text)
            if text:
                _push(segments, text, self._over_base(style))
                used += size
        ink = used
        if used < self.width:
            if line.fill is not None:
                end = self.width - RIGHT if line.fill_to is None else min(self.width - RIGHT, MARGIN + line.fill_to)
                _push(segments, " " * max(0, end - used), self._over_base(line.fill))
                used = max(used, end)
                ink = used
            _push(segments, " " * (self.width - used), self.palette.base)
        return Row(Strip(segments, self.width), ink)

    def without_background(self, line: Line) -> Strip:
        """Convert a line for the terminal's own background, without padding."""
        strip = self.row(line).strip
        return Strip([Segment(text, self._off_base(style)) for text, style, _ in _rstripped(strip)])

    def _off_base(self, style: Style | None) -> Style:
        """Drop the theme's text colour: on the terminal's own background, dark or light, the terminal's text colour is
        the readable one."""
        style, base = style or Style.null(), self.palette.base
        if style.bgcolor != base.bgcolor:
            return style
        return Style(
            color=style.color if style.color != base.color else None, bold=style.bold, dim=style.dim,
            italic=style.italic, underline=style.underline, strike=style.strike, reverse=style.reverse,
            link=style.link,
        )  # fmt: skip

    def _margin_style(self, cursor: bool) -> Style:
        return self.palette.accent if cursor else self.palette.base

    def _over_base(self, style: Style) -> Style:
        found = self._styles.get(style)
        if found is None:
            found = self._styles[style] = self.palette.base + style
        return found


def _rstripped(strip: Strip) -> list[Segment]:
    segments = list(strip)
    if segments and (segments[-1].style is None or segments[-1].style.bgcolor is None or segments[-1].text.isspace()):
        segments[-1] = Segment(segments[-1].text.rstrip(), segments[-1].style)
    return segments


def _push(segments: list[Segment], text: str, style: Style) -> None:
    """Append text, merged into the previous segment if both look alike: fewer colour codes for the terminal."""
    if not text:
        return
    if segments:
        last_text, last_style, _ = segments[-1]
        if last_style is not None and (last_style == style or (text.isspace() and _same_ground(last_style, style))):
            segments[-1] = Segment(last_text + text, last_style)
            return
        if last_style is not None and last_text.isspace() and _same_ground(style, last_style):
            segments[-1] = Segment(last_text + text, style)
            return
    segments.append(Segment(text, style))


def _same_ground(style: Style, blank: Style) -> bool:
    """Whether spaces look the same in both styles, and neither is a link or a click target."""
    if style.bgcolor != blank.bgcolor or style.link or style.meta or blank.meta or blank.link:
        return False
    return not (style.underline or style.reverse or style.strike or blank.underline or blank.reverse or blank.strike)


def _marked(runs: list[Run], start: int, end: int, style: Style) -> list[Run]:
    total = sum(len(text) for text, _ in runs)
    if end < 0:
        end = total
    inside = [(text, below + style) for text, below in slice_runs(runs, start, end)]
    return [*slice_runs(runs, 0, start), *inside, *slice_runs(runs, end, total)]


def _fit(text: str, width: int) -> str:
    kept = ""
    for char in text:
        width -= cells(char)
        if width < 0:
            break
        kept += char
    return kept
