"""Every column stays where it is, whatever a terminal makes of a character.

Terminals differ in how many cells they give to flags, to pictures with joiners, skin tones or selectors, to signs that
stand on others, to Indic and Jamo syllables, and to what is newer than they are. After these the cursor is put where we
count it to be. Pictures that are made of several are drawn as the first of them, since what a terminal draws too wide
could go over the edge of what is drawn anew; `whole` is for terminals known to draw them as one. Letters are left in
one piece with the words and blanks beside them: what a terminal needs more for them is taken from the blanks.
"""

import re
from collections import deque
from collections.abc import Mapping

from rich.cells import cell_len, split_graphemes

# What every terminal counts as we do, alone and in a row: letters without marks, signs, lines, Han, kana and hangul,
# and the pictures that have been there for long.
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
    """Whether this terminal is known to draw a picture of several characters as one, as wide as we count it."""
    if environ.get("TMUX") or environ.get("STY"):
        return False
    return not _DRAWS_WHOLE.isdisjoint((environ.get("TERM"), environ.get("TERM_PROGRAM")))


def pin_columns(data: str, *, whole: bool = False) -> str:
    """`data` as it goes to a terminal, with a place said after everything that terminals count differently."""
    if not _DISPUTED.search(data):
        return data
    out: list[str] = []
    column: int | None = None  # from 1; None where it is not known
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
    """Where the cursor is after a sequence."""
    numbers, final = sequence.groups()
    if final in ("H", "G"):
        last = numbers.rpartition(";")[2]
        return int(last) if last.isdigit() else 1
    return column if final is None or final in _STAYS else None


def _place(text: str, column: int | None, erase: str, out: list[str]) -> int | None:
    """Write text that begins in this column, then `erase`, which blanks cells behind it; the column after the text."""
    parts = [part for part in _ENDS_LETTERS.split(text) if part]
    while parts and column is not None:
        part = parts.pop(0)
        if _DISPUTED.search(part):
            blanks = parts.pop(0) if parts and parts[0].isspace() else ""
            after = column + cell_len(part) + len(blanks)
            if not parts:
                blanks, erase = blanks + erase, ""
            # Blank first: what is drawn narrower would leave something of before.
            out.append(f"{' ' * cell_len(part)}{blanks}\x1b[{column}G{part}\x1b[{after}G")
        else:
            after = column + cell_len(part)
            out.append(part)
        column = after
    out.extend((*parts, erase))
    return column


def _simple(text: str) -> str:
    """Text whose pictures are each one character, in as many cells."""
    if not _JOINED.search(text):
        return text
    return "".join(_first_of(text[start:end], width) for start, end, width in split_graphemes(text)[0])


def _first_of(cluster: str, width: int) -> str:
    """A cluster without what makes it of several pictures, as many cells wide. Flags become their letters."""
    flag = [ord(char) - _FLAG_LETTERS.start for char in cluster if ord(char) in _FLAG_LETTERS]
    if flag:
        return "".join(chr(ord("A") + letter) for letter in flag)[:width].ljust(width)
    if not _JOINED.search(cluster):
        return cluster
    return cluster[0] + " " * (width - cell_len(cluster[0])) if width else ""
