"""Whose the terminal is just now: ours, or that of whoever has sent us to the background."""

import os


def owns_terminal(terminal: int) -> bool:
    """Whether we may write to it and set it."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:  # it controls nobody, or is gone, and then it is nobody's else
        return True


def has_job_control_shell() -> bool:
    """Whether somebody who knows of jobs has started us, and can go on with us once we are stopped.

    Where nobody is (a window opened for the program alone), a stopped program would stay so for good.
    """
    group, session = os.getpgrp(), os.getsid(0)
    pid = os.getppid()
    while pid > 1:
        try:
            if os.getsid(pid) != session:
                return False
            if os.getpgid(pid) != group:
                return True
            pid = _parent_of(pid)
        except OSError:
            return False
    return False


def _parent_of(pid: int) -> int:
    """Raises OSError where that cannot be known."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:  # noqa: PTH123 - pathlib is not loaded yet
        return int(stat.read().rpartition(")")[2].split()[1])
