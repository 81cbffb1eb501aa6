"""Yields to other tasks while reading a stream whose data has already arrived: such reads never wait."""

import asyncio
import time

_SECONDS = 0.02


class TimeSlice:
    """Lets other tasks run once a slice of time is used up."""

    def __init__(self) -> None:
        self._started_at = time.monotonic()

    async def pause(self) -> None:
        """Yield if the time slice is used up; call it after each part of the work."""
        if time.monotonic() - self._started_at >= _SECONDS:
            await asyncio.sleep(0)  # defence: share-the-loop
            self._started_at = time.monotonic()
