"""What a rule looks at: a tool call as the tool itself understands it, without its other arguments."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from kimi_tui.permission.doubt import Doubt


class Spelled(str):
    """A word that Bash expands; `spelled` has its quoted characters behind backslashes.

    A plain one has a tilde, and is as it is written until it runs.
    """

    def __new__(cls, text: str, spelled: str = "") -> Self:
        made = super().__new__(cls, text)
        made.spelled = spelled
        return made

    spelled: str


class Pattern(Spelled):
    """A word that Bash replaces by the names of the files that it matches: none, one or many words."""


Words = tuple[str | None, ...]
"""A simple command; a word is None where it is known only when it runs, a `Pattern` where files decide."""


@dataclass(frozen=True, slots=True)
class CommandSubject:
    """A command line taken apart. `doubts` says why it may do more than run `commands`.

    `why_not_read` says for each command why it is not known to only read, "" where it is. `elsewhere` are the places
    of commands that obey the settings of another folder, which no rule speaks of.
    """

    commands: tuple[Words, ...]
    doubts: tuple[Doubt, ...] = ()
    why_not_read: tuple[str, ...] = ()
    elsewhere: frozenset[int] = frozenset()

    @property
    def reads(self) -> bool:
        """Whether it only reads, and nothing that is to be asked for."""
        return bool(self.why_not_read) and not any(self.why_not_read)

    @property
    def unread(self) -> bool:
        """Whether it may run programs that are not among the commands, so a rule that asks or denies may be meant."""
        return any(doubt.unread for doubt in self.doubts)


@dataclass(frozen=True, slots=True)
class FileSubject:
    """A file by its real path. `folder` is the workspace folder it is in, None outside; `edit`: it is changed.

    `instructs`: an agent or a tool does what it says, so that accepting edits in general does not cover it.
    """

    real: Path
    folder: Path | None
    edit: bool = False
    instructs: bool = False


@dataclass(frozen=True, slots=True)
class PlainSubject:
    """Anything else; `text` is what a pattern is compared with (a page's address)."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class PageSubject:
    """A page of the web. `host` is the name that is connected to, in ASCII and lower case."""

    url: str
    host: str


@dataclass(frozen=True, slots=True)
class ArgumentsSubject:
    """The arguments of a tool that is not ours, by name."""

    arguments: Mapping[str, object]


Subject = CommandSubject | FileSubject | PageSubject | PlainSubject | ArgumentsSubject
