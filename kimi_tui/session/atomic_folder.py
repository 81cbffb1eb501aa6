"""Creates a session's folder as a whole: a killed process leaves no partial session."""

import contextlib
import errno
import os
import shutil
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from kimi_tui.failpoints import crash_point
from kimi_tui.paths import private_folder

_UNFINISHED = ".unfinished"
_ABANDONED_S = 24 * 3600.0
"""Age in seconds from which an unfinished folder belongs to a process that was killed."""


@contextmanager
def atomic_folder(folder: Path) -> Generator[Path]:
    """Yield a new folder to fill; it becomes `folder` after the block, and is deleted if the block raises.

    Lists of sessions never contain it. Raises OSError, also if `folder` exists.
    """
    unfinished = folder.parent / _UNFINISHED
    private_folder(unfinished)
    _delete_abandoned(unfinished)
    aside = unfinished / f"{folder.name}-{uuid4().hex}"  # defence: session-built-aside
    aside.mkdir(mode=0o700)
    try:
        yield aside
        crash_point("session.before_rename")
        if folder.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)  # defence: no-half-imported-session
        with contextlib.suppress(OSError):  # another process uses it
            unfinished.rmdir()


def _delete_abandoned(unfinished: Path) -> None:
    for left in unfinished.iterdir():
        with contextlib.suppress(OSError):
            if left.lstat().st_mtime < time.time() - _ABANDONED_S:
                shutil.rmtree(left, ignore_errors=True)  # defence: delete-abandoned-session
