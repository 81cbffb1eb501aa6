"""Clock of the displayed moment: a past time during time travel, else the real time."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kimi_tui.wire.codec import WireMessage

Timed = tuple[float, "WireMessage"]
"""A message and its time, in seconds."""


class ViewClock:
    """Callable like a clock; `timestamp` is the past moment, None for now."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.timestamp: float | None = None

    def __call__(self) -> float:
        return self._clock() if self.timestamp is None else self.timestamp
