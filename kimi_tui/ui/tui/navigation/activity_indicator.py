"""Busy indicators: elapsed-time ticker and terminal progress mark."""

from typing import TYPE_CHECKING

from textual.timer import Timer

from kimi_tui.ui.tui.terminal.escape_sequences import Progress, TaskbarProgress

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app_protocols import ActivityHost


class ActivityIndicator:
    """The busy indicators of one app."""

    def __init__(self, host: "ActivityHost") -> None:
        self._host = host
        self._mark = TaskbarProgress(host.write_to_terminal)
        self._ticker: Timer | None = None

    def update(self) -> None:
        """Update the indicators; call it whenever the busy state may have changed."""
        host = self._host
        self._mark.show(self._progress())
        if not host.panes_mounted:
            return
        ticks = host.presenter.needs_ticks
        if ticks and self._ticker is None and not host.display_options.plain:
            self._ticker = host.set_interval(1.0, host.presenter.tick)
        elif not ticks and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def clear(self) -> None:
        """Remove the terminal's progress mark."""
        self._mark.show("none")

    def _progress(self) -> Progress:
        host = self._host
        if host.has_terminal_focus or not host.panes_mounted:
            return "none"
        if host.main_screen.current_dialog is not None:
            return "waiting"
        return "working" if host.presenter.state.turn.running else "none"
