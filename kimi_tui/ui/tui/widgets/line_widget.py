"""A widget that is a list of styled lines: the base of the small panes. Only changed rows are repainted."""

from dataclasses import replace

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from kimi_tui.ui.tui.text.render_fallback import lines_or_notice
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import Line, cells, cut
from kimi_tui.ui.tui.themes.palette import Palette, palette_around


def line_strip(line: Line, width: int, background: Style) -> Strip:
    """Convert a line to a strip of exactly `width` columns, safe for a terminal."""
    segments: list[Segment] = []
    used = 0
    for text, style in line.runs:
        shown = sanitize(text)
        size = cells(shown)
        if used + size > width:
            shown = cut(shown, width - used)
            segments.append(Segment(shown, background + style))
            used += cells(shown)
            break
        if shown:
            segments.append(Segment(shown, background + style))
            used += size
    if used < width:
        segments.append(Segment(" " * (width - used), background + line.fill if line.fill else background))
    return Strip(segments, width)


def widget_palette(widget: Widget) -> Palette:
    """The theme's styles; `base` has no background here, because panes have various backgrounds."""
    palette = palette_around(widget)
    return replace(palette, base=Style(color=palette.base.color))


def background_of(widget: Widget) -> Style:
    """Return the style of the widget's empty cells."""
    return widget_palette(widget).base + Style(bgcolor=widget.background_colors[1].rich_color)


class LineWidget(Widget):
    """Shows lines that subclasses provide; `redraw` compares them and repaints."""

    DEFAULT_CSS = "LineWidget { height: auto; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._strips: list[Strip] = []
        self._drawn_width = -1

    def lines(self, width: int, palette: Palette) -> list[Line]:
        raise NotImplementedError

    @property
    def palette(self) -> Palette:
        return widget_palette(self)

    @property
    def background_style(self) -> Style:
        """The style of empty cells."""
        return background_of(self)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._draw(width)
        return len(self._strips)

    def render_line(self, y: int) -> Strip:
        if self._drawn_width != self.content_size.width:
            self._draw(self.content_size.width)
        if y < len(self._strips):
            return self._strips[y]
        return Strip.blank(self.content_size.width, self.background_style)

    def redraw(self) -> None:
        """Update after a change of the lines."""
        if not self.is_mounted:
            return
        before = self._strips
        self._draw(max(0, self.content_size.width))
        if len(self._strips) != len(before):
            self.refresh(layout=self.styles.is_auto_height)
            self.refresh()
            return
        for y, (old, new) in enumerate(zip(before, self._strips, strict=True)):
            if old != new:
                self.refresh(Region(0, y + self._content_top, self.size.width, 1))

    @property
    def _content_top(self) -> int:
        return self.gutter.top

    def _draw(self, width: int) -> None:
        self._drawn_width = width
        background = self.background_style
        lines = lines_or_notice(self.lines, width, self.palette) if width > 0 else []
        self._strips = [line_strip(line, width, background) for line in lines]

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn_width = -1
