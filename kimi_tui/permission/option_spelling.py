"""Compares a command with a rule that asks or denies, whatever the order and the spelling of its options.

`rm -rf *` is also about `rm -fr x` and `rm x --recursive --force`. Which short option is which long one is unknown, so
one with the same first letter counts.
"""

import re
from collections.abc import Sequence, Set
from fnmatch import fnmatchcase
from itertools import pairwise

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
_RUN_EACH = frozenset(
    {
        *("make", "gmake", "bmake", "remake", "ninja", "mvn", "mvnw", "gradle", "gradlew", "ant", "just", "task"),
        *("rake", "tox", "nox", "invoke", "inv", "doit", "gulp", "grunt", "bazel"),
    }
)
"""Programs that do what each of their words names: `make deploy` is within `make test deploy`."""


def may_mean(pattern: Sequence[str], words: Words) -> bool:
    """Whether the command may be what the pattern describes. A word that is known only at run time may be any."""
    if not pattern or not words or words[0] is None:
        return False
    if not (fnmatchcase(words[0], pattern[0]) or fnmatchcase(_VERSION.sub("", words[0]), pattern[0])):
        return False
    if "--" in words and may_mean(pattern, words[: words.index("--")]):  # defence: words-for-the-script
        return True
    given = [word for word in words[1:] if word is not None and _is_option(word)]
    operands = [word for word in words[1:] if word is None or not _is_option(word)]
    if words[0] == "git" and any(word is not None and word.startswith("+") for word in operands):
        given.append("--force")  # a refspec `+main`
    if None not in words and not all(_is_given(option, given) for option in pattern[1:] if _is_option(option)):
        return False
    expected = [word for word in pattern[1:] if not _is_option(word)]
    if _align(expected, operands, words[0], _may_be_values(words)):
        return True
    if _are_among(expected, operands, words[0]):  # defence: each-word-is-run
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


def _may_be_values(words: Words) -> frozenset[int]:
    """Return which operands are behind an option, and so may be its value: `npm run -w app deploy`."""
    found, index = set[int](), 0
    for before, word in pairwise(words):
        if word is not None and _is_option(word):
            continue
        if before is not None and _is_option(before) and before != "--" and "=" not in before:
            found.add(index)
        index += 1
    return frozenset(found)  # defence: values-of-options-between


def _are_among(expected: Sequence[str], operands: Sequence[str | None], program: str) -> bool:
    """Whether what the pattern names is done among other things: `git push origin main` is in `git push origin x main`.
    Of a pattern with one word the program may be `make`, say, but not `git`: the word is a subcommand.
    """
    wanted = [pattern for pattern in expected if pattern != "*"]
    if program not in _RUN_EACH:
        if len(wanted) < 2 or not operands or not _is_like(expected[0], operands[0], program, is_first=True):
            return False
        wanted, operands = [pattern for pattern in expected[1:] if pattern != "*"], operands[1:]
    return bool(wanted) and all(
        any(_is_like(pattern, word, program, is_first=False) for word in operands) for pattern in wanted
    )


def _align(
    expected: Sequence[str], operands: Sequence[str | None], program: str, optional: Set[int] = frozenset()
) -> bool:
    """Whether the operands match word by word, those at the indexes in `optional` if they have to; a last `*` matches
    any number of further ones.
    """
    is_open = bool(expected) and expected[-1] == "*"
    expected = expected[:-1] if is_open else expected
    places = {0}
    """How many words of the pattern may be matched so far."""
    for index, word in enumerate(operands):
        following = places if index in optional else set[int]()
        for place in places:
            if place == len(expected):
                if is_open:
                    return True
            elif isinstance(word, Pattern):  # any number of words
                if _may_begin_alike(expected[place], word):
                    return True
            elif _is_like(expected[place], word, program, is_first=place == 0):
                following = following | {place + 1}
        if isinstance(word, Pattern) and len(expected) in places:
            return True
        places = following
    return len(expected) in places


def _is_like(pattern: str, word: str | None, program: str, *, is_first: bool) -> bool:
    if word is None or any(fnmatchcase(form, pattern) for form in _forms(word, program)):
        return True
    return is_first and word != "" and not _WILD.search(pattern) and pattern.startswith(word)  # it is abbreviated


def _may_begin_alike(pattern: str, word: Pattern) -> bool:
    one, other = (_WILD.split(text, maxsplit=1)[0] for text in (pattern, str(word)))
    return one.startswith(other) or other.startswith(one)


def _forms(word: str, program: str) -> tuple[str, ...]:
    """Return the word; of a refspec of Git also both of its names."""
    if program != "git":
        return (word,)
    return (word, *(part.removeprefix("refs/heads/") for part in word.lstrip("+").split(":")))
