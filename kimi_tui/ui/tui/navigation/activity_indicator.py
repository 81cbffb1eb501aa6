"""Busy indicators: elapsed-time ticker and terminal progress mark."""

from typing import TYPE_CHECKING

from textual.timer import Timer

from kimi_tui.ui.tui.terminal.escape_sequences import Progress, TaskbarProgress

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app import KimiTui


class ActivityIndicator:
    """The busy indicators of one app."""

    def __init__(self, app: "KimiTui") -> None:
        self._app = app
        self._mark = TaskbarProgress(app.write_to_terminal)
        self._ticker: Timer | None = None

    def update(self) -> None:
        """Update the indicators; call it whenever the busy state may have changed."""
        app = self._app
        self._mark.show(self._progress())
        if not app.panes_mounted:
            return
        ticks = app.presenter.needs_ticks
        if ticks and self._ticker is None and not app.display_options.plain:
            self._ticker = app.set_interval(1.0, app.presenter.tick)
        elif not ticks and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def clear(self) -> None:
        """Remove the terminal's progress mark."""
        self._mark.show("none")

    def _progress(self) -> Progress:
        app, main_screen = self._app, self._app.main_screen
        if app.app_focus or not app.panes_mounted:
            return "none"
        if (
            main_screen.approval_dialog.is_open
            or main_screen.question_dialog.is_open
            or main_screen.branch_dialog.is_open
        ):
            return "waiting"
        return "working" if app.presenter.state.turn.running else "none"
