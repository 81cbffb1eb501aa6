"""Patterns for the arguments of a call: `path=/work/*`, several of them separated by spaces; all must match.

A word without a name is compared with every argument. An allow rule matches only certain cases: the argument itself,
and no text that leaves a folder with `..`. Other rules also match nested values, and a path in any spelling.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from posixpath import normpath
from typing import cast

_NAMED = re.compile(r"([A-Za-z_][\w.-]*)=(.*)", re.DOTALL)


def matches_arguments(pattern: str, arguments: Mapping[str, object], *, strict: bool) -> bool:
    """Whether the pattern matches. `strict`: match possible meanings too."""
    return all(_matches(word, arguments, strict=strict) for word in shlex.split(pattern))


def _matches(word: str, arguments: Mapping[str, object], *, strict: bool) -> bool:
    named = _NAMED.fullmatch(word)
    if strict:
        name, wanted = (named[1], named[2]) if named else (None, word)
        return any(
            name in (None, at) and (fnmatchcase(text, wanted) or fnmatchcase(normpath(text), wanted))
            for at, text in _deep(arguments)
        )
    if named:
        value = arguments.get(named[1])
        return named[1] in arguments and _surely(value, named[2])
    return bool(arguments) and all(_surely(value, word) for value in arguments.values())


def _surely(value: object, wanted: str) -> bool:
    text = _text(value)
    return fnmatchcase(text, wanted) and (wanted == text or ".." not in re.split(r"[/\\]", text))


def _deep(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield every nested text with its key."""
    match value:
        case Mapping():
            for key, inner in cast(Mapping[str, object], value).items():
                yield str(key), _text(inner)
                yield from _deep(inner, str(key))
        case list():
            for inner in cast(list[object], value):
                yield name, _text(inner)
                yield from _deep(inner, name)
        case _:
            pass


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
