"""Detects message floods from a server: too many messages within a few seconds."""

import time

FLOOD = "it sent a flood of messages"
MAX_MESSAGES = 5_000
WINDOW = 5.0


class RateLimit:
    def __init__(self, limit: int = MAX_MESSAGES, window: float = WINDOW) -> None:
        self._limit = limit
        self._window = window
        self._count = 0
        self._window_start = time.monotonic()

    def flooded(self) -> bool:
        """Count one more message; True if there are too many of them in the window."""
        now = time.monotonic()
        if now - self._window_start > self._window:
            self._count, self._window_start = 0, now
        self._count += 1
        return self._count > self._limit
