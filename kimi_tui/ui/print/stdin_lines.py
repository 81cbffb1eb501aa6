"""Reads lines of standard input as they arrive, without blocking the program's exit."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from typing import IO


async def read_lines(source: IO[bytes]) -> AsyncGenerator[bytes]:
    """Yield each line until the source ends. The reading thread is a daemon: a blocked one does not delay the exit."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        while True:
            line = source.readline()
            try:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            except RuntimeError:  # the loop is closed
                return
            if not line:
                return

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while line := await lines.get():
        yield line
