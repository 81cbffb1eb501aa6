"""The further screens: each can be opened by the palette, by its slash command and, some, by a key."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from kimi_tui.errors import KimiTuiError
from kimi_tui.ui.tui.engine_protocol import Command
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.translate import answered
from kimi_tui.ui.tui.main_screen.screen import Home

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app import KimiTui

Errand = Callable[["KimiTui"], Awaitable[None]]
"""Opens a screen and does what is chosen there. Raises KimiTuiError where that cannot be."""


@dataclass(frozen=True, slots=True)
class Door:
    """A screen: the slash command that opens it when nothing follows it, and what it is for."""

    name: str
    description: str
    aliases: tuple[str, ...] = ()


DOORS: tuple[Door, ...] = (
    Door("sessions", "Go to another session: search, preview, rename, fork, archive", ("resume",)),
    Door("new", "Begin a new session"),
    Door("model", "Choose the model that answers"),
    Door("settings", "Change the configuration", ("config",)),
    Door("setup", "Set up a theme and a model, as at the first start", ("login",)),
    Door("theme", "Choose a theme"),
    Door("skills", "The skills there are, and what is wrong with them"),
    Door("usage", "Tokens and cost, by model", ("status",)),
    Door("rewind", "Go back to before an earlier turn", ("undo",)),
    Door("task", "What runs in the background", ("tasks",)),
    Door("mcp", "How the MCP servers are"),
    Door("trust", "Trust what this folder brings along, or not any more"),
    Door("log", "What kimi-tui wrote into its log"),
    Door("exit", "Leave kimi-tui; the session can be gone on with", ("quit",)),
)


class Doors:
    """Opens screens for one app. A person is in one of them at a time."""

    def __init__(self, app: "KimiTui") -> None:
        self._app = app

    def among(self, commands: Sequence[Command], skills: object = None) -> Sequence[Command]:
        """The slash commands of the engine, those of ours that it lacks, and the flows of `skills` that cannot be run:
        left out, they would seem to be called otherwise."""
        from kimi_tui.ui.tui.flow_pane.broken_flow import broken_flows

        known = {command.name for command in commands}
        broken = [
            Door(
                f"flow:{flow.name}", _("cannot be run: {place}: {cause}", place=flow.place, cause=answered(flow.cause))
            )
            for flow in broken_flows(skills)
        ]
        return [*commands, *broken, *(door for door in DOORS if door.name not in known)]

    def begin(self, name: str) -> None:
        """The first engine is there. Without a model to ask, the first thing is to find one."""
        engine = self._app.seat.soul_engine
        if name:
            self.open(name)
        elif engine is not None and not engine.models.key and not engine.models.info.model:
            self.open("setup")

    def takes(self, text: str) -> bool:
        """Open the screen that a bare slash command means; False where the text is something else."""
        name = text.strip().removeprefix("/")
        if name == text.strip():
            return False
        door = next((door for door in DOORS if name == door.name or name in door.aliases), None)
        if door is not None:
            self.open(door.name)
        return door is not None

    def open(self, name: str) -> None:
        if isinstance(self._app.screen, Home):
            self._send(_errands()[name], group="doors")

    def keep_theme(self, name: str) -> None:
        """Have the theme in the configuration too."""
        from kimi_tui.ui.tui.navigation.settings_actions import keep_theme

        self._send(lambda app: keep_theme(app, name), group="keep")

    def _send(self, errand: Errand, *, group: str) -> None:
        self._app.run_worker(partial(self._through, errand), group=group, exclusive=True)

    async def _through(self, errand: Errand) -> None:
        try:
            await errand(self._app)
        except KimiTuiError as error:
            self._app.tell(str(error), severity="warning")


def _errands() -> dict[str, Errand]:
    """What is done behind each door; loaded when somebody goes through one."""
    from kimi_tui.ui.tui.navigation import (
        model_actions,
        rewind_action,
        session_actions,
        settings_actions,
        usage_action,
        view_actions,
    )

    return {
        "sessions": session_actions.choose_session,
        "new": session_actions.begin_session,
        "model": model_actions.choose_model,
        "setup": model_actions.set_up,
        "theme": settings_actions.choose_theme,
        "settings": settings_actions.change_settings,
        "skills": view_actions.show_skills,
        "usage": usage_action.show_usage,
        "rewind": rewind_action.go_back,
        "task": view_actions.show_tasks,
        "mcp": view_actions.show_mcp,
        "trust": lambda app: app.trust.ask_again(),
        "log": view_actions.show_log,
        "exit": view_actions.leave,
    }
