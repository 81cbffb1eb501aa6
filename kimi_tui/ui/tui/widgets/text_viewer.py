"""A read-only text view that scrolls by keys and by the wheel."""

from collections.abc import Callable

from kimi_tui.ui.tui.text.styled_line import Line
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_scroll_view import LineScrollView

MakeLines = Callable[[int, Palette], list[Line]]


class TextViewer(LineScrollView, can_focus=True):
    """Shows lines from the top or from the end."""

    DEFAULT_CSS = "TextViewer { height: 1fr; background: $surface; scrollbar-size-vertical: 1; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._make: MakeLines = lambda _width, _palette: []

    def show(self, make: MakeLines, *, at_end: bool = False) -> None:
        """Show these lines; `at_end`: scrolled to the last of them."""
        self._make = make
        self.redraw()
        if at_end:
            self.call_after_refresh(self.scroll_end, animate=False)

    def lines(self, width: int, palette: Palette) -> list[Line]:
        return self._make(width, palette)
