"""Data classes: the table of one program, and the classification of one command."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntFlag, auto

from kimi_tui.permission.programs.options import NO_OPTIONS, Level, Options, Parsed

Check = Callable[[Parsed], str]
"""Describes the operands or values not known to be harmless, for the user; empty if all are."""


class RecursiveRead(IntFlag):
    """How a program reads folders recursively: whether it follows links, reads hidden files, or reads only named
    folders.
    """

    WITHIN = 1
    LINKS = 2
    HIDDEN = 4
    NAMED = 8


NOT_RECURSIVE = RecursiveRead(0)
EVERYTHING = RecursiveRead.WITHIN | RecursiveRead.LINKS | RecursiveRead.HIDDEN


@dataclass(frozen=True, slots=True)
class Tracked:
    """The files of Git's index whose contents a command may print: all, or those that `specs` match.

    `sure`: the specs are behind `--`; else the first of them may be revisions. `history`: it prints files of commits
    too; `history_if_named`: only if one of the specs is a revision.
    """

    specs: tuple[str, ...] = ()
    sure: bool = False
    history: bool = True
    history_if_named: bool = False


class Kind(Enum):
    PLAIN = auto()
    INTERPRETER = auto()
    """It runs the file or the text that it gets."""
    ANYTHING = auto()
    """It runs any program, in a way that is not analysed."""
    RUNNER = auto()
    """Its operands are another program with its words, which is classified too."""
    WRAPPER = auto()
    """Like RUNNER, but the end of its own words is unknown, so a rule has to name every word."""


@dataclass(frozen=True, slots=True)
class Classification:
    """The classification of one command.

    `beginning` names the kind of command that approval for the session covers. `dangers` are the indexes of the words
    that a user's rule must name; `why` explains why the level is not lower. `paths` are the words, and parts of words,
    that may name files; `deep`: it reads the folders among the `operands` recursively. `configured`: it follows
    settings of its working directory. `anything`: it runs the program that it is given. `loose`: the number and text of
    operands do not matter. `tracked`: it prints contents of files that Git tracks.
    """

    level: Level
    beginning: tuple[str, ...] = ()
    dangers: tuple[int, ...] = ()
    why: str = ""
    paths: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    deep: RecursiveRead = NOT_RECURSIVE
    configured: bool = False
    anything: bool = False
    loose: bool = False
    tracked: Tracked | None = None
    texts: tuple[str, ...] = ()


Classifier = Callable[["Program", tuple[str, ...]], Classification]


@dataclass(frozen=True, slots=True)
class Program:
    """The table of one program. `level` applies with only known options. Functions handle what depends on the words.

    An approval for the session covers only calls with the same first `keyed` operands. At most `most` operands are
    known to be harmless, and `check` inspects them further. `strict`: a rule has to name each option that the table
    lacks, since some are dangerous; `dangerous` returns the indexes of other dangerous words. `version` words, alone,
    only request a version; `modules` are the programs that an interpreter runs with `-m`. `plugins`: an unknown
    subcommand may be a program of any name. `loose`: the number and text of operands do not matter, although a function
    inspects them. `texts` are options whose values name no file, and `text_operands` counts the first operands that
    name none.
    """

    level: Level = Level.EXACT
    options: Options = NO_OPTIONS
    keyed: int = 0
    most: int | None = None
    check: Check | None = None
    strict: bool = False
    dangerous: Callable[[Parsed], list[int]] | None = None
    look: Classifier | None = None
    subs: Mapping[str, "Program"] = field(default_factory=dict[str, "Program"])
    plugins: bool = False
    kind: Kind = Kind.PLAIN
    version: str = ""
    modules: frozenset[str] = frozenset()
    configured: bool = False
    deep: Callable[[Parsed], RecursiveRead] | None = None
    loose: bool = False
    tracked: Callable[[Parsed], Tracked | None] | None = None
    texts: str = ""
    text_operands: Callable[[Parsed], int] | None = None
    once: tuple[re.Pattern[str], ...] = ()


ANYTHING = Program(kind=Kind.ANYTHING)


def names(text: str) -> tuple[str, ...]:
    """Split a text of names."""
    return tuple(text.split())


_SHOWS = frozenset(
    {"get", "list", "ls", "view", "debug", "current-context", "get-contexts", "get-clusters", "get-users"}
)


def stored_settings(parsed: Parsed) -> list[int]:
    """Find the words of a subcommand that stores settings, by which the program may run another one later."""
    words = parsed.operands
    return [] if not words or words[0][1] in _SHOWS else [at for at, _ in words]  # defence: stored-settings


def operands_with(*marks: str) -> Callable[[Parsed], list[int]]:
    """Find the operands that contain one of the marks; all operands without a mark."""

    def found(parsed: Parsed) -> list[int]:
        return [at for at, word in parsed.operands if not marks or any(mark in word for mark in marks)]

    return found


def files_of_arguments(parsed: Parsed) -> list[int]:
    """Find the words that many programs replace with what a file holds, values of options among them."""
    words = [*parsed.operands, *((option.at, option.value or "") for option in parsed.options)]
    return [index for index, word in words if word.startswith("@")]  # defence: files-of-arguments
