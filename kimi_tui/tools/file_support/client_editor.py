"""The program that the person edits with, where a face speaks for one: its buffers and its terminals.

They stand in for the disk and the processes of this machine. What may be read, written or run is decided before.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kimi_tui.tools.shell_support.process_runner import ProcessResult


class Buffers(Protocol):
    """The files as the person sees them, what is not saved yet included."""

    @property
    def writes(self) -> bool:
        """Whether it takes changes too."""
        ...

    async def read(self, real: Path) -> str | None:
        """The text of the file at this real path; None where the editor does not have it, or does not say."""
        ...

    async def write(self, real: Path, text: str) -> None:
        """Raises OSError."""
        ...


class Terminals(Protocol):
    """Runs commands where the person sees them run."""

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
        """As `processes.run`; the terminal belongs to that tool call. Raises OSError."""
        ...


@dataclass(slots=True)
class Editor:
    """What there is of it; it is known once the face has spoken with it."""

    buffers: Buffers | None = None
    terminals: Terminals | None = None


NO_EDITOR = Editor()
