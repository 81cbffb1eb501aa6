"""Whether what begins with a slash is a command, a path that there is, or something to tell the model."""

import os
import re
from collections.abc import Iterable
from typing import Protocol

from kimi_tui.soul.commands.command import parse_line

_NAME = re.compile(r"[\w-]+(?::[\w.-]+)*")


class Named(Protocol):
    """A slash command, without its slash."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


def names_of(commands: Iterable[Named]) -> frozenset[str]:
    """All that may follow a slash."""
    return frozenset(name for command in commands for name in (command.name, *command.aliases))


def slash_command(text: str, names: frozenset[str]) -> tuple[str, str] | None:
    """The name and the arguments of a slash command, be it one that there is not; None for a message to the model.

    A message may begin with a path of a file that exists, with a comment (`// ...`), or with a path of something else
    (`/api/users`) unless a command is its first part: that is one command typed behind another.
    """
    line = parse_line(text)
    if line is not None and line[0] in names:
        return line
    first, *rest = text.strip().split(maxsplit=1) or [""]
    if not first.startswith("/") or _exists(first):
        return None
    if line is not None:
        return line
    name = first.removeprefix("/")
    begins = _NAME.match(name)
    if name and (begins is None or ("/" in name and begins[0] not in names)):
        return None
    return name, "".join(rest)


def _exists(word: str) -> bool:
    path = word.rstrip(",.:;?!")
    return len(path) > 1 and os.path.lexists(path)
