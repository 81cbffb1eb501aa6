"""Prints the conversation into the terminal's scrollback, for the terminal's own search, selection and scroll bar.

The app is suspended until Enter is pressed; the printed text stays above the prompt after exit.
"""

import sys
from typing import TYPE_CHECKING, TextIO

from textual.app import SuspendNotSupported

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.navigation.external_editor import can_suspend

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app import KimiTui


def show_in_scrollback(app: "KimiTui") -> None:
    """Print the conversation and wait for Enter; report what prevents it."""
    if not can_suspend(app):
        app.show_toast(_("the conversation can be printed after the turn has ended"))
        return
    try:
        with app.suspend():
            _write(app, sys.__stdout__)
            _wait(sys.__stdin__)
    except SuspendNotSupported:
        app.show_toast(_("this terminal cannot show scrollback"), severity="warning")
    app.refresh()


def _write(app: "KimiTui", out: TextIO | None) -> None:
    if out is None:
        return
    for line in app.main_screen.transcript.ansi_lines():
        out.write(line + "\n")
    out.write("\n" + _("Press Enter to return to kimi-tui") + " ")
    out.flush()


def _wait(keys: TextIO | None) -> None:
    """Wait for Enter or Ctrl+C."""
    try:
        if keys is not None:
            keys.readline()
    except KeyboardInterrupt:
        pass
