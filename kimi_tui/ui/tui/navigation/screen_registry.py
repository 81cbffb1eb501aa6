"""Registry of modal screens and the commands that open them.

A screen opens from the command palette, by its slash command and, for some, by a key.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kimi_tui.errors import KimiTuiError
from kimi_tui.ui.tui.engine_protocol import Command
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.translate import translate_lines
from kimi_tui.ui.tui.screens.screen_commands import SCREEN_COMMANDS, ScreenCommand

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app_protocols import ScreenHost

ScreenAction = Callable[["ScreenHost"], Awaitable[None]]
"""Opens a screen and applies its result. Raises KimiTuiError if it cannot."""


class ScreenRouter:
    """Opens screens for one app. Invariant: at most one of them is open."""

    def __init__(self, host: "ScreenHost") -> None:
        self._host = host

    def all_commands(self, commands: Sequence[Command], skills: object = None) -> Sequence[Command]:
        """List the engine's slash commands, those of the TUI that the engine lacks, and the invalid flows of `skills`:
        if these were missing, the user would suspect a wrong name.
        """
        from kimi_tui.ui.tui.flow_pane.broken_flow import find_broken_flows

        known = {command.name for command in commands}
        broken = [
            ScreenCommand(
                f"flow:{flow.name}",
                _("cannot run: {place}: {cause}", place=flow.place, cause=translate_lines(flow.cause)),
            )
            for flow in find_broken_flows(skills)
        ]
        return [*commands, *broken, *(screen for screen in SCREEN_COMMANDS if screen.name not in known)]

    def open_initial(self, name: str) -> None:
        """Open the screen `name`, or the setup if no model is configured. Called with the first engine."""
        engine = self._host.live_engine
        if name:
            self.open(name)
        elif engine is not None and not engine.models.key and not engine.models.info.model:
            self.open("setup")

    def handle_slash(self, text: str) -> bool:
        """Open the screen of a bare slash command; False if the text is anything else."""
        name = text.strip().removeprefix("/")
        if name == text.strip():
            return False
        screen = next((screen for screen in SCREEN_COMMANDS if name == screen.name or name in screen.aliases), None)
        if screen is not None:
            self.open(screen.name)
        return screen is not None

    def open(self, name: str) -> None:
        if self._host.on_main_screen:
            self._start(_load_actions()[name], group="screens")

    def keep_theme(self, name: str) -> None:
        """Save the theme to the configuration file."""
        from kimi_tui.ui.tui.navigation.settings_actions import keep_theme

        self._start(lambda host: keep_theme(host, name), group="keep")

    def _start(self, action: ScreenAction, *, group: str) -> None:
        self._host.run_worker(partial(self._run_action, action), group=group, exclusive=True)

    async def _run_action(self, action: ScreenAction) -> None:
        try:
            await action(self._host)
        except KimiTuiError as error:
            self._host.show_toast(str(error), severity="warning")


def _load_actions() -> dict[str, ScreenAction]:
    """Screen actions, imported on first use."""
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
        "new": session_actions.new_session,
        "model": model_actions.choose_model,
        "setup": model_actions.set_up,
        "theme": settings_actions.choose_theme,
        "settings": settings_actions.change_settings,
        "skills": view_actions.show_skills,
        "usage": usage_action.show_usage,
        "rewind": rewind_action.rewind_session,
        "task": view_actions.show_tasks,
        "mcp": view_actions.show_mcp,
        "trust": lambda host: host.ask_trust_again(),
        "log": view_actions.show_log,
        "exit": view_actions.quit_app,
    }
