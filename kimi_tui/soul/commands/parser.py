"""Distinguishes slash commands from existing paths and from messages that start with a slash."""

import os
import re
from collections.abc import Iterable
from typing import Protocol

from kimi_tui.soul.commands.command import parse_line

_NAME = re.compile(r"[\w-]+(?::[\w.-]+)*")


class Named(Protocol):
    """A parsed slash command, without its slash."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


def invocable_names(commands: Iterable[Named]) -> frozenset[str]:
    """Return all valid command names."""
    return frozenset(name for command in commands for name in (command.name, *command.aliases))


def slash_command(text: str, names: frozenset[str]) -> tuple[str, str] | None:
    """Split a slash command, known or not, into name and arguments; None for a message to the model.

    A message may start with the path of an existing file, with a comment (`// ...`), or with another path
    (`/api/users`). If the first part of that path is a command, the text counts as that command, typed before another
    one.
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
