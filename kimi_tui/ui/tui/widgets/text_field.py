"""A text field of one line."""

from textual.strip import Strip
from textual.widgets import Input

from kimi_tui.ui.tui.text.control_free_strip import control_free


class TextField(Input):
    """Textual's Input, for any text: control characters of the value never reach the terminal."""

    def render_line(self, y: int) -> Strip:
        return control_free(super().render_line(y))  # defence: controls-in-a-text-field
