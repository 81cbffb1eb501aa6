"""Expands a word of a command line to file names like Bash: braces, a tilde, patterns; bounded.

Words come in the form of `CommandLine.spelled`: quoted characters are backslash-escaped. Any difference from Bash
yields more files: a collation class matches any text.
"""

import os
import pwd
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import translate
from itertools import chain, pairwise
from pathlib import Path

UNKNOWN = "\0"
"""In a spelled word: text known only at run time."""
MAX_WORDS = 1_000
"""Limit of words that one word may expand to, by braces and by patterns."""
_MAX_CHARACTERS = 4_096
"""Limit of a word with a pattern or a brace; a path is never longer."""
MAX_ENTRIES = 50_000
"""Limit of directory entries examined for the patterns of one word."""

_SPECIAL = re.compile(r"[][*?{},~\\!^-]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_WILD = re.compile(r"[*?\[]")
_EXPANDS = re.compile(r"[*?\[{]")
_PLACES = re.compile(r"\\.|[{},]", re.DOTALL)
_NUMBERS = re.compile(r"([+-]?\d{1,18})\.\.([+-]?\d{1,18})(?:\.\.([+-]?\d{1,18}))?", re.ASCII)
_LETTERS = re.compile(r"([A-Za-z])\.\.([A-Za-z])(?:\.\.([+-]?\d{1,18}))?", re.ASCII)
_PLAIN = r"[\w./@+=*?-]"
_PLAIN_BRACES = re.compile(rf"({_PLAIN}*)\{{({_PLAIN}+(?:,{_PLAIN}+)+)\}}({_PLAIN}*)", re.ASCII)
_PARTS = re.compile(r"\\(.)|(\[[!^]?+\]?+[^]\\[]*\])|(\[.*\])|(.)", re.DOTALL)  # defence: bracket-first-in-a-class


@dataclass(frozen=True, slots=True)
class Expansion:
    """The result of expanding a word.

    `paths` as the program would get them; `cut`: a limit was reached and there may be more.
    """

    paths: tuple[str, ...]
    cut: bool = False


class _CutError(Exception):
    pass


def quoted(text: str) -> str:
    """Escape a text so that nothing in it is expanded."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def expand(spelled: str, folder: Path) -> Expansion:
    """Expand the word in this folder like Bash; a word with `UNKNOWN` keeps it, and its patterns are not expanded."""
    found: list[str] = []
    # defence: bound-patterns
    if len(spelled) > _MAX_CHARACTERS and _EXPANDS.search(_ESCAPE.sub("", spelled)):
        return Expansion((_plain(spelled),), cut=True)
    try:
        for word in _braces(spelled):
            found.extend(_files(_tilde(word, folder), folder))
            if len(found) > MAX_WORDS:
                raise _CutError
    except _CutError:
        return Expansion(tuple(found), cut=True)
    return Expansion(tuple(found))


def plain_braces(word: str) -> tuple[str, ...]:
    """Return the words that Bash, but not every other shell, makes of `src/{a,b}.py`, in source form.

    Empty for a word with no braces, or with more than one pair of plain ones.
    """
    found = _PLAIN_BRACES.fullmatch(word)
    if found is None or ("=" in word and not word.startswith("-")):
        return ()
    return tuple(f"{found[1]}{choice}{found[3]}" for choice in found[2].split(","))


def _plain(spelled: str) -> str:
    return _ESCAPE.sub(r"\1", spelled)


def _braces(word: str) -> Iterator[str]:
    pending = [word]
    count = 0
    while pending:
        text = pending.pop()
        found = _innermost_brace(text)
        if found is None:
            count += 1
            yield text
            continue
        start, end, choices = found
        if count + len(pending) + len(choices) > MAX_WORDS:
            raise _CutError
        pending.extend(text[:start] + choice + text[end:] for choice in reversed(choices))


def _innermost_brace(word: str) -> tuple[int, int, list[str]] | None:
    """Return the first innermost brace: its start, its end, and its alternatives."""
    open_braces: list[list[int]] = []
    for match in _PLACES.finditer(word):
        if match[0] == "{":
            open_braces.append([match.start()])
        elif match[0] == "," and open_braces:
            open_braces[-1].append(match.start())
        elif match[0] == "}" and open_braces:
            start, *commas = open_braces.pop()
            if commas:
                boundaries = [start, *commas, match.start()]
                choices = [word[left + 1 : two] for left, two in pairwise(boundaries)]
                return start, match.end(), choices
            if (choices := _sequence(word[start + 1 : match.start()])) is not None:
                return start, match.end(), choices
    return None


def _sequence(text: str) -> list[str] | None:
    if found := _NUMBERS.fullmatch(text):
        first, last = int(found[1]), int(found[2])
        padded = any(re.match(r"[+-]?0\d", left) for left in (found[1], found[2]))
        width = max(len(found[1]), len(found[2])) if padded else 0
    elif found := _LETTERS.fullmatch(text):
        first, last, width = ord(found[1]), ord(found[2]), -1
    else:
        return None
    step = max(1, abs(int(found[3] or 1)))
    if abs(last - first) // step >= MAX_WORDS:
        raise _CutError
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    return [quoted(chr(left)) if width < 0 else f"{left:0{width}d}" for left in numbers]


def _tilde(word: str, folder: Path) -> str:
    if not word.startswith("~"):
        return word
    user, slash, rest = word[1:].partition("/")
    if user == "":
        home = os.path.expanduser("~")  # noqa: PTH111
    elif re.fullmatch(r"\+|[+-]?\d+", user, re.ASCII):  # a number: an entry of the `pushd` stack
        home = str(folder)
    elif user == "-":
        home = UNKNOWN
    else:
        try:
            home = pwd.getpwnam(user).pw_dir
        except (KeyError, ValueError):
            return word
    return quoted(home) + slash + rest


def _files(word: str, folder: Path) -> list[str]:
    if UNKNOWN in word or not _WILD.search(_ESCAPE.sub("", word)):
        return [_plain(word)]
    budget = MAX_ENTRIES
    bases = [""]
    parts = _ESCAPE.sub(lambda found: "/" if found[1] == "/" else found[0], word).split("/")
    for number, part in enumerate(parts, 1):
        end = "" if number == len(parts) else "/"
        found: list[str] = []
        if not _WILD.search(_ESCAPE.sub("", part)):
            found = [base + _plain(part) + end for base in bases]
        else:
            matches = re.compile(_as_fnmatch(part)).match
            hidden = _plain(part).startswith(".")
            for base in bases:
                for name in chain((".", ".."), _names(folder / base)):  # older shells match these
                    budget -= 1
                    if budget < 0 or len(found) > MAX_WORDS:
                        raise _CutError
                    if (hidden or not name.startswith(".")) and matches(name):
                        found.append(base + name + end)
        bases = found
    existing = sorted(base for base in bases if os.path.lexists(os.path.join(folder, base)))  # noqa: PTH118 - a Path loses a last slash
    return existing or [_plain(word)]


def _names(folder: Path) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.name
    except OSError:
        return


def _as_fnmatch(part: str) -> str:
    """Return a regular expression for names. A class beyond letters and ranges matches any text."""
    pieces: list[str] = []
    for found in _PARTS.finditer(part):
        if found[1] is not None:
            pieces.append(f"[{found[1]}]" if found[1] in "*?[" else found[1])
        elif found[2] is not None:
            pieces.append("[!" + found[2][2:] if found[2].startswith("[^") else found[2])
        elif found[3] is not None:
            pieces.append("*")
        else:
            pieces.append("[[]" if found[4] == "[" else found[4])
    return translate("".join(pieces))
