"""Locks that end with their process, however it ends: `flock` on a file of their own."""

import fcntl
import os
from pathlib import Path

from kimi_tui.regular_file import open_fd


def is_locked(file: Path) -> bool:
    """Whether a running process holds the lock; false if the file does not exist or cannot be opened."""
    try:
        descriptor = open_fd(file, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
