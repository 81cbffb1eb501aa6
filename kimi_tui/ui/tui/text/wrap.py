"""Wraps text and styled runs into rows."""

from collections.abc import Iterable, Iterator, Sequence

from rich.style import Style

from kimi_tui.line_breaks import unbreakable_units
from kimi_tui.ui.tui.text.sanitize import MAX_MARKS, sanitize
from kimi_tui.ui.tui.text.styled_line import Run, cells

_SPLIT_AFTER = frozenset("/\\-_.,:;=&?|")


def _fitting(text: str, start: int, end: int, width: int) -> int:
    """The break position that makes text[start:end] fit: after at least one character, or after a nearby mark such as
    /."""
    used = 0
    index = start
    while index < end:
        used += cells(text[index])
        if used > width and index > start:
            break
        index += 1
    if index < end:
        for back in range(index, max(start + 1, index - width // 3), -1):
            if text[back - 1] in _SPLIT_AFTER:
                return back
    return index


def _measured(text: str, start: int, end: int, width: int) -> int:
    """The width of text[start:end] in columns; of a long text only a part wider than `width` is measured."""
    enough = start + width * (MAX_MARKS + 2) + 2 * MAX_MARKS
    return cells(text[start : min(end, enough)])  # defence: measure-what-matters


def break_text(text: str, width: int) -> list[tuple[int, int, str]]:
    """`text` (one clean source line) in rows of at most `width` columns: (start, end, the text
    dropped at the break)."""
    width = max(1, width)
    if cells(text) <= width:
        return [(0, len(text), "")]
    rows: list[tuple[int, int, str]] = []
    row_start, row_end, used = 0, 0, 0
    for start, end, is_space in unbreakable_units(text):
        size = _measured(text, start, end, width)
        if is_space:
            if used:
                used += size
            else:
                used, row_end = (size, end) if not rows else (0, row_end)
                row_start = row_start if not rows else end
            continue
        if used and used + size > width:
            rows.append((row_start, row_end, text[row_end:start]))
            row_start, used = start, 0
        while size > width - used:
            cut = _fitting(text, start, end, width - used)
            if cut >= end:
                break
            rows.append((row_start, cut, ""))
            row_start, start, used = cut, cut, 0
            size = _measured(text, start, end, width)
        used += size
        row_end = end
    rows.append((row_start, row_end, ""))
    return rows


def slice_runs(runs: Sequence[Run], start: int, end: int) -> tuple[Run, ...]:
    """Return the runs of characters [start, end)."""
    return next(_slices(runs, ((start, end),)))


def _slices(runs: Sequence[Run], spans: Iterable[tuple[int, int]]) -> Iterator[tuple[Run, ...]]:
    """The runs of each of the ascending spans, in time linear in their number and that of the runs."""
    index = at = 0
    for start, end in spans:
        while index < len(runs) and at + len(runs[index][0]) <= start:
            at += len(runs[index][0])  # defence: slice-runs-in-one-pass
            index += 1
        out: list[Run] = []
        here, position = index, at
        while here < len(runs) and position < end:
            text, style = runs[here]
            if piece := text[max(0, start - position) : end - position]:
                out.append((piece, style))
            position += len(text)
            here += 1
        yield tuple(out)


def wrap_runs(runs: Sequence[Run], width: int) -> list[tuple[tuple[Run, ...], str | None]]:
    """Rows of the runs, each with the text that joins it to the next in the source: None at a real line end ("\\n" in a
    run)."""
    rows: list[tuple[tuple[Run, ...], str | None]] = []
    for paragraph in _split_lines(runs):
        clean = [(sanitize(text), style) for text, style in paragraph]
        pieces = break_text("".join(text for text, _ in clean), width)
        if len(pieces) == 1:
            rows.append((tuple(clean), None))
            continue
        cut_runs = _slices(clean, ((start, end) for start, end, _ in pieces))
        rows.extend((row, swallowed) for row, (_, _, swallowed) in zip(cut_runs, pieces, strict=True))
        rows[-1] = (rows[-1][0], None)
    return rows


def _split_lines(runs: Sequence[Run]) -> list[list[Run]]:
    lines: list[list[Run]] = [[]]
    for text, style in runs:
        if "\n" not in text:
            if text:
                lines[-1].append((text, style))
            continue
        for index, part in enumerate(text.split("\n")):
            if index:
                lines.append([])
            if part:
                lines[-1].append((part, style))
    return lines


def wrap_text(text: str, style: Style, width: int) -> list[tuple[tuple[Run, ...], str | None]]:
    """`wrap_runs` with one style."""
    return wrap_runs([(text, style)], width)
