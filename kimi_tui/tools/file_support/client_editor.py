"""The user's editor, if the UI connects one: its buffers and its terminals.

They replace the disk and the local processes. Permission checks come before them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    """The editor's capabilities, known after the handshake with the UI."""

    buffers: Buffers | None = None
    terminals: Terminals | None = None


NO_EDITOR = Editor()
