"""Shows a part of the item store on the screen: scrolls like Textual, repaints only rows that look different."""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.types import AnimationLevel, CallbackType, EasingFunction
from textual.widget import Widget

from kimi_tui.ui.tui.themes.palette import Palette, palette_around
from kimi_tui.ui.tui.transcript.item_store import ItemStore
from kimi_tui.ui.tui.transcript.row_builder import MARGIN, RIGHT
from kimi_tui.ui.tui.transcript.row_overlay import Placed, RowOverlay
from kimi_tui.ui.tui.transcript.scroll_window import ScrollWindow
from kimi_tui.ui.tui.transcript.search import TranscriptSearch

_VIRTUAL_SIZE = cast(Reactive[Size], Widget.virtual_size)  # set without the layout that Textual would trigger


class Viewport(ScrollView):
    """Shows an item store. After each change of the store, call `_show`."""

    DEFAULT_CSS = """
    Viewport {
        background: $background;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
    }
    """

    def __init__(self, *, clock: Callable[[], float], id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.store = ItemStore(clock)
        self._window = ScrollWindow(self.store)
        self._finder = TranscriptSearch(self.store)
        self._overlay = RowOverlay(self.store, self._window, self._finder)
        self._painted: list[Placed] = []
        self._moving = False
        self._drawing = False
        self._thumb = (0, 0)
        self._cursor: int | None = None

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self._new_colours())
        self._new_colours()

    def _new_colours(self) -> None:
        self.store.set_width(self.store.width, self._palette)
        self._overlay.resize(self._overlay.maker.width)
        self._painted = []
        self._show()

    @property
    def _palette(self) -> Palette:
        """The theme's styles, on the surface of a card."""
        palette = palette_around(self)
        if not self.screen.is_modal:
            return palette
        return replace(palette, base=palette.base + Style(bgcolor=self.background_colors[1].rich_color))

    def on_resize(self, event: events.Resize) -> None:
        width, height = self.size
        if not width or not height:
            return
        self._overlay.resize(width)
        self._window.resize(width - MARGIN - RIGHT, height)
        self._painted = []
        self._show()

    def _show(self) -> None:
        """Update the screen: the scroll bar, and the rows that look different."""
        window = self._window
        if not window.height or not self.is_mounted:
            return
        self._moving = True
        self.set_reactive(_VIRTUAL_SIZE, Size(self.size.width, window.virtual_height))
        thumb = window.thumb
        if thumb != self._thumb:  # an unchanged bar is not repainted: it is a whole column
            self._thumb = thumb
            self.vertical_scrollbar.window_virtual_size = window.virtual_height
            self.vertical_scrollbar.window_size = window.height
        self.scroll_y = self.scroll_target_y = window.top
        self._moving = False
        self._repaint()
        self._on_rows_shown()

    def _repaint(self) -> None:
        cursor = self._cursor if self.has_focus else None
        rows = self._overlay.rows(cursor, self.text_selection)
        before, self._painted = self._painted, rows
        if len(before) != len(rows):
            self.refresh()
            return
        dirty: list[Region] = []
        for y, ((old, _), (new, _)) in enumerate(zip(before, rows, strict=True)):
            if not new.same_as(old):
                dirty.append(Region(0, y, max(old.ink, new.ink, 1), 1))
        if dirty:
            self.refresh(*dirty)

    def _on_rows_shown(self) -> None:
        """Called when the window is on the screen."""

    def render_lines(self, crop: Region) -> list[Strip]:
        self._drawing = True
        try:
            return super().render_lines(crop)
        finally:
            self._drawing = False

    def render_line(self, y: int) -> Strip:
        """Render a row. Only rows for the mouse have click positions: on the screen each position would be one more
        style cached by Rich and Textual, 30 KiB per reply.
        """
        row, place = self._painted[y] if y < len(self._painted) else (self._overlay.maker.blank, None)
        return row.strip if self._drawing or place is None else row.strip.apply_offsets(0, place)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = new_value
        if self.size.height != self._window.height:
            return  # the view's size has changed, and Textual only clamps the bar; `on_resize` follows
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
        """Scroll without animation: every animated frame would repaint the whole view."""
        return super()._scroll_to(
            x, y, animate=False, force=force, on_complete=on_complete, level=level, release_anchor=release_anchor
        )

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
