"""Limits one message of a server: its bytes, and its values, each of which takes hundreds of bytes once it is read."""

from typing import Final

from kimi_tui.formats import byte_count
from kimi_tui.json_text import value_count

MAX_MESSAGE: Final = 16 << 20
"""Maximum bytes of one message."""
MAX_VALUES: Final = 250_000
"""Maximum values of one message: items of lists, and fields."""

TOO_LARGE: Final = f"it sent a message of more than {byte_count(MAX_MESSAGE)}"
TOO_MANY_VALUES: Final = f"it sent a message of more than {MAX_VALUES} values"


class EventValues:
    """Counts the values of each event in an event stream; `add` is called with each piece of it."""

    def __init__(self) -> None:
        self._unfinished: list[bytes] = []
        self._ends_in_return = False
        self._count = 0

    def add(self, piece: bytes) -> int:
        """Return the highest count of the events that have lines which end in this piece."""
        if self._ends_in_return:
            piece = b"\r" + piece
        self._ends_in_return = piece.endswith(b"\r")
        *ended, tail = piece.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        if ended:
            ended[0] = b"".join((*self._unfinished, ended[0]))
            self._unfinished.clear()
        self._unfinished.append(tail)
        highest = 0
        for line in ended:
            self._count = self._count + value_count(line) if line else 0
            highest = max(highest, self._count)
        return highest
