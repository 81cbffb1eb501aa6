"""Type-ahead filter for dialogs: no letter is lost; an early letter or the start of a sentence is not an answer."""

from collections.abc import Callable, Container, Mapping

from textual import events
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from kimi_tui.ui.tui.accessibility import HasApp
from kimi_tui.ui.tui.terminal.app_base import TerminalApp
from kimi_tui.ui.tui.widgets.key_guard import KeyGuard


class TypedText(Message):
    """Posted when text was typed outside the composer.

    `text` goes into the message; with `take_focus` the user is writing it, and the composer gets the focus.
    """

    def __init__(self, text: str, *, take_focus: bool = True) -> None:
        self.text, self.take_focus = text, take_focus
        super().__init__()


def app_of(widget: HasApp) -> TerminalApp | None:
    app = widget.app
    return app if isinstance(app, TerminalApp) else None


def write_message(widget: Widget, text: str, *, take_focus: bool = True, apart: bool = False) -> None:
    """Write text typed at a widget into the message, synchronously: the next key may already go to the message."""
    if (app := app_of(widget)) is not None:
        app.write_message(text, take_focus=take_focus, apart=apart)


class TypeAheadFilter:
    """Separates answers from letters of a message; `take` receives the answers, `write` the letters (by default they
    are posted as `TypedText`).

    An answer's key that is pressed too early is kept: if another letter follows, both go into the message; the same
    key again counts as an impatient answer; a single key goes into the message too. A key that is pressed in time
    answers if no letter follows within `hold_s`, or at once with Enter.
    """

    def __init__(
        self,
        dialog: Widget,
        guard: KeyGuard,
        take: Callable[[str], None],
        *,
        write: Callable[[TypedText], object] | None = None,
    ) -> None:
        self._dialog, self._guard, self._take = dialog, guard, take
        self._pass_on = write or dialog.post_message
        self.hold_s: float | None = None  # None: the app's
        self._kept = ""
        self._refused = self._written = False
        self._held: tuple[str, str] | None = None
        self._timer: Timer | None = None

    def handle_key(self, event: events.Key, answers: Mapping[str, str], others: Container[str] = ()) -> None:
        """Handle a key; `answers` by key. Keys without an answer go into the message.

        `others` are keys of disabled answers: pressed alone they do nothing.
        """
        letter = event.character or "" if event.is_printable else ""
        if self._held is not None:
            self._handle_held_key(event, letter)
        elif event.key in answers:
            event.stop()
            again = not self._kept or letter == self._kept[-1]
            if self._guard.accepts():
                self._kept = "" if again else self._kept
                self._hold(answers[event.key], letter)
                return
            self._kept += letter
            if not again or self._written:
                self._write()
        elif event.key in others and not self._kept:
            event.stop()
            self._kept, self._refused = letter, True
            self._guard.delay()
            self._dialog.app.bell()
        elif letter:
            event.stop()
            self._kept += letter
            self._write()

    def _hold(self, answer: str, letters: str) -> None:
        self._held = (answer, letters)
        usual = (app_of(self._dialog) or TerminalApp).answer_hold_s
        hold_s = usual if self.hold_s is None else self.hold_s
        if hold_s:
            self._timer = self._dialog.set_timer(hold_s, self.settle)  # defence: hold-answer-key
        else:
            self.settle()

    def _handle_held_key(self, event: events.Key, letter: str) -> None:
        """Handle a key while an answer is held."""
        assert self._held is not None
        answer, letters = self._held
        if event.key == "escape":
            event.stop()
            self._drop()
            self._guard.delay()
        elif letter:
            event.stop()
            self._drop()
            if letter == letters[-1:]:  # the key is held down, or pressed twice
                self._hold(answer, letters + letter)
            else:
                self._kept += letters + letter
                self._write()

    @property
    def holds(self) -> bool:
        """Whether an answer is held."""
        return self._held is not None

    def settle(self) -> None:
        """Pass the held answer to `take`."""
        if self._held is not None:
            answer, _letters = self._held
            self._drop()
            self.leave()
            self._take(answer)

    def _drop(self) -> None:
        self._held = None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def drop(self) -> None:
        """Discard the typed letters; the next answer is accepted after a pause."""
        self._drop()
        self._guard.delay()
        self._kept, self._refused = "", False

    def paste(self, event: events.Paste) -> None:
        event.stop()
        if self._held is not None:
            self._kept += self._held[1]
            self._drop()
        self._kept += event.text
        self._write()

    def leave(self) -> None:
        """Called when the dialog is answered or closed: a single held letter goes into the message."""
        if self._held is not None:
            self._kept += self._held[1][:1]
            self._drop()
        if len(self._kept) == 1 and not self._refused:
            self._pass_on(TypedText(self._kept, take_focus=False))
        self._kept, self._refused, self._written = "", False, False

    def _write(self) -> None:
        text, self._kept, self._refused, self._written = self._kept, "", False, True
        self._guard.delay()
        self._pass_on(TypedText(text))
