"""The clock of what is shown: the time of a past moment while one is looked at, else the real time."""

from collections.abc import Callable


class ViewClock:
    """Called like a clock; `at` is the past moment, None for now."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.at: float | None = None

    def __call__(self) -> float:
        return self._clock() if self.at is None else self.at
