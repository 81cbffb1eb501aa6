"""Slash commands: a line with a name directly after the slash."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from kimi_tui.errors import UsageError
from kimi_tui.flow.run.turn_protocol import TurnResult

EngineT = TypeVar("EngineT")

_LINE = re.compile(r"/([\w-]+(?::[\w.-]+)*|\?)(?:\s+(.*))?", re.DOTALL)


class TurnRunningError(UsageError):
    """The command cannot run while a turn is running."""


@dataclass(frozen=True, slots=True)
class CommandInfo:
    """A command as a UI lists it, without its slash."""

    name: str
    description: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Command(Generic[EngineT]):
    """A slash command; its handler gets the engine and the text after the name. It returns None for a plain success.

    `while_running`: it is allowed while a turn or a flow runs, and takes effect at once. `turn`: its output forms a
    turn of the conversation; commands that start turns themselves set it to false.
    """

    info: CommandInfo
    handler: Callable[[EngineT, str], Awaitable[TurnResult | None]]
    while_running: bool = False
    turn: bool = True


def parse_line(text: str) -> tuple[str, str] | None:
    """Split a slash line into name and arguments; None where the text is not a slash line."""
    match = _LINE.fullmatch(text.strip())
    return None if match is None else (match[1], (match[2] or "").strip())
