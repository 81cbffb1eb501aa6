"""Files that only their owner may read: replaced atomically."""

from pathlib import Path

from kimi_tui.atomic_file import replace_file
from kimi_tui.paths import private_folder


def write_private(file: Path, text: str) -> None:
    """Replace the file's contents by `text`, with mode 0600. Raises OSError."""
    private_folder(file.parent)
    replace_file(file, text, follow_link=True, sync_folder=True)
