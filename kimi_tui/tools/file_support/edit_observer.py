"""Observers of edits, for undo."""

from pathlib import Path
from typing import Protocol


class FileHistory(Protocol):
    """Stores previous file contents. Must not raise: an edit goes ahead even if its backup fails."""

    def before_edit(self, path: Path, content: bytes | None, becomes: bytes) -> None:
        """Called before the file at this real path changes; `content` is None for a new file."""
        ...


class NoHistory:
    """Stores nothing."""

    def before_edit(self, path: Path, content: bytes | None, becomes: bytes) -> None:
        pass


NO_HISTORY: FileHistory = NoHistory()
