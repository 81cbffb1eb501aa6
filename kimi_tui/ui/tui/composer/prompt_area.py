"""The composer's text area: keys that send the text or insert a line break, and paste handling."""

from collections.abc import Awaitable, Callable
from time import monotonic
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.timer import Timer
from textual.widgets.text_area import Selection

from kimi_tui.ui.tui.composer.cjk_wrap import CjkTextArea
from kimi_tui.ui.tui.composer.image_chips import ImageChips
from kimi_tui.ui.tui.composer.paste_chips import PasteChips
from kimi_tui.ui.tui.terminal import key_sequences
from kimi_tui.ui.tui.text.word_boundaries import word_around

_NEWLINE = frozenset({"shift+enter", "alt+enter", "ctrl+j", "ctrl+enter"})
_BURST_GAP = 0.003
_BURST_END_S = 0.08
_AHEAD_S = 1.0
_ENTER = frozenset({"enter"})
_CR_OR_LF = frozenset({"enter", "ctrl+j"})  # a terminal not yet in raw mode turns one into the other
_PAGES, _ENDS = frozenset({"pageup", "pagedown"}), frozenset({"ctrl+home", "ctrl+end"})


class PromptArea(CjkTextArea):
    """A text area that grows to ten lines. It posts events; the composer decides what they do.

    Keys within `burst_gap_s` of each other are a burst: an unbracketed paste, or typing that a slow link delivers at
    once. An Enter in a burst is delayed: if a key follows, it inserts a line break; at the end of the burst, it sends a
    single line. Several lines are a paste and are not sent, except at start-up, where the burst is type-ahead.
    """

    DEFAULT_CSS = """
    PromptArea, PromptArea:focus {
        height: auto; max-height: 10; min-height: 1; border: none; padding: 0; background: transparent;
        background-tint: transparent; width: 1fr; scrollbar-size-vertical: 1;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+z", "undo", "Undo", show=False)]

    class Sent(Message):
        """Enter was pressed."""

    class Pressed(Message):
        """A key with a meaning besides editing: up, down, tab, escape, ctrl+r, ctrl+s, ctrl+d; pageup, pagedown,
        end, ctrl+home, ctrl+end if they scroll the conversation. `is_empty`: there was no text then;
        `times_set` is that of the text area then."""

        def __init__(self, key: str, *, is_empty: bool, times_set: int) -> None:
            self.key, self.is_empty, self.times_set = key, is_empty, times_set
            super().__init__()

    def __init__(self, pastes: PasteChips, images: ImageChips, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("", id=id, soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False, theme="css")
        self.cursor_blink = False
        self.pastes, self.images = pastes, images
        self.fold: Callable[[str], str] = pastes.collapse
        self.captures: frozenset[str] = frozenset()
        self.paste_clipboard: Callable[[], Awaitable[None]] | None = None
        self.burst_gap_s = _BURST_GAP
        self.times_set = 0
        """How often the text was replaced as a whole."""
        self._last_key = 0.0
        self._quick = 0
        self._mounted = float("inf")
        self._ahead = False
        self.held_enter: Timer | None = None
        """Runs while an Enter waits for the end of a burst of keys."""
        self._breaks = False

    @property
    def before_cursor(self) -> str:
        """The text from the start to the cursor."""
        return self.document.get_text_range((0, 0), self.cursor_location)

    @property
    def selected_text(self) -> str:
        """The selected text with its pastes: a chip has a meaning only in its message."""
        return self.pastes.expand(super().selected_text)  # defence: pastes-of-a-selection

    def action_cut(self) -> None:
        """Cut the selected text, or else the line."""
        if self.selection.is_empty:
            row, _column = self.cursor_location
            self.selection = Selection((row, 0), min((row + 1, 0), self.document.end))
        if text := self.selected_text:
            self.app.copy_to_clipboard(text)
            self.delete(*self.selection)

    def replace_before_cursor(self, length: int, text: str) -> None:
        """Replace the last `length` characters before the cursor, which contain no line break, by `text`."""
        row, column = self.cursor_location
        self.replace(text, (row, max(0, column - length)), (row, column), maintain_selection_offset=False)
        self.move_cursor((row, max(0, column - length) + len(text)))

    def set_text(self, text: str) -> None:
        self.text = text
        self.times_set += 1
        self.move_cursor(self.document.end)

    def on_mount(self) -> None:
        self._mounted = monotonic()

    async def _on_key(self, event: events.Key) -> None:
        key = key_sequences.normalize_key_name(event.key)
        if self._release_enter():
            self.insert("\n")
            self._breaks = True
        elif event.time - self._last_key >= self.burst_gap_s:
            self._ahead = not self._last_key and event.time - self._mounted < _AHEAD_S
            self._quick = -1
            self._breaks = False
        self._quick += 1
        self._last_key = event.time
        # defence: enter-in-a-burst
        if self._quick > 0 and key in (_CR_OR_LF if self._ahead else _ENTER):
            self._take(event)
            if self._breaks and not self._ahead:
                self.insert("\n")
            else:
                self.held_enter = self.set_timer(_BURST_END_S, self._after_earlier_keys)
        elif key in _NEWLINE:
            self._take(event)
            self.insert("\n")
        elif key == "enter":
            self._take(event)
            self.post_message(self.Sent())
        elif key == "ctrl+v" and self.paste_clipboard is not None:
            self._take(event)
            await self.paste_clipboard()  # defence: keys-after-a-clipboard
        elif key in self.captures or self._moves_out(key) or self._pages(key) or (key == "ctrl+d" and not self.text):
            self._take(event)
            self.post_message(self.Pressed(key, is_empty=not self.text, times_set=self.times_set))
        elif key == "backspace" and self.selection.start == self.selection.end and self._drop_chip():
            self._take(event)
        elif bound := self._bindings.key_to_bindings.get(event.key):
            # Synchronously: on the usual way up to the app and back, later letters would overtake it.
            self._take(event)
            await self.run_action(bound[0].action)
        else:
            await super()._on_key(event)

    def _after_earlier_keys(self) -> None:
        """Send after all keys that are still queued in the app and in this widget."""
        self.app.call_later(self.call_later, self._send_held)

    def _send_held(self) -> None:
        if self._release_enter():
            self.post_message(self.Sent())

    def _release_enter(self) -> bool:
        """Discard a delayed Enter; return whether there was one."""
        held, self.held_enter = self.held_enter, None
        if held is not None:
            held.stop()
        return held is not None

    def _pages(self, key: str) -> bool:
        """Whether a scrolling key scrolls the conversation instead of the text."""
        if key in _ENDS:
            return True
        return (key in _PAGES and self.max_scroll_y == 0) or (key == "end" and not self.text)

    def _moves_out(self, key: str) -> bool:
        if self.selection.start != self.selection.end:
            return False
        return (key == "up" and self.cursor_at_first_line) or (key == "down" and self.cursor_at_last_line)

    def _drop_chip(self) -> bool:
        before = self.before_cursor.rpartition("\n")[2]
        length = self.pastes.chip_before(before) or self.images.chip_before(before)
        if length:
            self.replace_before_cursor(length, "")
        return length > 0

    @staticmethod
    def _take(event: events.Key) -> None:
        event.stop()
        event.prevent_default()

    def on_click(self, event: events.Click) -> None:
        """A double click selects the word, a triple click the line."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        if event.chain == 2:
            begin, end = word_around(line, min(column, max(0, len(line) - 1)))
            self.selection = Selection((row, begin), (row, end))
        elif event.chain > 2:
            self.selection = Selection((row, 0), (row, len(line)))

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.paste(event.text)

    def paste(self, text: str) -> None:
        """Insert a paste at the cursor, as a chip if it is large or contains image paths."""
        start, end = self.selection
        result = self.replace(self.fold(text), start, end)
        self.move_cursor(result.end_location)
