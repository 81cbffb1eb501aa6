"""File patterns: `src/**`, `*.lock`, `docs/`, `~/notes/**`, `/etc/**`.

`*` and `?` stay within a folder, `**` does not; a folder with a trailing `/` matches everything in it. A pattern
without a folder matches a name at any depth. Others start at the work dir (or the file's added dir).

An untrusted project may contain patterns, so the matcher follows all alternatives in parallel: the time is bounded by
the pattern's length times the path's, unlike that of a backtracking regular expression.
"""

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import lru_cache
from pathlib import Path

from kimi_tui.paths import real_path

_WILD = re.compile(r"[*?]")


def matches_file(pattern: str, real: Path, folder: Path | None, *, strict: bool) -> bool:
    """Whether the pattern matches the real path. `strict`: ignore case, and match a name anywhere."""
    if pattern.startswith("~/") or pattern == "~":
        pattern = f"{Path.home()}{pattern[1:]}"
    read = _read(pattern)
    if pattern.startswith("/"):
        return read.matches(str(real), any_case=strict)
    if folder is not None:
        return read.matches(real.relative_to(folder).as_posix(), any_case=strict)
    return strict and "/" not in pattern and read.matches(str(real).lstrip("/"), any_case=True)


def with_links_followed(pattern: str, work_dir: Path) -> str:
    """Return the pattern from the root, with the links followed that are before its first wildcard; "" for a name with
    a wildcard at any depth.
    """
    given = f"{Path.home()}{pattern[1:]}" if pattern.startswith("~/") or pattern == "~" else pattern
    before = _WILD.split(given, maxsplit=1)[0]
    if before == given:
        fixed = given.rstrip("/")
    elif "/" in before:
        fixed = before.rpartition("/")[0]
    else:
        return ""
    start = "/" if given.startswith("/") else work_dir
    return f"{real_path(Path(start, fixed.lstrip('/')))}".rstrip("/") + given[len(fixed) :]


class _Kind(Enum):
    CHAR = auto()
    ONE = auto()
    WITHIN = auto()
    """Any characters but `/`."""
    ANY = auto()
    EMPTY = auto()
    """Matches no character: the start of an optional part, or the branch that skips it."""


@dataclass(slots=True)
class _Pattern:
    """The `steps` in sequence; `skips` are the additional targets of the doors."""

    steps: list[tuple[_Kind, str]] = field(default_factory=list[tuple[_Kind, str]])
    skips: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, kind: _Kind, text: str = "") -> None:
        self.steps.append((kind, text))

    def add_optional(self, *steps: tuple[_Kind, str]) -> None:
        self.add(_Kind.EMPTY)
        self.skips[len(self.steps) - 1] = len(self.steps) + len(steps)
        self.steps.extend(steps)

    def matches(self, text: str, *, any_case: bool) -> bool:
        active = self._reached({0})
        for char in text:
            following: set[int] = set()
            for index in active:
                if index == len(self.steps):
                    continue
                kind, expected = self.steps[index]
                match kind:
                    case _Kind.CHAR if char == expected or (any_case and char.casefold() == expected.casefold()):
                        following.add(index + 1)
                    case _Kind.ONE if char != "/":
                        following.add(index + 1)
                    case _Kind.WITHIN if char != "/":
                        following.add(index)
                    case _Kind.ANY:
                        following.add(index)
                    case _:
                        pass
            active = self._reached(following)
            if not active:
                return False
        return len(self.steps) in active

    def _reached(self, indexes: set[int]) -> set[int]:
        """Return these positions, and those reachable from them without a character."""
        reached, pending = set[int](), list(indexes)
        while pending:
            index = pending.pop()
            if index in reached:
                continue
            reached.add(index)
            if index < len(self.steps) and self.steps[index][0] in (_Kind.WITHIN, _Kind.ANY, _Kind.EMPTY):
                pending.append(index + 1)
            if index in self.skips:
                pending.append(self.skips[index])
        return reached


@lru_cache(256)
def _read(pattern: str) -> _Pattern:
    pattern = pattern.removeprefix("./")
    read = _Pattern()
    slash, anything = (_Kind.CHAR, "/"), (_Kind.ANY, "")
    if "/" not in pattern:
        read.add_optional(anything, slash)
    if pattern.endswith("/"):
        pattern += "**"
    for piece in re.split(r"(\*\*/|/\*\*$|\*\*|\*|\?)", pattern):
        match piece:
            case "**/":
                read.add_optional(anything, slash)
            case "/**":
                read.add_optional(slash, anything)
            case "**":
                read.add(_Kind.ANY)
            case "*":
                read.add(_Kind.WITHIN)
            case "?":
                read.add(_Kind.ONE)
            case _:
                for char in piece:
                    read.add(_Kind.CHAR, char)
    return read
