"""Says which commands of a session run at the same time, and lets a line run beside which no other begins."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class CommandTurn:
    """A command. `others_run`: another one runs. While it `keeps_others_out`, none begins."""

    others_run: bool
    keeps_others_out: bool = False
    in_background: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class CommandTurns:
    """The commands of a session, those of all its agents and those in the background."""

    def __init__(self) -> None:
        self._running: list[CommandTurn] = []
        self._waiting: list[CommandTurn] = []

    @asynccontextmanager
    async def take(
        self, *, only_reads: bool = False, in_background: bool = False, keeps_others_out: bool = False
    ) -> AsyncGenerator[CommandTurn]:
        """Begin a command as soon as none keeps others out; one that does so itself, when only commands in the
        background run. One that only reads begins at once, is none of the others itself, and keeps none out.
        """
        if only_reads:
            yield CommandTurn(others_run=True)  # defence: others-beside-what-only-reads
            return
        turn = CommandTurn(False, keeps_others_out, in_background)
        self._waiting.append(turn)
        try:
            while waited := self._before(turn):
                await waited.ended.wait()
        except BaseException:
            turn.ended.set()
            raise
        finally:
            self._waiting.remove(turn)
        turn.others_run = bool(self._running)
        self._running.append(turn)
        try:
            yield turn
        finally:
            self._running.remove(turn)
            turn.ended.set()

    def _before(self, turn: CommandTurn) -> CommandTurn | None:
        """Return a command that ends before this one begins: also one that has waited longer to keep others out, else
        those that come and go could hold it up for ever.
        """
        # defence: no-command-begins-beside-git
        running = (
            one for one in self._running if one.keeps_others_out or (turn.keeps_others_out and not one.in_background)
        )
        # defence: git-waits-its-turn
        waiting = (one for one in self._waiting[: self._waiting.index(turn)] if one.keeps_others_out)
        return next((one for one in (*running, *waiting)), None)
