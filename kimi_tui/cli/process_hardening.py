"""Protects the keys in this process's environment and memory from the commands it starts."""

import contextlib
import sys

_PR_SET_DUMPABLE = 4


def forbid_dumps() -> None:
    """Deny other processes of this user access to `/proc/PID/environ`, `mem` and the like; no core dumps, no debugger.

    Linux only. Child processes become dumpable again by their own `exec`.
    """
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
