"""Places where the process can be made to die, so that tests of what survives a kill -9 are exact.

`KIMI_TUI_CRASH_AT=journal.after_append` kills at the first pass of that place, `journal.after_append:3` at the third.
"""

import os
import signal

_passes: dict[str, int] = {}


def crash_point(name: str) -> None:
    """Die here, as from kill -9, if the environment says so; else nothing."""
    wanted = os.environ.get("KIMI_TUI_CRASH_AT")
    if not wanted:
        return
    place, _, count = wanted.partition(":")
    if place != name:
        return
    _passes[name] = _passes.get(name, 0) + 1
    if _passes[name] >= (int(count) if count.isdigit() else 1):
        os.kill(os.getpid(), signal.SIGKILL)
