"""The user's editor, if the UI connects one: its buffers and its terminals.

They replace the disk and the local processes. Permission checks come before them.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from kimi_tui.tools.shell_support.process_runner import ProcessResult


class Buffers(Protocol):
    """The files as the user sees them, including unsaved changes."""

    @property
    def writes(self) -> bool:
        """Whether the editor also accepts changes."""
        ...

    async def read(self, real: Path) -> str | None:
        """Return the text of the file at this real path; None if the editor does not have it or does not answer."""
        ...

    async def write(self, real: Path, text: str) -> None:
        """Write the text to the file at this real path. Raises OSError."""
        ...


class Terminals(Protocol):
    """Runs commands in a terminal that the user can see."""

    async def run(
        self,
        command: Sequence[str],
        *,
        call_id: str,
        cwd: Path,
        env: Mapping[str, str],
        on_text: Callable[[str], bool | None],
        seconds: float | None,
    ) -> ProcessResult:
        """Run like `process_runner.run`; the terminal belongs to that tool call. Raises OSError."""
        ...


@dataclass(slots=True)
class Editor:
    """The editor's capabilities, known after the handshake with the UI.

    The editor follows links. A command in the sandbox could replace a file by one at any time, so that it would read
    or write files outside of the workspace: files are edited on disk while one runs.
    """

    buffers: Buffers | None = None
    terminals: Terminals | None = None
    _running: int = 0
    _using: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def command_running(self) -> AsyncGenerator[None]:
        """Inside the `with` block a sandboxed command may run; it begins when no buffer is in use."""
        async with self._using:
            self._running += 1
        try:
            yield
        finally:
            self._running -= 1

    @asynccontextmanager
    async def using_buffers(self) -> AsyncGenerator[Buffers | None]:
        """Yield the buffers, None while a command runs; none begins inside the `with` block."""
        if self.buffers is None:
            yield None
            return
        async with self._using:
            yield None if self._running else self.buffers  # defence: no-buffers-while-commands-run


NO_EDITOR = Editor()
