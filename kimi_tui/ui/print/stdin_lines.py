"""Lines of standard input as they come, without holding the program up when it has to end."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from typing import IO


async def read_lines(source: IO[bytes]) -> AsyncGenerator[bytes]:
    """Each line until the source ends. The thread that reads is a daemon: one that never gets a line stops nobody."""
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
