"""Reads and writes lines on the process's stdin and stdout, for UIs that use JSON.

Invariant: the event loop never blocks on a pipe, and only the UI reads or writes it.
"""

import asyncio
import contextlib
import os
import select
import threading
from collections import deque
from collections.abc import Callable
from concurrent import futures
from typing import Final

MAX_LINE: Final = 100 << 20
_CHUNK = 1 << 16
_HIGH_WATER = 4 << 20
_LOOK_AGAIN_S = 0.5
_HUNG_UP = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)


def claim_stdio() -> tuple[int, int]:
    """Return file descriptors for reading and writing the program's stdin and stdout.

    From then on, other output goes to stderr, and other reads see an empty input. Raises OSError.
    """
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(null, 1)
    os.close(null)
    return source, sink


class TooLong:
    """Takes the place of a line that exceeds the byte limit."""


class LineReader:
    """Lines of a file descriptor, read by a thread that waits for a consumer. It calls `on_end` once when the input has
    ended, even while lines wait for the consumer.
    """

    def __init__(self, fd: int, *, limit: int = MAX_LINE, on_end: Callable[[], object] | None = None) -> None:
        self._fd = fd
        self._limit = limit
        self._on_end = on_end
        self._lines: asyncio.Queue[list[bytes | TooLong] | None] = asyncio.Queue(maxsize=8)
        self._taken: deque[bytes | TooLong] = deque()
        self._ended = False
        loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._read, args=(loop,), name="stdin", daemon=True)
        self._thread.start()

    async def next(self) -> bytes | TooLong | None:
        """Return the next line without its line break; None at the end. The last line may lack its break."""
        while not self._taken:
            if self._ended:
                return None
            lines = await self._lines.get()
            if lines is None:
                self._ended = True
            else:
                self._taken.extend(lines)
        return self._taken.popleft()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        line = bytearray()
        too_long = False
        while chunk := _read_some(self._fd):
            lines: list[bytes | TooLong] = []
            *complete, tail = chunk.split(b"\n")
            for raw_line in complete:
                too_long = too_long or len(line) + len(raw_line) > self._limit
                lines.append(TooLong() if too_long else bytes(line + raw_line))  # defence: bound-line
                line.clear()
                too_long = False
            too_long = too_long or len(line) + len(tail) > self._limit
            if too_long:
                line.clear()
            else:
                line += tail
            if lines and not self._put(lines, loop):
                return
        self._signal_end(loop)
        if line or too_long:
            self._put([TooLong() if too_long else bytes(line)], loop)
        self._put(None, loop)

    def _put(self, lines: list[bytes | TooLong] | None, loop: asyncio.AbstractEventLoop) -> bool:
        """Wait until the consumer has room for the lines; False if the loop is closed."""
        coroutine = self._lines.put(lines)
        try:
            placed = asyncio.run_coroutine_threadsafe(coroutine, loop)
            while futures.wait((placed,), _LOOK_AGAIN_S).not_done:
                if self._on_end is not None and _has_hung_up(self._fd):
                    self._signal_end(loop)  # defence: end-behind-waiting-lines
            placed.result()
        except (RuntimeError, futures.CancelledError):
            coroutine.close()
            return False
        return True

    def _signal_end(self, loop: asyncio.AbstractEventLoop) -> None:
        on_end, self._on_end = self._on_end, None
        if on_end is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(on_end)


def _read_some(fd: int) -> bytes:
    try:
        return os.read(fd, _CHUNK)
    except OSError:
        return b""


def _has_hung_up(fd: int) -> bool:
    """Whether the other side has closed its end, which shows before its last bytes are read."""
    poller = select.poll()
    poller.register(fd, _HUNG_UP)
    return any(event & _HUNG_UP for _, event in poller.poll(0))


class LineWriter:
    """Lines to a file descriptor, written by a thread. It calls `on_broken` once when the reader has closed the
    pipe.
    """

    def __init__(self, fd: int, *, on_broken: Callable[[], object] | None = None) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._on_broken = on_broken
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._room, self._empty = asyncio.Event(), asyncio.Event()
        self._room.set()
        self._empty.set()
        self._changed = threading.Condition()
        self._closing = False
        self._watch: asyncio.TimerHandle | None = None
        self._thread = threading.Thread(target=self._write_all, name="stdout", daemon=True)
        self._thread.start()
        self.broken = False

    def write(self, line: bytes) -> None:
        """Queue a complete line with its line break."""
        if self.broken or self._closing:
            return
        with self._changed:
            self._waiting.append(line)
            self._waiting_bytes += len(line)
            self._empty.clear()
            if self._waiting_bytes > _HIGH_WATER:
                self._room.clear()
            self._changed.notify()

    async def drain(self) -> None:
        """Wait while the reader is far behind."""
        await self._room.wait()

    async def flushed(self) -> None:
        """Wait until everything is written."""
        await self._empty.wait()

    def expect_end(self, *, patience_s: float = 2.0) -> None:
        """Treat the pipe as closed once the reader is far behind for `patience_s` seconds: call it after the program's
        input has ended.
        """
        was_full = not self._room.is_set()

        def look() -> None:
            if was_full and not self._room.is_set():
                self._break()  # defence: end-with-blocked-output
            else:
                self.expect_end(patience_s=patience_s)

        if not self.broken and not self._closing:
            self._watch = self._loop.call_later(patience_s, look)

    async def close(self, *, patience_s: float = 2.0) -> None:
        """Write the queued lines, at most `patience_s` seconds."""
        if self._watch is not None:
            self._watch.cancel()
        with self._changed:
            self._closing = True
            self._changed.notify()
        if not self.broken:
            await asyncio.to_thread(self._thread.join, patience_s)

    def _write_all(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._closing:
                    self._changed.wait()
                lines, self._waiting = self._waiting, []
                if not lines:
                    return
            if not _write(self._fd, b"".join(lines)):
                self._call(self._break)
                return
            with self._changed:
                self._waiting_bytes -= sum(map(len, lines))
            self._call(self._wrote)

    def _wrote(self) -> None:
        with self._changed:
            if self._waiting_bytes <= _HIGH_WATER:
                self._room.set()
            if not self._waiting_bytes:
                self._empty.set()

    def _break(self) -> None:
        if self.broken:
            return
        self.broken = True
        self._waiting.clear()
        self._room.set()
        self._empty.set()
        if self._on_broken is not None:
            self._on_broken()

    def _call(self, callback: Callable[[], object]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(callback)


def _write(fd: int, data: bytes) -> bool:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except OSError:
        return False
    return True
