"""Job control: whether this process owns the terminal."""

import os


def owns_terminal(terminal: int) -> bool:
    """Whether this process may write to the terminal and set its modes."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:  # no controlling terminal, or it is gone: no other process owns it
        return True


def has_job_control_shell() -> bool:
    """Whether the parent is a shell with job control, which can resume this process after a stop.

    Without one (a window opened for the program alone), a stopped program would never continue.
    """
    group, session = os.getpgrp(), os.getsid(0)
    pid = os.getppid()
    while pid > 1:
        try:
            if os.getsid(pid) != session:
                return False
            if os.getpgid(pid) != group:
                return True
            pid = _parent_pid(pid)
        except OSError:
            return False
    return False


def _parent_pid(pid: int) -> int:
    """The parent's process id. Raises OSError if it cannot be read."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:  # noqa: PTH123 - pathlib is not loaded yet
        return int(stat.read().rpartition(")")[2].split()[1])
