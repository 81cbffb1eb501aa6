"""A scrolling list of items, one of them under the cursor: arrows, pages, the mouse and Enter."""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType

from kimi_tui.ui.tui.widgets.line_scroll_view import LineScrollView


class LineList(LineScrollView, can_focus=True):
    """A list with a cursor.

    Subclasses draw the items, and set `item_of_line` in `lines`: the item of each line, -1 for a heading.

    With `at_once` any click chooses an item; without it, only a click on the item under the cursor.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("home", "edge(-1)", "First", show=False),
        Binding("end", "edge(1)", "Last", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("enter", "choose", "Choose", show=False),
    ]
    at_once = True

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.cursor = 0
        self.item_of_line: list[int] = []

    @property
    def item_count(self) -> int:
        raise NotImplementedError

    def choose(self) -> None:
        """Choose the item under the cursor; called only if there is one."""
        raise NotImplementedError

    def show_items(self) -> None:
        """Update after a change of the items."""
        self.cursor = max(0, min(self.cursor, self.item_count - 1))
        self.redraw()

    def action_move(self, by: int) -> None:
        if not self.item_count:
            return
        self.cursor = max(0, min(self.cursor + by, self.item_count - 1))
        self.redraw_in_place()
        rows = [row for row, item in enumerate(self.item_of_line) if item == self.cursor]
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if rows and rows[-1] >= top + height:
            top = rows[-1] - height + 1
        if rows and rows[0] < top:
            top = rows[0]
        if self.cursor == 0:
            top = 0  # with the heading
        self.scroll_to(0, top, animate=False, immediate=True)

    def action_edge(self, direction: int) -> None:
        self.action_move(direction * self.item_count)

    def action_page(self, direction: int) -> None:
        """Move by the number of visible items, at least one."""
        top = self.scroll_offset.y
        seen = {*self.item_of_line[top : top + self.size.height]} - {-1}
        self.action_move(direction * max(1, len(seen) - 1))

    def action_choose(self) -> None:
        if self.item_count:
            self.choose()

    def on_click(self, event: events.Click) -> None:
        row = event.y - self.gutter.top + self.scroll_offset.y
        item = self.item_of_line[row] if 0 <= row < len(self.item_of_line) else -1
        if item < 0:
            return
        chooses, self.cursor = self.at_once or item == self.cursor, item
        self.redraw_in_place()
        if chooses:
            self.choose()

    def on_focus(self) -> None:
        self.redraw_in_place()

    def on_blur(self) -> None:
        self.redraw_in_place()
