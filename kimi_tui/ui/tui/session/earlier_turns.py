"""Loads the earlier turns of a long session in small steps, while its last turns are already on screen.

The loaded state is a fold of the whole session, so it is the same as after loading everything at once.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from kimi_tui.ui.tui.state.deltas import Delta
from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.ui.tui.state.view_clock import Timed
from kimi_tui.wire.recorder import Recorded

Change = Callable[[UiState], Sequence[Delta]]
"""A change of the state that is on screen."""

STEP_S = 0.006
"""Seconds of work in a step: a key pressed meanwhile waits no longer."""
_ROWS = 16


class EarlierTurns:
    """Loads the earlier turns of a session.

    `messages` are those read so far, `state` is their fold; `error` is set if reading ended too early.
    """

    def __init__(self, earlier: Iterator[Recorded]) -> None:
        self._earlier = earlier
        self._changes: list[Change] = []
        self.state = UiState()
        self.messages: list[Timed] = []
        self.error: OSError | None = None

    def add(self, change: Change) -> None:
        """Note a change of the state on screen, to be applied after the earlier turns."""
        self._changes.append(change)

    def step(self, seconds: float = STEP_S) -> bool:
        """Read and apply messages for that long; False at the end."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end and self.error is None:
            messages = list(self._read(_ROWS))
            if not messages:
                return False
            self.messages += messages
            self.state.fold_all(messages)
        return self.error is None

    def _read(self, count: int) -> Iterator[Timed]:
        try:
            for record in islice(self._earlier, count):
                yield record.timestamp, record.message
        except OSError as error:
            self.error = error

    def finish(self) -> UiState:
        """Apply the rest and all changes since; return the state of the whole session."""
        while self.step(1.0):
            pass
        for change in self._changes:
            change(self.state)
        self._changes.clear()
        return self.state
