"""The calls to one server that are under way, each with a clock that stands still while a person answers."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager


class PendingCalls:
    """`seconds` is the time that a call may take."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._clocks: dict[str, asyncio.Timeout] = {}

    @property
    def latest(self) -> str | None:
        """The id of the one that began last."""
        return next(reversed(self._clocks), None)

    @asynccontextmanager
    async def timed(self, call_id: str) -> AsyncGenerator[None]:
        """Raises TimeoutError when its time is over."""
        try:
            async with asyncio.timeout(self._seconds) as clock:
                self._clocks[call_id] = clock
                yield
        finally:
            self._clocks.pop(call_id, None)

    @contextmanager
    def pausing(self) -> Generator[None]:
        """All of them are given their time anew once this is over."""
        for clock in self._clocks.values():
            clock.reschedule(None)
        try:
            yield
        finally:
            again = asyncio.get_running_loop().time() + self._seconds
            for clock in self._clocks.values():
                if not clock.expired():
                    clock.reschedule(again)
