"""Reads values from a Git configuration file as Git does: quotes, escapes, comments, and continued lines.

Errors end a value where Git would refuse the file, so every value that Git reads is found.
"""

import re
from functools import lru_cache

_SKIPPED = re.compile(r'[ \t\r\n]+|[#;][^\n]*|\[(?>(?:"(?:\\[^\n]|[^"\\\n])*+"|[^\]"\n])*+)(?:\]|[^\n]*+)')
"""A header that does not end takes the whole line: Git refuses the file there, and no second look costs time."""
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)")
_PLAIN = re.compile(r'[^\\"\n]+')
_UNQUOTED = re.compile(r'[^\\"#;\n]+')
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n"}


@lru_cache(maxsize=64)
def config_values(content: bytes, *keys: str) -> tuple[tuple[str, str], ...]:
    """Return the key, in lower case, and the value of each setting with one of these keys, in any section."""
    if not any(key.encode() in content.lower() for key in keys):
        return ()
    text = content.decode("utf-8", "surrogateescape").removeprefix("\ufeff").replace("\r\n", "\n")
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        if skipped := _SKIPPED.match(text, at):
            at = skipped.end()
        elif key := _KEY.match(text, at):
            value, at = _value(text, key.end()) if key[2] else ("true", key.end())
            if key[1].lower() in keys:
                found.append((key[1].lower(), value))
        else:
            at += 1
    return tuple(found)


def _value(text: str, at: int) -> tuple[str, int]:
    """Return the value that starts there, and its end."""
    pieces: list[str] = []
    quoted = False
    kept = 0  # pieces after which no blank was cut
    while at < len(text) and text[at] != "\n":
        if text[at] == '"':
            quoted = not quoted
            at += 1
            kept = len(pieces)
        elif text[at] == "\\":
            follows = text[at + 1 : at + 2]
            at += 2
            if follows != "\n":
                pieces.append(_ESCAPES.get(follows, follows))
            kept = len(pieces)
        elif plain := (_PLAIN if quoted else _UNQUOTED).match(text, at):
            piece = plain[0] if quoted or pieces else plain[0].lstrip(" \t\r")
            at = plain.end()
            if piece:
                pieces.append(piece)
            if quoted:
                kept = len(pieces)
        else:  # a comment
            at = end if (end := text.find("\n", at)) >= 0 else len(text)
    return "".join(pieces[:kept]) + "".join(pieces[kept:]).rstrip(" \t\r"), at
