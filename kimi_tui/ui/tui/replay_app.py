"""Plays a recording in the TUI: the panes and reducers of a live session, without an engine."""

from pathlib import Path

from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.composer.composer import Composer
from kimi_tui.ui.tui.engine_protocol import Engine
from kimi_tui.ui.tui.i18n import catalog
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.main import drive
from kimi_tui.ui.tui.replay.recorded_engine import RecordedEngine, load
from kimi_tui.ui.tui.startup.early_config import read_early_config
from kimi_tui.ui.tui.terminal.shutdown import SavedTerminal


class ReplayApp(KimiTui):
    """Plays a recording, starting at once. The composer is hidden, since nothing can be sent."""

    speed = 1.0

    def on_mount(self) -> None:
        self.main_screen.composer.display = False  # the base class's handler runs too

    def session_shown(self, engine: Engine) -> None:
        super().session_shown(engine)
        if isinstance(engine, RecordedEngine):
            self.main_screen.flow_pane.recorded = True  # there is no present to return to
            self.time_travel.load(engine.messages)
            self.time_travel.open(1, recorded=True, speed=self.speed)
            self.time_travel.play()

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        self.show_toast(_("this is a recording; you cannot send messages"))

    def action_escape(self) -> None:
        if self.main_screen.zoomed is not None or self.main_screen.is_searching:
            super().action_escape()
        self.main_screen.focus_scrub_bar()


def run_replay(
    file: Path,
    *,
    speed: float = 1.0,
    browser_size: tuple[int, int] | None = None,
    terminal_state: SavedTerminal | None = None,
) -> int:
    """Show a recorded session until the user quits; return the exit status. Raises UsageError if it
    is not a recording."""
    recording = load(file)

    async def make() -> Engine:
        return recording

    catalog.set_language(catalog.resolve_language(read_early_config().language))
    app = ReplayApp(make)
    app.speed = speed
    return drive(app, browser_size=browser_size, terminal_state=terminal_state)
