"""What a slash command is. A line is one where a name follows the slash directly."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kimi_tui.errors import UsageError

if TYPE_CHECKING:
    from kimi_tui.soul.engine import Engine

_LINE = re.compile(r"/([\w-]+(?::[\w.-]+)*|\?)(?:\s+(.*))?", re.DOTALL)


class TurnRunningError(UsageError):
    """A turn is under way; what was asked for has to wait."""


@dataclass(frozen=True, slots=True)
class CommandInfo:
    """A command as a face lists it, without its slash."""

    name: str
    description: str
    aliases: tuple[str, ...] = ()


Handler = Callable[["Engine", str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Command:
    """`while_running`: it may be given while a turn or a flow runs, and takes effect at once.

    `turn`: what it says is a turn of the conversation; one that takes turns itself has none of its own.
    """

    info: CommandInfo
    handler: Handler
    while_running: bool = False
    turn: bool = True


def parse_line(text: str) -> tuple[str, str] | None:
    """The name and the arguments of a slash line, or None where the text is not one."""
    match = _LINE.fullmatch(text.strip())
    return None if match is None else (match[1], (match[2] or "").strip())
