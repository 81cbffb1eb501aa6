"""Limits how often a server's lists are read again: a server may report changes without end."""

import asyncio

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Pauses in seconds between two lists: the first one, doubled while changes keep coming."""


class RefreshBackoff:
    """Merges reports of changes: each `next` covers all reports until it returns."""

    def __init__(self) -> None:
        self._reported = asyncio.Event()
        self._pause = FIRST_PAUSE
        self._not_before = 0.0

    def report(self) -> None:
        self._reported.set()

    async def next(self) -> None:
        """Wait for a report, and for the end of the pause since the last one."""
        await self._reported.wait()
        clock = asyncio.get_running_loop().time
        if clock() < self._not_before:  # defence: pace-of-changes
            await asyncio.sleep(self._not_before - clock())
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
        else:
            self._pause = FIRST_PAUSE
        self._not_before = clock() + self._pause
        self._reported.clear()
