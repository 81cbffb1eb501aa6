"""Opens untrusted paths: regular files only, never blocking, with a size limit.

A pipe, a device or a socket in place of a file would block or flood the reader. Every error here is an OSError whose
`strerror` fits after the file's path. Symbolic links are followed.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from kimi_tui.formats import byte_count
from kimi_tui.i18n import tr

MAX_BYTES = 16 << 20
_ALWAYS = os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


class NotRegularError(OSError):
    """The path is a folder, a pipe, a device or a socket."""


class TooLargeError(OSError):
    """The file exceeds the size limit."""


def open_fd(path: Path, flags: int = os.O_RDONLY) -> int:
    """Open the regular file as `os.open` does and return its descriptor; `flags` may create it, for the user alone.

    Raises OSError, including NotRegularError.
    """
    try:
        _check(os.stat(path).st_mode, path)  # noqa: PTH116 - it also takes a path that is text
    except FileNotFoundError:
        if not flags & os.O_CREAT:
            raise
    descriptor = os.open(path, flags | _ALWAYS, 0o600)
    try:
        _check(os.fstat(descriptor).st_mode, path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def open_regular(path: Path) -> BinaryIO:
    """Open the regular file for reading bytes. Raises OSError as `open_fd` does."""
    return os.fdopen(open_fd(path), "rb")


def read_bytes(path: Path, *, most: int = MAX_BYTES) -> bytes:
    """Read the whole file. Raises OSError, TooLargeError above `most` bytes."""
    content = read_start(path, most + 1)
    if len(content) > most:
        raise TooLargeError(errno.EFBIG, tr("it is larger than {size}", size=byte_count(most)), str(path))
    return content


def read_start(path: Path, most: int) -> bytes:
    """Read at most the first `most` bytes. Raises OSError as `open_fd` does."""
    with open_regular(path) as file:
        return file.read(most) or b""


def read_end(path: Path, most: int) -> tuple[bytes, int]:
    """Read at most the last `most` bytes; returns them and the size of the file. Raises OSError as `open_fd` does."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - most))
        return file.read(most) or b"", size


def read_text(path: Path, *, most: int = MAX_BYTES, errors: str = "strict") -> str:
    r"""Read the whole file as UTF-8 text, without a byte order mark and with `\n` line ends.

    Raises OSError as `read_bytes` does, UnicodeDecodeError for other encodings.
    """
    text = read_bytes(path, most=most).decode("utf-8-sig", errors)  # defence: byte-order-mark-in-file
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_regular_or_absent(path: Path) -> bool:
    """Whether the path is a regular file or does not exist."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False


def _check(mode: int, path: Path) -> None:
    if not stat.S_ISREG(mode):  # defence: regular-file
        number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        raise NotRegularError(number, tr("this is not a regular file"), str(path))
