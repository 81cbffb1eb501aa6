"""Subjects of rules: a tool call as the tool interprets it, without its other arguments."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from kimi_tui.permission.command_risk import CommandRisk


class Spelled(str):
    """A word that Bash expands; quoted characters in `spelled` are backslash-escaped.

    A plain word has a tilde, and stays as written until it runs.
    """

    def __new__(cls, text: str, spelled: str = "") -> Self:
        made = super().__new__(cls, text)
        made.spelled = spelled
        return made

    spelled: str


class Pattern(Spelled):
    """A word that Bash replaces with the names of matching files: none, one or several."""


Words = tuple[str | None, ...]
"""A simple command; a word is None if known only at run time, a `Pattern` if it depends on files."""


@dataclass(frozen=True, slots=True)
class CommandSubject:
    """A parsed command line. `risks` lists reasons why it may do more than run `commands`.

    `why_not_read` says for each command why it is not known to be read-only, "" if it is. `elsewhere` are the folders
    of commands that follow the settings of another folder; no rule covers them. `secrets` are the commands that may
    read unnamed secrets, so that a rule has to name each of their words. `reading_rule` names a rule about reading one
    of the files that it may read. `wrappers` only run others of the commands; a rule that asks or denies may be about
    them.
    """

    commands: tuple[Words, ...]
    risks: tuple[CommandRisk, ...] = ()
    why_not_read: tuple[str, ...] = ()
    elsewhere: frozenset[int] = frozenset()
    secrets: frozenset[int] = frozenset()
    reading_rule: str = ""
    wrappers: tuple[Words, ...] = ()

    @property
    def reads(self) -> bool:
        """Whether it only reads, and requires no approval."""
        return bool(self.why_not_read) and not any(self.why_not_read)

    @property
    def unread(self) -> bool:
        """Whether it may run programs that are not among the commands, so that a rule that asks or denies might
        apply.
        """
        return any(risk.unread for risk in self.risks)


@dataclass(frozen=True, slots=True)
class FileSubject:
    """A file by its real path. `folder` is its workspace folder, None outside; `edit`: the call changes it.

    `instructs`: an agent or a tool follows it, so a general approval of edits does not cover it.
    """

    real: Path
    folder: Path | None
    edit: bool = False
    instructs: bool = False


@dataclass(frozen=True, slots=True)
class PageSubject:
    """A web page. `host` is the host of the connection, in ASCII and lower case."""

    url: str
    host: str


@dataclass(frozen=True, slots=True)
class ArgumentsSubject:
    """The arguments of any other tool, by name.

    `server_tools` begins the names of all tools of the MCP server that is asked without one of them: a rule that asks
    about or denies all of those is about this call too.
    """

    arguments: Mapping[str, object]
    server_tools: str = ""


Subject = CommandSubject | FileSubject | PageSubject | ArgumentsSubject
