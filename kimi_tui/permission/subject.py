"""What a rule looks at: a tool call as the tool itself understands it, without its other arguments."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

Words = tuple[str | None, ...]
"""A simple command; a word is None where it is known only when it runs."""


@dataclass(frozen=True, slots=True)
class CommandSubject:
    """A command line taken apart. `doubts` says why it may run more than `commands`.

    `unread`: what it would run is not known at all, so a rule that asks or denies may be meant.
    """

    commands: tuple[Words, ...]
    doubts: tuple[str, ...] = ()
    unread: bool = False


@dataclass(frozen=True, slots=True)
class FileSubject:
    """A file by its real path. `folder` is the workspace folder it is in, None outside; `edit`: it is changed."""

    real: Path
    folder: Path | None
    edit: bool = False


@dataclass(frozen=True, slots=True)
class PlainSubject:
    """Anything else; `text` is what a pattern is compared with (a page's address)."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class ArgumentsSubject:
    """The arguments of a tool that is not ours, by name."""

    arguments: Mapping[str, object]


Subject = CommandSubject | FileSubject | PlainSubject | ArgumentsSubject
