"""The running calls to one server, each with a timeout that pauses while the user answers."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager


class PendingCalls:
    """The running calls; `seconds` is the timeout of a call."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._clocks: dict[str, asyncio.Timeout] = {}

    @property
    def latest(self) -> str | None:
        """The id of the call that started last."""
        return next(reversed(self._clocks), None)

    @asynccontextmanager
    async def timed(self, call_id: str) -> AsyncGenerator[None]:
        """Run a call with the timeout. Raises TimeoutError when it expires."""
        try:
            async with asyncio.timeout(self._seconds) as clock:
                self._clocks[call_id] = clock
                yield
        finally:
            self._clocks.pop(call_id, None)

    @contextmanager
    def pausing(self) -> Generator[None]:
        """Pause the timeouts of all calls; afterwards each starts anew."""
        for clock in self._clocks.values():
            clock.reschedule(None)
        try:
            yield
        finally:
            deadline = asyncio.get_running_loop().time() + self._seconds
            for clock in self._clocks.values():
                if not clock.expired():
                    clock.reschedule(deadline)
