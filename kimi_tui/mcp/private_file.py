"""Files that only their owner may read: replaced atomically."""

import os
from pathlib import Path

from kimi_tui.paths import private_folder


def write_private(file: Path, text: str) -> None:
    """Replace the file's contents by `text`, with mode 0600. Raises OSError."""
    private_folder(file.parent)
    target = file.resolve()
    temporary = target.with_name(f".{target.name}.{os.getpid()}.new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as stream:  # noqa: PTH123 - a descriptor, not a path
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        # A failed write names no file.
        error.filename = str(file)  # defence: file-of-a-full-disk
        raise
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
