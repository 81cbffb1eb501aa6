"""A clock for working time: it stops while a request waits for the user."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager


class WorkClock:
    """Callable like a monotonic clock, in seconds. Requests that overlap count once."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waiting = 0
        self._since = 0.0
        self._waited_s = 0.0

    def __call__(self) -> float:
        return (self._since if self._waiting else self._clock()) - self._waited_s

    @contextmanager
    def waiting(self) -> Generator[None]:
        """Stop the clock within the block, while a request waits for the user."""
        if not self._waiting:
            self._since = self._clock()
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._waited_s += self._clock() - self._since
