"""The slash commands that open a screen."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScreenCommand:
    """A screen with the slash command that opens it when used without arguments, and its description."""

    name: str
    description: str
    aliases: tuple[str, ...] = ()


SCREEN_COMMANDS: tuple[ScreenCommand, ...] = (
    ScreenCommand("sessions", "Sessions: search, preview, rename, fork, archive", ("resume",)),
    ScreenCommand("new", "Start a new session"),
    ScreenCommand("model", "Choose a model"),
    ScreenCommand("settings", "Change the configuration", ("config",)),
    ScreenCommand("setup", "Run setup again: theme and model", ("login",)),
    ScreenCommand("theme", "Choose a theme"),
    ScreenCommand("skills", "Skills and their problems"),
    ScreenCommand("usage", "Tokens and cost, by model", ("status",)),
    ScreenCommand("rewind", "Rewind to an earlier turn", ("undo",)),
    ScreenCommand("task", "Background tasks", ("tasks",)),
    ScreenCommand("mcp", "MCP servers and their status"),
    ScreenCommand("trust", "Trust or untrust this folder"),
    ScreenCommand("log", "kimi-tui's log"),
    ScreenCommand("exit", "Quit kimi-tui (the session can be resumed later)", ("quit",)),
)
