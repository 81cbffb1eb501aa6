"""The line between the two columns: joined to the panes' titles, draggable to resize the columns.

A double click restores the default widths.
"""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from kimi_tui.ui.tui.widgets.line_widget import background_of, widget_palette


def joint(*, left: bool, right: bool, top: bool) -> str:
    """The character of a vertical line where these lines adjoin it; `top`: at its first row."""
    if top:
        return "┬" if left and right else "┐" if left else "┌" if right else "╷"
    return "┼" if left and right else "┤" if left else "├" if right else "│"


class Divider(Widget):
    """The line between the columns, one cell wide. `left` and `right` are the rows in which a title line meets it."""

    DEFAULT_CSS = "Divider { width: 1; height: 100%; }"

    class Moved(Message):
        """Posted to move the border to this column of the screen."""

        def __init__(self, column: int) -> None:
            self.column = column
            super().__init__()

    class Dropped(Message):
        """Posted at the end of the drag."""

    class Reset(Message):
        """Posted to restore the border's default position."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._left: frozenset[int] = frozenset()
        self._right: frozenset[int] = frozenset()
        self._focused = range(0)
        self._dragged = False

    def join(self, left: Sequence[int], right: Sequence[int], *, focused: range) -> None:
        """Set the rows, from the top of this widget, in which lines adjoin on each side, and those beside the focused
        pane."""
        joints = frozenset(left), frozenset(right)
        if (*joints, focused) != (self._left, self._right, self._focused):
            self._left, self._right = joints
            self._focused = focused
            self.refresh()

    def render_line(self, y: int) -> Strip:
        background = background_of(self)
        palette = widget_palette(self)
        colour = Color.parse(self.app.theme_variables.get("line", "#404040"))
        line = palette.accent if self._dragged or y in self._focused else Style(color=colour.rich_color)
        sign = joint(left=y in self._left, right=y in self._right, top=y == 0)
        return Strip([Segment(sign, background + line)], 1)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._dragged = True
        self.capture_mouse()
        self.refresh()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragged:
            self.post_message(self.Moved(int(event.screen_x)))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._dragged:
            self.post_message(self.Dropped())
        self._dragged = False
        self.release_mouse()
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        if event.chain == 2:
            self.post_message(self.Reset())
