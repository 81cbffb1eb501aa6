"""The last lines of tools that are still running, for a face in the same process.

The Wire has no word for it, and nobody needs it once the result is there; so it is not recorded.
"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass

TAIL_LINES = 10
INTERVAL = 0.1
_TAIL_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class Progress:
    """The newest lines of a call's output, oldest first; the last one may not be whole yet."""

    tool_call_id: str
    lines: tuple[str, ...]


class ToolProgress:
    """Tools write, faces listen. Each call is told at most ten times a second."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Progress], None]] = []
        self._tails: dict[str, str] = {}
        self._due: dict[str, asyncio.TimerHandle] = {}

    def listen(self, listener: Callable[[Progress], None]) -> Callable[[], None]:
        """Call `listener` from now on; returns what ends that."""
        self._listeners.append(listener)

        def unlisten() -> None:
            with contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return unlisten

    def write(self, tool_call_id: str, text: str) -> None:
        if not self._listeners:
            return
        self._tails[tool_call_id] = (self._tails.get(tool_call_id, "") + text[-_TAIL_CHARS:])[-_TAIL_CHARS:]
        if tool_call_id not in self._due:
            loop = asyncio.get_running_loop()
            self._due[tool_call_id] = loop.call_later(INTERVAL, self._tell, tool_call_id)

    def end(self, tool_call_id: str) -> None:
        """The call has its result: nothing more is told of it."""
        self._tails.pop(tool_call_id, None)
        if due := self._due.pop(tool_call_id, None):
            due.cancel()

    def _tell(self, tool_call_id: str) -> None:
        self._due.pop(tool_call_id, None)
        progress = Progress(tool_call_id, last_lines(self._tails.get(tool_call_id, ""), TAIL_LINES))
        for listener in tuple(self._listeners):
            listener(progress)


def last_lines(text: str, count: int) -> tuple[str, ...]:
    """The last lines that are not blank; of a line that was written over, what was written last."""
    lines = (line.rstrip("\r").rpartition("\r")[2].rstrip() for line in text.split("\n"))
    return tuple([line for line in lines if line][-count:])
