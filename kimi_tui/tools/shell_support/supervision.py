"""Starts programs under `supervisor.py`, and finds processes that escape it.

If SIGKILL ends the supervisor, its processes survive. All descendants of the program have a mark in their environment,
which identifies them.
"""

import contextlib
import os
import signal
import time
from collections.abc import Mapping, Sequence
from secrets import token_hex

from kimi_tui.tools.shell_support.program_files import PYTHON, program_file

GRACE = 1.0
"""Seconds between SIGTERM and SIGKILL."""

_FOLDER = str(program_file("supervisor.py").parent)
_START = f"import sys; sys.path.append({_FOLDER!r}); import supervisor; supervisor.main()"
"""Loads the compiled module; a program named by its file is compiled at each start."""
_VARIABLE = "KIMI_TUI_STARTED"
_STRAYS_FOR = 2.0


def supervisor_argv(command: Sequence[str], *, status: int, control: int) -> list[str]:
    """Return the command line that runs `command` under a supervisor, which inherits the descriptors `status` and
    `control`.
    """
    return [PYTHON, "-I", "-S", "-c", _START, str(GRACE), str(status), str(control), *command]


def marked(env: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Return the environment with a new mark, in addition to the marks of outer kimi-tui processes, and the mark."""
    mark = token_hex(16)
    return {**env, _VARIABLE: f"{env.get(_VARIABLE, '')} {mark}".strip()}, mark


def kill_escaped_processes(mark: str) -> None:
    """Kill every process that has the mark in its environment, also new children. Does nothing without /proc.

    A process within exec shows no environment for a moment: a second scan must find nothing, too.
    """
    until, none_found = time.monotonic() + _STRAYS_FOR, 0
    while none_found < 2 and time.monotonic() < until:
        found = _with_mark(mark.encode())
        none_found = 0 if found else none_found + 1
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def _with_mark(mark: bytes) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):  # noqa: PTH208 - hundreds of entries, of which a number is all we need
            if name.isdigit() and int(name) != os.getpid():
                with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as environ:  # noqa: PTH123
                    if mark in environ.read():
                        found.append(int(name))
    return found
