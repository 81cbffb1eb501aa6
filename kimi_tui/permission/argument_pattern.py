"""Patterns for the arguments of a call: `path=/work/*`, several of them separated by spaces; all must match.

A word without a name is compared with every argument. An allow rule matches only certain cases: the argument itself,
and no text that leaves a folder with `..` or the host of an address. Other rules also match nested values, and a path
in any spelling.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from posixpath import normpath
from typing import cast

from kimi_tui.permission.page_pattern import keeps_host

_NAMED = re.compile(r"([A-Za-z_][\w.-]*)=(.*)", re.DOTALL)


def matches_arguments(pattern: str, arguments: Mapping[str, object], *, strict: bool) -> bool:
    """Whether the pattern matches. `strict`: also match possible meanings."""
    words = shlex.split(pattern)
    if all(_matches(word, arguments, strict=strict) for word in words):
        return True
    # defence: words-of-a-text
    return strict and len(words) > 1 and _matches(pattern, arguments, strict=True)


def _matches(word: str, arguments: Mapping[str, object], *, strict: bool) -> bool:
    match = _NAMED.fullmatch(word)
    if strict:
        name, expected = (match[1], match[2]) if match else (None, word)
        return any(
            name in (None, path) and (fnmatchcase(text, expected) or fnmatchcase(normpath(text), expected))
            for path, text in _leaves(arguments)
        )
    if match:
        value = arguments.get(match[1])
        return match[1] in arguments and _surely(value, match[2])
    return bool(arguments) and all(_surely(value, word) for value in arguments.values())


def _surely(value: object, expected: str) -> bool:
    text = _text(value)
    if expected == text:
        return True
    # defence: hosts-in-arguments
    return fnmatchcase(text, expected) and ".." not in re.split(r"[/\\]", text) and keeps_host(expected, text)


def _leaves(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield every nested text with its key."""
    match value:
        case Mapping():
            for key, inner in cast(Mapping[str, object], value).items():
                yield str(key), _text(inner)
                yield from _leaves(inner, str(key))
        case list():
            for inner in cast(list[object], value):
                yield name, _text(inner)
                yield from _leaves(inner, name)
        case _:
            pass


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
