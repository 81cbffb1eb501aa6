"""What is typed while a dialog opens: no letter is lost, and none answers what was not read yet."""

from collections.abc import Container, Mapping

from textual import events
from textual.message import Message
from textual.widget import Widget

from kimi_tui.ui.tui.dialogs.guard import Guard


class Typed(Message):
    """`text` belongs to the message; with `go_on` the person is writing it, and the focus goes along."""

    def __init__(self, text: str, *, go_on: bool = True) -> None:
        self.text, self.go_on = text, go_on
        super().__init__()


class Ahead:
    """Tells an answer from a letter of a message.

    A key of an answer that came too early is kept until it is known what it was: another letter makes it the begin of
    a message, the same key again means that the person only was too quick, and else it goes into the message as well.
    """

    def __init__(self, dialog: Widget, guard: Guard) -> None:
        self._dialog, self._guard = dialog, guard
        self._kept = ""
        self._refused = False

    def answer(self, event: events.Key, answers: Mapping[str, str], others: Container[str] = ()) -> str | None:
        """The answer that a key gives; `answers` by key. What is none goes into the message.

        `others` are keys of answers that cannot be given now: alone they were meant as such, and are nothing.
        """
        letter = event.character or "" if event.is_printable else ""
        if event.key in answers:
            event.stop()
            again = not self._kept or letter == self._kept[-1]
            if self._guard.passes():
                self._kept = "" if again else self._kept
                self.leave()
                return answers[event.key]
            self._kept += letter
            if not again:
                self._write()
        elif event.key in others and not self._kept:
            event.stop()
            self._kept, self._refused = letter, True
            self._guard.restart()
            self._dialog.app.bell()
        elif letter and (self._kept or letter != " "):
            event.stop()
            self._kept += letter
            self._write()
        return None

    def paste(self, event: events.Paste) -> None:
        event.stop()
        self._kept += event.text
        self._write()

    def leave(self) -> None:
        """The dialog is answered or left: a letter that is kept was none of its answers."""
        if len(self._kept) == 1 and not self._refused:
            self._dialog.post_message(Typed(self._kept, go_on=False))
        self._kept, self._refused = "", False

    def _write(self) -> None:
        text, self._kept, self._refused = self._kept, "", False
        self._guard.restart()
        self._dialog.post_message(Typed(text))
