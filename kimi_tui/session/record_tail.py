"""The tail of a long record: a screen can show it at once, however long the record is."""

import os
import re
from pathlib import Path
from typing import BinaryIO

from kimi_tui.regular_file import open_regular

SHOWN_BYTES = 8 << 20
"""Bytes of a record that are shown."""
RECENT_BYTES = 256 << 10
"""Bytes of them that a screen shows at once, before it reads the others."""

_CHUNK = 1 << 20
_BEGINNING = re.compile(rb'"message":\s?\{"type":\s?"TurnBegin"')


def tail_start(wire: Path, most_bytes: int) -> int:
    """Return the offset to read from, so that at most `most_bytes` follow: the start of a turn, else of a line; 0 for
    all.

    In a turn longer than that, reading starts in the middle; with a last line longer than that, it starts there.
    """
    try:
        with open_regular(wire) as file:
            size = os.fstat(file.fileno()).st_size
            if size <= most_bytes:
                return 0
            file.seek(size - most_bytes)
            file.readline()
            first = file.tell()
            while line := file.readline():
                if _BEGINNING.search(line[:200]):
                    return file.tell() - len(line)
            return first if first < size else _line_start(file, size - most_bytes)  # defence: long-last-line
    except OSError:
        return 0


def _line_start(file: BinaryIO, offset: int) -> int:
    """The start of the line that has the byte at `offset`."""
    while offset > 0:
        start = max(0, offset - _CHUNK)
        file.seek(start)
        found = file.read(offset - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        offset = start
    return 0


def recent_start(wire: Path, shown_from: int) -> int:
    """The offset of the turns that a screen shows at once: `shown_from` or later, and not within a flow's run."""
    start = tail_start(wire, RECENT_BYTES)
    if start <= shown_from:
        return shown_from
    with open_regular(wire) as file:
        file.seek(shown_from)
        earlier = file.read(start - shown_from)
    begun = earlier.rfind(_message(b"FlowBegin"))
    if begun <= earlier.rfind(_message(b"FlowEnd")):
        return start
    turn = earlier.rfind(_message(b"TurnBegin"), 0, begun)
    return shown_from + earlier.rfind(b"\n", 0, turn if turn >= 0 else begun) + 1


def _message(name: bytes) -> bytes:
    return b'"message":{"type":"' + name + b'"'
