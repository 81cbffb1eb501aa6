"""Virtualised item store: items, heights, cached lines.

Heights of undrawn items are estimates; `measure` computes the exact height. Only the last `_KEPT` drawn items keep
their lines, so that memory stays bounded. Independent of the screen.
"""

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kimi_tui.ui.tui.state.items import AssistantItem, Item, ThinkItem, ToolItem, UserItem, is_running
from kimi_tui.ui.tui.text.render_fallback import log_fault, plain_item
from kimi_tui.ui.tui.text.styled_line import Line, cells
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.transcript.height_index import HeightIndex
from kimi_tui.ui.tui.transcript.item_renderer import (
    MEASURE,
    USER_SHOWN,
    gap_before,
    is_foldable,
    is_hidden,
    render_item,
)
from kimi_tui.ui.tui.transcript.render_context import RenderContext
from kimi_tui.ui.tui.transcript.row_builder import Row
from kimi_tui.ui.tui.transcript.streaming_markdown import StreamingMarkdown

_KEPT = 100


@dataclass(slots=True)
class RenderedItem:
    """An item's lines in one width, below `gap` blank rows; rows are built on first use."""

    gap: int
    lines: list[Line]
    rows: list[Row | None]

    @property
    def height(self) -> int:
        return self.gap + len(self.lines)


class ItemStore:
    """The conversation as a sequence of rows, `width` columns wide."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.width = 80
        self.palette = Palette()
        self.frame = 0
        self.thoughts = True
        self.counts = True
        self.charts = True
        self.items: list[Item] = []
        self.heights = HeightIndex()
        self.running: set[int] = set()
        self._ids: list[int] = []
        self._next_id = 1
        self._first_id = 1
        self._open: set[int] = set()
        self._exact: set[int] = set()
        self.cache: OrderedDict[int, RenderedItem] = OrderedDict()
        """RenderedItem items by id, the least recently used first."""
        self._docs: dict[int, StreamingMarkdown] = {}

    # Items

    def __len__(self) -> int:
        return len(self.items)

    def id_at(self, index: int) -> int:
        return self._ids[index]

    def index_of(self, item_id: int) -> int | None:
        """The index of the item; None if it was removed."""
        index = bisect_left(self._ids, item_id)
        return index if index < len(self._ids) and self._ids[index] == item_id else None

    def first_from(self, item_id: int) -> int:
        """The index of the first item with an id of `item_id` or more."""
        return bisect_left(self._ids, item_id)

    @property
    def streaming(self) -> bool:
        """Whether text is streaming into an item."""
        return bool(self._docs)

    def item_of(self, item_id: int) -> Item | None:
        index = self.index_of(item_id)
        return None if index is None else self.items[index]

    def append(self, item: Item) -> int:
        item_id = self._next_id
        self._next_id += 1
        self._ids.append(item_id)
        self.items.append(item)
        self.heights.append(self._estimate(len(self.items) - 1))
        if is_running(item):
            self.running.add(item_id)
        return item_id

    def replace_all(self, items: Sequence[Item]) -> list[int]:
        self.truncate(0)
        self.items = list(items)
        self._ids = list(range(self._next_id, self._next_id + len(items)))
        self._next_id += len(items)
        self.heights = HeightIndex(self._estimate(index) for index in range(len(items)))
        self.running = {item_id for item_id, item in zip(self._ids, items, strict=True) if is_running(item)}
        return list(self._ids)

    def prepend(self, items: Sequence[Item]) -> list[int]:
        """Add items before all others; return their ids."""
        self._first_id -= len(items)
        ids = list(range(self._first_id, self._first_id + len(items)))
        self.items[:0], self._ids[:0] = items, ids
        self.running |= {item_id for item_id, item in zip(ids, items, strict=True) if is_running(item)}
        heights = [self._estimate(index) for index in range(len(items))]
        if ids:
            self._forget_below(len(items) - 1)
        self.heights.prepend(heights)
        return ids

    def truncate(self, length: int) -> None:
        """Keep the first `length` items."""
        for item_id in self._ids[length:]:
            self._forget(item_id)
            self._open.discard(item_id)
            self.running.discard(item_id)
            self._docs.pop(item_id, None)
        del self._ids[length:]
        del self.items[length:]
        self.heights.truncate(length)

    def put(self, index: int, item: Item) -> None:
        """Replace the item at `index`."""
        item_id = self._ids[index]
        self.items[index] = item
        self._docs.pop(item_id, None)
        (self.running.add if is_running(item) else self.running.discard)(item_id)
        self._forget(item_id)
        self._forget_below(index)

    def _forget_below(self, index: int) -> None:
        """Forget the next item: the gap above it depends on the one at `index`."""
        if index + 1 < len(self.items):
            self._forget(self._ids[index + 1])

    def _forget(self, item_id: int) -> None:
        self.cache.pop(item_id, None)
        self._exact.discard(item_id)

    # Streaming text

    def stream(self, index: int, text: str) -> None:
        item_id, item = self._ids[index], self.items[index]
        match item:
            case AssistantItem():
                self._stream_markdown(item_id, item, text)
            case ThinkItem():
                self.items[index] = replace(item, text=item.text + text)
                self._forget(item_id)
            case ToolItem():
                self.items[index] = replace(item, tail=(item.tail + text)[-8000:])
                self._forget(item_id)
            case _:
                pass

    def _stream_markdown(self, item_id: int, item: AssistantItem, text: str) -> None:
        doc = self._doc(item_id, item)
        first = doc.feed(text)
        drawn = self.cache.get(item_id)
        if drawn is not None:
            drawn.lines = doc.lines
            drawn.rows[first:] = [None] * (len(drawn.lines) - first)
        self._exact.discard(item_id)

    def _doc(self, item_id: int, item: AssistantItem) -> StreamingMarkdown:
        doc = self._docs.get(item_id)
        if doc is None:
            doc = self._docs[item_id] = StreamingMarkdown(min(self.width, MEASURE), self.palette, charts=self.charts)
            doc.feed(item.text)
        return doc

    def finish(self, index: int, duration_s: float | None = None) -> None:
        item_id, item = self._ids[index], self.items[index]
        self.running.discard(item_id)
        match item:
            case AssistantItem():
                doc = self._docs.pop(item_id, None)
                self.items[index] = replace(item, text=doc.source if doc else item.text, done=True)
                drawn = self.cache.get(item_id)
                if doc is not None and drawn is not None:
                    first = doc.finish()
                    drawn.lines = doc.lines
                    drawn.rows[first:] = [None] * (len(drawn.lines) - first)
                self._exact.discard(item_id)
            case ThinkItem():
                if duration_s is None and item.started is not None:
                    duration_s = max(0.0, self._clock() - item.started)
                self.items[index] = replace(item, done=True, duration_s=duration_s)
                self._forget(item_id)
            case _:
                pass

    def text_of(self, index: int) -> Item:
        """Return the item with all of its text, also while it streams."""
        item = self.items[index]
        doc = self._docs.get(self._ids[index])
        return replace(item, text=doc.source) if doc is not None and isinstance(item, AssistantItem) else item

    # Folding

    def is_open(self, item_id: int) -> bool:
        return item_id in self._open

    def set_open(self, item_id: int, is_open: bool) -> None:
        (self._open.add if is_open else self._open.discard)(item_id)
        self._forget(item_id)
        if (index := self.index_of(item_id)) is not None and is_hidden(self.items[index]):
            self._forget_below(index)

    def can_fold(self, index: int) -> bool:
        return is_foldable(self.items[index])

    def foldable(self) -> list[int]:
        """The ids of the foldable items."""
        return [item_id for item_id, item in zip(self._ids, self.items, strict=True) if is_foldable(item)]

    # Heights and lines

    def set_width(self, width: int, palette: Palette) -> None:
        """Set the width or the colours: every line is redrawn on its next use."""
        self.width = max(20, width)
        self.palette = palette
        self._redraw()

    def draw_charts(self, charts: bool) -> None:
        """Draw the charts of the texts, or show their source."""
        self.charts = charts
        self._redraw()

    def _redraw(self) -> None:
        self.cache.clear()
        self._exact.clear()
        for item_id, doc in list(self._docs.items()):
            self._docs[item_id] = doc.redrawn(min(self.width, MEASURE), self.palette, charts=self.charts)

    def tick(self, frames: int = 1) -> None:
        """Advance the clock, and the spinners by `frames`: running items are redrawn."""
        self.frame += frames
        for item_id in self.running:
            self.cache.pop(item_id, None)

    def measure(self, index: int) -> int:
        """Compute the exact height at `index`; return the change in rows."""
        item_id = self._ids[index]
        if item_id in self._exact:
            return 0
        before, after = self.heights[index], self.drawn(index).height
        self._exact.add(item_id)
        self.heights.set(index, after)
        return after - before

    def drawn(self, index: int) -> RenderedItem:
        """Return the item's lines."""
        item_id = self._ids[index]
        drawn = self.cache.get(item_id)
        if drawn is None:
            item = self.items[index]
            gap = self._gap(index)
            if isinstance(item, AssistantItem) and not item.done:
                lines = self._doc(item_id, item).lines
            else:
                context = RenderContext(
                    self.palette,
                    is_open=item_id in self._open,
                    now=self._clock(),
                    frame=self.frame,
                    thoughts=self.thoughts,
                    counts=self.counts,
                    charts=self.charts,
                )
                lines = _drawn_or_plain(item, self.width, context)
            drawn = self.cache[item_id] = RenderedItem(gap, lines, [None] * len(lines))
            if len(self.cache) > _KEPT:
                self.cache.popitem(last=False)
        else:
            self.cache.move_to_end(item_id)
        return drawn

    def _is_hidden(self, index: int) -> bool:
        return is_hidden(self.items[index]) and self._ids[index] not in self._open

    def _gap(self, index: int) -> int:
        """The blank rows above an item; items without lines are skipped."""
        if self._is_hidden(index):
            return 0
        above = index - 1
        while above >= 0 and self._is_hidden(above):
            above -= 1
        return gap_before(self.items[above] if above >= 0 else None, self.items[index])

    def _estimate(self, index: int) -> int:
        """A cheap estimate of an item's height."""
        item = self.items[index]
        gap = self._gap(index)
        match item:
            case ThinkItem() if self._is_hidden(index):
                return 0
            case UserItem() if is_foldable(item):
                return gap + USER_SHOWN + 1
            case UserItem() | AssistantItem():
                text = item.text
                return gap + max(
                    1, text.count("\n") + cells(text[:4000]) * len(text) // max(1, min(len(text), 4000)) // self.width
                )
            case _:
                return gap + 1


def _drawn_or_plain(item: Item, width: int, context: RenderContext) -> list[Line]:
    """The lines of an item; its plain text if rendering fails."""
    try:
        return render_item(item, width, context)
    except Exception as error:  # noqa: BLE001 - the edge: one message that cannot be drawn ends nothing
        log_fault(error)
        return plain_item(item, width, context.palette.base)  # defence: item-as-plain-text
