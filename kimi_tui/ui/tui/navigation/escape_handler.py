"""Esc and Ctrl+C handling: close the innermost element; a second press escalates."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.main_screen.screen import MainScreen

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app import KimiTui

_DOUBLE_PRESS_S = 1.5


class EscapeHandler:
    """`monotonic` is a monotonic clock."""

    def __init__(self, app: "KimiTui", *, monotonic: Callable[[], float]) -> None:
        self._app, self._monotonic = app, monotonic
        self._quit_pressed_at = self._escape_pressed_at = float("-inf")

    def escape(self) -> None:
        """Close the innermost element: a dialog, a search, a zoom that hides the conversation, the turn, a zoom.

        With nothing left to close, a double press opens the rewind screen.
        """
        app, main_screen = self._app, self._app.main_screen
        if main_screen.approval_dialog.leave_why() or main_screen.question_dialog.leave():
            return
        if main_screen.find_bar.is_open:
            main_screen.find_bar.close()
            main_screen.transcript.focus()
        elif main_screen.branch_dialog.is_open and main_screen.branch_dialog.has_focus_within:
            main_screen.branch_dialog.close()
            main_screen.restore_focus()
        elif main_screen.zoomed not in (None, "talk"):
            main_screen.zoom(None)
        elif app.presenter.state.turn.running and app.engine is not None:
            app.prompts.interrupt()
        elif main_screen.zoomed is not None:
            main_screen.zoom(None)
        elif (
            main_screen.composer.prompt.has_focus
            and self._monotonic() - self._escape_pressed_at < _DOUBLE_PRESS_S
            and not main_screen.composer.text
        ):
            self._escape_pressed_at = float("-inf")
            app.screen_router.open("rewind")
        else:
            self._escape_pressed_at = self._monotonic()
            main_screen.transcript.find("")
            main_screen.composer.prompt.focus()

    def copy_clear_or_quit(self) -> None:
        """Copy the selection; else clear the composer; else quit on a second press."""
        app, composer = self._app, self._app.main_screen.composer
        on_main_screen = isinstance(app.screen, MainScreen)
        selected = on_main_screen and (app.main_screen.transcript.selected_text() or composer.prompt.selected_text)
        if selected:
            app.copy(selected)
        elif on_main_screen and composer.clear():
            self._quit_pressed_at = float("-inf")
        elif self._monotonic() - self._quit_pressed_at < _DOUBLE_PRESS_S:
            app.action_leave()
        else:
            self._quit_pressed_at = self._monotonic()
            app.show_toast(_("press Ctrl+C again to quit"))
