"""The footer: the keys for the current focus. A click on one presses the key."""

from collections.abc import Sequence

from textual import events
from textual.timer import Timer

from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.keys.bindings import DISPLAY_NAMES
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.hints_changed import Hint
from kimi_tui.ui.tui.widgets.line_widget import LineWidget

_NOTE_S = 5.0


class KeyFooter(LineWidget):
    """Shows as many keys with descriptions as fit; `note` replaces them while it is set."""

    DEFAULT_CSS = "KeyFooter { height: 1; dock: bottom; background: $surface; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.hints: tuple[Hint, ...] = ()
        self.note = ""
        self._timer: Timer | None = None
        self._places: list[tuple[range, str]] = []

    def show(self, hints: Sequence[Hint]) -> None:
        if tuple(hints) != self.hints:
            self.hints = tuple(hints)
            self.redraw()

    def show_note(self, note: UserText) -> None:
        """Show why a key did nothing; "" restores the keys."""
        if note != self.note:
            self.note = note
            self.redraw()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_NOTE_S, lambda: self.show_note("")) if note else None

    def lines(self, width: int, palette: Palette) -> list[Line]:
        self._places = []
        if self.note:
            return [Line(((" ", palette.base), (self.note, palette.warning)))]
        runs: list[Run] = [(" ", palette.base)]
        used = 1
        help_size = 8
        for index, (key, meaning) in enumerate(self.hints):
            gap = 3 if len(runs) > 1 else 0
            size = cells(key) + 1 + cells(meaning) + gap
            last = index == len(self.hints) - 1
            if used + size > width - (0 if last else help_size + 3) and not last:
                continue
            if used + size > width:
                break
            if gap:
                runs.append((" · ", palette.faint))
            self._places += _places(key, meaning, used + gap)
            runs += [(key, palette.base), (" " + meaning, palette.muted)]
            used += size
        return [Line(tuple(runs))]

    def on_click(self, event: events.Click) -> None:
        column = event.x - self.gutter.left
        if key := next((key for place, key in self._places if column in place), ""):
            event.stop()
            self.app.post_message(events.Key(key, key if len(key) == 1 else None))


_NAMES = {shown.lower(): name for name, shown in DISPLAY_NAMES.items()} | {
    "/": "slash", "@": "at", "!": "exclamation_mark",
}  # fmt: skip
_ENDLESS = "…"


def key_name(shown: str) -> str:
    """Textual's name of a displayed key."""
    return _NAMES.get(shown.lower(), shown.lower() if len(shown) > 1 else shown)


def _places(shown: str, meaning: str, start: int) -> list[tuple[range, str]]:
    """The columns and name of each key of a hint; the description belongs to the last key."""
    found: list[tuple[range, str]] = []
    at = start
    words = shown.split(" ")
    for number, word in enumerate(words, 1):
        end = at + cells(word) + (1 + cells(meaning) if number == len(words) else 0)
        if _ENDLESS not in word:
            found.append((range(at, end), key_name(word)))
        at = end + 1
    return found
