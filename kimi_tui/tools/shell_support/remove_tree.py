"""Folders for the temporary files of a session's commands, and deleting them: commands make them of any depth, and with
modes that forbid it.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Generator
from itertools import count
from pathlib import Path
from secrets import token_hex

_PREFIX = "kimi-tui-session-"


def make_session_folder() -> tuple[Path, int]:
    """Make a folder, and lock it until the descriptor is closed, also because this process was killed."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
        with contextlib.suppress(FileNotFoundError):  # another session took it for one that was left
            descriptor = _opened(str(folder))
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                continue
            except OSError:  # this file system has no locks
                pass
            if folder.exists():
                return folder, descriptor
            os.close(descriptor)


def end_session_folder(folder: str, descriptor: int) -> None:
    """Delete the folder."""
    remove_tree(folder)
    os.close(descriptor)


@contextlib.contextmanager
def session_folder() -> Generator[Path]:
    """Yield a folder that is deleted at the end, or by a later session if this process is killed before. Raises
    OSError.
    """
    folder, descriptor = make_session_folder()
    try:
        yield folder
    finally:
        end_session_folder(str(folder), descriptor)


def remove_left_folders() -> None:
    """Delete the folders of sessions that were killed."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for path in [entry.path for entry in entries if entry.name.startswith(_PREFIX)]:
            with contextlib.suppress(OSError):
                descriptor = _opened(path)
                try:
                    if os.fstat(descriptor).st_uid == os.geteuid():
                        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # defence: folders-of-running-sessions
                        remove_tree(path)
                finally:
                    os.close(descriptor)


def _opened(folder: str) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def remove_tree(top: str) -> None:
    """Delete a folder and all in it; what cannot be deleted stays. Nothing else may change it meanwhile.

    Each folder within is moved up before it is read, so that no path gets too long and nothing recurses.
    """
    unused = (f"{top}/{token_hex(8)}-{number}" for number in count())
    waiting = [top]
    for folder in waiting:
        with contextlib.suppress(OSError):
            os.chmod(folder, 0o700, follow_symlinks=True)  # noqa: PTH101 - tens of thousands
            with os.scandir(folder) as entries:
                found = list(entries)
            for entry in found:
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        os.rename(entry.path, moved := next(unused))  # noqa: PTH104
                        waiting.append(moved)
                    else:
                        os.unlink(entry.path)  # noqa: PTH108
            if folder != top:
                os.rmdir(folder)  # noqa: PTH106
    with contextlib.suppress(OSError):
        os.rmdir(top)  # noqa: PTH106
