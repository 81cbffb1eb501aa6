"""The last output lines of running tools, for a UI in the same process.

Progress is not a Wire message and is not recorded, since the result replaces it.
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
    """The newest lines of a call's output, oldest first; the last one may be incomplete."""

    tool_call_id: str
    lines: tuple[str, ...]


class ToolProgress:
    """Passes the output of tools to UIs. Each call sends at most ten updates a second."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Progress], None]] = []
        self._tails: dict[str, str] = {}
        self._due: dict[str, asyncio.TimerHandle] = {}

    def listen(self, listener: Callable[[Progress], None]) -> Callable[[], None]:
        """Subscribe `listener`; returns a function that unsubscribes it."""
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
            self._due[tool_call_id] = loop.call_later(INTERVAL, self._notify_listeners, tool_call_id)

    def end(self, tool_call_id: str) -> None:
        """Stop the updates of a call that has its result."""
        self._tails.pop(tool_call_id, None)
        if due := self._due.pop(tool_call_id, None):
            due.cancel()

    def _notify_listeners(self, tool_call_id: str) -> None:
        self._due.pop(tool_call_id, None)
        progress = Progress(tool_call_id, last_lines(self._tails.get(tool_call_id, ""), TAIL_LINES))
        for listener in tuple(self._listeners):
            listener(progress)


def last_lines(text: str, count: int) -> tuple[str, ...]:
    """Return the last non-blank lines; of an overwritten line (carriage return) the final text."""
    lines = (line.rstrip("\r").rpartition("\r")[2].rstrip() for line in text.split("\n"))
    return tuple([line for line in lines if line][-count:])
