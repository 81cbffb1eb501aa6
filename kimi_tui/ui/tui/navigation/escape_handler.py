"""Esc and Ctrl+C handling: close the innermost element; a second press escalates."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from kimi_tui.ui.tui.i18n.catalog import _

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app_protocols import EscapeHost

_DOUBLE_PRESS_S = 1.5


class EscapeHandler:
    """Handles Esc and Ctrl+C.

    `monotonic` is a monotonic clock.
    """

    def __init__(self, host: "EscapeHost", *, monotonic: Callable[[], float]) -> None:
        self._host, self._monotonic = host, monotonic
        self._quit_pressed_at = self._escape_pressed_at = float("-inf")

    def escape(self) -> None:
        """Close the innermost element: a dialog, a search, a zoom that hides the conversation, the turn, a zoom.

        If nothing is left to close, a double press opens the rewind screen.
        """
        host, main_screen = self._host, self._host.main_screen
        if main_screen.close_innermost() or host.interrupt():
            return
        if main_screen.zoomed is not None:
            main_screen.zoom(None)
        elif (
            main_screen.is_composer_focused_and_empty and self._monotonic() - self._escape_pressed_at < _DOUBLE_PRESS_S
        ):
            self._escape_pressed_at = float("-inf")
            host.action_open_screen("rewind")
        else:
            self._escape_pressed_at = self._monotonic()
            main_screen.end_search()

    def copy_clear_or_quit(self) -> None:
        """Copy the selection; else clear the composer; else quit on a second press."""
        host = self._host
        if host.on_main_screen and (selected := host.main_screen.selected_text):
            host.copy(selected)
        elif host.on_main_screen and host.main_screen.composer.clear():
            self._quit_pressed_at = float("-inf")
        elif self._monotonic() - self._quit_pressed_at < _DOUBLE_PRESS_S:
            host.action_leave()
        else:
            self._quit_pressed_at = self._monotonic()
            host.show_toast(_("press Ctrl+C again to quit"))
