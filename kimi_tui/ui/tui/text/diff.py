"""Text diffs as lines: unified, or side by side if there is room, with the changes inside a line marked."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from rich.style import Style

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.highlight import highlight, language_of
from kimi_tui.ui.tui.text.styled_line import Line, Run, width_of
from kimi_tui.ui.tui.text.wrap import slice_runs, wrap_runs
from kimi_tui.ui.tui.themes.palette import Palette

SIDE_BY_SIDE = 116  # columns from which the two texts stand side by side: a card's, at the conversation's widest
CONTEXT = 3  # unchanged lines around a change
_ALIKE = 0.45  # less similar lines are not one changed line
_MAX_COMPARED = 400  # pairs of lines
_WORD = re.compile(r"\w+|\s+|.")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Side:
    """A line of one of the two texts: its number, and its changed parts."""

    number: int
    text: str
    marks: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A pair of old and new lines. Both present and not `changed`: context. Neither present: omitted lines."""

    old: Side | None = None
    new: Side | None = None
    changed: bool = False


def count_changes(old: str, new: str) -> tuple[int, int]:
    """Return the numbers of added and removed lines."""
    added = removed = 0
    for row in diff_rows(old, new):
        added += row.changed and row.new is not None
        removed += row.changed and row.old is not None
    return added, removed


def diff_rows(old: str, new: str, old_start: int = 1, new_start: int = 1, *, context: int = CONTEXT) -> list[Row]:
    """The changed lines with some context."""
    before, after = _lines(old), _lines(new)
    matcher = SequenceMatcher(None, before, after, autojunk=len(before) + len(after) > 4000)
    rows: list[Row] = []
    for number, group in enumerate(matcher.get_grouped_opcodes(context)):
        if number:
            rows.append(Row())
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                rows.extend(
                    Row(Side(old_start + a, before[a]), Side(new_start + b, after[b]))
                    for a, b in zip(range(a1, a2), range(b1, b2), strict=True)
                )
            else:
                rows.extend(_changed(before[a1:a2], after[b1:b2], old_start + a1, new_start + b1))
    return rows


def _lines(text: str) -> list[str]:
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else []


def _changed(before: Sequence[str], after: Sequence[str], old_at: int, new_at: int) -> Iterator[Row]:
    for a, b in _pairs(before, after):
        old = None if a is None else before[a]
        new = None if b is None else after[b]
        old_marks, new_marks = _marks(old, new) if old is not None and new is not None else ((), ())
        yield Row(
            None if a is None or old is None else Side(old_at + a, old, old_marks),
            None if b is None or new is None else Side(new_at + b, new, new_marks),
            changed=True,
        )


def _pairs(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Each old line with the line that replaced it, in order; by similarity if that is cheap enough."""
    if len(before) * len(after) > _MAX_COMPARED:
        alike = [(index, index) for index in range(min(len(before), len(after)))]
    else:
        alike = _most_alike(before, after)
    a = b = 0
    for next_a, next_b in [*alike, (len(before), len(after))]:
        yield from zip_longest(range(a, next_a), range(b, next_b))
        if next_a < len(before):
            yield next_a, next_b
        a, b = next_a + 1, next_b + 1


def _most_alike(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs of lines, in the order of both texts, with the highest total similarity."""
    best = [[0.0] * (len(after) + 1) for _ in range(len(before) + 1)]
    score = [[_likeness(old, new) for new in after] for old in before]
    for a in range(len(before) - 1, -1, -1):
        for b in range(len(after) - 1, -1, -1):
            best[a][b] = max(best[a + 1][b], best[a][b + 1], best[a + 1][b + 1] + score[a][b])
    pairs: list[tuple[int, int]] = []
    a = b = 0
    while a < len(before) and b < len(after):
        if score[a][b] and best[a][b] == best[a + 1][b + 1] + score[a][b]:
            pairs.append((a, b))
            a, b = a + 1, b + 1
        elif best[a][b] == best[a + 1][b]:
            a += 1
        else:
            b += 1
    return pairs


def _likeness(old: str, new: str) -> float:
    """Similarity from 0 to 1; 0 also for lines too different to be one changed line."""
    if not old.strip() or not new.strip() or len(old) + len(new) > 1000:
        return 0.0
    matcher = SequenceMatcher(None, _WORD.findall(old), _WORD.findall(new), autojunk=False)
    if matcher.real_quick_ratio() < _ALIKE or matcher.quick_ratio() < _ALIKE:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= _ALIKE else 0.0


def _marks(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    if len(old) > 1000 or len(new) > 1000:
        return (), ()
    before, after = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return (), ()
    old_marks: list[Span] = []
    new_marks: list[Span] = []
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag != "equal":
            _mark(old_marks, before, a1, a2)
            _mark(new_marks, after, b1, b2)
    return tuple(old_marks), tuple(new_marks)


def _mark(marks: list[Span], words: Sequence[str], first: int, last: int) -> None:
    start = sum(map(len, words[:first]))
    end = start + sum(map(len, words[first:last]))
    if end > start:
        marks.append((start, end))


@dataclass(frozen=True, slots=True)
class DiffText:
    """Draws one change of one file in `width` columns."""

    path: str
    old: str
    new: str
    old_start: int = 1
    new_start: int = 1
    context: int = CONTEXT

    def lines(self, width: int, palette: Palette) -> list[Line]:
        rows = diff_rows(self.old, self.new, self.old_start, self.new_start, context=self.context)
        if not rows:
            return [Line(((_("no change"), palette.muted),))]
        pen = _Pen(self, rows, palette)
        return pen.beside(width) if width >= SIDE_BY_SIDE else pen.unified(width)


class _Pen:
    def __init__(self, diff: DiffText, rows: Sequence[Row], palette: Palette) -> None:
        self.rows = rows
        self.palette = palette
        language = language_of(diff.path)
        self.old_ink = highlight(diff.old, language, palette)
        self.new_ink = highlight(diff.new, language, palette)
        self.old_start, self.new_start = diff.old_start, diff.new_start
        numbers = [side.number for row in rows for side in (row.old, row.new) if side is not None]
        self.digits = max(3, len(str(max(numbers))))

    def unified(self, width: int) -> list[Line]:
        out: list[Line] = []
        added: list[Side] = []
        for row in self.rows:
            if added and not row.changed:
                out.extend(line for side in added for line in self._one(side, "+", width))
                added = []
            if row.old is None and row.new is None:
                out.append(self._gap())
            elif not row.changed and row.new is not None:
                out.extend(self._one(row.new, " ", width))
            else:
                if row.old is not None:
                    out.extend(self._one(row.old, "-", width))
                if row.new is not None:
                    added.append(row.new)
        out.extend(line for side in added for line in self._one(side, "+", width))
        return out

    def beside(self, width: int) -> list[Line]:
        half = (width - 3) // 2
        out: list[Line] = []
        for row in self.rows:
            if row.old is None and row.new is None:
                out.append(self._gap())
                continue
            left = list(self._one(row.old, "-" if row.changed else " ", half, old=True)) if row.old else []
            right = list(self._one(row.new, "+" if row.changed else " ", half)) if row.new else []
            for index in range(max(len(left), len(right))):
                a = left[index] if index < len(left) else Line()
                b = right[index] if index < len(right) else Line()
                pad = (" " * (half - width_of(a.runs)), a.fill or self.palette.base)
                middle: Run = (" │ ", self.palette.faint)
                out.append(Line((*a.runs, pad, middle, *b.runs), skip=a.skip, fill=b.fill))
        return out

    def _gap(self) -> Line:
        text = " " * self.digits + " ⋯"
        return Line(((text, self.palette.faint),), skip=len(text))

    def _one(self, side: Side, sign: str, width: int, *, old: bool = False) -> Iterator[Line]:
        """A line with its number and sign, wrapped, on the background of its change."""
        palette = self.palette
        removed = sign == "-"
        background = palette.diff_remove if removed else palette.diff_add if sign == "+" else palette.base
        word = palette.diff_remove_word if removed else palette.diff_add_word
        runs = self._ink(side, old=old or removed)
        painted = list(_overlay(runs, side.marks, word, background))
        gutter = f"{side.number:>{self.digits}} {sign} "
        sign_ink = palette.error if removed else palette.success if sign == "+" else palette.faint
        head: tuple[Run, ...] = (
            (gutter[:-2], palette.muted + background if sign != " " else palette.muted),
            (gutter[-2:], sign_ink + background),
        )
        rest: tuple[Run, ...] = ((" " * len(gutter), background),)
        for index, (row, join) in enumerate(wrap_runs(painted, width - len(gutter))):
            before = rest if index else head
            yield Line((*before, *row), skip=len(gutter), join=join, fill=background if sign != " " else None)

    def _ink(self, side: Side, *, old: bool) -> list[Run]:
        ink, start = (self.old_ink, self.old_start) if old else (self.new_ink, self.new_start)
        index = side.number - start
        runs = ink[index] if 0 <= index < len(ink) else []
        if "".join(text for text, _ in runs) != side.text:
            runs = [(side.text, self.palette.base)]
        return runs


def _overlay(runs: Sequence[Run], marks: Sequence[Span], mark: Style, background: Style) -> Iterator[Run]:
    """The runs with the marked spans on their own background; tabs become spaces."""
    at = 0
    total = sum(len(text) for text, _ in runs)
    for start, end in marks:
        yield from _expand(slice_runs(runs, at, start), background)
        yield from _expand(slice_runs(runs, start, end), mark)
        at = end
    yield from _expand(slice_runs(runs, at, total), background)


def _expand(runs: Sequence[Run], over: Style) -> Iterator[Run]:
    for text, style in runs:
        yield text.replace("\t", "    "), style + over


def change_summary(old: str, new: str) -> str:
    """Format the numbers of added and removed lines: `+3 −1`."""
    added, removed = count_changes(old, new)
    return f"+{added} −{removed}"
