"""A line of styled text, and its text for copying."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.style import Style

Run = tuple[str, Style]
SPINNER_FRAMES = "◐◓◑◒"
"""The signs of what is under way, one after the other."""
_CODE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Line:
    """One row. The first `skip` characters are decoration (indent, bar, bullet) and are not copied.

    `join` is the source text between this row and the next if the row was only wrapped ("" or " "); None at a real line
    end. `fill` is the style of the row's empty rest, if that has its own background; it ends
    at column `fill_to` of the line, if that is given.
    """

    runs: tuple[Run, ...] = ()
    skip: int = 0
    join: str | None = None
    fill: Style | None = None
    fill_to: int | None = None

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.runs)

    @property
    def copied(self) -> str:
        """The row's text for copying: no decoration, no padding."""
        return self.text[self.skip :].rstrip()


def code_runs(text: str, style: Style, code: Style | None = None) -> list[Run]:
    """Return the runs of our own text, with the parts between backticks in the style `code`, by default in bold."""
    code = style + Style(bold=True) if code is None else code
    return [(part, code if odd else style) for odd, part in _quoted(text) if part]


def _quoted(text: str) -> Iterator[tuple[bool, str]]:
    end = 0
    for found in _CODE.finditer(text):
        yield False, text[end : found.start()]
        yield True, found[1]
        end = found.end()
    yield False, text[end:]


def cells(text: str) -> int:
    """The width of `text` in columns."""
    return len(text) if text.isascii() else cell_len(text)


def width_of(runs: Iterable[Run]) -> int:
    """The width of the runs in columns."""
    return sum(cells(text) for text, _ in runs)


def prefixed(lines: Iterable[Line], first: tuple[Run, ...], rest: tuple[Run, ...]) -> Iterator[Line]:
    """Return the lines with a decoration: `first` before the first, `rest` before the others."""
    for index, line in enumerate(lines):
        before = rest if index else first
        skip = line.skip + sum(len(text) for text, _ in before)
        end = None if line.fill_to is None else line.fill_to + width_of(before)
        yield replace(line, runs=before + line.runs, skip=skip, fill_to=end)


def cut(text: str, width: int) -> str:
    """Truncate `text` to `width` columns, with an ellipsis at the end."""
    if cells(text) <= width:
        return text
    if width <= 0:
        return ""
    kept, used = 0, 1
    for char in text:
        used += cells(char)
        if used > width:
            break
        kept += 1
    return text[:kept].rstrip() + "…"


def cut_start(text: str, width: int) -> str:
    """Truncate `text` at its start to `width` columns: for paths, whose end matters more."""
    if cells(text) <= width:
        return text
    if width <= 0:
        return ""
    kept, used = len(text), 1
    for char in reversed(text):
        used += cells(char)
        if used > width:
            break
        kept -= 1
    return "…" + text[kept:]
