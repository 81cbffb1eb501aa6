"""The slash commands that every UI has."""

from typing import TYPE_CHECKING

from kimi_tui.soul.commands import ask, flow, session, settings, status
from kimi_tui.soul.commands.command import Command, CommandInfo, parse_line

if TYPE_CHECKING:
    from kimi_tui.soul.engine import Engine

__all__ = ["COMMANDS", "CommandInfo", "find", "parse_line", "takes_effect_at_once"]


COMMANDS: tuple["Command[Engine]", ...] = (
    *session.COMMANDS,
    *flow.COMMANDS,
    *ask.COMMANDS,
    *settings.COMMANDS,
    *status.COMMANDS,
)


def takes_effect_at_once(text: str) -> bool:
    """Whether `text` is a command that is allowed while a turn runs."""
    line = parse_line(text)
    command = find(line[0]) if line is not None else None
    return command is not None and command.while_running


def find(name: str) -> "Command[Engine] | None":
    return next((command for command in COMMANDS if name == command.info.name or name in command.info.aliases), None)
