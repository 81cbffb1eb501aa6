"""Failpoints: tests kill the process at exact places, to check recovery from kill -9.

`KIMI_TUI_CRASH_AT=journal.after_append` kills at the first pass of that place, `journal.after_append:3` at the third.
"""

import os
import signal

_passes: dict[str, int] = {}


def crash_point(name: str) -> None:
    """Kill the process, like kill -9, if the environment names this failpoint; otherwise do nothing."""
    wanted = os.environ.get("KIMI_TUI_CRASH_AT")
    if not wanted:
        return
    place, _, count = wanted.partition(":")
    if place != name:
        return
    _passes[name] = _passes.get(name, 0) + 1
    if _passes[name] >= (int(count) if count.isdigit() else 1):
        os.kill(os.getpid(), signal.SIGKILL)
