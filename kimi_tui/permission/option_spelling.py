"""Compares a command with a rule that asks or denies, whatever the order and the spelling of its options.

`rm -rf *` is also about `rm -fr x` and `rm x --recursive --force`. Which short option is which long one is unknown, so
one with the same first letter counts.
"""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import pairwise, zip_longest

from kimi_tui.permission.subject import Pattern, Words

_WILD = re.compile(r"[*?\[]")
_VERSION = re.compile(r"(?<=[a-z])-?[0-9][0-9.]*\Z")
"""The version in the name of a program: `pip3`, `python3.12`."""
_USUAL = {
    "a": ("all", "append", "archive"),
    "m": ("message",),
    "p": ("parents", "patch", "path", "port", "preserve", "print", "project", "publish"),
    "q": ("quiet",),
    "v": ("verbose", "version"),
}
"""The long options that a short one usually stands for, where it is no other one with the same letter."""


def may_mean(pattern: Sequence[str], words: Words) -> bool:
    """Whether the command may be what the pattern describes. A word that is known only at run time may be any."""
    if not pattern or not words or words[0] is None:
        return False
    if not (fnmatchcase(words[0], pattern[0]) or fnmatchcase(_VERSION.sub("", words[0]), pattern[0])):
        return False
    given = [word for word in words[1:] if word is not None and _is_option(word)]
    operands = [word for word in words[1:] if word is None or not _is_option(word)]
    if words[0] == "git" and any(word is not None and word.startswith("+") for word in operands):
        given.append("--force")  # a refspec `+main`
    if None not in words and not all(_is_given(option, given) for option in pattern[1:] if _is_option(option)):
        return False
    expected = [word for word in pattern[1:] if not _is_option(word)]
    if _align(expected, operands, words[0]):
        return True
    values = _values(pattern)
    without_values = [word for word in expected if word not in values]
    return (
        bool(values)
        and all(_has_value(words, value) for value in values)
        and (_align(without_values, operands, words[0]) or _align(without_values, _others(operands, values), words[0]))
    )


def _is_option(word: str) -> bool:
    return word.startswith("-") and len(word) > 1


def _is_given(option: str, given: Sequence[str]) -> bool:
    name = option.partition("=")[0]
    bare = name.lstrip("-")
    for word in given:
        other = word.partition("=")[0].lstrip("-")
        if fnmatchcase(word, option) or other == bare or (word.startswith("--") and _begins(other, bare)):
            return True
    if name.startswith("--"):
        return any(_stands_for(letter, bare) for letter in _letters(given) if bare.startswith(letter))
    letters = _letters(given) | {word[2] for word in given if word.startswith("--") and len(word) > 2}
    return bool(bare) and all(letter in letters for letter in bare.replace("R", "r"))


def _begins(one: str, other: str) -> bool:
    """Whether one of two long names is the beginning of the other: options may be abbreviated."""
    return bool(one and other) and (one.startswith(other) or other.startswith(one))


def _letters(given: Sequence[str]) -> set[str]:
    """Return the letters of the words of short options. `-R` counts as `-r`."""
    return {letter for word in given if not word.startswith("--") for letter in word[1:].replace("R", "r")}


def _stands_for(letter: str, name: str) -> bool:
    return letter not in _USUAL or any(_begins(name, usual) for usual in _USUAL[letter])


def _values(pattern: Sequence[str]) -> list[str]:
    """Return the words of the pattern that may be the values of the options before them."""
    return [
        word
        for option, word in pairwise(pattern)
        if _is_option(option) and not _is_option(word) and not _WILD.search(word)
    ]


def _has_value(words: Words, value: str) -> bool:
    return any(word is None or word == value or (_is_option(word) and word.endswith(value)) for word in words[1:])


def _others(operands: Sequence[str | None], values: Sequence[str]) -> list[str | None]:
    return [word for word in operands if word not in values]


def _align(expected: Sequence[str], operands: Sequence[str | None], program: str) -> bool:
    """Whether the operands match word by word; a last `*` matches any number of further ones."""
    is_open = bool(expected) and expected[-1] == "*"
    expected = expected[:-1] if is_open else expected
    for place, (pattern, word) in enumerate(zip_longest(expected, operands, fillvalue="")):
        if isinstance(word, Pattern):  # any number of words
            return place >= len(expected) or _may_begin_alike(pattern, word)
        if place >= len(expected):
            return is_open
        if place >= len(operands):
            return False
        if word is not None and not any(fnmatchcase(form, pattern) for form in _forms(word, program)):
            is_abbreviated = place == 0 and word != "" and not _WILD.search(pattern) and pattern.startswith(word)
            if not is_abbreviated:
                return False
    return True


def _may_begin_alike(pattern: str, word: Pattern) -> bool:
    one, other = (_WILD.split(text, maxsplit=1)[0] for text in (pattern, str(word)))
    return one.startswith(other) or other.startswith(one)


def _forms(word: str, program: str) -> tuple[str, ...]:
    """Return the word; of a refspec of Git also both of its names."""
    if program != "git":
        return (word,)
    return (word, *(part.removeprefix("refs/heads/") for part in word.lstrip("+").split(":")))
