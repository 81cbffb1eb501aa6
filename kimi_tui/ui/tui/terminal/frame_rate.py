"""Frame rate while output streams."""

import os
from collections.abc import Mapping

FRAME = 1 / 30
SLOW_FRAME = 1 / 15


def frame_time(environ: Mapping[str, str] | None = None) -> float:
    """Return the seconds between frames: fewer frames where each is expensive (a multiplexer, a remote shell)."""
    env = os.environ if environ is None else environ
    slow = any(env.get(name) for name in ("TMUX", "STY", "SSH_CONNECTION", "SSH_TTY"))
    return SLOW_FRAME if slow else FRAME
