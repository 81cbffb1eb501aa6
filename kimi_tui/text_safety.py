"""Makes untrusted text safe for a terminal or for a line of JSON: control and invisible characters are escaped.

Unicode categories form an allow-list, so that unknown characters are escaped: C0 and C1 controls, DEL, direction marks,
tags, private use characters and surrogates. Line ends and tabs stay in the functions that document it.
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import cast

_STAYS = frozenset("LMNPS")  # defence: categories-that-stay
JOINERS = frozenset("\u200c\u200d")  # many languages use them correctly, and so do composed emoji
_NEW_PICTURES = range(0x1F000, 0x1FB00)  # some are newer than Python's tables
_RETURN = re.compile(r"(?<!\r)\r++(?=\n|\Z)")  # defence: many-returns
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LINE_END = re.compile(r"\r\n|[\r\x0b\x0c\x85]")
_ESCAPE_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"  # the rest
)


def is_safe(char: str) -> bool:
    """Whether a terminal displays this character, without any other effect."""
    category = unicodedata.category(char)
    return (
        category[0] in _STAYS
        or category == "Zs"
        or char in JOINERS
        or (category == "Cn" and ord(char) in _NEW_PICTURES)
    )


def escape_unsafe(text: str, *, keep: str = "") -> str:
    r"""Escape every unsafe character of `text`, except those in `keep`, by its number: ESC is \u001b."""
    if text.isprintable():
        return text
    return "".join(char if char in keep or is_safe(char) else _number(char) for char in text)


def one_line(text: str) -> str:
    """Return `text` on one line: white space becomes a space, unsafe characters are escaped."""
    return escape_unsafe(" ".join(text.split()))


def for_terminal(text: str) -> str:
    """Make lines safe for a terminal: line ends and tabs stay, a carriage return before a line end is removed."""
    return escape_unsafe(_RETURN.sub("", text) if "\r" in text else text, keep="\n\t")


def without_escapes(text: str) -> str:
    """Return the text without escape sequences."""
    return _ESCAPE_SEQUENCE.sub("", text)


def without_controls(text: str) -> str:
    """Return the text without control characters; line ends and tabs stay."""
    return text if text.isprintable() else _CONTROL.sub("", _LINE_END.sub("\n", text))  # defence: controls-in-a-paste


def dump_json(value: object, *, indent: int | None = None, ascii_only: bool = False) -> str:
    """Dump JSON with safe characters, all others escaped; with `ascii_only` in ASCII.

    It reads back as `value`, except that NaN and infinity become null.
    """
    import json  # not needed for the first frame

    try:
        text = json.dumps(value, ensure_ascii=ascii_only, indent=indent, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=ascii_only, indent=indent, allow_nan=False)
    return "\n".join(map(_escaped, text.split("\n")))


def _finite(value: object) -> object:
    match value:
        case dict():
            return {key: _finite(item) for key, item in cast(dict[object, object], value).items()}
        case list() | tuple():
            return [_finite(item) for item in cast(Sequence[object], value)]
        case float() if not math.isfinite(value):
            return None
        case _:
            return value


def _escaped(line: str) -> str:
    if line.isprintable():
        return line
    import json

    return "".join(char if is_safe(char) else json.dumps(char)[1:-1] for char in line)


def _number(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
