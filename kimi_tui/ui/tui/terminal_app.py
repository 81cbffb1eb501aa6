"""An app with manners towards the terminal it is in: its signs, its clipboard, and how it ends by a fault."""

import logging
import os
from collections.abc import Sequence

from textual.app import App
from textual.filter import LineFilter

from kimi_tui import paths
from kimi_tui.ui.tui import colourless, terminal
from kimi_tui.ui.tui.ascii import sign_filters
from kimi_tui.ui.tui.language import _
from kimi_tui.ui.tui.manners import Manners

_log = logging.getLogger(__name__)


class TerminalApp(App[int]):
    """`attention` calls a person who looks elsewhere."""

    def __init__(self, manners: Manners) -> None:
        self.manners = manners
        self._filters_of_manners = sign_filters(manners)
        self._colourless = colourless.Colourless()
        super().__init__()
        self.no_color = colourless.asked_for(os.environ)
        if self.no_color:
            self.stylesheet.add_source(colourless.LOOKS)
        if manners.still:
            self.animation_level = "none"
        self.attention = terminal.Caller(self.write_out, lambda: self.app_focus)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own make greys of colours where there are to be none."""
        colours = (self._colourless,) if self.no_color else super().get_line_filters()
        return [*colours, *self._filters_of_manners]

    def write_out(self, sequence: str) -> None:
        """A control sequence for the terminal, past the screen."""
        if self._driver is not None and not self.is_headless:
            self._driver.write(sequence)

    def copy_to_clipboard(self, text: str) -> None:
        """To the terminal's clipboard, and to that of what stands before it."""
        from kimi_tui.ui.tui import clipboard

        text = text.encode("utf-8", "replace").decode()
        super().copy_to_clipboard(text)
        if not self.is_headless and not self.is_web:
            self.write_out(clipboard.for_screen(text))
            clipboard.give_aside(text)

    def _fatal_error(self) -> None:
        """A fault of ours that nothing caught: the log has all of it, the terminal one line and no traceback."""
        from rich.text import Text

        error = self._exception
        _log.critical("the screen ended by a fault of its own", exc_info=error)
        if self.is_headless:
            super()._fatal_error()
            return
        what = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        logs = paths.home() / "logs"
        self._exit_renderables.append(
            Text(_("kimi-tui ended by a fault of its own ({what}); {logs} has more", what=what, logs=logs))
        )
        self._close_messages_no_wait()
