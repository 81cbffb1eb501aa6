"""Writes an export to the file that the user names, atomically. An existing file is replaced only on request."""

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from kimi_tui.atomic_file import replacement
from kimi_tui.i18n import tr
from kimi_tui.regular_file import is_regular_or_absent


@contextmanager
def export_file(target: Path, *, replace: bool) -> Generator[BinaryIO]:
    """Yield a stream for the content; `target` has all of it when the block ends, or is unchanged if the block raises.

    With `replace`, `target` may be a regular file; a symbolic link itself is replaced. The mode is 0600. Raises
    OSError, FileExistsError if the target exists and must not be replaced.
    """
    if not replace and os.path.lexists(target):  # defence: no-export-over-a-file
        raise FileExistsError(errno.EEXIST, tr("this file exists"), str(target))
    if not is_regular_or_absent(target):  # defence: export-to-a-regular-file
        with suppress(FileNotFoundError):
            target.stat()  # says why it cannot be reached
        raise FileExistsError(errno.EEXIST, tr("this is not a regular file"), str(target))
    with replacement(target, b"") as temporary, temporary.open("wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())
