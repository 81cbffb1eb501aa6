"""The terminal as it was before the program, and how it gets there again.

Until the screen is up, this sees to signals too: Python would leave the first paint on the screen, and echo off.
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
    """`before` are the settings of before, as `termios` has them."""

    def __init__(self) -> None:
        self._fd, self._out = sys.stdin.fileno(), sys.stdout.fileno()
        self.attributes = termios.tcgetattr(self._fd)
        self._paint: Callable[[], None] | None = None
        self._unpaint = b""

    def painted(self, paint: Callable[[], None], unpaint: str) -> None:
        """Something is on the screen by now, that `unpaint` takes away and `paint` puts there again."""
        self._paint, self._unpaint = paint, unpaint.encode()

    def on_handover(self) -> None:
        """The screen is up, and sees to what is on it."""
        self._paint, self._unpaint = None, b""

    def restore(self) -> None:
        """As it was before, where there is still a terminal and it is ours."""
        unpaint, self._unpaint = self._unpaint, b""
        with suppress(OSError, termios.error):
            if owns_terminal(self._fd):
                os.write(self._out, unpaint)
                termios.tcsetattr(self._fd, termios.TCSANOW, self.attributes)

    def end(self, number: int, _frame: FrameType | None) -> None:
        self.restore()
        os._exit(128 + number)

    def stop(self, _number: int, _frame: FrameType | None) -> None:
        """Be suspended; whoever goes on paints what was painted."""
        paint, unpaint = self._paint, self._unpaint
        self.restore()
        os.kill(os.getpid(), signal.SIGSTOP)
        if paint is not None:
            self._unpaint = unpaint
            paint()


@contextmanager
def preserve_terminal() -> Generator[TerminalState]:
    """Whatever happens, the terminal is as before when this ends."""
    kept = TerminalState()
    handlers = {number: signal.signal(number, kept.end) for number in _ENDING}
    handlers[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, kept.stop)
    try:
        yield kept
    finally:
        kept.restore()
        for number, handler in handlers.items():
            signal.signal(number, handler)


def drain_input() -> None:
    """Write what is left to write; where nobody reads it any more, the interpreter shall not complain at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
