"""Protects a new dialog from keys that were meant for something else."""

from collections.abc import Callable
from functools import partial
from weakref import WeakSet

from kimi_tui.ui.tui.terminal.drawn_reports import PATIENCE_S, call_when_drawn

QUIET_S = 0.5
_guards: "WeakSet[KeyGuard]" = WeakSet()


def restart_all() -> None:
    """Restart the wait of every dialog, because the user could not see them until now."""
    for guard in list(_guards):
        guard.restart()


def restart_unready(age_s: float) -> None:
    """Restart the wait of every dialog that accepts a key now, but accepted none `age_s` seconds ago, when the key was
    pressed that is handled now.
    """
    for guard in list(_guards):
        if guard.remaining <= 0 and not guard.was_ready(age_s):
            guard.delay()


class KeyGuard:
    """Accepts keys once the dialog has been on screen, unchanged and without a key, for half a second.

    Each early key restarts the half second, so a held key is never accepted. On a slow connection the screen is that of
    the user, which shows the dialog later than it was written: keys before its report are for an earlier screen.
    """

    def __init__(self, clock: Callable[[], float], quiet_s: float = QUIET_S, *, of_dialog: bool = True) -> None:
        self._clock = clock
        self._quiet_s = quiet_s
        self._of_dialog = of_dialog
        self._drawings = 0
        self.restart()
        _guards.add(self)

    def open(self) -> None:
        """Accept the next key: the user requested the dialog."""
        self._drawings += 1
        self._since = self._report_until = float("-inf")

    def restart(self) -> None:
        """Restart the wait: the dialog changed."""
        self._since, self._report_until = self._clock(), float("-inf")
        self._drawings += 1
        # defence: guard-until-drawn
        if self._of_dialog and call_when_drawn(partial(self._on_drawn, self._drawings)):
            self._report_until = self._since + PATIENCE_S

    def delay(self) -> None:
        """Restart the half second: a key came too early."""
        self._since = self._clock()

    def _on_drawn(self, drawing: int) -> None:
        if drawing == self._drawings:
            self._since, self._report_until = self._clock(), float("-inf")

    @property
    def _ready_at(self) -> float:
        return max(self._since + self._quiet_s, self._report_until)

    @property
    def remaining(self) -> float:
        """Seconds until a key is accepted, at most."""
        return max(0.0, self._ready_at - self._clock())

    def was_ready(self, age_s: float) -> bool:
        """Whether a key was accepted `age_s` seconds ago."""
        return self._ready_at <= self._clock() - age_s

    def accepts(self) -> bool:
        """Whether a key is accepted now; a rejected key restarts the half second."""
        if self.remaining > 0:  # defence: dialog-stands-still
            self.delay()
            return False
        return True
