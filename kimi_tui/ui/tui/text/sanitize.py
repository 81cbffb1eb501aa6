"""Makes external text safe for a terminal: control and invisible characters are spelled out.

Characters that a terminal shows are an allow-list, `text_safety.is_safe`, and the private use characters of icon fonts;
a few of them are invisible. Invariant: `sanitize` is idempotent, so that the strip builder can apply it to everything.
"""

import re
import unicodedata

from rich.cells import get_character_cell_size

from kimi_tui.text_safety import is_safe, without_escapes

# Characters that control the terminal or the text direction, or that are invisible.
_HIDDEN = (
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, separators, bidi
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"  # fillers, variation selectors, byte order mark
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # music format, tags, more variation selectors
    "\ud800-\udfff"  # surrogates
)
_SUSPECT = re.compile(f"[{_HIDDEN}]")

# Joiners that legitimate text needs. Between pictographs they are dropped (the parts stand side by side and the grid
# holds); inside Arabic and Indic words they stay.
_PICTURE = "\u2190-\u2bff\U0001f000-\U0001faff"
_PICTURE_JOIN = re.compile(f"(?<=[{_PICTURE}\ufe0f])\u200d(?=[{_PICTURE}])|(?<=[^{_HIDDEN}])[\ufe0e\ufe0f]")
_LETTER = "\u0600-\u06ff\u0750-\u077f\u0900-\u0dff"
_LETTER_JOIN = re.compile(f"(?<=[{_LETTER}])[\u200c\u200d](?=[{_LETTER}])")

# Runs that may hold characters without a width: neither words nor ASCII, or parts of Korean syllables. To cut a line
# takes the square of their number, so where more of them follow each other than in any script they are spelled out.
MAX_MARKS = 8
_PERHAPS_MARKS = re.compile(rf"(?:[^\w\s\x00-\x7f]|[\u1160-\u11ff\ud7b0-\ud7ff]){{{MAX_MARKS + 1},}}")


def _spell(match: re.Match[str]) -> str:
    char = match.group()
    code = ord(char)
    if _LETTER_JOIN.match(match.string, match.start()):
        return char
    if code == 0x09:
        return "    "
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return _number(char)


def sanitize(text: str) -> str:
    """`text` for one line on screen: ESC becomes ␛, a bidi mark ‹U+202E›, a lone surrogate �."""
    if text.isascii() and text.isprintable():
        return text
    if _SUSPECT.search(text):
        text = _SUSPECT.sub(_spell, _PICTURE_JOIN.sub("", text))  # defence: spell-out-controls
    text = _PERHAPS_MARKS.sub(_spell_marks, text)  # defence: bound-marks
    # defence: number-what-is-not-shown
    return text if text.isprintable() else "".join(char if _is_shown(char) else _number(char) for char in text)


def _spell_marks(match: re.Match[str]) -> str:
    out: list[str] = []
    marks = 0
    for char in match.group():
        marks = 0 if get_character_cell_size(char) else marks + 1
        out.append(char if marks <= MAX_MARKS else _number(char))
    return "".join(out)


def _is_shown(char: str) -> bool:
    return is_safe(char) or unicodedata.category(char) == "Co"


def _number(char: str) -> str:
    return f"‹U+{ord(char):04X}›"


def plain_output(text: str) -> str:
    """A program's output without colours; a line overwritten after carriage returns is shown in its last form."""
    text = without_escapes(text).replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return text.expandtabs(8)
