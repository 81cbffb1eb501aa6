"""The lock of a conversation: one turn, or one command that changes the conversation, holds it at a time."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from kimi_tui.i18n import tr
from kimi_tui.soul.commands.command import TurnRunningError


class TurnLock:
    """Held for one turn or command at a time. `held_here`: the current task holds the lock for a command."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._holder: asyncio.Task[object] | None = None

    @property
    def locked(self) -> bool:
        return self._lock.locked()

    @property
    def held_here(self) -> bool:
        return self._holder is not None and self._holder is asyncio.current_task()

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """Hold the lock for a turn, as soon as it is free."""
        async with self._lock:
            yield

    @asynccontextmanager
    async def command(self) -> AsyncGenerator[None]:
        """Hold the lock for a command; a nested block belongs to the outer command.

        Raises TurnRunningError if the lock is not free.
        """
        if self.held_here:
            yield
            return
        if self._lock.locked():
            raise TurnRunningError(tr("a turn is already running"))
        async with self._lock:
            self._holder = asyncio.current_task()
            try:
                yield
            finally:
                self._holder = None
