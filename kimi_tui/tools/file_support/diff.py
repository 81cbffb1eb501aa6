"""Diffs an edit into blocks with three lines of context, and applies a selection of the changes."""

from collections.abc import Set
from difflib import SequenceMatcher

from kimi_tui.wire.display import DiffBlock

CONTEXT_LINES = 3
MAX_LINES = 10_000
_MAX_COMPARED = 2_000
"""Limit of changed lines: above it they form one change, because comparing them takes too long."""


def diff_blocks(path: str, old: str, new: str) -> tuple[DiffBlock, ...]:
    """Return one block per change; a single summary if either text has more than 10,000 lines; none if equal."""
    if old == new:
        return ()
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > MAX_LINES:
        return (
            DiffBlock(path=path, old_text=f"({len(before)} lines)", new_text=f"({len(after)} lines)", is_summary=True),
        )
    if before == after:  # only the end of the last line, or an unusual line end, differs
        return (DiffBlock(path=path, old_text=old[-200:], new_text=new[-200:], old_start=max(1, len(before))),)
    return tuple(
        DiffBlock(
            path=path,
            old_text="\n".join(before[a:b]),
            new_text="\n".join(after[c:d]),
            old_start=a + 1,
            new_start=c + 1,
        )
        for a, b, c, d in _hunks(before, after)
    )


def text_with(old: str, new: str, taken: Set[int]) -> str:
    """Apply only the changes in `taken` to `old`; they are counted from 0, as in `diff_blocks`."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    out: list[str] = []
    at = 0
    for number, (a, b, c, d) in enumerate(_hunks(old.splitlines(), new.splitlines())):
        out += before[at:a]
        out += after[c:d] if number in taken else before[a:b]
        at = b
    return "".join((*out, *before[at:]))


def _hunks(before: list[str], after: list[str]) -> list[tuple[int, int, int, int]]:
    """Return the changed ranges with context, as (from, to) before and after; adjacent ranges are merged."""
    hunks: list[tuple[int, int, int, int]] = []
    for a, b, c, d in _changes(before, after):
        lead = min(CONTEXT_LINES, a, c)
        a, c = a - lead, c - lead
        trail = min(CONTEXT_LINES, len(before) - b, len(after) - d)
        b, d = b + trail, d + trail
        if hunks and a <= hunks[-1][1]:
            hunks[-1] = (hunks[-1][0], b, hunks[-1][2], d)
        else:
            hunks.append((a, b, c, d))
    return hunks


def _changes(before: list[str], after: list[str]) -> list[tuple[int, int, int, int]]:
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if len(old) > _MAX_COMPARED or len(new) > _MAX_COMPARED or not old or not new:
        return [(start, start + len(old), start, start + len(new))]
    matcher = SequenceMatcher(None, old, new)  # its "junk" rule keeps many equal lines from taking minutes
    return [(start + a, start + b, start + c, start + d) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
