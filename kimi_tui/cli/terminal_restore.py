"""Saves the terminal state, and restores it.

It handles signals until the TUI is up: Python would leave the first paint on the screen, and echo off.
"""

import os
import signal
import sys
import termios
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType

from kimi_tui.ui.tui.terminal.job_control import owns_terminal

_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)


class TerminalState:
    """The terminal's state; `before` has the original settings from `termios`."""

    def __init__(self) -> None:
        self._fd, self._out = sys.stdin.fileno(), sys.stdout.fileno()
        self.attributes = termios.tcgetattr(self._fd)
        self._paint: Callable[[], None] | None = None
        self._unpaint = b""

    def painted(self, paint: Callable[[], None], unpaint: str) -> None:
        """Record that the first frame is on the screen; `unpaint` removes it and `paint` draws it again."""
        self._paint, self._unpaint = paint, unpaint.encode()

    def on_handover(self) -> None:
        """Hand over to the TUI, which now handles the screen."""
        self._paint, self._unpaint = None, b""

    def restore(self) -> None:
        """Restore the original state, if the terminal still exists and belongs to this process."""
        unpaint, self._unpaint = self._unpaint, b""
        with suppress(OSError, termios.error):
            if owns_terminal(self._fd):
                os.write(self._out, unpaint)
                termios.tcsetattr(self._fd, termios.TCSANOW, self.attributes)

    def end(self, number: int, _frame: FrameType | None) -> None:
        self.restore()
        os._exit(128 + number)

    def stop(self, _number: int, _frame: FrameType | None) -> None:
        """Suspend the process; repaint on resume."""
        paint, unpaint = self._paint, self._unpaint
        self.restore()
        os.kill(os.getpid(), signal.SIGSTOP)
        if paint is not None:
            self._unpaint = unpaint
            paint()


@contextmanager
def preserve_terminal() -> Generator[TerminalState]:
    """Restore the terminal on exit, in every case."""
    kept = TerminalState()
    handlers = {number: signal.signal(number, kept.end) for number in _ENDING}
    handlers[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, kept.stop)
    try:
        yield kept
    finally:
        kept.restore()
        for number, handler in handlers.items():
            signal.signal(number, handler)
