"""The sign before the message; it spins while the model works."""

from textual.timer import Timer
from textual.widgets import Static

from kimi_tui.ui.tui.accessibility import display_options_of
from kimi_tui.ui.tui.text.styled_line import SPINNER_FRAMES

_FRAME_S = 0.25


class PromptMark(Static):
    """The mark before the composer's text.

    `›`, or `$` before a shell command. With reduced motion it does not spin.
    """

    DEFAULT_CSS = """
    PromptMark { width: 2; height: 1; color: $primary; text-style: bold; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("›", id=id, markup=False)
        self._sign = self._shown = "›"
        self._frame = 0
        self._timer: Timer | None = None

    def show_sign(self, *, shell: bool) -> None:
        self._sign = "$" if shell else "›"
        self._draw()

    def set_spinning(self, *, working: bool) -> None:
        """Start or stop the spinner; does nothing once the widget is removed."""
        if not self.is_attached:
            return
        if not working and self._timer is not None:
            self._timer.stop()
            self._timer = None
        elif working and self._timer is None and not display_options_of(self).reduced_motion:
            self._timer = self.set_interval(_FRAME_S, self.next_frame)
        self._draw()

    @property
    def is_spinning(self) -> bool:
        return self._timer is not None

    def next_frame(self) -> None:
        self._frame += 1
        self._draw()

    def _draw(self) -> None:
        spins = self.is_spinning and self._sign == "›"
        shown = SPINNER_FRAMES[self._frame % len(SPINNER_FRAMES)] if spins else self._sign
        if shown != self._shown:
            self._shown = shown
            self.set_class(spins, "-spinning")
            self.update(shown, layout=False)
