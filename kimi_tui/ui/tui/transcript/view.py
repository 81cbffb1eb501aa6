"""The conversation on screen: one widget, however long the conversation, that repaints only the rows that changed."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import ClassVar, cast

from textual import events
from textual._animator import EasingFunction
from textual._types import AnimationLevel, CallbackType
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from kimi_tui.ui.tui.text.palette import palette_from_theme
from kimi_tui.ui.tui.transcript.copying import place_of, selected_text
from kimi_tui.ui.tui.transcript.items import Item
from kimi_tui.ui.tui.transcript.roll import Roll
from kimi_tui.ui.tui.transcript.rows import MARGIN, RIGHT, Row
from kimi_tui.ui.tui.transcript.search import Finder, Match
from kimi_tui.ui.tui.transcript.sheet import Sheet
from kimi_tui.ui.tui.transcript.window import Window

_TICK_S = 0.25
_VIRTUAL_SIZE = cast(Reactive[Size], Widget.virtual_size)  # set without the layout that it would ask for


class Transcript(ScrollView, can_focus=True):
    """A virtualised list of items. Ids grow and are never used again."""

    DEFAULT_CSS = """
    Transcript {
        background: $background;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
        scrollbar-color: $foreground 15%;
        scrollbar-color-hover: $foreground 30%;
        scrollbar-color-active: $primary;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll_up", "Up", show=False),
        Binding("down", "scroll_down", "Down", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown", "page_down", "Page down", show=False),
        Binding("home", "scroll_home", "Start", show=False),
        Binding("end", "scroll_end", "End, and follow", show=False),
        Binding("alt+up,k", "cursor(-1)", "Card above", show=False),
        Binding("alt+down,j", "cursor(1)", "Card below", show=False),
        Binding("enter", "open", "Open or fold", show=False),
        Binding("n", "find(1)", "Next match", show=False),
        Binding("N", "find(-1)", "Match before", show=False),
    ]

    class ItemClicked(Message):
        """`action` is what was under the mouse: `toggle`, `node:ID`, `link:URL`, `image:NAME` or `item`."""

        def __init__(self, item_id: int, action: str) -> None:
            self.item_id = item_id
            self.action = action
            super().__init__()

    class FollowChanged(Message):
        """The view began or ceased to follow the end, or the number of items below that were not seen changed."""

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
        super().__init__(id=id)
        self.clock = clock
        self.motion = motion
        self._roll = Roll(clock)
        self._window = Window(self._roll)
        self._finder = Finder(self._roll)
        self._sheet = Sheet(self._roll, self._window, self._finder)
        self._painted: list[Row] = []
        self._waiting = False
        self._moving = False
        self._thumb = (0, 0)
        self._cursor: int | None = None
        self._unseen: set[int] = set()
        self._told = (True, 0)
        self._timer: Timer | None = None

    # What is shown

    @property
    def follow(self) -> bool:
        """Whether the view stays at the end as items come."""
        return self._window.follow

    @follow.setter
    def follow(self, value: bool) -> None:
        if value:
            self._window.to_end()
        else:
            self._window.follow = False
        self._show()

    def append(self, item: Item) -> int:
        """Add an item at the end; its id."""
        item_id = self._roll.append(item)
        self._changed(item_id)
        return item_id

    def update(self, item_id: int, item: Item) -> None:
        """Put `item` in the place of another."""
        index = self._roll.index_of(item_id)
        if index is not None:
            self._roll.put(index, item)
            self._changed(item_id)

    def item(self, item_id: int) -> Item | None:
        """The item as it is now, with all text that was streamed into it."""
        index = self._roll.index_of(item_id)
        return None if index is None else self._roll.text_of(index)

    def stream(self, item_id: int, text: str) -> None:
        """More text for an assistant item, a thought, or the output of a running tool."""
        index = self._roll.index_of(item_id)
        if index is not None and text:
            self._roll.stream(index, text)
            self._changed(item_id)

    def finish(self, item_id: int, *, duration_s: float | None = None) -> None:
        """No more text comes for this item."""
        index = self._roll.index_of(item_id)
        if index is not None:
            self._roll.finish(index, duration_s)
            self._changed(item_id)

    def truncate(self, item_id: int) -> None:
        """Remove this item and all after it."""
        index = self._roll.index_of(item_id)
        if index is not None:
            self._roll.truncate(index)
            self._unseen = {one for one in self._unseen if one < item_id}
            self._changed(None)

    def clear(self) -> None:
        """Remove every item."""
        self.replace_all(())

    def replace_all(self, items: Sequence[Item]) -> list[int]:
        """Show these items and no other (a resumed session); their ids."""
        ids = self._roll.replace_all(items)
        self._unseen.clear()
        self._cursor = None
        self.find("")
        self._window.top = 0
        self._window.follow = True
        self._changed(None)
        return ids

    def toggle(self, item_id: int) -> None:
        """Open a folded item, or fold it; its first line stays where it is."""
        index = self._roll.index_of(item_id)
        if index is None or not self._roll.can_fold(index):
            return
        at = self._roll.heights.top(index) - self._window.top
        self._roll.set_open(item_id, not self._roll.is_open(item_id))
        self._window.show_item(index, above=min(max(at, 0), max(0, self._window.height - 2)))
        self._window.follow = self._window.top >= self._window.end and at >= 0
        self._show()

    def toggle_all(self) -> None:
        """Open every tool card and thought; fold all when all are open."""
        ids = self._roll.foldable()
        is_open = not all(self._roll.is_open(item_id) for item_id in ids)
        index, row = self._roll.heights.find(self._window.top)
        for item_id in ids:
            self._roll.set_open(item_id, is_open)
        if self.follow or index >= len(self._roll):
            self._window.to_end()
        else:
            self._window.show_item(index, min(row, self._roll.heights[index] - 1))
        self._show()

    # Painting

    def on_mount(self) -> None:
        super().on_mount()
        self._timer = self.set_interval(_TICK_S if self.motion else 1.0, self._tick, pause=True)
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self._new_colours())
        self._new_colours()

    def _new_colours(self) -> None:
        self._roll.set_width(self._roll.width, palette_from_theme(self.app.theme_variables))
        self._sheet.resize(self._sheet.maker.width)
        self._painted = []
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        width, height = self.size
        if not width or not height:
            return
        self._sheet.resize(width)
        self._window.resize(width - MARGIN - RIGHT, height)
        self._painted = []
        self._show()

    def _changed(self, item_id: int | None) -> None:
        """Something is other than it was; it is painted with all else that changes before the loop is idle."""
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

    def _tick(self) -> None:
        self._roll.tick(frames=1 if self.motion else 0)
        self._show()

    def _run_timer(self) -> None:
        if self._timer is not None:
            (self._timer.resume if self._roll.running else self._timer.pause)()

    def _show(self) -> None:
        """Bring the window to the screen: the scroll bar, and those rows that look different."""
        window = self._window
        if not window.height or not self.is_mounted:
            return
        self._moving = True
        self.set_reactive(_VIRTUAL_SIZE, Size(self.size.width, window.virtual_height))
        thumb = window.thumb
        if thumb != self._thumb:  # a bar that would look the same is left alone: it is a whole column to repaint
            self._thumb = thumb
            self.vertical_scrollbar.window_virtual_size = window.virtual_height
            self.vertical_scrollbar.window_size = window.height
        self.scroll_y = self.scroll_target_y = window.top
        self._moving = False
        self._repaint()
        self._tell()

    def _repaint(self) -> None:
        cursor = self._cursor if self.has_focus else None
        rows = self._sheet.rows(cursor, self.text_selection)
        before, self._painted = self._painted, rows
        if len(before) != len(rows):
            self.refresh()
            return
        dirty = [
            Region(0, y, max(old.ink, new.ink, 1), 1)
            for y, (old, new) in enumerate(zip(before, rows, strict=True))
            if not new.same_as(old)
        ]
        self._styles_cache.clear()  # rows that look the same may be other places
        if dirty:
            self.refresh(*dirty)

    def _tell(self) -> None:
        if self._window.follow:
            self._unseen.clear()
        now = (self._window.follow, len(self._unseen))
        if now != self._told:
            self._told = now
            self.post_message(self.FollowChanged(*now))

    def render_line(self, y: int) -> Strip:
        row = self._painted[y] if y < len(self._painted) else self._sheet.maker.blank
        index, within = self._roll.heights.find(self._window.top + y)
        if index >= len(self._roll):
            return row.strip
        number = max(0, within - self._roll.drawn(index).gap)
        return row.strip.apply_offsets(0, place_of(self._roll.id_at(index), number))

    # Moving

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = new_value
        if not self._moving and self._window.height and round(new_value) != self._window.top:
            self._window.move_to(round(new_value))
            self._show()

    def _scroll_to(
        self,
        x: float | None = None,
        y: float | None = None,
        *,
        animate: bool = True,
        speed: float | None = None,
        duration: float | None = None,
        easing: EasingFunction | str | None = None,
        force: bool = False,
        on_complete: CallbackType | None = None,
        level: AnimationLevel = "basic",
        release_anchor: bool = True,
    ) -> bool:
        """At once: every frame of an animated scroll would repaint the whole view."""
        return super()._scroll_to(
            x, y, animate=False, force=force, on_complete=on_complete, level=level, release_anchor=release_anchor
        )

    def jump_to(self, item_id: int) -> None:
        """Bring the item to the top of the view."""
        index = self._roll.index_of(item_id)
        if index is not None:
            self._window.show_item(index)
            self._show()

    def action_page_up(self) -> None:
        self._move(2 - self._window.height)

    def action_page_down(self) -> None:
        self._move(self._window.height - 2)

    def action_scroll_home(self) -> None:
        self._move(-self._window.top)

    def action_scroll_end(self) -> None:
        self.follow = True

    def action_scroll_up(self) -> None:
        self._move(-1)

    def action_scroll_down(self) -> None:
        self._move(1)

    def _move(self, rows: int) -> None:
        self._window.move_to(self._window.top + rows)
        self._show()

    # The cursor and the mouse

    def action_cursor(self, step: int) -> None:
        """To the next card that can be opened, up or down."""
        roll = self._roll
        index = roll.index_of(self._cursor) if self._cursor is not None else None
        if index is None:
            index = len(roll) if step < 0 else -1
        index += step
        while 0 <= index < len(roll):
            if roll.can_fold(index):
                self._cursor = roll.id_at(index)
                top = roll.heights.top(index)
                if not self._window.top <= top < self._window.top + self._window.height - 1:
                    self._window.show_item(index, above=self._window.height // 3)
                break
            index += step
        self._show()

    def action_open(self) -> None:
        if self._cursor is not None:
            self.toggle(self._cursor)

    def on_focus(self) -> None:
        self._show()

    def on_blur(self) -> None:
        self._show()

    def on_click(self, event: events.Click) -> None:
        index, _ = self._roll.heights.find(self._window.top + event.y)
        if index >= len(self._roll) or self.text_selection is not None:
            return
        item_id = self._roll.id_at(index)
        action = str(event.style.meta.get("act", "item"))
        if action == "toggle":
            self._cursor = item_id
            self.toggle(item_id)
        self.post_message(self.ItemClicked(item_id, action))

    # Search

    def find(self, query: str) -> list[Match]:
        """Mark the places where `query` occurs, case ignored; "" ends the search."""
        self._finder.find(query)
        self._show()
        return list(self._finder.matches)

    def find_next(self) -> Match | None:
        """To the next match, from the first again after the last."""
        return self._find(1)

    def find_previous(self) -> Match | None:
        """To the match before."""
        return self._find(-1)

    def action_find(self, step: int) -> None:
        self._find(step)

    def _find(self, step: int) -> Match | None:
        place = self._finder.step(step)
        if place is not None:
            index, row = place
            at = self._roll.heights.top(index) + row - self._window.top
            if not 0 <= at < self._window.height:
                self._window.show_item(index, row, above=self._window.height // 3)
            self._show()
        return self._finder.here

    # Text

    def selection_updated(self, selection: Selection | None) -> None:
        self._show()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selected_text(self._roll, selection), "\n"

    def selected_text(self) -> str:
        """What the mouse has selected, without borders and padding; "" when nothing is."""
        selection = self.text_selection
        return selected_text(self._roll, selection) if selection is not None else ""

    def plain_text(self) -> str:
        """The whole conversation as text."""
        return selected_text(self._roll, Selection(None, None))
