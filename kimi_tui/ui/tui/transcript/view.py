"""The conversation on screen: one widget for any length, which repaints only changed rows."""

import re
from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.selection import Selection
from textual.timer import Timer

from kimi_tui.ui.tui.accessibility import display_options_of
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.state.items import AssistantItem, FlowHeaderItem, Item, SubagentItem, UserItem
from kimi_tui.ui.tui.transcript.search import Match
from kimi_tui.ui.tui.transcript.selection_text import selected_text
from kimi_tui.ui.tui.transcript.viewport import Viewport
from kimi_tui.ui.tui.transcript.word_selection import block_text, line_at, whole_text, word_at
from kimi_tui.ui.tui.widgets.hints_changed import Hint, HintsChanged

_TICK_S = 0.25
_CHART = re.compile(r"^ {0,3}(?:`{3,}|~{3,})\s*(?:mermaid|d2)\b", re.M)


class Transcript(Viewport, can_focus=True):
    """A virtualised list of items. Ids grow and are never reused.

    A click selects, scrolls and expands; the composer keeps the focus.
    """

    FOCUS_ON_CLICK = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll_up", "Up", show=False),
        Binding("down", "scroll_down", "Down", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown", "page_down", "Page down", show=False),
        Binding("home,ctrl+home", "scroll_home", "Start", show=False),
        Binding("end,ctrl+end", "scroll_end", "End, and follow", show=False),
        Binding("k", "block(-1)", "Block above", show=False),
        Binding("j", "block(1)", "Block below", show=False),
        Binding("alt+up", "cursor(-1)", "Card above", show=False),
        Binding("alt+down", "cursor(1)", "Card below", show=False),
        Binding("enter", "open", "Open or fold", show=False),
        Binding("[", "turn(-1)", "Message before", show=False),
        Binding("]", "turn(1)", "Next message", show=False),
        Binding("y", "copy_block", "Copy the block", show=False),
        Binding("v", "charts", "Charts as source", show=False),
        Binding("alt+t", "app.scrollback", "Into the scrollback", show=False),
        Binding("n", "find(1)", "Next match", show=False),
        Binding("N", "find(-1)", "Match before", show=False),
    ]

    class ItemClicked(Message):
        """Posted when the user clicks an item.

        `action` is the click target: `toggle`, `agent`, `node:ID`, `link:URL`, `image:NAME` or `item`.

        Enter on a subagent's card is `agent` too.
        """

        def __init__(self, item_id: int, action: str) -> None:
            self.item_id = item_id
            self.action = action
            super().__init__()

    class Copied(Message):
        """The user copies a block."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    class FollowChanged(Message):
        """The view started or stopped following the end, or the number of unseen items below changed."""

        def __init__(self, following: bool, unseen: int) -> None:
            self.following = following
            self.unseen = unseen
            super().__init__()

    def __init__(
        self,
        *,
        clock: Callable[[], float] = monotonic,
        motion: bool = True,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(clock=clock, id=id)
        self.clock = clock
        self.motion = motion
        self._waiting = False
        self._unseen: set[int] = set()
        self.load_all: Callable[[], None] = lambda: None
        """Loads the items that are not in the store yet, by `prepend`."""
        self._reported = (True, 0)
        self._timer: Timer | None = None
        self._origin: tuple[int, int] | None = None

    # Content

    @property
    def follow(self) -> bool:
        """Whether the view follows the end as items arrive."""
        return self._window.follow

    @follow.setter
    def follow(self, value: bool) -> None:
        if value:
            self._window.to_end()
        else:
            self._window.follow = False
        self._show()

    @property
    def thoughts(self) -> bool:
        """Whether reasoning is shown while it streams; finished reasoning can be expanded in any case."""
        return self.store.thoughts

    @thoughts.setter
    def thoughts(self, value: bool) -> None:
        self.store.thoughts = value

    def append(self, item: Item) -> int:
        """Append an item; return its id."""
        item_id = self.store.append(item)
        self._changed(item_id)
        return item_id

    def update(self, item_id: int, item: Item) -> None:
        """Replace an item by `item`."""
        index = self.store.index_of(item_id)
        if index is not None:
            self.store.put(index, item)
            self._changed(item_id)

    def item(self, item_id: int) -> Item | None:
        """The current item, with all text streamed into it."""
        index = self.store.index_of(item_id)
        return None if index is None else self.store.text_of(index)

    def stream(self, item_id: int, text: str) -> None:
        """Append text to an assistant item, a thought, or the output of a running tool."""
        index = self.store.index_of(item_id)
        if index is not None and text:
            self.store.stream(index, text)
            self._changed(item_id)

    def finish(self, item_id: int, *, duration_s: float | None = None) -> None:
        """Mark the item's text as complete."""
        index = self.store.index_of(item_id)
        if index is not None:
            self.store.finish(index, duration_s)
            self._changed(item_id)

    def truncate(self, item_id: int) -> None:
        """Remove this item and all after it."""
        index = self.store.index_of(item_id)
        if index is not None:
            self.store.truncate(index)
            self._unseen = {one for one in self._unseen if one < item_id}
            self._changed(None)

    def clear(self) -> None:
        """Remove every item."""
        self.replace_all(())

    def replace_all(self, items: Sequence[Item]) -> list[int]:
        """Show exactly these items (a resumed session); return their ids."""
        ids = self.store.replace_all(items)
        self._unseen.clear()
        self._cursor = None
        self.find("")
        self._window.top = 0
        self._window.follow = True
        self._changed(None)
        return ids

    def prepend(self, items: Sequence[Item]) -> list[int]:
        """Show items above all others, the visible rows in place; return their ids."""
        ids = self.store.prepend(items)
        self._window.top += self.store.heights.top(len(ids))
        self._finder.find(self._finder.query)
        self._changed(None)
        return ids

    def toggle(self, item_id: int) -> None:
        """Expand or fold an item; its first line stays in place."""
        index = self.store.index_of(item_id)
        if index is None or not self.store.can_fold(index):
            return
        at = self.store.heights.top(index) - self._window.top
        self.store.set_open(item_id, not self.store.is_open(item_id))
        self._window.show_item(index, above=min(max(at, 0), max(0, self._window.height - 2)))
        self._window.follow = self._window.top >= self._window.end and at >= 0
        self._show()

    def toggle_all(self) -> None:
        """Expand every tool card and thought; fold all if all are expanded."""
        ids = self.store.foldable()
        is_open = not all(self.store.is_open(item_id) for item_id in ids)
        index, row = self.store.heights.find(self._window.top)
        for item_id in ids:
            self.store.set_open(item_id, is_open)
        if self.follow or index >= len(self.store):
            self._window.to_end()
        else:
            self._window.show_item(index, min(row, self.store.heights[index] - 1))
        self._show()

    # Painting

    def hints(self) -> tuple[Hint, ...]:
        """The keys that act while the transcript has the focus."""
        words = _("charts as source") if self.store.charts else _("charts drawn")
        charts = (("v", words),) if self._sees_chart else ()
        marks = (("n N", _("next, previous match")), ("Esc", _("end search"))) if self.found[1] else ()
        return (*marks, ("↑ ↓", _("scroll")), *charts, ("j k", _("block")), ("Enter", _("open")), ("y", _("copy")),
                ("Ctrl+F", _("find")), *(() if self.follow else (("End", _("follow")),)))  # fmt: skip

    @property
    def _sees_chart(self) -> bool:
        """Whether a text on the screen has a chart."""
        index, row = self.store.heights.find(self._window.top)
        left = self._window.height + row
        while left > 0 and index < len(self.store):
            item = self.store.text_of(index)
            if isinstance(item, AssistantItem) and _CHART.search(item.text):
                return True
            left -= self.store.heights[index]
            index += 1
        return False

    def on_mount(self) -> None:
        self.store.counts = not display_options_of(self).plain
        self.store.charts = self.store.counts
        self._timer = self.set_interval(_TICK_S if self.motion else 1.0, self.tick, pause=True)

    def _changed(self, item_id: int | None) -> None:
        """Schedule one repaint, with all other changes, before the loop is idle."""
        if item_id is not None and not self._window.follow:
            self._unseen.add(item_id)
        self._run_timer()
        if not self._waiting and self.is_mounted:
            self._waiting = True
            self.call_later(self._paint)

    def _paint(self) -> None:
        self._waiting = False
        self._window.settle()
        self._show()

    def tick(self) -> None:
        self.store.tick(frames=1 if self.motion else 0)
        self._show()

    def _run_timer(self) -> None:
        if self._timer is not None:
            ticks = self.store.running and self.store.counts
            (self._timer.resume if ticks else self._timer.pause)()

    def _on_rows_shown(self) -> None:
        if self._window.follow:
            self._unseen.clear()
        now = (self._window.follow, len(self._unseen))
        if now != self._reported:
            if now[0] is not self._reported[0]:
                self.post_message(HintsChanged())
            self._reported = now
            self.post_message(self.FollowChanged(*now))

    def jump_to(self, item_id: int) -> None:
        """Scroll the item to the top of the view, and put the cursor on it."""
        index = self.store.index_of(item_id)
        if index is not None:
            self._window.show_item(index)
            self._cursor = item_id
            self._show()

    # The cursor and the mouse

    def action_block(self, step: int) -> None:
        """Go to the next block, up or down; without a cursor, to the block nearest to the visible rows."""
        self._go(step, lambda _index: True)

    def action_cursor(self, step: int) -> None:
        """Go to the next expandable card or flow node's turn, up or down."""
        store = self.store
        self._go(step, lambda index: store.can_fold(index) or isinstance(store.items[index], FlowHeaderItem))

    def action_turn(self, step: int) -> None:
        """Go to the next user message, up or down."""
        self._go(step, lambda index: isinstance(self.store.items[index], UserItem))

    def _go(self, step: int, wanted: Callable[[int], bool]) -> None:
        store, window = self.store, self._window
        index = store.index_of(self._cursor) if self._cursor is not None else None
        if index is None:
            index = store.heights.find(window.top + (window.height if step < 0 else 0))[0] - (step > 0)
        index += step
        while 0 <= index < len(store) and not (wanted(index) and store.drawn(index).lines):
            index += step
        if 0 <= index < len(store):
            self._cursor = store.id_at(index)
            top = store.heights.top(index)
            if not window.top <= top < window.top + window.height - 1:
                window.show_item(index, above=window.height // 3)
        self._show()

    @property
    def block(self) -> Item | None:
        """The block under the cursor."""
        return self.store.item_of(self._cursor) if self._cursor is not None else None

    def action_copy_block(self) -> None:
        """Copy the block under the cursor; without a cursor, the last reply."""
        item = self.block
        if item is None:
            item = next((one for one in reversed(self.store.items) if isinstance(one, AssistantItem)), None)
        if item is not None:
            self.post_message(self.Copied(block_text(item)))

    def action_charts(self) -> None:
        """Show the source of the charts in the conversation, or draw them again."""
        index, row = self.store.heights.find(self._window.top)
        self.store.draw_charts(not self.store.charts)
        if self.follow:
            self._window.to_end()
        elif index < len(self.store):
            self._window.show_item(index, min(row, self.store.heights[index] - 1))
        self._show()
        self.post_message(HintsChanged())

    def action_open(self) -> None:
        if self._cursor is None:
            return
        match self.store.item_of(self._cursor):
            case SubagentItem():
                self.post_message(self.ItemClicked(self._cursor, "agent"))
            case FlowHeaderItem() as header:
                self.post_message(self.ItemClicked(self._cursor, f"node:{header.node_id}"))
            case _:
                self.toggle(self._cursor)

    def on_focus(self) -> None:
        self.call_next(self._show)  # it has the focus only then

    def on_blur(self) -> None:
        self.call_next(self._show)

    def on_click(self, event: events.Click) -> None:
        index, row = self.store.heights.find(self._window.top + event.y)
        if event.chain > 1:
            event.prevent_default()  # Textual's own handler selects the whole conversation
            self._pick(index, row, event)
            return
        if index >= len(self.store) or self.text_selection is not None:
            return
        item_id = self.store.id_at(index)
        action = str(event.style.meta.get("act", "item"))
        if action in ("toggle", "agent"):
            self._cursor = item_id
        if action == "toggle":
            self.toggle(item_id)
        self.post_message(self.ItemClicked(item_id, action))

    def _pick(self, index: int, row: int, event: events.Click) -> None:
        """Select the word or the line under the mouse."""
        number = row - self.store.drawn(index).gap if index < len(self.store) else -1
        if number < 0 or str(event.style.meta.get("act", "")).startswith(("toggle", "agent", "node:")):
            return
        at = word_at if event.chain == 2 else line_at
        if (selection := at(self.store, index, number, event.x)) is not None:
            self.screen.selections = {self: selection}

    # Search

    def find(self, query: str) -> list[Match]:
        """Mark the occurrences of `query`, case ignored; "" ends the search."""
        self._finder.find(query)
        self._show()
        return list(self._finder.matches)

    def search_from_here(self) -> None:
        """Start a search from the visible rows."""
        self.load_all()
        index, row = self.store.heights.find(self._window.top)
        self._origin = (self.store.id_at(index), row) if index < len(self.store) else None

    def search_for(self, query: str) -> None:
        """Mark the matches, and go to the one nearest to the start of the search."""
        if query == self._finder.query:
            return
        self._finder.find(query)
        if self._finder.matches and self._origin is not None:
            self._finder.near(*self._origin)
            self._find(1)
        self._show()

    @property
    def found(self) -> tuple[int, int]:
        """The number of the current match, from 1, and the number of matches."""
        return self._finder.place

    def find_next(self) -> Match | None:
        """Go to the next match, wrapping around."""
        return self._find(1)

    def find_previous(self) -> Match | None:
        """Go to the previous match."""
        return self._find(-1)

    def action_find(self, step: int) -> None:
        self._find(step)

    def _find(self, step: int) -> Match | None:
        place = self._finder.step(step)
        if place is not None:
            index, row = place
            at = self.store.heights.top(index) + row - self._window.top
            if not 0 <= at < self._window.height:
                self._window.show_item(index, row, above=self._window.height // 3)
            self._show()
        return self._finder.here

    # Text

    def selection_updated(self, selection: Selection | None) -> None:
        self._show()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selected_text(self.store, selection), "\n"

    def selected_text(self) -> str:
        """The mouse selection without borders and padding, or ""."""
        selection = self.text_selection
        return selected_text(self.store, selection) if selection is not None else ""

    def markdown(self) -> str:
        """The whole conversation as Markdown."""
        self.load_all()
        return whole_text(self.store)

    def ansi_lines(self) -> Iterator[str]:
        """The whole conversation with its colours, for the terminal's own scrollback."""
        self.load_all()
        background, filters = self.background_colors[1], self.app.get_line_filters()
        for index in range(len(self.store)):
            drawn = self.store.drawn(index)
            yield from [""] * drawn.gap
            for line in drawn.lines:
                strip = self._overlay.maker.without_background(line)
                for one in filters:
                    strip = strip.apply_filter(one, background)
                yield strip.render(self.app.console)
