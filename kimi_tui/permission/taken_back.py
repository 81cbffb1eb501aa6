"""Finds words of a command by which an option that an allow rule names no longer holds.

Of an option given twice most programs take the last: `aws --profile dev *` is not about `aws --profile dev s3 ls
--profile prod`, nor `npm publish --dry-run *` about `npm publish --dry-run --no-dry-run`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from kimi_tui.permission.subject import Words

_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class _Option:
    """`name` is without dashes and `no-`; `valued`: a value follows, or may."""

    name: str
    valued: bool
    is_long: bool


def takes_back(pattern: Sequence[str], words: Words) -> bool:
    """Whether words that only a wildcard of the pattern covers give an option of the pattern again, or its opposite."""
    named = list(_options([None if _WILD.search(word) else word for word in pattern]))
    if not named:
        return False
    fixed = pattern[:-1] if pattern[-1] == "*" else pattern
    others = [
        word if expected is None or _WILD.search(expected) else None
        for expected, word in zip_longest(fixed, words[: words.index("--")] if "--" in words else words)
    ]
    return any(_is_again(one, other) for other in _options(others) for one in named)


def _options(words: Sequence[str | None]) -> Iterator[_Option]:
    for word, following in zip_longest(words, words[1:]):
        if word is None or not word.startswith("-") or not word.strip("-"):
            continue
        name, equals, _ = word.partition("=")
        is_long = name.startswith("--")
        valued = bool(equals) or (following is not None and not following.startswith("-"))
        yield _Option(name.lstrip("-").removeprefix("no-"), valued, is_long)


def _is_again(named: _Option, other: _Option) -> bool:
    if named.name == other.name:
        return named.valued or named.is_long
    if named.is_long and other.is_long:
        return len(other.name) > 1 and named.name.startswith(other.name)  # it is abbreviated
    if not named.valued:
        return False
    if other.is_long:  # `-n dev` and `--namespace=prod`
        return len(named.name) == 1 and other.valued and other.name.startswith(named.name)
    return other.name.startswith(named.name[0] if named.is_long else named.name)  # `-nprod`
