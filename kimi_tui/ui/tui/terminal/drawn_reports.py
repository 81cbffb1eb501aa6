"""Asks the terminal to report when it has drawn what was written.

A report comes after all keys that were pressed before the terminal drew it, however slow the connection is.
"""

import time
from collections.abc import Callable

REQUEST = "\x1b[5n"  # device status report: every terminal answers it
PATIENCE_S = 5.0
"""Seconds in which a terminal has to answer; of one that does not, reports are not waited for."""
_ANSWER_LOST_S = 30.0
"""Seconds after which a missing answer counts as lost, and a terminal that has answered before is asked again."""
_SCREEN_LOST_S = 0.5
"""Seconds after which a frame is waited for again: a screen that was closed drew none."""


class DrawnReports:
    """`write` writes to the terminal; `after_drawing` runs a callback after the next frame is written.

    The first report shows that the terminal answers; until then there are no reports to wait for.
    Invariant: one request at a time is without an answer, since answers do not say to which request they belong. A
    lost one (the terminal was another program's) costs no later answer its request.
    """

    def __init__(
        self,
        write: Callable[[str], object],
        after_drawing: Callable[[Callable[[], None]], object],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._write, self._after_drawing, self._clock = write, after_drawing, clock
        self._answers = self._has_answered = False
        self._next: list[Callable[[], None]] = []
        self._scheduled_at = 0.0
        self._is_next_drawn = False
        """Whether the frame of `_next` is written, and only an earlier answer is waited for."""
        self._requested: list[Callable[[], None]] | None = None
        self._requested_at = 0.0

    def start(self) -> None:
        """Find out whether the terminal answers."""
        self._request()

    def call_when_drawn(self, callback: Callable[[], None]) -> bool:
        """Call back when the next frame is drawn; False if the terminal does not report it."""
        silence = 0.0 if self._requested is None else self._clock() - self._requested_at
        if silence > PATIENCE_S:
            self._answers, self._next, self._is_next_drawn = False, [], False
            self._requested = []
        if silence > _ANSWER_LOST_S and self._has_answered:
            self._request()  # defence: ask-after-a-lost-answer
        if not self._answers:
            return False
        self._next.append(callback)
        if len(self._next) == 1 or self._clock() - self._scheduled_at > _SCREEN_LOST_S:
            self._scheduled_at = self._clock()
            self._after_drawing(self._on_next_drawn)
        return True

    def forget_requests(self) -> None:
        """Forget the requests: the terminal was another program's, which may have got the answer."""
        self._next, self._is_next_drawn, self._requested = [], False, None

    def take(self) -> None:
        """Handle a report of the terminal."""
        self._answers = self._has_answered = True
        drawn, self._requested = self._requested or [], None
        if self._is_next_drawn:
            self._request()
        for callback in drawn:
            callback()

    def _on_next_drawn(self) -> None:
        if self._requested is not None:  # defence: one-request-at-a-time
            self._is_next_drawn = True
        elif self._next:
            self._request()

    def _request(self) -> None:
        self._requested, self._next, self._is_next_drawn = self._next, [], False
        self._requested_at = self._clock()
        self._write(REQUEST)


_current: DrawnReports | None = None


def use_reports(reports: DrawnReports | None) -> None:
    """Use the reports of this terminal, or of none."""
    global _current
    _current = reports


def forget_requests() -> None:
    """Forget the requests that this terminal has not answered: it was another program's meanwhile."""
    if _current is not None:
        _current.forget_requests()


def call_when_drawn(callback: Callable[[], None]) -> bool:
    """Call back when the terminal has drawn the next frame; False if it does not report it."""
    return _current is not None and _current.call_when_drawn(callback)
