"""Time travel through one session: the chart, the todo list and the conversation as they were."""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from kimi_tui.ui.tui.main_screen.scrub_bar import ScrubBar, ScrubPosition
from kimi_tui.ui.tui.main_screen.timeline import Timeline
from kimi_tui.ui.tui.replay.state_history import StateHistory
from kimi_tui.ui.tui.state.deltas import Delta
from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.ui.tui.state.view_clock import Timed

_NEAR = 300
"""Maximum messages folded one by one; longer distances rebuild the state."""


class HistoryDisplay(Protocol):
    """Displays past states."""

    def load_all(self) -> None:
        """Load the turns of the session that are not loaded yet."""
        ...

    def show_past(self, state: UiState, at: float) -> None:
        """Show this state in place of the present."""
        ...

    def advance_past(self, deltas: list[Delta], at: float) -> None:
        """Apply changes to the displayed state."""
        ...

    def show_now(self) -> None: ...


class TimeTravel:
    """Shows past states of a session.

    `monotonic` is a monotonic clock, for playback.
    """

    def __init__(self, display: HistoryDisplay, bar: ScrubBar, *, monotonic: Callable[[], float]) -> None:
        self._display, self._bar, self._monotonic = display, bar, monotonic
        self._live = self._history = StateHistory()
        self._timeline = Timeline()
        self._state: UiState | None = None
        self._position = ScrubPosition()
        self._started = (0.0, 0.0)
        bar.beat = self.tick

    @property
    def is_open(self) -> bool:
        return self._state is not None

    @property
    def playing(self) -> bool:
        return self.is_open and self._position.playing

    @property
    def is_recording(self) -> bool:
        """Whether a recording is shown, which has no present to return to."""
        return self._position.recorded

    @property
    def number(self) -> int:
        return self._position.number

    def on_wire(self, message: Timed) -> None:
        """Record a new message; the displayed past stays."""
        self._live.append(message)
        if self.is_open and self._live is self._history:
            self._timeline.append(message)
            self._bar.redraw()

    def load(self, messages: list[Timed]) -> None:
        """Replace the history with another session's messages."""
        self._live = self._history = StateHistory(messages)
        self._state = None
        self._bar.close()

    def prepend(self, messages: list[Timed]) -> None:
        """Add the session's earlier messages. Call it only while no past moment is shown."""
        self._live.prepend(messages)

    def open(self, number: int | None = None, *, recorded: bool = False, speed: float = 1.0) -> bool:
        """Show a past moment, by default the last one. False if the history is empty."""
        self._display.load_all()
        if not len(self._history):
            return False
        if self.is_open and number is None:
            self._bar.focus()
            return True
        at = len(self._history) if number is None else number
        self._position = ScrubPosition(at, speed=speed, recorded=recorded)
        self._timeline = Timeline(self._history.messages)
        self._bar.open(self._timeline, self._position)
        self._jump(at)
        return True

    def open_other(self, messages: list[Timed], number: int) -> None:
        """Show another session's recording until closed."""
        self._history = StateHistory(messages)
        self._state = None
        self.open(number)

    def leave(self) -> None:
        """Return to the present."""
        if self.is_open:
            self._state = None
            self._history = self._live
            self._bar.close()
            self._display.show_now()

    def go_to(self, number: int) -> None:
        """Move to the position after that many messages; playback continues from there."""
        if not self.is_open:
            self.open(number)
            return
        number = max(0, min(number, len(self._history)))
        current = self._position.number
        if current <= number <= current + _NEAR:
            self._fold_until(number)
        else:
            self._jump(number)
        self._restart()

    def _jump(self, number: int) -> None:
        self._state = self._history.state_at(number)
        self._set_number(number)
        self._display.show_past(self._state, self._history.time_of(number))

    def _fold_until(self, number: int) -> None:
        assert self._state is not None
        deltas: list[Delta] = []
        for at, message in self._history.messages[self._position.number : number]:
            deltas += self._state.fold(message, at)
        self._set_number(number)
        self._display.advance_past(deltas, self._history.time_of(number))

    def _set_number(self, number: int) -> None:
        self._position = replace(self._position, number=number)
        self._bar.put(self._position)

    # Playing

    def play(self, speed: float | None = None) -> None:
        """Toggle playback, or change only the speed if one is given. At the end it starts over."""
        playing = self._position.playing if speed is not None else not self._position.playing
        self._position = replace(self._position, playing=playing, speed=speed or self._position.speed)
        if playing and self._position.number >= len(self._history):
            self._jump(0)
        self._bar.put(self._position)
        self._restart()

    def _restart(self) -> None:
        self._started = (self._monotonic(), self._timeline.place_of(self._position.number))

    def tick(self) -> None:
        """Advance playback by the elapsed time."""
        if not self.playing:
            return
        started_at, start_position = self._started
        target = start_position + (self._monotonic() - started_at) * self._position.speed
        number = self._timeline.number_at(target)
        if number > self._position.number:
            self._fold_until(number)
        if self._position.number >= len(self._history):
            self._position = replace(self._position, playing=False)
            self._bar.put(self._position)
