"""Paints a first frame before the slow import of Textual.

The terminal buffers keys typed meanwhile, without echo; Textual reads them after its start.
"""

import os
import sys
import termios
import unicodedata
from typing import IO

from kimi_tui.cli.terminal_restore import TerminalState
from kimi_tui.ui.tui.i18n.catalog import _

_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H", "\x1b[?25h\x1b[?1049l"


def first_paint(stream: IO[str], work_dir_label: str, terminal_state: TerminalState) -> None:
    """Enter the alternate screen, and show the work dir and that the program is starting.

    Textual's first frame replaces it; until then `terminal_state` can remove it.
    """

    def paint() -> None:
        attributes = termios.tcgetattr(sys.stdin.fileno())
        attributes[0] &= ~termios.IXON  # Ctrl+Q and Ctrl+S are key bindings
        attributes[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, attributes)
        columns, rows = _size(stream)
        title, starting = " kimi-tui", _("starting")
        where = _printable(work_dir_label)[: max(0, columns - len(title) - 4)]
        stream.write(f"{_ENTER}\x1b[1m{title}\x1b[0m  \x1b[2m{where}\x1b[0m\x1b[{rows};1H\x1b[2m {starting}\x1b[0m")
        stream.flush()

    terminal_state.painted(paint, _LEAVE)
    paint()


def _size(stream: IO[str]) -> tuple[int, int]:
    try:
        columns, rows = os.get_terminal_size(stream.fileno())
    except OSError:
        columns = rows = 0
    return columns or 80, rows or 24


def _printable(text: str) -> str:
    return "".join(char for char in text if char.isprintable() and unicodedata.east_asian_width(char) not in "WF")
