"""Keeps every column in place, whatever width a terminal gives to a character.

Terminals differ in the width of flags, pictographs with joiners, skin tones or selectors, combining symbols, Indic and
Jamo syllables, and of characters newer than the terminal. After these the cursor is moved to the column that we count.
Composed pictographs are drawn as their first part, because one that a terminal draws too wide could cross the edge of
the repainted area; `whole` is for terminals known to draw them as one. Letters stay in one piece with the words and
spaces beside them: extra width that a terminal needs for them is taken from the spaces.
"""

import re
from collections import deque
from collections.abc import Mapping

from rich.cells import cell_len, split_graphemes

# Characters that every terminal counts as we do, alone and in a row: letters without marks, symbols, lines, Han, kana
# and hangul, and the pictographs that have existed for long.
_AGREED = (
    "\x00-\u02ff\u0370-\u0482\u048a-\u058f\u05d0-\u05ea\u0621-\u063f\u0641-\u064a\u1e00-\u1fff\u2010-\u2027\u2030-\u205e"
    "\u2070-\u20bf\u2100-\u24ff\u2500-\u25fc\u25ff-\u2613\u2616-\u2bff\u2e80-\u3029\u3030-\u3096\u309b-\u3130"
    "\u3190-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff9f\uffe0-\uffe6\U00020000-\U0003fffd"
    "\U0001f300-\U0001f3fa\U0001f400-\U0001f64f\U0001f680-\U0001f6d2\U0001f910-\U0001f93e"
)
_DISPUTED = re.compile(f"[^{_AGREED}]")
_PIECE = re.compile(r"\x1b\[([0-9;?>=<]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\r\n]|[^\x1b\r\n]+")
_STAYS = frozenset("mXKJhlqu")  # the cursor does not move

_PICTURE = "[\u2190-\u24ff\u25a0-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001ffff]"
_MARK = "[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
_JOINED = re.compile(f"\u200d|{_MARK}|[\U0001f1e6-\U0001f1ff]")
_NEW = "[\U0001f000-\U0001f2ff\U0001f6d3-\U0001f90f\U0001f93f-\U0001ffff]"
_ENDS_LETTERS = re.compile(
    f"( {{2,}}|[\u2500-\u259f]+|(?:{_NEW}|{_PICTURE}(?={_MARK}|\u200d)){_MARK}*(?:\u200d{_PICTURE}{_MARK}*)*)"
)


_FLAG_LETTERS = range(0x1F1E6, 0x1F200)

_DRAWS_WHOLE = frozenset({"xterm-kitty", "xterm-ghostty", "foot", "foot-extra", "WezTerm", "ghostty", "iTerm.app"})


def renders_graphemes(environ: Mapping[str, str]) -> bool:
    """Whether this terminal is known to draw a composed pictograph as one, as wide as we count it."""
    if environ.get("TMUX") or environ.get("STY"):
        return False
    return not _DRAWS_WHOLE.isdisjoint((environ.get("TERM"), environ.get("TERM_PROGRAM")))


def pin_columns(data: str, *, whole: bool = False) -> str:
    """Return `data` for a terminal, with a cursor position after everything that terminals count differently."""
    if not _DISPUTED.search(data):
        return data
    out: list[str] = []
    column: int | None = None  # from 1; None if unknown
    pieces = deque(_PIECE.finditer(data))
    while pieces:
        match = pieces.popleft()
        piece = match.group()
        if piece[0] == "\x1b":
            out.append(piece)
            column = _after(match, column)
        elif piece in "\r\n":
            out.append(piece)
            column = 1 if piece == "\r" else None
        elif _DISPUTED.search(piece):
            erase = pieces.popleft().group() if pieces and pieces[0][2] == "X" else ""
            column = _place(piece if whole else _simple(piece), column, erase, out)
        else:
            out.append(piece)
            column = None if column is None else column + cell_len(piece)
    return "".join(out)


def _after(sequence: re.Match[str], column: int | None) -> int | None:
    """The cursor column after a sequence."""
    numbers, final = sequence.groups()
    if final in ("H", "G"):
        last = numbers.rpartition(";")[2]
        return int(last) if last.isdigit() else 1
    return column if final is None or final in _STAYS else None


def _place(text: str, column: int | None, erase: str, out: list[str]) -> int | None:
    """Write text from this column on, then `erase`, which blanks the cells after it; returns the
    column after the text."""
    parts = [part for part in _ENDS_LETTERS.split(text) if part]
    while parts and column is not None:
        part = parts.pop(0)
        if _DISPUTED.search(part):
            blanks = parts.pop(0) if parts and parts[0].isspace() else ""
            after = column + cell_len(part) + len(blanks)
            if not parts:
                blanks, erase = blanks + erase, ""
            # Blank first: text drawn narrower would leave old characters.
            out.append(f"{' ' * cell_len(part)}{blanks}\x1b[{column}G{part}\x1b[{after}G")
        else:
            after = column + cell_len(part)
            out.append(part)
        column = after
    out.extend((*parts, erase))
    return column


def _simple(text: str) -> str:
    """The text with each composed pictograph as one character, of the same width."""
    if not _JOINED.search(text):
        return text
    return "".join(_first_part(text[start:end], width) for start, end, width in split_graphemes(text)[0])


def _first_part(cluster: str, width: int) -> str:
    """A cluster reduced to its first part, of the same width. Flags become their letters."""
    flag = [ord(char) - _FLAG_LETTERS.start for char in cluster if ord(char) in _FLAG_LETTERS]
    if flag:
        return "".join(chr(ord("A") + letter) for letter in flag)[:width].ljust(width)
    if not _JOINED.search(cluster):
        return cluster
    return cluster[0] + " " * (width - cell_len(cluster[0])) if width else ""
