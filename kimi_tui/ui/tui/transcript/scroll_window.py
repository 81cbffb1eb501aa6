"""The visible rows of the item store, kept in place when content above, below or the width changes."""

from math import ceil

from kimi_tui.ui.tui.transcript.item_store import ItemStore


class ScrollWindow:
    """The visible part of the conversation.

    `height` rows of the store from row `top` on. While it follows, it stays at the end, with some blank rows that new
    lines fill before the content scrolls: this reduces movement, and most of the terminal's repainting.
    """

    def __init__(self, store: ItemStore) -> None:
        self.store = store
        self.height = 0
        self.top = 0
        self.follow = True

    @property
    def trailing_rows(self) -> int:
        """Rows to leave blank at the end when the window scrolls while text streams in."""
        return max(1, self.height // 5)

    @property
    def virtual_height(self) -> int:
        """The number of scrollable rows."""
        return max(self.store.heights.total, self.top + self.height if self.follow else 0)

    @property
    def thumb(self) -> tuple[int, int]:
        """The start and length of the scroll bar's thumb, in eighths of a row; (0, 0) if everything is visible."""
        rows, seen = self.virtual_height, self.height
        if rows <= seen:
            return 0, 0
        length = max(1.0, seen * seen / rows)
        return int((seen - length) * self.top / (rows - seen) * 8), ceil(length * 8)

    @property
    def end(self) -> int:
        """The `top` that puts the last row at the bottom."""
        return max(0, self.store.heights.total - self.height)

    def settle(self) -> None:
        """Measure visible items; follow the end, or keep the top item in place."""
        if not self.height or not len(self.store):
            self.top = 0
            return
        if self.follow:
            self._measure_end()
            bottom = self.top + self.height
            total = self.store.heights.total
            if total > bottom:
                streaming = self.store.streaming
                self.top = self.end + (self.trailing_rows if streaming else 0)
            elif self.top > self.end + self.trailing_rows:
                self.top = self.end
            return
        self.top = min(self.top, self.end)
        self._measure_down()

    def to_end(self) -> None:
        """Follow the end: put the last row at the bottom."""
        self.follow = True
        self._measure_end()
        self.top = self.end

    def move_to(self, top: int) -> None:
        """Scroll for the user; the window follows again when it reaches the end."""
        top = max(0, top)
        if top < self.top and self.top - top <= 2 * self.height:
            top = self._measure_up(top)
        self.follow = False
        self.top = top
        self._measure_down()
        if self.top >= self.end:
            self.top = self.end
            self.follow = True

    def resize(self, width: int, height: int) -> None:
        """Resize: the item at the top stays at the top, at the same part of it."""
        store = self.store
        index, row = store.heights.find(self.top)
        before = store.heights[index] if index < len(store) else 1
        self.height = height
        if width != store.width:
            store.set_width(width, store.palette)
        if self.follow:
            self.to_end()
            return
        if index < len(store):
            store.measure(index)
            after = store.heights[index]
            self.top = store.heights.top(index) + min(after - 1, row * after // max(1, before))
        self.settle()

    def show_item(self, index: int, row: int = 0, *, above: int = 0) -> None:
        """Scroll a row of an item into view, `above` rows from the top."""
        self.store.measure(index)
        self.follow = False
        self.top = max(0, self.store.heights.top(index) + row - above)
        self._measure_down()
        if self.top > self.end:
            self._measure_end()
            self.top = self.end

    def _measure_end(self) -> None:
        store = self.store
        seen = 0
        for index in range(len(store) - 1, -1, -1):
            store.measure(index)
            seen += store.heights[index]
            if seen >= self.height:
                return

    def _measure_down(self) -> None:
        store = self.store
        index, row = store.heights.find(self.top)
        seen = -row
        while index < len(store) and seen < self.height:
            store.measure(index)
            seen += store.heights[index]
            index += 1

    def _measure_up(self, top: int) -> int:
        """Make exact the heights between `top` and the window above it; `top` is adjusted so that
        nothing below jumps."""
        store = self.store
        index, _ = store.heights.find(self.top)
        while index > 0 and store.heights.top(index) > top:
            index -= 1
            if index < len(store):
                top += store.measure(index)
        return max(0, top)
