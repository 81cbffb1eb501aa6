"""Locks that end with their process, however it ends: `flock` on a file of their own, or on a folder."""

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Generator
from pathlib import Path

from kimi_tui.paths import private_folder
from kimi_tui.regular_file import open_fd


def is_locked(file: Path) -> bool:
    """Whether a running process holds the lock; false if the file does not exist or cannot be opened, or if its file
    system has no locks.
    """
    try:
        descriptor = open_fd(file, os.O_RDWR)
    except OSError:
        return False
    try:
        lock(descriptor)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def lock(descriptor: int) -> bool:
    """Lock the open file or folder until it is closed; False if its file system has no locks.

    Raises BlockingIOError if another process holds the lock.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:  # defence: file-systems-without-locks
        return False
    return True


@contextlib.contextmanager
def changing(file: Path, *, patience_s: float = 5.0) -> Generator[None]:
    """Lock the folder of a file during the block, so that no process or thread undoes the change of another that locks
    it too. A missing folder is made.

    A file system that cannot lock folders is used without a lock. Raises OSError (BlockingIOError) if another one holds
    the lock longer than `patience_s` seconds.
    """
    folder = file.parent
    private_folder(folder)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        until = time.monotonic() + patience_s
        while True:
            try:
                lock(descriptor)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise BlockingIOError(errno.EAGAIN, "another process is writing here", str(folder)) from None
                time.sleep(0.01)
                continue
            break
        yield
    finally:
        os.close(descriptor)
