"""A modal that is dismissed only once: later keys do not reach the screen below, and typed text is not split."""

import time
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TypeVar

from textual import events
from textual.await_complete import AwaitComplete
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.terminal.key_sequences import TypedCharacter
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.widgets.key_guard import KeyGuard
from kimi_tui.ui.tui.widgets.type_ahead import TypeAheadFilter, TypedText, write_message

Answer = TypeVar("Answer")
LOW = 28
"""Terminals with fewer rows get no blank rows for spacing, and show one screen at a time."""
NARROW = 100
"""Terminals with fewer columns show one screen at a time."""


class OneShotModal(ModalScreen[Answer]):
    """Dismissed only once: Textual pops the top screen on every call, and keys arrive faster than screens close.

    The previous screen is dimmed around it, or hidden if only fragments of it would be visible.

    What is typed after the key that closed it, and before it has gone, goes into the message; the letter that closed
    it, pressed again, does nothing.

    A letter of `letter_answers` is accepted only if no other letter follows at once. Other letters only show a note,
    as does an Enter that follows them: it belongs to the sentence. On a screen that opened without a user action
    (`forwards_text`), they go into the message, as a paste always does.
    """

    DEFAULT_CSS = "OneShotModal.-alone { background: $background; }"
    _note: tuple[str | None, str | None] | None = None
    """A note in the lower edge, and what it replaces."""
    _in_sentence = False
    """Whether the last key was a letter without effect."""
    _last_letter = ""
    """The letter of the last key while the screen was open, "" for a key without one."""
    is_dismissed = False

    @property
    def forwards_text(self) -> bool:
        """Whether typed text goes into the message: the screen opened while the user may have been writing."""
        return False

    @property
    def letter_answers(self) -> Mapping[str, str]:
        """The letters that close the screen, by key name or character, with their answers for `take_letter`."""
        return {}

    def take_letter(self, answer: str) -> None:
        """Apply an answer; by default, run it as an action of the screen."""
        self.call_later(self.run_action, answer)

    def call_after_refresh(self, callback: Callable[..., object], *args: object, **kwargs: object) -> bool:
        """Call back after the next frame, unless the screen has been closed: its widgets are gone then."""
        return super().call_after_refresh(self.call_if_open, partial(callback, *args, **kwargs))

    def call_if_open(self, callback: Callable[[], object]) -> object:
        """Call back now, unless the screen has been closed."""
        return callback() if self.is_running else None  # defence: callback-of-a-closed-screen

    async def _message_loop_exit(self) -> None:
        """Cancel the workers before the widgets that they write to are removed; Textual does it after."""
        self.workers.cancel_node(self)  # defence: worker-of-a-closed-screen
        await super()._message_loop_exit()

    def key_guard(self) -> KeyGuard:
        """The guard of the letters; by default the first letter is accepted at once."""
        guard = KeyGuard(time.monotonic)
        guard.open()
        return guard

    @cached_property
    def letters(self) -> TypeAheadFilter:
        return TypeAheadFilter(self, self.key_guard(), self.take_letter, write=self._write_letters)

    def _write_letters(self, typed: TypedText) -> None:
        if self.forwards_text:
            self.forward_text(typed)
            if not self.is_active:
                self._last_letter = ""  # it is in the message; the same letter again continues it
        else:
            self._show_stray(_("letters are keys here; “{text}” has no effect", text=typed.text))

    def forward_text(self, typed: TypedText) -> None:
        """Write the text into the message."""
        write_message(self, typed.text, take_focus=typed.take_focus)
        if self.is_active:
            self._show_note(_("your text goes into the message"))

    @property
    def _frame(self) -> Widget:
        """The frame; Textual's own widgets for notifications and tooltips stand before it."""
        return next(child for child in self.children if not child.has_class("-textual-system"))

    def _show_note(self, text: str) -> None:
        """Show a note in the lower edge until the next key."""
        self._end_note()
        frame = self._frame
        before = frame.border_subtitle
        frame.border_subtitle = Content(f" {text} ")
        self._note = frame.border_subtitle, before

    def _show_stray(self, text: str) -> None:
        """Show that a letter has no effect."""
        self._show_note(text)
        self._in_sentence = True

    def _end_note(self) -> None:
        if self._note is not None:
            frame, (shown, before), self._note = self._frame, self._note, None
            if frame.border_subtitle == shown:
                frame.border_subtitle = before

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < LOW or event.size.width < NARROW, "-alone")

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        if not self.is_active:
            return AwaitComplete()
        self.is_dismissed = True
        if self.forwards_text:
            self.letters.leave()
        return super().dismiss(result)

    async def on_event(self, event: events.Event) -> None:
        if not self.is_active and isinstance(event, events.InputEvent):
            if self.is_dismissed and (text := _text_of(event)) and text != self._last_letter:
                self._last_letter = ""
                self.forward_text(TypedText(text))  # defence: rest-of-a-sentence
            return
        if isinstance(event, events.Key):
            self._last_letter = _text_of(event)
        if isinstance(event, events.Key | events.Paste) and self._takes(event):
            event.stop()
        elif not (isinstance(event, events.Key) and event.key == "escape" and await self.run_escape(event)):
            await super().on_event(event)

    async def run_escape(self, event: events.Key) -> bool:
        """Run what Esc does on this screen at once, if it does: on the way by the app, letters would overtake it."""
        bound = self.active_bindings.get(event.key)
        if not self.is_active or bound is None or not bound.enabled or bound.node is not self:
            return False
        event.stop()
        await self.run_action(bound.binding.action)  # defence: escape-before-letters
        return True

    def _takes(self, event: events.Key | events.Paste) -> bool:
        """Handle a letter or a paste that no input field handled."""
        if isinstance(event, events.Paste):
            if self.forwards_text:
                self.letters.paste(event)
            elif isinstance(event, TypedCharacter):  # defence: typed-character-on-a-screen
                self._take_stray(sanitize(event.text))
            else:
                self.letters.drop()
                write_message(self, event.text)
                self._show_note(_("the pasted text is in the message"))
            return True
        self._end_note()
        in_sentence, self._in_sentence = self._in_sentence, False
        letter = event.character or "" if event.is_printable else ""
        answers = self.letter_answers
        answer = answers.get(letter) or answers.get(event.key)
        bound = self.active_bindings.get(event.key)
        if in_sentence and event.key == "enter":  # defence: enter-of-a-sentence
            self.app.bell()
            self._show_note(_("Enter after text has no effect; press it again"))
        elif self.letters.holds and event.key == "enter":
            self.letters.settle()
        elif answer or self.letters.holds or (letter and self.forwards_text and not (bound and bound.enabled)):
            self.letters.handle_key(event, {event.key: answer} if answer else {})
            if letter and not (self.forwards_text or self.letters.holds or self._note):
                self._show_stray(_("letters are keys here; “{text}” has no effect", text=letter))
            return bool(letter or answer or event.key == "escape")
        elif letter and not (bound and bound.enabled):
            self._take_stray(letter)
        else:
            return False
        return True

    def _take_stray(self, letter: str) -> None:
        """Take a letter without effect."""
        self.app.bell()
        self.letters.drop()
        self._show_stray(_("{key} does nothing here", key=letter))


def _text_of(event: events.Event) -> str:
    """What a key or a paste types; "" for any other event."""
    if isinstance(event, events.Paste):
        return event.text
    return event.character or "" if isinstance(event, events.Key) and event.is_printable else ""
