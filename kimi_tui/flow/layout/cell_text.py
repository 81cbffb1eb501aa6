"""Measures and wraps text in terminal cells, for boxes and branch labels.

Control characters are dropped: labels are untrusted text.
"""

import bisect
import re
from functools import lru_cache

from wcwidth import wcswidth

from kimi_tui.line_breaks import unbreakable_units
from kimi_tui.text_safety import JOINERS, is_safe

ELLIPSIS = "…"
MAX_CHARACTERS = 2000  # of a label; charts and outlines show no more

_ZERO_WIDTH_ROOM = 4  # characters to examine for each cell of a line

_BREAK_AFTER = re.compile(r"(?<=[/_\-.,:;|&+=)\]}])(?=\w)|(?<=[a-z])(?=[A-Z])")


_BOLD = re.compile(r"(?<![\w*])\*\*(?=[^\s*])([^*]{1,200})(?<!\s)\*\*(?![\w*])")
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_OTHER_BACKSLASH = re.compile(r"\\(?!n)|:\\")
_BULLET = re.compile(r"^[-*] ", re.MULTILINE)


@lru_cache(maxsize=4096)
def cell_width(text: str) -> int:
    """The number of terminal cells of `text`, which must have no control characters."""
    return len(text) if text.isascii() else max(0, wcswidth(text))


def break_at_written(text: str) -> str:
    """The text with a line break for each written `\\n`, unless it has other backslashes, as in a path."""
    return text if _OTHER_BACKSLASH.search(text) else text.replace("\\n", "\n")


def clean_label(text: str) -> str:
    """Text that is safe to lay out: keeps line breaks, turns other white space into one space, drops controls.

    It breaks lines as `break_at_written` does. It also drops the emoji variation selector, because terminals disagree
    on its width, and the Markdown signs of headings and bold text. Text past MAX_CHARACTERS becomes an ellipsis.
    """
    if len(text) > MAX_CHARACTERS:  # defence: cut-label
        text = text[: MAX_CHARACTERS - 1].rstrip() + ELLIPSIS
    text = (
        text.replace("\ufe0f", "")
        .replace("\r\n", "\n")
        .replace("\t", " ")
        .replace("\u2028", "\n")
        .replace("\u2029", "\n")
    )
    text = break_at_written(text)
    if text.isascii() and text.replace("\n", "").isprintable():
        cleaned = text
    else:
        cleaned = "".join(c for c in text if c == "\n" or (is_safe(c) and c not in JOINERS))
    lines = "\n".join(line for line in (" ".join(part.split()) for part in cleaned.split("\n")) if line)
    return _BULLET.sub("• ", _HEADING.sub("", _BOLD.sub(r"\1", lines)))


def truncate(text: str, width: int) -> str:
    """Cut `text` to `width` cells, with an ellipsis if something was cut."""
    if len(text) <= MAX_CHARACTERS and cell_width(text) <= width:
        return text
    return text[: _fitting(text, width - 1)].rstrip() + ELLIPSIS


def _fitting(text: str, width: int) -> int:
    """The number of leading characters of `text` that fit into `width` cells; the time is independent of its length."""
    limit = min(len(text), width if text[: width + 1].isascii() else width * _ZERO_WIDTH_ROOM)  # defence: bound-fitting
    return bisect.bisect_right(range(1, limit + 1), max(0, width), key=lambda count: cell_width(text[:count]))


def _units(line: str) -> list[str]:
    """Pieces between which a line may be broken; a piece of white space is a single space."""
    return [" " if is_space else line[start:end] for start, end, is_space in unbreakable_units(line)]


@lru_cache(maxsize=4096)
def longest_word(text: str) -> int:
    """The cells of the widest piece of the clean `text` that no line break should divide."""
    pieces = (chunk for line in text.split("\n") for unit in _units(line) for chunk in _BREAK_AFTER.split(unit))
    return max((cell_width(piece) for piece in pieces), default=0)


def _split_long(piece: str, width: int) -> list[str]:
    """Cut a piece wider than a whole line: after punctuation if that fills the line well, else anywhere."""
    parts: list[str] = []
    current, used = "", 0
    for chunk in _BREAK_AFTER.split(piece):
        size = cell_width(chunk)
        if current and used + size > width:
            parts.append(current)
            current, used = "", 0
        if used + size <= width:
            current, used = current + chunk, used + size
            continue
        begin = 0
        # defence: bound-cells-looked-at
        while (count := max(1, _fitting(chunk[begin : begin + width * _ZERO_WIDTH_ROOM], width))) < len(chunk) - begin:
            parts.append(chunk[begin : begin + count])
            begin += count
        current = chunk[begin:]
        used = cell_width(current)
    return [*parts, current] if current else parts


def collapse(text: str, width: int) -> list[str]:
    """Clean `text` as any number of lines of at most `width` cells (minimum two)."""
    width = max(2, width)
    lines: list[str] = []
    for paragraph in text.split("\n"):
        current, used = "", 0
        for piece in _units(paragraph):
            size = cell_width(piece)
            if used + size <= width:
                if current or piece != " ":
                    current, used = current + piece, used + size
                continue
            if piece == " ":
                lines.append(current)
                current, used = "", 0
                continue
            if current.strip():
                lines.append(current.rstrip())
            *full, current = _split_long(piece, width)
            used = cell_width(current)
            lines.extend(full)
        if current.strip():
            lines.append(current.rstrip())
    return lines


@lru_cache(maxsize=4096)
def wrap(text: str, width: int, max_lines: int = 3) -> tuple[str, ...]:
    """Clean `text` in at most `max_lines` lines of at most `width` cells, about equally long; `…` marks a cut."""
    lines = collapse(text, width)
    if len(lines) > text.count("\n") + 1:
        text = text.replace("\n", " ")
        lines = collapse(text, width)
    if len(lines) > max_lines:
        remainder = " ".join(lines[max_lines - 1 :])
        return (*lines[: max_lines - 1], truncate(remainder, width))
    if len(lines) > 1:
        narrow, widest = 2, max(cell_width(line) for line in lines)
        longest = min(widest, max((cell_width(word) for word in text.split() if word.isascii()), default=0))
        while narrow < widest:
            middle = (narrow + widest) // 2
            if len(collapse(text, middle)) <= len(lines) and middle >= longest:
                widest = middle
            else:
                narrow = middle + 1
        lines = collapse(text, widest)
    return tuple(lines) or ("",)
