"""The end of a long record: a screen shows it at once, whatever lies before it."""

import os
import re
from pathlib import Path

from kimi_tui.regular_file import open_regular

SHOWN_BYTES = 8 << 20
"""How much of a record is shown at once."""

_BEGINNING = re.compile(rb'"message":\s?\{"type":\s?"TurnBegin"')


def tail_start(wire: Path, most_bytes: int) -> int:
    """Where to begin to read, so that at most `most_bytes` follow: at a turn's beginning, else at a line's; 0 is all.

    A turn longer than that begins in its middle.
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
