"""The keys in this process's environment and memory are not for the commands that it starts."""

import contextlib
import sys

_PR_SET_DUMPABLE = 4


def forbid_dumps() -> None:
    """Close `/proc/PID/environ`, `mem` and the like to other processes of this user; no core dumps, no debugger.

    On Linux only. What is started from here is dumpable again by its own `exec`.
    """
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
