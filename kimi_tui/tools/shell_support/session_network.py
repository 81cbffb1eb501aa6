"""The network of a session's sandboxed commands: a loopback device of their own, and a port that leads to our proxy."""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import weakref
from dataclasses import dataclass

from kimi_tui.tools.shell_support.child_env import DEFAULT_ENV
from kimi_tui.tools.shell_support.program_files import PYTHON, program_file

_PROGRAM = program_file("netns.py")
_SECONDS = 5.0


@dataclass(slots=True, weakref_slot=True)
class SessionNetwork:
    """A process keeps the namespaces as long as this object exists. `listener` listens inside."""

    holder: int
    listener: socket.socket

    @property
    def join_argv(self) -> tuple[str, ...]:
        """Return the arguments that make the following command join the network."""
        spaces = f"/proc/{self.holder}/ns"  # defence: namespaces-of-a-process-that-can-be-read
        return (PYTHON, "-I", "-S", str(_PROGRAM), "join", f"{spaces}/user", f"{spaces}/net")


async def make_session_network() -> SessionNetwork | None:
    """Return a new network; None where namespaces cannot be made."""
    return await asyncio.to_thread(_make) if sys.platform == "linux" else None


def _make() -> SessionNetwork | None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with theirs:
        try:
            holder = subprocess.Popen(
                [PYTHON, "-I", "-S", str(_PROGRAM), "make", str(theirs.fileno())],
                cwd="/",
                env=DEFAULT_ENV.build(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except OSError:
            ours.close()
            return None
    descriptors: list[int] = []
    with contextlib.suppress(OSError):
        ours.settimeout(_SECONDS)
        _, descriptors, _, _ = socket.recv_fds(ours, 16, 1)
    if len(descriptors) != 1:
        _end(ours, holder)
        return None
    os.set_inheritable(descriptors[0], False)
    made = SessionNetwork(holder.pid, socket.socket(fileno=descriptors[0]))
    weakref.finalize(made, _end, ours, holder)
    return made


def _end(ours: socket.socket, holder: subprocess.Popen[bytes]) -> None:
    """End the process that keeps the namespaces; it ends by itself when `ours` is closed."""
    ours.close()
    try:
        holder.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        holder.kill()
        holder.wait()
