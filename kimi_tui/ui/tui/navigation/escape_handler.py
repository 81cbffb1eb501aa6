"""Esc and Ctrl+C handling: close the innermost element; a second press escalates."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.main_screen.screen import MainScreen

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app import KimiTui

_TWICE_S = 1.5


class EscapeHandler:
    """`steady` is a monotonic clock."""

    def __init__(self, app: "KimiTui", *, steady: Callable[[], float]) -> None:
        self._app, self._steady = app, steady
        self._quit_asked = self._escaped = float("-inf")

    def escape(self) -> None:
        """Close the innermost element: a dialog, a search, a zoom that hides the conversation, the turn, a zoom.

        With nothing left to close, a double press opens the rewind screen.
        """
        app, home = self._app, self._app.home
        if home.approval.leave_why() or home.question.leave():
            return
        if home.finder.is_open:
            home.finder.close()
            home.transcript.focus()
        elif home.branch.is_open and home.branch.has_focus_within:
            home.branch.close()
            home.restore_focus()
        elif home.zoomed not in (None, "talk"):
            home.zoom(None)
        elif app.stage.state.turn.running and app.engine is not None:
            app.prompts.interrupt()
        elif home.zoomed is not None:
            home.zoom(None)
        elif home.composer.prompt.has_focus and self._steady() - self._escaped < _TWICE_S and not home.composer.text:
            self._escaped = float("-inf")
            app.doors.open("rewind")
        else:
            self._escaped = self._steady()
            home.transcript.find("")
            home.composer.prompt.focus()

    def copy_clear_or_quit(self) -> None:
        """Copy the selection; else clear the composer; else quit on a second press."""
        app, composer = self._app, self._app.home.composer
        here = isinstance(app.screen, MainScreen)
        selected = here and (app.home.transcript.selected_text() or composer.prompt.selected_text)
        if selected:
            app.copy(selected)
        elif here and composer.clear():
            self._quit_asked = float("-inf")
        elif self._steady() - self._quit_asked < _TWICE_S:
            app.action_leave()
        else:
            self._quit_asked = self._steady()
            app.tell(_("press Ctrl+C once more to quit"))
