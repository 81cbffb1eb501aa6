"""What hears of an edit before it is made, so that it can be taken back."""

from pathlib import Path
from typing import Protocol


class FileHistory(Protocol):
    """Keeps what files held. It must not raise; an edit is not held up because it could not be kept."""

    def before_edit(self, path: Path, content: bytes | None, becomes: bytes) -> None:
        """The file at this real path is about to change; `content` is None where there is none yet."""
        ...


class NoHistory:
    """Keeps nothing."""

    def before_edit(self, path: Path, content: bytes | None, becomes: bytes) -> None:
        pass


NO_HISTORY: FileHistory = NoHistory()
