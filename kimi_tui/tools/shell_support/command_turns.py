"""Says which commands of a session run at the same time, and lets a line run beside which no other begins."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class CommandTurn:
    """A command. `others_run`: another one ran when it began. While it `keeps_others_out`, none begins; it may say so
    as long as it has not waited for anything.
    """

    def __init__(self, *, others_run: bool) -> None:
        self.others_run = others_run
        self.keeps_others_out = False
        self.ended = asyncio.Event()


class CommandTurns:
    """The commands of a session, those of all its agents and those in the background."""

    def __init__(self) -> None:
        self._running: list[CommandTurn] = []

    @asynccontextmanager
    async def take(self, *, only_reads: bool = False) -> AsyncGenerator[CommandTurn]:
        """Begin a command as soon as none keeps others out. One that only reads begins at once, is none of the others
        itself, and keeps none out.
        """
        if only_reads:
            yield CommandTurn(others_run=True)  # defence: others-beside-what-only-reads
            return
        # defence: no-command-begins-beside-git
        while alone := [turn for turn in self._running if turn.keeps_others_out]:
            await alone[0].ended.wait()
        turn = CommandTurn(others_run=bool(self._running))
        self._running.append(turn)
        try:
            yield turn
        finally:
            self._running.remove(turn)
            turn.ended.set()
