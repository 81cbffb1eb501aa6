"""A text field of one line."""

from textual import events
from textual.strip import Strip
from textual.widgets import Input

from kimi_tui.ui.tui.text.control_free_strip import control_free
from kimi_tui.ui.tui.widgets.one_shot_screen import OneShotModal


class TextField(Input):
    """Textual's Input, for any text: control characters of the value never reach the terminal, and a paste is taken
    with all its lines, as one line."""

    async def _on_key(self, event: events.Key) -> None:
        screen = self.screen
        if self._is_gone:
            event.prevent_default()
        elif not (event.key == "escape" and isinstance(screen, OneShotModal) and await screen.run_escape(event)):
            await super()._on_key(event)

    @property
    def _is_gone(self) -> bool:
        """Whether an earlier key closed the screen, which then knows where a letter goes."""
        return isinstance(self.screen, OneShotModal) and self.screen.is_dismissed

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        if self._is_gone:
            return
        event.stop()
        super()._on_paste(events.Paste(" ".join(event.text.splitlines())))  # defence: all-lines-of-a-paste

    def render_line(self, y: int) -> Strip:
        return control_free(super().render_line(y))  # defence: controls-in-a-text-field
