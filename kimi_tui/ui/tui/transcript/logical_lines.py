"""Logical lines: maps between an unwrapped line and its rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kimi_tui.ui.tui.text.styled_line import Line

Span = tuple[int, int, int]
"""A drawn line's number, the first character, the character after the last."""


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """An unwrapped line with its rows.

    `text` joins the lines from number `first` on; `starts` has the offset at which each begins, and its skipped prefix.
    """

    text: str
    first: int
    starts: tuple[tuple[int, int], ...]

    def spans(self, begin: int, end: int) -> Iterator[Span]:
        """Return the rows and columns of the characters from `begin` to `end`."""
        stops = [start for start, _ in self.starts[1:]] + [len(self.text)]
        for number, ((start, skip), stop) in enumerate(zip(self.starts, stops, strict=True), self.first):
            if begin < stop and start < end:
                yield number, max(begin, start) - start + skip, min(end, stop) - start + skip

    def place(self, number: int, char: int) -> int:
        """Return the offset in `text` of a character of a row."""
        start, skip = self.starts[number - self.first]
        return start + char - skip


def logical_line(lines: Sequence[Line], first: int) -> LogicalLine:
    """Return the logical line that begins at row `first`."""
    text, starts = "", list[tuple[int, int]]()
    for line in lines[first:]:
        skip = line.skip if starts else 0
        starts.append((len(text), skip))
        text += line.text[skip:] + (line.join or "")
        if line.join is None:
            break
    return LogicalLine(text, first, tuple(starts))


def all_logical_lines(lines: Sequence[Line]) -> Iterator[LogicalLine]:
    number = 0
    while number < len(lines):
        yield (one := logical_line(lines, number))
        number += len(one.starts)


def around(lines: Sequence[Line], number: int) -> LogicalLine:
    """Return the logical line that contains row `number`."""
    while number and lines[number - 1].join is not None:
        number -= 1
    return logical_line(lines, number)
