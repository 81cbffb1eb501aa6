"""A scrolling list of lines that tracks the last line that has been on screen."""

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.render_fallback import lines_or_notice
from kimi_tui.ui.tui.text.styled_line import Line
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import background_of, line_strip, widget_palette


class LineScrollView(ScrollView):
    """A view as high as its lines, up to its `max-height`. Subclasses provide the lines."""

    DEFAULT_CSS = "LineScrollView { height: auto; scrollbar-size-vertical: 1; overflow-x: hidden; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._strips: list[Strip] = []
        self._drawn_width = -1
        self._measured: dict[int, int] = {}
        """Rows by width."""
        self._seen = 0

    def lines(self, width: int, palette: Palette) -> list[Line]:
        raise NotImplementedError

    @property
    def all_seen(self) -> bool:
        """Whether every line has been on screen since the last change of the lines."""
        return self._seen >= len(self._strips) > 0

    @property
    def any_seen(self) -> bool:
        """Whether any line has been on screen since the last change of the lines."""
        return self._seen > 0

    def refuse_unseen(self, *, answer_shown: bool = True) -> bool:
        """Whether no line of the text has been on screen, or the answer is not, as in a tiny window; notifies the user
        if so."""
        if self.any_seen and answer_shown:
            return False
        self.app.bell()
        self.notify(_("the window is too small to show what you would approve"), timeout=4, markup=False)
        return True

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        width = max(1, width)
        if self._drawn_width < 0:
            self._draw(width)
        elif width not in self._measured:  # with the scrollbar the text is narrower than what is measured
            lines = lines_or_notice(self.lines, width, widget_palette(self))
            self._measured[width] = len(lines)
        return self._measured[width]

    def redraw(self) -> None:
        """Update after a change of the lines."""
        self._forget_drawn()
        self._seen = 0
        self.scroll_to(0, 0, animate=False, immediate=True)
        if self.is_mounted:
            self.refresh(layout=True)

    def redraw_in_place(self) -> None:
        """Update after a change of styles: the rows and the scroll position stay."""
        self._forget_drawn()
        if width := self.scrollable_content_region.width:
            self._draw(width)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if width != self._drawn_width:
            self._draw(width)
        line = y + self.scroll_offset.y
        if line < len(self._strips):
            self._seen = max(self._seen, line + 1)
            return self._strips[line].crop(0, width)
        return Strip.blank(width, background_of(self))

    def _draw(self, width: int) -> None:
        if width == self._drawn_width:
            return
        self._drawn_width = width
        background = background_of(self)
        palette = widget_palette(self)
        self._strips = [line_strip(line, width, background) for line in lines_or_notice(self.lines, width, palette)]
        self._measured[width] = len(self._strips)
        self.virtual_size = Size(width, len(self._strips))

    def _forget_drawn(self) -> None:
        self._drawn_width = -1
        self._measured.clear()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._forget_drawn()
