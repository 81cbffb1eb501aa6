"""Escape sequences for title, notifications and progress; detection of a lost terminal."""

import os
import sys
from collections.abc import Callable, Mapping
from typing import Literal

from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.terminal.job_control import has_job_control_shell, owns_terminal
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.sanitize import sanitize

_QUIET = frozenset({"", "dumb", "linux"})


def title_sequence(title: str) -> str:
    """Make the sequence that sets the window title."""
    safe = sanitize(one_line(title))[:100]
    return f"\x1b]2;{safe}\x07"


def notice_sequence(text: str) -> str:
    """Make the sequence that sends a desktop notification through the terminal (OSC 9)."""
    safe = sanitize(one_line(text)).replace(";", ",")[:200]
    return f"\x1b]9;{safe}\x07"


class TerminalNotifier:
    """Rings the bell and sends a notification while the terminal does not have the focus."""

    def __init__(self, write: Callable[[str], None], has_focus: Callable[[], bool]) -> None:
        self._write, self._has_focus = write, has_focus

    def call(self, why: UserText) -> None:
        if not self._has_focus() and os.environ.get("TERM", "") not in _QUIET:
            self._write("\a" + notice_sequence(f"kimi-tui: {why}"))


Progress = Literal["none", "working", "waiting"]
_PROGRESS: dict[Progress, str] = {"none": "0", "working": "3", "waiting": "4;100"}
_SHOWS_PROGRESS = frozenset({"ghostty", "WezTerm"})


class TaskbarProgress:
    """Shows progress or a pending request on the window or tab (OSC 9;4).

    Only for terminals known to support it: others would show it as a notification.
    """

    def __init__(self, write: Callable[[str], None], environ: Mapping[str, str] = os.environ) -> None:
        self._write = write
        self._shown: Progress = "none"
        known = environ.get("TERM_PROGRAM") in _SHOWS_PROGRESS or environ.get("WT_SESSION") or environ.get("ConEmuANSI")
        self._understood = bool(known) and not environ.get("TMUX") and not environ.get("STY")

    def show(self, progress: Progress) -> None:
        if self._understood and progress != self._shown:
            self._shown = progress
            self._write(f"\x1b]9;4;{_PROGRESS[progress]}\x07")


def terminal_is_gone() -> bool:
    """Whether the terminal that kimi-tui was started in is closed or lost for good: if the launching process was
    killed, no process can return the terminal.
    """
    if os.getppid() == 1 and not os.isatty(0):
        return True
    if not owns_terminal(0) and not has_job_control_shell():
        return True
    try:
        os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ is not None else 1)
    except (OSError, ValueError):
        return True
    return False
