"""Runs without a user: a run stops at calls that need approval, and gets the answers when it resumes."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Literal

from kimi_tui.interaction.approvals import Approvals, ParkedCall, WhenAsked

RecordedWhenAsked = Literal["refuse", "park"]


class ParkedCalls:
    """Parks or refuses the calls of runs without a user.

    `when_asked` is the user's option, None for the default: a resumed run then keeps its own.

    `approves`: calls are approved since there is no user to ask. A run that refuses or parks turns that off, and also
    the configuration's yolo. `stop` ends the running turn.
    """

    def __init__(
        self, approvals: Approvals, when_asked: WhenAsked | None, *, approves: bool, stop: Callable[[], None]
    ) -> None:
        self._approvals = approvals
        self._option = when_asked
        self._approves = approves
        self._stop = stop
        self._parked: dict[str, str] = {}

    @property
    def recorded(self) -> RecordedWhenAsked | None:
        """The option for a new run's journal; None if calls are approved, or a user is present."""
        if self._approvals.attended or self._option in (None, "approve"):
            return None
        return "park" if self._option == "park" else "refuse"

    @contextmanager
    def during(self, answers: Mapping[str, bool], recorded: RecordedWhenAsked | None) -> Generator[None]:
        """Park or refuse calls inside the `with` block; `answers` are those to the calls that parked the run."""
        approvals = self._approvals
        effective = recorded if self._option is None else self._option
        narrows = not approvals.attended and self._approves and effective in ("refuse", "park")
        yolo = approvals.yolo
        if narrows:  # defence: when-asked-of-the-run
            approvals.yolo = False
        approvals.parked_answers = dict(answers)
        if not approvals.attended and effective == "park":
            approvals.park = self._park
        try:
            yield
        finally:
            approvals.park, approvals.parked_answers = None, {}
            if narrows:
                approvals.yolo = yolo

    def take(self) -> dict[str, str] | None:
        """Return the calls that parked the turn, by key; None without any."""
        parked, self._parked = self._parked, {}
        return parked or None

    def _park(self, call: ParkedCall) -> None:
        self._parked[call.key] = call.text
        self._stop()
