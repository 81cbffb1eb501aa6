"""The running calls to one server, each with a timeout that pauses while the user answers."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

from kimi_tui.errors import KimiTuiError

T = TypeVar("T")


class CallEndedError(KimiTuiError):
    """No call is running any more."""


class PendingCalls:
    """The running calls; `seconds` is the timeout of a call."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._clocks: dict[str, asyncio.Timeout] = {}
        self._idle = asyncio.Event()

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
                self._idle.clear()
                yield
        finally:
            self._clocks.pop(call_id, None)
            if not self._clocks:
                self._idle.set()

    async def while_running(self, answering: Coroutine[Any, Any, T]) -> T:
        """Await a server request that belongs to its calls. Cancels it and raises CallEndedError once no call is
        running: otherwise the server alone would decide when the request ends.
        """
        answer, idle = asyncio.ensure_future(answering), asyncio.ensure_future(self._idle.wait())
        try:
            await asyncio.wait({answer, idle}, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            raise CallEndedError
        finally:
            answer.cancel()
            idle.cancel()

    @contextmanager
    def pausing(self) -> Generator[None]:
        """Pause the timeouts of all calls; afterwards each one restarts from its full length."""
        for clock in self._clocks.values():
            clock.reschedule(None)
        try:
            yield
        finally:
            deadline = asyncio.get_running_loop().time() + self._seconds
            for clock in self._clocks.values():
                if not clock.expired():
                    clock.reschedule(deadline)
