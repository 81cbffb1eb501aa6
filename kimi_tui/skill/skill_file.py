"""Reads a skill file's text; no file on disk can make it hang or exhaust memory."""

import errno
from pathlib import Path

from kimi_tui.errors import SkillError
from kimi_tui.formats import byte_count
from kimi_tui.i18n import tr
from kimi_tui.regular_file import NotRegularError, read_start

MAX_BYTES = 1 << 20
MAX_PROJECT_BYTES = 128 << 10
"""The limit for an untrusted file, read before the trust question: its Markdown and chart take up to 7 s per MiB."""
_BOMS_OF_OTHERS = (b"\xff\xfe", b"\xfe\xff")


def read_source(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """The file's text with `\\n` line ends and no byte order mark.

    Raises SkillError for a file that is not regular, cannot be read, is over `max_bytes` or is not UTF-8 text.
    """
    try:
        data = _read_regular(path, max_bytes)
    except OSError as error:
        raise SkillError(reason(error), file=path) from error
    if len(data) > max_bytes:
        raise SkillError(tr("is larger than {size}, the limit for a skill", size=byte_count(max_bytes)), file=path)
    if data.startswith(_BOMS_OF_OTHERS):
        raise SkillError(tr("is UTF-16 text; save it as UTF-8"), file=path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SkillError(tr("is not UTF-8 text; save it as UTF-8"), file=path, line=line) from error
    if (nul := text.find("\0")) >= 0:
        raise SkillError(
            tr("contains a NUL character, so it is not text"), file=path, line=text.count("\n", 0, nul) + 1
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def reason(error: OSError) -> str:
    """The system's error text, in words that fit after a path."""
    if error.errno == errno.ELOOP:
        return "is a link that leads back to itself"
    return f"cannot be read: {(error.strerror or str(error)).lower()}"


def _read_regular(path: Path, max_bytes: int) -> bytes:
    """Read up to `max_bytes` + 1 bytes of a regular file."""
    try:
        return read_start(path, max_bytes + 1)  # defence: regular-skill-file
    except NotRegularError as error:
        raise SkillError(tr("is not a regular file"), file=path) from error
