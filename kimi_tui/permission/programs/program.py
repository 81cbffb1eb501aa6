"""What is known of one program, and what was found out about one command."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntFlag, auto

from kimi_tui.permission.programs.options import NO_OPTIONS, Level, Options, Parsed

Check = Callable[[Parsed], str]
"""What of the operands or values is not known to be harmless, for the user; empty where all is."""


class Deep(IntFlag):
    """How a program reads whatever is in folders: beyond links too, hidden files too, only folders that are named."""

    WITHIN = 1
    LINKS = 2
    HIDDEN = 4
    NAMED = 8


NOT_DEEP = Deep(0)


class Kind(Enum):
    PLAIN = auto()
    INTERPRETER = auto()
    """It runs the file or the text that it is given."""
    ANYTHING = auto()
    """It runs any program, and how it is told which is not read."""
    RUNNER = auto()
    """Its operands are another program with its words, which is looked at in turn."""
    WRAPPER = auto()
    """The same, but where its own words end is not known, so a rule has to name every word."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one command means.

    `beginning` names the kind of command that a yes for the session covers. `dangers` are the places of the words
    that a user's rule must name; `why` says what stands against a lower level. `paths` are the words, and parts of
    words, that may name files; `deep`: it reads whatever is in the folders among the `operands`. `configured`: it
    obeys settings of the folder that it runs in. `anything`: it runs what it is given. `loose`: any number of operands
    of any text mean the same.
    """

    level: Level
    beginning: tuple[str, ...] = ()
    dangers: tuple[int, ...] = ()
    why: str = ""
    paths: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    deep: Deep = NOT_DEEP
    configured: bool = False
    anything: bool = False
    loose: bool = False


Look = Callable[["Program", tuple[str, ...]], Found]


@dataclass(frozen=True, slots=True)
class Program:
    """`level` is that of the program with none but known options. What depends on the words is a function.

    The first `keyed` operands belong to the beginning. `most` operands are known to be harmless, `check` looks at
    them further; `dangerous` gives the places of words that are dangerous although they are no options. `version`
    words, alone, only ask for a version; `modules` are the programs that an interpreter runs with `-m`. `plugins`: a
    subcommand that is not known may be a program of any name. `loose`: any number of operands of any text mean the
    same, although there is a function that looks at them.
    """

    level: Level = Level.EXACT
    options: Options = NO_OPTIONS
    keyed: int = 0
    most: int | None = None
    check: Check | None = None
    dangerous: Callable[[Parsed], list[int]] | None = None
    look: Look | None = None
    subs: Mapping[str, "Program"] = field(default_factory=dict[str, "Program"])
    plugins: bool = False
    kind: Kind = Kind.PLAIN
    version: str = ""
    modules: frozenset[str] = frozenset()
    configured: bool = False
    deep: Callable[[Parsed], Deep] | None = None
    loose: bool = False
