"""A page address and its app: loading the address again resumes the same session."""

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import cast

from aiohttp import ClientConnectionResetError, WSMsgType, web

from kimi_tui import json_text
from kimi_tui.ui.web.app_process import AppProcess

Command = Callable[[int, int], list[str]]
"""The command that starts the app for a page of this many columns and rows."""

_MAX_SIZE = 1000
_TAKEN_OVER = "This session was opened in another tab."


class PageSession:
    """At most one app runs: the latest visitor gets it, after the previous app has ended and released the session."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._free = asyncio.Lock()
        self._visit: _Visit | None = None

    async def visit(self, socket: web.WebSocketResponse, columns: int, rows: int) -> str:
        """Show the app on this socket until either ends; returns the app's last stderr output if it ended by itself."""
        if self._visit is not None:
            await self._visit.leave(_TAKEN_OVER)
        async with self._free:
            if socket.closed:
                return ""
            process = await AppProcess.start(self._command(_bounded(columns), _bounded(rows)))
            self._visit = _Visit(socket, process)
            try:
                return await self._visit.last()
            finally:
                self._visit = None

    async def close(self) -> None:
        """Disconnect the visitor; the app has ended when this returns."""
        if self._visit is not None:
            await self._visit.leave("`kimi-tui web` has ended.", for_good=True)
        async with self._free:
            pass


class _Visit:
    """An open page, and its app."""

    def __init__(self, socket: web.WebSocketResponse, process: AppProcess) -> None:
        self._socket, self._process = socket, process

    async def last(self) -> str:
        running = asyncio.create_task(self._process.run(self))
        hearing = asyncio.create_task(self._hear())
        try:
            await asyncio.wait({running, hearing}, return_when=asyncio.FIRST_COMPLETED)
            by_itself = not hearing.done()
            await asyncio.shield(self._process.end())
            exit_message = await running
            if by_itself:
                await self.leave(exit_message)
            return exit_message
        finally:
            hearing.cancel()
            await asyncio.shield(self._process.end())

    async def leave(self, why: str, *, for_good: bool = False) -> None:
        """Close the page. `for_good`: the session cannot be resumed."""
        await self.tell("over" if for_good else "ended", why)
        await self._socket.close()

    async def draw(self, data: bytes) -> None:
        with contextlib.suppress(ClientConnectionResetError, ConnectionError):
            await self._socket.send_bytes(data)

    async def tell(self, kind: str, text: str) -> None:
        with contextlib.suppress(ClientConnectionResetError, ConnectionError):
            await self._socket.send_str(json.dumps([kind, text]))

    async def _hear(self) -> None:
        async for message in self._socket:
            if message.type is WSMsgType.TEXT:
                await self._take(message.data)

    async def _take(self, text: str) -> None:
        """Handle a message of textual-serve's script; any other message is ignored."""
        match message := _parsed(text):
            case ["stdin", str(keys)]:
                await self._process.type(keys)
            case ["resize", {"width": int(columns), "height": int(rows)}]:
                await self._process.tell({"type": "resize", "width": _bounded(columns), "height": _bounded(rows)})
            case ["blur"] | ["focus"]:
                await self._process.tell({"type": str(message[0])})
            case ["ping", str(when)]:
                await self.tell("pong", when)
            case _:
                pass


def _parsed(text: str) -> list[object]:
    try:
        value = json_text.loads(text)
    except (ValueError, RecursionError):
        return []
    return cast(list[object], value) if isinstance(value, list) else []


def _bounded(size: int) -> int:
    return min(max(size, 1), _MAX_SIZE)
