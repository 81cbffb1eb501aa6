"""Runs the app in its own process: packets of textual-serve's protocol on its stdin and stdout.

It is a session leader, so that a Ctrl+C in the server's terminal does not reach it: the server ends it cleanly.
"""

import asyncio
import contextlib
import json
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from typing import Protocol

from textual_serve.app_service import AppService

_READY = b"__GANGLION__\n"
_GRACE_S = 5.0
_LAST_WORDS = 16 * 1024
_FORWARDED_EVENTS = frozenset({"title", "notice", "background", "foreground"})
_MAX_UNREAD = 8 << 20
"""Bytes of input that wait for an app, at most."""
_ENVIRONMENT = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TERM_PROGRAM": "textual"}
_OF_A_TERMINAL = ("TMUX", "STY", "TERM_PROGRAM_VERSION", "COLUMNS", "LINES", "TEXTUAL_DRIVER")


class PageSink(Protocol):
    """Receives the app's output. Writing to a closed page raises no exception."""

    async def draw(self, data: bytes) -> None: ...
    async def send(self, kind: str, text: str) -> None: ...


class AppProcess:
    """An app process: `start` creates it, `run` serves it until its end, `end` stops it."""

    def __init__(self, process: Process, grace_s: float) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.process, self._grace_s = process, grace_s
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._ending: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, command: Sequence[str], *, grace_s: float = _GRACE_S) -> "AppProcess":
        """Start the app. `grace_s`: seconds to wait for its end after a request to quit, and again after SIGTERM."""
        env = {name: value for name, value in os.environ.items() if name not in _OF_A_TERMINAL}
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=env | _ENVIRONMENT, start_new_session=True
        )
        return cls(process, grace_s)

    async def run(self, page: PageSink) -> str:
        """Forward the app's output until it has ended; returns its last stderr output."""
        stderr_tail = asyncio.create_task(self._last_words())
        try:
            if await self.wait_until_ready():
                await self._pass_on(page)
        except asyncio.IncompleteReadError:
            pass
        await self.end()
        return await stderr_tail

    def type(self, text: str) -> bool:
        """Send keys; never waits. Returns whether the app keeps up with its input."""
        return self._send(b"D", text.encode("utf-8", "replace"))

    def send(self, message: Mapping[str, str | int]) -> bool:
        """Send a message of the driver. Returns whether the app keeps up with its input."""
        return self._send(b"M", json.dumps(message).encode())

    async def end(self) -> None:
        """Ask the app to quit, and kill it if it does not."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        behind = self._stdin.transport.get_write_buffer_size() > 0  # the request to quit would come after all that
        for number in (signal.SIGTERM, signal.SIGKILL) if behind else (None, signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._grace_s):
                    self._ask_to_leave(number)
                    await self.process.wait()
                    return

    def _ask_to_leave(self, number: signal.Signals | None) -> None:
        if number is None:
            self.send({"type": "quit"})
        elif self.process.returncode is None:
            os.killpg(self.process.pid, number)

    async def wait_until_ready(self) -> bool:
        async for line in self._stdout:
            if line == _READY:
                return True
        return False

    async def _pass_on(self, page: PageSink) -> None:
        while True:
            kind = await self._stdout.readexactly(1)
            payload = await self._stdout.readexactly(int.from_bytes(await self._stdout.readexactly(4), "big"))
            if kind == b"D":
                await page.draw(payload)
            elif kind == b"M":
                meta = json.loads(payload)
                if meta["type"] in _FORWARDED_EVENTS:
                    await page.send(meta["type"], meta["text"])

    async def _last_words(self) -> str:
        tail = b""
        while data := await self._stderr.read(4096):
            tail = (tail + data)[-_LAST_WORDS:]
        return tail.decode("utf-8", "replace").strip()

    def _send(self, kind: bytes, payload: bytes) -> bool:
        if self._stdin.is_closing():
            return True  # the app has ended, as `run` finds out
        self._stdin.write(AppService.encode_packet(kind, payload))  # pyright: ignore[reportArgumentType]
        # defence: bound-unread-input
        return self._stdin.transport.get_write_buffer_size() <= _MAX_UNREAD
