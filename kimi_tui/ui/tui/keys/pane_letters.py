"""Letters typed while a pane has the focus: the key of a pane acts, a sentence starts nothing."""

from collections.abc import Callable
from dataclasses import dataclass

from textual import events
from textual.dom import DOMNode
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from kimi_tui.ui.tui.widgets.key_guard import KeyGuard

ACTS_AT_ONCE = frozenset(
    ("block", "turn", "find", "copy_block", "charts",  # conversation
     "zoom", "nearer", "outline", "map", "legend", "list", "view",  # flow
     "play", "speed",  # replay
     "write")
)  # fmt: skip
"""Actions of printable keys that only move, copy, or change what a pane shows. Any other action of a printable key
is held back until no letter follows."""


@dataclass(frozen=True, slots=True)
class BoundAction:
    """The enabled action of a key, the node that has it, and the focus when the key was pressed."""

    action: str
    node: DOMNode
    focused: Widget | None

    @property
    def acts_at_once(self) -> bool:
        return self.action.partition("(")[0] in ACTS_AT_ONCE


class PaneLetters:
    """Tells the keys of a pane from sentences.

    A key that is not in `ACTS_AT_ONCE` acts if no other letter follows within `hold_s`, or at once with Enter. A letter
    without effect begins a sentence, and so do two quick letters of which the first is held: until a pause, letters and
    Enter do nothing. `show_stray` shows the letters that have no effect.
    """

    def __init__(self, screen: Screen[None], clock: Callable[[], float], show_stray: Callable[[str], None]) -> None:
        self._screen, self._show_stray = screen, show_stray
        self._guard = KeyGuard(clock, of_dialog=False)
        self._guard.open()
        self._sentence = ""
        self._place: Widget | None = None
        self._held: tuple[str, BoundAction] | None = None
        self._timer: Timer | None = None

    def begin(self, letter: str) -> None:
        """Begin a sentence with a letter without effect."""
        self._sentence, self._place = letter, self._screen.focused
        self._guard.delay()

    def takes_letter(self, letter: str, bound: BoundAction | None, hold_s: float) -> bool:
        """Whether the letter is held, or is part of a sentence."""
        if self._held is not None:
            held, action = self._held
            self._drop()
            if letter != held:
                self._continue(held + letter)
            else:  # the key is held down, or pressed twice
                self._hold(letter, action, hold_s)
        elif self._sentence and self._guard.remaining > 0:  # defence: sentence-in-a-pane
            self._continue(self._sentence + letter)
        elif bound is None or bound.acts_at_once or not hold_s:
            self._sentence = ""
            return False
        else:
            self._sentence = ""
            self._hold(letter, bound, hold_s)
        return True

    def takes_other(self, event: events.Key) -> bool:
        """Whether a key that types nothing is handled here: Enter and Esc after a held key, Enter after a sentence."""
        held, in_sentence = self._held, self._sentence and self._screen.focused is self._place
        self._sentence = ""
        if held is not None:
            if event.key == "escape":
                self._drop()
            else:
                self._settle()
            return event.key in ("enter", "escape")
        return bool(in_sentence) and event.key == "enter"

    @property
    def holds(self) -> bool:
        """Whether a key is held back."""
        return self._held is not None

    def _continue(self, text: str) -> None:
        self.begin(text)
        self._show_stray(text)

    def _hold(self, letter: str, bound: BoundAction, hold_s: float) -> None:
        self._held = letter, bound
        self._timer = self._screen.set_timer(hold_s, self._settle)  # defence: hold-pane-key

    def _settle(self) -> None:
        """Run the held action, unless the focus has moved since."""
        if self._held is not None:
            _letter, bound = self._held
            self._drop()
            if self._screen.is_current and self._screen.focused is bound.focused:
                # by the app: what bubbles would end at its sender
                self._screen.app.call_later(self._screen.app.run_action, bound.action, bound.node)

    def _drop(self) -> None:
        self._held = None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
