"""Converts offsets in a text to lines and columns, also for errors."""

from bisect import bisect_right

from kimi_tui.errors import FlowParseError
from kimi_tui.i18n import UserText, tr

MAX_BYTES = 1024 * 1024


def check_size(text: str) -> str:
    """The text with plain line ends and without a byte order mark. Raises an error above 1 MiB of UTF-8."""
    size = len(text)
    if size <= MAX_BYTES < size * 4:
        size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise FlowParseError(tr("a chart is limited to 1 MiB; split it into smaller flows"))
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


class SourcePositions:
    """Maps offsets of one text to its lines and columns, both counted from 1."""

    __slots__ = ("_starts",)

    def __init__(self, text: str) -> None:
        starts = [0]
        newline = text.find("\n")
        while newline >= 0:
            starts.append(newline + 1)
            newline = text.find("\n", newline + 1)
        self._starts = starts

    def line_column(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def error(self, cause: UserText, offset: int) -> FlowParseError:
        """The error to raise for the text at `offset`."""
        line, column = self.line_column(offset)
        return FlowParseError(cause, line=line, column=column)
