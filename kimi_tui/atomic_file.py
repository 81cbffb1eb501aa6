"""Replaces whole files atomically: a reader finds the old content or the new, even after a kill or a power cut.

Invariant: however many writers are killed, a folder keeps at most one temporary file for each suffix; the next writer
reuses it. A lock, released when its process ends, keeps two writers apart.
"""

import contextlib
import fcntl
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY


def replace_file(file: Path, content: str | bytes, *, follow_link: bool = False, sync_folder: bool = False) -> None:
    """Replace the content of `file`, which may not exist yet, as `replacement` does. Raises OSError."""
    with replacement(file, content, follow_link=follow_link, sync_folder=sync_folder):
        pass


@contextmanager
def replacement(
    file: Path, content: str | bytes, *, follow_link: bool = False, sync_folder: bool = False
) -> Generator[Path]:
    """Yield a temporary file with the new content, on disk and with the suffix of `file`; it replaces `file` when the
    block ends, or is deleted when the block raises.

    Text is written as UTF-8, the mode is 0600, and the folder must exist. A symbolic link itself is replaced, or, with
    `follow_link`, the file that it points to. With `sync_folder` the new content survives a power cut. Raises OSError,
    which names `file`, and UnicodeEncodeError.
    """
    target = Path(os.path.realpath(file)) if follow_link else file
    data = content.encode() if isinstance(content, str) else content
    temporary: Path | None = None
    try:
        temporary, descriptor = _temporary_for(target)
        with os.fdopen(descriptor, "wb") as stream:  # closing it ends the lock
            try:
                stream.write(data)
                stream.flush()
                os.fsync(descriptor)
                yield temporary
                temporary.replace(target)  # defence: replace-whole-file
            except BaseException:
                with contextlib.suppress(OSError):
                    temporary.unlink()  # defence: no-temporary-file-left
                raise
    except OSError as error:
        if temporary is None or error.filename in (None, str(temporary)):  # defence: file-of-a-full-disk
            error.filename, error.filename2 = str(file), None
        raise
    if sync_folder:
        sync_folder_to_disk(target.parent)


def _temporary_for(target: Path) -> tuple[Path, int]:
    """Create an empty locked file beside `target`: the one that every writer uses, or if that is in use another."""
    shared = target.with_name(f".new{target.suffix}")
    descriptor = None
    try:
        descriptor = os.open(shared, _FLAGS, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # defence: one-writer-for-a-temporary-file
        if _is_ours(shared, descriptor):  # defence: temporary-file-of-our-own
            os.ftruncate(descriptor, 0)
            os.fchmod(descriptor, 0o600)
            return shared, descriptor
    except OSError:
        pass  # the other name gets a file, or the same error
    if descriptor is not None:
        os.close(descriptor)
    own = target.with_name(f".new-{os.urandom(6).hex()}{target.suffix}")
    return own, os.open(own, _FLAGS | os.O_EXCL, 0o600)


def _is_ours(path: Path, descriptor: int) -> bool:
    """Whether the open file is a regular file of this user whose only name is still `path`."""
    status = os.fstat(descriptor)
    return (
        stat.S_ISREG(status.st_mode)
        and (status.st_uid, status.st_nlink) == (os.geteuid(), 1)
        and os.path.samestat(status, path.lstat())
    )


def sync_folder_to_disk(folder: Path) -> None:
    """Sync the folder to disk, where its file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
