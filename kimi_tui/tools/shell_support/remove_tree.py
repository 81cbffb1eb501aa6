"""Folders for the temporary files of a session's commands, and deleting them: commands make them of any depth, and with
modes that forbid it.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path
from secrets import token_hex

_PREFIX = "kimi-tui-session-"
# defence: links-lead-to-no-deletion
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PATH_ONLY: int = getattr(os, "O_PATH", 0)
"""A folder that its owner may not read can be opened with it."""


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


def _opened(folder: str, above: int | None = None) -> int:
    return os.open(folder, _FOLDER, dir_fd=above)


def remove_tree(top: str) -> None:
    """Delete a folder and all in it; what cannot be deleted stays.

    Each folder within is moved up before it is read, so that no path gets too long and nothing recurses. Where a
    command of another session can write, it may replace one by a link meanwhile: nothing that a link leads to is
    touched.
    """
    with contextlib.suppress(OSError):
        opened = _opened(top)
        try:
            _empty(opened)
        finally:
            os.close(opened)
        os.rmdir(top)  # noqa: PTH106


def _empty(top: int) -> None:
    unused = (f"{token_hex(8)}-{number}" for number in count())
    waiting = ["."]
    for name in waiting:
        with contextlib.suppress(OSError):
            folder = _opened(name, top)
            try:
                waiting += _move_up(folder, top, unused)
            finally:
                os.close(folder)
            if name != ".":
                os.rmdir(name, dir_fd=top)


def _move_up(folder: int, top: int, unused: Iterator[str]) -> Iterator[str]:
    """Move the folders in a folder up, and yield their new names; delete all else in it."""
    os.fchmod(folder, 0o700)
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        with contextlib.suppress(OSError):
            if entry.is_dir(follow_symlinks=False):
                _allow_owner(entry.name, folder)
                os.rename(entry.name, moved := next(unused), src_dir_fd=folder, dst_dir_fd=top)
                yield moved
            else:
                os.unlink(entry.name, dir_fd=folder)


def _allow_owner(name: str, above: int) -> None:
    """Let the owner move and open a folder, whatever its mode."""
    with contextlib.suppress(OSError):
        descriptor = os.open(name, _FOLDER | _PATH_ONLY, dir_fd=above)
        try:
            os.chmod(f"/proc/self/fd/{descriptor}", 0o700)  # noqa: PTH101 - tens of thousands
        finally:
            os.close(descriptor)
