"""Diffs an edit into blocks with three lines of context, and applies a selection of the changes."""

from collections.abc import Set
from difflib import SequenceMatcher

from kimi_tui.i18n import tr_n
from kimi_tui.wire.display import DiffBlock

CONTEXT_LINES = 3
MAX_LINES = 10_000
"""Limit of lines that an edit shows, of the old or of the new text."""
_MAX_COMPARED = 2_000
"""Limit of changed lines: above it they form one change, because comparing them takes too long."""


def diff_blocks(path: str, old: str, new: str) -> tuple[DiffBlock, ...]:
    """Return one block per change; a single summary for more than 10,000 lines to show; none if equal."""
    if old == new:
        return ()
    old_lines, new_lines = _lines(old), _lines(new)
    hunks = _hunks(old_lines, new_lines)
    if max(sum(b - a for a, b, _, _ in hunks), sum(d - c for _, _, c, d in hunks)) > MAX_LINES:
        return (DiffBlock(path=path, old_text=_count(old_lines), new_text=_count(new_lines), is_summary=True),)
    if old_lines == new_lines:  # only the end of the last line differs
        return (DiffBlock(path=path, old_text=old[-200:], new_text=new[-200:], old_start=max(1, len(old_lines))),)
    return tuple(
        DiffBlock(
            path=path,
            old_text="\n".join(old_lines[a:b]),
            new_text="\n".join(new_lines[c:d]),
            old_start=a + 1,
            new_start=c + 1,
        )
        for a, b, c, d in hunks
    )


def text_with(old: str, new: str, selected: Set[int]) -> str:
    """Apply only the changes in `selected` to `old`; they are counted from 0, as in `diff_blocks`."""
    old_lines, new_lines = _lines(old, keepends=True), _lines(new, keepends=True)
    lines: list[str] = []
    position = 0
    for number, (a, b, c, d) in enumerate(_hunks(_lines(old), _lines(new))):
        lines += old_lines[position:a]
        lines += new_lines[c:d] if number in selected else old_lines[a:b]
        position = b
    return "".join((*lines, *old_lines[position:]))


def _count(lines: list[str]) -> str:
    return tr_n("{count} line", "{count} lines", len(lines))


def _lines(text: str, *, keepends: bool = False) -> list[str]:
    """Split at line feeds only: the other characters that end a line for Python must show as part of it."""
    *lines, last = text.split("\n")  # defence: lines-end-at-line-feeds
    if keepends:
        lines = [f"{line}\n" for line in lines]
    return [*lines, last] if last else lines


def _hunks(old_lines: list[str], new_lines: list[str]) -> list[tuple[int, int, int, int]]:
    """Return the changed ranges with context, as (from, to) before and after; adjacent ranges are merged."""
    hunks: list[tuple[int, int, int, int]] = []
    for a, b, c, d in _changes(old_lines, new_lines):
        lead = min(CONTEXT_LINES, a, c)
        a, c = a - lead, c - lead
        trail = min(CONTEXT_LINES, len(old_lines) - b, len(new_lines) - d)
        b, d = b + trail, d + trail
        if hunks and a <= hunks[-1][1]:
            hunks[-1] = (hunks[-1][0], b, hunks[-1][2], d)
        else:
            hunks.append((a, b, c, d))
    return hunks


def _changes(old_lines: list[str], new_lines: list[str]) -> list[tuple[int, int, int, int]]:
    start = 0
    while start < min(len(old_lines), len(new_lines)) and old_lines[start] == new_lines[start]:
        start += 1
    end = 0
    while end < min(len(old_lines), len(new_lines)) - start and old_lines[-1 - end] == new_lines[-1 - end]:
        end += 1
    old, new = old_lines[start : len(old_lines) - end], new_lines[start : len(new_lines) - end]
    if len(old) > _MAX_COMPARED or len(new) > _MAX_COMPARED or not old or not new:
        return [(start, start + len(old), start, start + len(new))]
    matcher = SequenceMatcher(None, old, new)  # its "junk" rule keeps many equal lines from taking minutes
    return [(start + a, start + b, start + c, start + d) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
