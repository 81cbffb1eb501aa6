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
_PATIENCE_S = 2.0
"""Timeout in seconds for a page to read its last messages, and for an app's remaining output after its end."""
_TAKEN_OVER = "This session was opened in another tab."
_TOO_MUCH = "The page sent more keys than the app could take."


class PageSession:
    """One page address, with at most one app.

    The latest visitor gets it, after the previous app has ended and released the session.
    """

    def __init__(self, command: Command) -> None:
        self._command = command
        self._free = asyncio.Lock()
        self._latest: _Visit | None = None
        self._closed = False
        self._visits = 0

    @property
    def in_use(self) -> bool:
        """Whether a page is open, or its app has not ended yet."""
        return self._visits > 0

    async def visit(self, socket: web.WebSocketResponse, columns: int, rows: int) -> str:
        """Show the app on this socket until either ends; returns the app's last stderr output if it ended first."""
        if self._closed:
            return ""
        self._visits += 1
        try:
            return await self._visit(socket, columns, rows)
        finally:
            self._visits -= 1

    async def _visit(self, socket: web.WebSocketResponse, columns: int, rows: int) -> str:
        previous, self._latest = self._latest, (visit := _Visit(socket))
        if previous is not None:
            await previous.leave(_TAKEN_OVER)
        async with self._free:
            if visit.left or socket.closed:
                return ""
            return await visit.show(await AppProcess.start(self._command(_bounded(columns), _bounded(rows))))

    async def close(self) -> None:
        """Disconnect the visitor; the app has ended when this returns."""
        self._closed = True
        if self._latest is not None:
            await self._latest.leave("`kimi-tui web` has ended.", for_good=True)
        async with self._free:
            pass


class _Visit:
    """An open page, and its app. After the page is left, every wait for either is limited."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket
        self._left = asyncio.Event()

    @property
    def left(self) -> bool:
        return self._left.is_set()

    async def show(self, process: AppProcess) -> str:
        running = asyncio.create_task(process.run(self))
        receiving = asyncio.create_task(self._receive(process))
        leaving = asyncio.create_task(self._left.wait())
        try:
            await asyncio.wait({running, receiving, leaving}, return_when=asyncio.FIRST_COMPLETED)
            by_itself = not receiving.done() and not self.left
            await asyncio.shield(process.end())
            await asyncio.wait({running}, timeout=_PATIENCE_S)  # defence: bound-last-output
            exit_message = "" if running.cancelled() or not running.done() else running.result()
            if by_itself:
                await self.leave(exit_message)
            return exit_message
        finally:
            for task in (running, receiving, leaving):
                task.cancel()
            await asyncio.shield(process.end())

    async def leave(self, why: str, *, for_good: bool = False) -> None:
        """Close the page. `for_good`: the session cannot be resumed."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                await self.send("over" if for_good else "ended", why)
                await self._socket.close()
        self._left.set()

    async def draw(self, data: bytes) -> None:
        with contextlib.suppress(ClientConnectionResetError, ConnectionError):
            await self._socket.send_bytes(data)

    async def send(self, kind: str, text: str) -> None:
        with contextlib.suppress(ClientConnectionResetError, ConnectionError):
            await self._socket.send_str(json.dumps([kind, text]))

    async def _receive(self, process: AppProcess) -> None:
        async for message in self._socket:
            if message.type is WSMsgType.TEXT and not await self._take(message.data, process):
                await self.leave(_TOO_MUCH)

    async def _take(self, text: str, process: AppProcess) -> bool:
        """Handle a message of textual-serve's script, ignore any other. Returns whether the app keeps up."""
        match message := _parsed(text):
            case ["stdin", str(keys)]:
                return process.type(keys)
            case ["resize", {"width": int(columns), "height": int(rows)}]:
                return process.send({"type": "resize", "width": _bounded(columns), "height": _bounded(rows)})
            case ["blur"] | ["focus"]:
                return process.send({"type": str(message[0])})
            case ["ping", str(when)]:
                await self.send("pong", when)
            case _:
                pass
        return True


def _parsed(text: str) -> list[object]:
    try:
        value = json_text.loads(text)
    except (ValueError, RecursionError):
        return []
    return cast(list[object], value) if isinstance(value, list) else []


def _bounded(size: int) -> int:
    return min(max(size, 1), _MAX_SIZE)
