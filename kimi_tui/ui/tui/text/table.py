"""Tables in a given width: columns are as wide as their text, the widest shrink first, cells wrap."""

from collections.abc import Sequence
from typing import Literal

from kimi_tui.ui.tui.text.styled_line import Line, Run, width_of
from kimi_tui.ui.tui.text.wrap import wrap_runs
from kimi_tui.ui.tui.themes.palette import Palette

Align = Literal["left", "right", "center"]
Cell = list[Run]

_BETWEEN = 3  # columns of " │ "
_LEAST = 4


def table_lines(
    header: Sequence[Cell], rows: Sequence[Sequence[Cell]], aligns: Sequence[Align], palette: Palette, *, width: int
) -> list[Line]:
    """Return the rows of a table; one record below the other if the columns do not fit at all."""
    columns = len(header)
    natural = [max([1, *(width_of(row[index]) for row in (header, *rows))]) for index in range(columns)]
    room = width - _BETWEEN * (columns - 1)
    if room < _LEAST * columns and sum(natural) > room:
        return _records(header, rows, palette, width=width)
    widths = shares(natural, room)
    bar: Run = (" │ ", palette.faint)
    lines = _row(header, widths, aligns, bar, palette)
    rule = "─┼─".join("─" * size for size in widths)
    lines.append(Line(((rule, palette.faint),), skip=len(rule)))
    tall = any(len(wrap_runs(cell, size)) > 1 for row in rows for cell, size in zip(row, widths, strict=True))
    for index, row in enumerate(rows):
        if tall and index:
            between = "─┼─".join("─" * size for size in widths)
            lines.append(Line(((between, palette.faint),), skip=len(between)))
        lines.extend(_row(row, widths, aligns, bar, palette))
    return lines


def shares(natural: Sequence[int], room: int) -> list[int]:
    """Return widths with a sum of at most `room`: the widest columns are cut to one common width."""
    widths = list(natural)
    excess = sum(widths) - room
    if excess <= 0:
        return widths
    cap = max(widths)
    while cap > 1 and sum(min(size, cap) for size in widths) > room:
        cap -= 1
    widths = [min(size, cap) for size in widths]
    spare = room - sum(widths)
    for index, size in enumerate(natural):
        if spare > 0 and size > widths[index]:
            widths[index] += 1
            spare -= 1
    return widths


def _row(
    cells: Sequence[Cell], widths: Sequence[int], aligns: Sequence[Align], bar: Run, palette: Palette
) -> list[Line]:
    wrapped = [[row for row, _ in wrap_runs(cell, size)] for cell, size in zip(cells, widths, strict=True)]
    lines: list[Line] = []
    for level in range(max(len(column) for column in wrapped)):
        runs: list[Run] = []
        for index, column in enumerate(wrapped):
            if index:
                runs.append(bar)
            runs.extend(_aligned(column[level] if level < len(column) else (), widths[index], aligns[index], palette))
        lines.append(Line(tuple(runs)))
    return lines


def _aligned(row: tuple[Run, ...], width: int, align: Align, palette: Palette) -> list[Run]:
    spare = width - width_of(row)
    left = spare if align == "right" else spare // 2 if align == "center" else 0
    out: list[Run] = [(" " * left, palette.base)] if left > 0 else []
    out.extend(row)
    if spare - left > 0:
        out.append((" " * (spare - left), palette.base))
    return out


def _records(header: Sequence[Cell], rows: Sequence[Sequence[Cell]], palette: Palette, *, width: int) -> list[Line]:
    lines: list[Line] = []
    for number, row in enumerate(rows):
        if number:
            lines.append(Line((("─" * width, palette.faint),), skip=width))
        for name, cell in zip(header, row, strict=True):
            runs = [*name, (": ", palette.muted), *cell]
            lines.extend(Line(part, join=join) for part, join in wrap_runs(runs, width))
    return lines
