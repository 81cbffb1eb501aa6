"""The visible rows with overlays: cursor, search matches, selection."""

from collections import deque

from rich.style import Style
from textual.selection import Selection

from kimi_tui.ui.tui.text.render_fallback import log_fault
from kimi_tui.ui.tui.transcript.item_store import ItemStore, RenderedItem
from kimi_tui.ui.tui.transcript.row_builder import MARGIN, Row, RowBuilder
from kimi_tui.ui.tui.transcript.scroll_window import ScrollWindow
from kimi_tui.ui.tui.transcript.search import TranscriptSearch
from kimi_tui.ui.tui.transcript.selection_text import selection_offset

Placed = tuple[Row, int | None]
"""A row, and its position in the conversation (see `selection_text`); None below the end."""
_KEPT = 300  # rows; a displayed row takes 3 KiB, mostly caches of its strip


class RowOverlay:
    """Builds the rows. Recent rows without overlays are cached with their item."""

    def __init__(self, store: ItemStore, window: ScrollWindow, finder: TranscriptSearch) -> None:
        self._store = store
        self._window = window
        self._finder = finder
        self.maker = RowBuilder(store.width, store.palette)
        self._kept: deque[tuple[RenderedItem, int]] = deque()

    def resize(self, width: int) -> None:
        """Set the width, or take the store's new colours."""
        self.maker = RowBuilder(width, self._store.palette)

    def rows(self, cursor: int | None, selection: Selection | None) -> list[Placed]:
        """Return the window's rows from its top; `cursor` is the item under the keyboard cursor."""
        store, window = self._store, self._window
        rows: list[Placed] = []
        index, skip = store.heights.find(window.top)
        while len(rows) < window.height and index < len(store):
            drawn = store.drawn(index)
            is_here = cursor is not None and store.id_at(index) == cursor
            for number in range(skip - drawn.gap, min(drawn.height, skip + window.height - len(rows)) - drawn.gap):
                row = self._row_or_blank(index, number, selection, is_here=is_here and number == 0)
                rows.append((row, selection_offset(store.id_at(index), max(0, number))))
            skip = 0
            index += 1
        rows.extend([(self.maker.blank, None)] * (window.height - len(rows)))
        return rows

    def _row_or_blank(self, index: int, number: int, selection: Selection | None, *, is_here: bool) -> Row:
        try:
            return self._row(index, number, selection, is_here=is_here)
        except Exception as error:  # noqa: BLE001 - the edge: a row that cannot be drawn ends nothing
            log_fault(error)
            return self.maker.blank

    def _row(self, index: int, number: int, selection: Selection | None, *, is_here: bool) -> Row:
        if number < 0:
            return self.maker.blank
        drawn = self._store.drawn(index)
        marks = self._marks(index, number, selection)
        if is_here or marks:
            return self.maker.row(drawn.lines[number], cursor=is_here, marks=marks)
        row = drawn.rows[number]
        if row is None:
            row = drawn.rows[number] = self.maker.row(drawn.lines[number])
            self._keep(drawn, number)
        return row

    def _keep(self, drawn: RenderedItem, number: int) -> None:
        self._kept.append((drawn, number))
        if len(self._kept) > max(_KEPT, 2 * self._window.height):
            drawn, number = self._kept.popleft()
            if number < len(drawn.rows):
                drawn.rows[number] = None

    def _marks(self, index: int, number: int, selection: Selection | None) -> list[tuple[int, int, Style]]:
        marks = [(start + MARGIN, end + MARGIN, style) for start, end, style in self._finder.marks(index, number)]
        if selection is not None:
            span = selection.get_span(selection_offset(self._store.id_at(index), number))
            if span is not None:
                line = self._store.drawn(index).lines[number]
                start = max(span[0], MARGIN + line.skip)  # copied text only
                end = span[1] if span[1] >= 0 else MARGIN + len(line.text)
                if start < end:
                    marks.append((start, end, self._store.palette.selection))
        return marks
