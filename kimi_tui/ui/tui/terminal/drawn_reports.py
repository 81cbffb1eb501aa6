"""Asks the terminal to report when it has drawn what was written.

A report comes after all keys that were pressed before the terminal drew it, however slow the connection is.
"""

import time
from collections import deque
from collections.abc import Callable

_REQUEST = "\x1b[5n"  # device status report: every terminal answers it
PATIENCE_S = 5.0
"""Seconds in which a terminal has to answer; one that does not is asked no more."""
_SCREEN_LOST_S = 0.5
"""Seconds after which a frame is waited for again: a screen that was closed drew none."""


class DrawnReports:
    """`write` writes to the terminal; `after_drawing` runs a callback after the next frame is written.

    The first report shows that the terminal answers; until then there are no reports to wait for.
    """

    def __init__(
        self,
        write: Callable[[str], object],
        after_drawing: Callable[[Callable[[], None]], object],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._write, self._after_drawing, self._clock = write, after_drawing, clock
        self._answers = False
        self._next: list[Callable[[], None]] = []
        self._scheduled_at = 0.0
        self._requested: deque[tuple[float, list[Callable[[], None]]]] = deque()
        self._late = 0

    def start(self) -> None:
        """Find out whether the terminal answers."""
        self._request()

    def call_when_drawn(self, callback: Callable[[], None]) -> bool:
        """Call back when the next frame is drawn; False if the terminal does not report it."""
        if self._requested and self._clock() - self._requested[0][0] > PATIENCE_S:
            self._answers, self._next = False, []
            self._late += len(self._requested)
            self._requested.clear()
        if not self._answers:
            return False
        self._next.append(callback)
        if len(self._next) == 1 or self._clock() - self._scheduled_at > _SCREEN_LOST_S:
            self._scheduled_at = self._clock()
            self._after_drawing(self._request)
        return True

    def take(self) -> None:
        """Handle a report of the terminal."""
        self._answers = True
        if self._late:
            self._late -= 1
        elif self._requested:
            for callback in self._requested.popleft()[1]:
                callback()

    def _request(self) -> None:
        callbacks, self._next = self._next, []
        self._requested.append((self._clock(), callbacks))
        self._write(_REQUEST)


_current: DrawnReports | None = None


def use_reports(reports: DrawnReports | None) -> None:
    """Use the reports of this terminal, or of none."""
    global _current
    _current = reports


def call_when_drawn(callback: Callable[[], None]) -> bool:
    """Call back when the terminal has drawn the next frame; False if it does not report it."""
    return _current is not None and _current.call_when_drawn(callback)
