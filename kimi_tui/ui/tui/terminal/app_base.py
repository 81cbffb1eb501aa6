"""Base app with terminal integration: glyphs, clipboard, and crash handling."""

import asyncio
import logging
import os
import signal
import time
from collections.abc import Callable, Sequence

from rich.console import RenderableType
from textual import events, on
from textual.app import App, ScreenError
from textual.css.query import NoMatches
from textual.dom import NoScreen
from textual.filter import LineFilter
from textual.message_pump import CallbackError
from textual.widget import MountError, Widget
from textual.widgets import TextArea
from textual.worker import WorkerFailed

from kimi_tui.errors import FaultError
from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.accessibility import DisplayOptions
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.translate import translate_lines
from kimi_tui.ui.tui.terminal import escape_sequences, key_sequences, no_color
from kimi_tui.ui.tui.terminal.ascii_filter import ascii_filters
from kimi_tui.ui.tui.terminal.drawn_reports import DrawnReports, use_reports
from kimi_tui.ui.tui.terminal.job_control import has_job_control_shell

_log = logging.getLogger(__name__)
_LEFT = 1
_HOPS = 4  # event loop iterations that a key needs from the app to the widget


class TerminalApp(App[int]):
    """The base of the TUI's apps.

    `attention` alerts the user while the terminal is not focused; `fault` is the crash that ended the app, if any.
    """

    answer_hold_s = 0.3
    """Seconds to hold back an answer key: a letter that follows within this time makes it the start of a text."""

    def __init__(self, display_options: DisplayOptions) -> None:
        key_sequences.register_alt_enter()
        key_sequences.register_drawn_report()
        self.display_options = display_options
        self._ascii_filters = ascii_filters(display_options)
        self._colourless = no_color.NoColorFilter()
        for name in ("COLUMNS", "LINES"):  # they are correct only until the first resize
            os.environ.pop(name, None)  # defence: size-of-the-terminal
        super().__init__()
        self.no_color = no_color.is_requested(os.environ)
        if self.no_color:
            self.stylesheet.add_source(no_color.SHOWN_ATTRIBUTES)
        if display_options.reduced_motion:
            self.animation_level = "none"
        self.fault: FaultError | None = None
        self._is_leaving = False
        self._last_toast = ("", 0.0)
        self._drawn_reports = DrawnReports(self.write_to_terminal, self._after_drawing)
        self.attention = escape_sequences.TerminalNotifier(self.write_to_terminal, lambda: self.app_focus)

    @on(events.Ready)
    def _start_drawn_reports(self) -> None:
        if not self.is_headless:
            use_reports(self._drawn_reports)
            self._drawn_reports.start()

    @on(events.Unmount)
    def _stop_drawn_reports(self) -> None:
        use_reports(None)

    def _after_drawing(self, callback: Callable[[], None]) -> None:
        """Call back after the next frame. Changes of this moment come to the screen behind a first call."""
        self.call_after_refresh(self.call_after_refresh, callback)

    def on_screen_drawn(self, event: key_sequences.ScreenDrawn) -> None:
        event.stop()
        self._drawn_reports.take()

    def show_toast(self, text: UserText, *, severity: str = "information") -> None:
        """Show a short notification to the user; the same text is not shown twice at a time."""
        is_warning = severity == "warning"
        message = f"! {translate_lines(text)}" if is_warning else translate_lines(text)
        timeout = 8 if is_warning else 4
        now, (last, until) = time.monotonic(), self._last_toast
        if message == last and now < until:
            return
        self._last_toast = (message, now + timeout)
        self.notify(message, severity="warning" if is_warning else "information", timeout=timeout, markup=False)

    async def on_event(self, event: events.Event) -> None:
        await super().on_event(event)
        takes_all = getattr(self._mouse_down_widget, "takes_right_click", False)
        if isinstance(event, events.MouseDown) and event.button != _LEFT and not takes_all:  # defence: left-clicks
            self._mouse_down_widget = None  # no click follows
        if isinstance(event, events.Key):
            # Let the key reach its widget: the next one may be the app's own and would overtake it.
            for _turn in range(_HOPS):
                await asyncio.sleep(0)

    def write_message(self, text: str, *, take_focus: bool = True, apart: bool = False) -> None:
        """Write typed text into the message. `take_focus`: also move the focus there; `apart`: as its own paragraph."""

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Replace Textual's colour filter by ours, if colours are off: Textual's turns colours into greys."""
        colours = (self._colourless,) if self.no_color else super().get_line_filters()
        return [*self._ascii_filters, *colours]  # a style without colours has lost what tells a scroll bar

    @on(events.DescendantFocus)
    def _follow_focus(self, event: events.DescendantFocus) -> None:
        """Stop an input's cursor blinking; in plain mode, move the cursor with the focus for screen readers."""
        if isinstance(event.widget, TextArea):  # a TextArea shows its own cursor
            return
        from textual.widgets import Input

        if isinstance(event.widget, Input):
            event.widget.cursor_blink = False
        elif self.display_options.plain:
            self.call_after_refresh(self._caret_to, event.widget)

    def _caret_to(self, widget: Widget) -> None:
        if widget.has_focus:
            self.cursor_position = widget.region.offset + widget.gutter.top_left
            widget.refresh()

    def write_to_terminal(self, sequence: str) -> None:
        """Write a control sequence to the terminal, bypassing the screen."""
        if self._driver is not None and not self.is_headless:
            self._driver.write(sequence)

    def write_last_row(self, text: UserText) -> None:
        """Show a line when widgets are not drawn any more."""
        self.write_to_terminal(f"\x1b[{self.size.height};1H\x1b[2K{text}")
        if self._driver is not None:
            self._driver.flush()

    def copy_to_clipboard(self, text: str) -> None:
        """Copy to the terminal's clipboard, and to that of tmux or the desktop."""
        from kimi_tui.ui.tui.terminal import clipboard

        text = text.encode("utf-8", "replace").decode()
        super().copy_to_clipboard(text)
        if not self.is_headless and not self.is_web:
            self.write_to_terminal(clipboard.osc52_sequence(text))
            clipboard.copy_in_background(text)

    def exit(self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        self._is_leaving = True
        super().exit(result, return_code, message)

    def _handle_exception(self, error: Exception) -> None:
        """An uncaught exception ends the app; it is reported after the terminal is restored."""
        if self._is_leaving and _is_of_a_closed_screen(error):  # defence: screen-of-an-app-that-leaves
            _log.info("a screen was not made or written to because the app is leaving", exc_info=error)
            return
        if self._driver is not None and self.is_headless:
            super()._handle_exception(error)
            return
        from kimi_tui.ui.tui.terminal.crash_report import report_crash

        self._return_code = 1
        if self.fault is None:
            self.fault = report_crash(error)
        self._close_messages_no_wait()

    def action_suspend(self) -> None:
        """Suspend to the shell with the whole job: the launcher waits for it to stop."""
        if self._driver is None or not self._driver.can_suspend or not has_job_control_shell():
            self.notify(_("cannot suspend: not started from a shell"), timeout=4, markup=False)
        else:
            os.kill(0, signal.SIGTSTP)

    def would_undo(self) -> bool:
        """Whether Ctrl+Z has an edit to undo in the focused text field."""
        return isinstance(self.focused, TextArea) and bool(self.focused.history.undo_stack)


def _is_of_a_closed_screen(error: BaseException | None) -> bool:
    """Whether a handler, a worker or a timer missed a widget or a screen."""
    match error:
        case WorkerFailed():
            return _is_of_a_closed_screen(error.error)  # defence: worker-of-an-app-that-leaves
        case CallbackError():
            return _is_of_a_closed_screen(error.__context__)  # defence: timer-of-an-app-that-leaves
        case _:
            return isinstance(error, NoMatches | MountError | NoScreen | ScreenError)
