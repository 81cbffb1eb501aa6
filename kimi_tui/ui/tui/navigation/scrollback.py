"""Prints the conversation into the terminal's scrollback, for the terminal's own search, selection and scroll bar.

The app is suspended until Enter is pressed; the printed text stays above the prompt after exit.
"""

import sys
from typing import TYPE_CHECKING, TextIO

from textual.app import SuspendNotSupported

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.navigation.external_editor import can_suspend

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app_protocols import TerminalHost


def show_in_scrollback(host: "TerminalHost") -> None:
    """Print the conversation and wait for Enter; notify the user if that is not possible."""
    if not can_suspend(host):
        host.show_toast(_("wait for the turn to end before printing the conversation"))
        return
    try:
        with host.suspend():
            _write(host, sys.__stdout__)
            _wait(sys.__stdin__)
    except SuspendNotSupported:
        host.show_toast(_("this terminal cannot show scrollback"), severity="warning")
    host.refresh()


def _write(host: "TerminalHost", out: TextIO | None) -> None:
    if out is None:
        return
    for line in host.main_screen.transcript.ansi_lines():
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
