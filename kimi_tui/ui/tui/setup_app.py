"""The model setup as a separate app: an editor opens it in a terminal before it can start sessions."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

from kimi_tui.config.model_selection import choose_model
from kimi_tui.config.yaml_editor import edit, without_keys
from kimi_tui.errors import KimiTuiError
from kimi_tui.mcp.config_editor import import_servers
from kimi_tui.paths import shown
from kimi_tui.ui.tui.i18n import catalog
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.main import drive
from kimi_tui.ui.tui.navigation.model_actions import make_wizard
from kimi_tui.ui.tui.screens.first_start import SetupResult
from kimi_tui.ui.tui.startup.early_config import EarlyConfig, read_early_config
from kimi_tui.ui.tui.terminal.app_base import TerminalApp
from kimi_tui.ui.tui.terminal.shutdown import SavedTerminal
from kimi_tui.ui.tui.themes import theme
from kimi_tui.ui.tui.themes.theme_registry import ThemeRegistry

CANCELLED = 1


class SetupApp(TerminalApp):
    """Shows the setup and saves its result in `file`. Its return value is 0 once a model is configured there."""

    TITLE = "kimi-tui"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, file: Path, early_config: EarlyConfig) -> None:
        super().__init__(early_config.display_options)
        self._file = file
        self.error: KimiTuiError | None = None
        self.theme_registry = ThemeRegistry(self)
        self.theme_registry.load_initial(early_config.theme)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(theme.VARIABLE_DEFAULTS)

    def on_mount(self) -> None:
        self.run_worker(self._set_up(), group="setup")

    async def _set_up(self) -> None:
        choice = await self.push_screen_wait(await make_wizard(self.theme_registry, has_demo=False))
        if choice is None:
            self.exit(CANCELLED)
            return
        try:
            await asyncio.to_thread(self._save, choice)
        except KimiTuiError as error:
            self.error = error
            self.exit(error.exit_code)
        else:
            self.exit(0)

    def _save(self, choice: SetupResult) -> None:
        loaded = edit(without_keys({("theme",): choice.theme, **choice.changes}), self._file)
        if choice.takeover is not None:
            import_servers(choice.takeover.file.with_name("mcp.json"))
        choose_model(loaded.config)

    def action_leave(self) -> None:
        self.exit(CANCELLED)


def run_setup(
    file: Path,
    *,
    ascii: bool = False,  # noqa: A002 - the name of the option
    motion: bool = True,
    plain: bool = False,
    terminal_state: SavedTerminal | None = None,
) -> int:
    """Show the setup in this terminal; return the exit status: 0 if it has configured a model in `file`.

    Raises the KimiTuiError of a configuration that cannot be saved or still has no model.
    """
    early_config = read_early_config(file)
    catalog.set_language(catalog.resolve_language(early_config.language))
    display_options = early_config.display_options.merged_with(ascii=ascii, motion=motion, plain=plain)
    app = SetupApp(file, EarlyConfig(early_config.theme, display_options, early_config.language))
    status = drive(app, terminal_state=terminal_state)
    if app.error is not None:
        raise app.error
    if status == 0:
        with suppress(OSError):
            sys.stdout.write(_("A model is configured in {file}.", file=shown(file)) + "\n")
    return status
