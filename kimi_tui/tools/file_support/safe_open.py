"""Opens files safely after a check: no link, device or pipe can replace the checked file.

`Workspace.resolve` checks the real path first. Here the opened file, or the opened folder of a file to be written, must
still be at that path. No call blocks on a pipe.
"""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from kimi_tui.formats import byte_count
from kimi_tui.paths import real_path

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW | getattr(os, "O_NOCTTY", 0)
_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW


class FileRefusedError(OSError):
    """A file of the wrong type or in the wrong place; the message is for the model."""


@contextmanager
def open_checked(real: Path) -> Generator[int]:
    """Open the regular file at this real path for reading. Raises OSError, including FileRefusedError."""
    descriptor = os.open(real, _READ)
    try:
        _must_be_regular(os.fstat(descriptor), real)
        _must_be_at(descriptor, real)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def open_folder(path: Path) -> Generator[tuple[int, Path]]:
    """Open a folder, also through links; yield it with the real path at which it is. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        try:
            place = Path(f"/proc/self/fd/{descriptor}").readlink()
        except OSError:
            _must_be_at(descriptor, place := real_path(path))
        yield descriptor, place
    finally:
        os.close(descriptor)


def read_bytes(real: Path, *, most: int) -> bytes:
    """Read the whole file. Raises FileRefusedError if it is larger than `most` bytes."""
    with open_checked(real) as descriptor:
        chunks: list[bytes] = []
        size = 0
        while chunk := os.read(descriptor, 1 << 20):
            size += len(chunk)
            if size > most:
                raise FileRefusedError(f"`{real}` is larger than {byte_count(most)}.")
            chunks.append(chunk)
    return b"".join(chunks)


def write_bytes(real: Path, content: bytes, *, expected: bytes | None) -> None:
    """Write `content` to this real path atomically, with the previous mode of the file.

    `expected` is the content at the time of approval, None for a new file; a file changed since then is not written.
    Raises OSError, including FileRefusedError.
    """
    folder = os.open(real.parent, _FOLDER)
    try:
        _must_be_at(folder, real.parent)
        old_status = _stat_in(folder, real)
        if (old_status is None) != (expected is None) or (
            old_status is not None and _content_in(folder, real.name, len(expected or b"")) != expected
        ):
            raise FileRefusedError(f"`{real}` has changed meanwhile. Read it again.")
        if old_status is not None and not os.access(real.name, os.W_OK, dir_fd=folder):
            raise PermissionError(f"`{real}` is read-only.")
        _replace(folder, real, content, old_status)  # defence: replace-file
    finally:
        os.close(folder)


def remove_file(real: Path, *, expected: bytes) -> None:
    """Remove the file at this real path, unless its content is no longer `expected`. Raises OSError, including
    FileRefusedError.
    """
    folder = os.open(real.parent, _FOLDER)
    try:
        _must_be_at(folder, real.parent)  # defence: removed-where-it-was-written
        if _stat_in(folder, real) is None or _content_in(folder, real.name, len(expected)) != expected:
            raise FileRefusedError(f"`{real}` has changed meanwhile. Read it again.")
        os.unlink(real.name, dir_fd=folder)
    finally:
        os.close(folder)


def make_folder(real: Path) -> None:
    """Make the folder at this real path and the missing ones above it, through no link. Raises OSError."""
    step = os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW | getattr(os, "O_PATH", os.O_RDONLY)
    folder = os.open("/", step)
    try:
        for name in real.parts[1:]:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=folder)
            below = os.open(name, step, dir_fd=folder)  # defence: folders-through-no-link
            os.close(folder)
            folder = below
    finally:
        os.close(folder)


def check_writable(real: Path, *, exists: bool) -> None:
    """Check, for a file that another program writes, whether `write_bytes` could write it. Raises OSError."""
    folder = os.open(real.parent, _FOLDER)
    try:
        _must_be_at(folder, real.parent)
        status = _stat_in(folder, real)
        if (status is not None) != exists:
            raise FileRefusedError(f"`{real}` has changed meanwhile. Read it again.")
        if not os.access(real.name if exists else ".", os.W_OK, dir_fd=folder):
            raise PermissionError(errno.EACCES, "it is read-only" if exists else "its folder is read-only")
    finally:
        os.close(folder)


def _replace(folder: int, real: Path, content: bytes, old_status: os.stat_result | None) -> None:
    temporary = f".{real.name[:100]}.{secrets.token_hex(6)}.tmp"
    try:
        descriptor = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666, dir_fd=folder
        )
    except PermissionError:
        if old_status is None:
            raise
        _write_in_place(folder, real, content, old_status.st_size)
        return
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if old_status is not None:
                with contextlib.suppress(OSError):
                    os.fchown(file.fileno(), old_status.st_uid, old_status.st_gid)
                os.fchmod(file.fileno(), stat.S_IMODE(old_status.st_mode))
            os.fsync(file.fileno())
        os.rename(temporary, real.name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _write_in_place(folder: int, real: Path, content: bytes, old_size: int) -> None:
    """Write in place, for a folder that accepts no new file; a disk that becomes full leaves the old content. Hard
    links are refused, since they may name other files.
    """
    descriptor = os.open(real.name, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        status = os.fstat(descriptor)
        _must_be_regular(status, real)
        if status.st_nlink > 1:
            raise FileRefusedError(f"`{real}` has other names (hard links), and no file can be created in its folder.")
        try:
            _write_all(file, content[old_size:], old_size)  # defence: take-room-first
            _write_all(file, content[:old_size], 0)
        except OSError:
            file.truncate(old_size)
            raise
        file.truncate(len(content))
        os.fsync(descriptor)


def _write_all(file: FileIO, content: bytes, at: int) -> None:
    file.seek(at)
    view = memoryview(content)
    while view:
        view = view[file.write(view) :]


def _stat_in(folder: int, real: Path) -> os.stat_result | None:
    try:
        status = os.stat(real.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    _must_be_regular(status, real)
    return status


def _content_in(folder: int, name: str, length: int) -> bytes:
    descriptor = os.open(name, _READ, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(length + 1)


def _must_be_regular(status: os.stat_result, real: Path) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(f"`{real}` is a folder, not a file.")
    if stat.S_ISLNK(status.st_mode):
        raise FileRefusedError(f"`{real}` has become a symbolic link.")
    if not stat.S_ISREG(status.st_mode):
        raise FileRefusedError(f"`{real}` is not a regular file but a device, a pipe or a socket.")


def _must_be_at(descriptor: int, real: Path) -> None:
    """Check that the open file is the one at `real`, from the kernel's path of the descriptor where available."""
    try:
        where = Path(f"/proc/self/fd/{descriptor}").readlink()
    except OSError:
        now, expected = os.fstat(descriptor), real.stat()
        if real_path(real) == real and (now.st_dev, now.st_ino) == (expected.st_dev, expected.st_ino):
            return
    else:
        if where == real:
            return
    raise FileRefusedError(f"`{real}` was swapped for another file while it was opened.")  # defence: swapped-file
