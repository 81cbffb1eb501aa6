"""The tail of a long record: a screen can show it at once, however long the record is."""

import os
import re
from pathlib import Path

from kimi_tui.regular_file import open_regular

SHOWN_BYTES = 8 << 20
"""Bytes of a record that a screen shows first."""

_BEGINNING = re.compile(rb'"message":\s?\{"type":\s?"TurnBegin"')


def tail_start(wire: Path, most_bytes: int) -> int:
    """The offset to read from, so that at most `most_bytes` follow: the start of a turn, else of a line; 0 for all.

    Reading starts in the middle of a turn that is longer than that.
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
            return first
    except OSError:
        return 0
