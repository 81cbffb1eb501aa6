"""The network of a session's sandboxed commands: a loopback device of their own, and a port that leads to our proxy."""

import asyncio
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
    """The namespaces of the network exist as long as this object. `listener` listens inside."""

    user: int
    network: int
    listener: socket.socket

    @property
    def join_argv(self) -> tuple[str, ...]:
        """Return the arguments that make the following command join the network."""
        ours = f"/proc/{os.getpid()}/fd"
        return (PYTHON, "-I", "-S", str(_PROGRAM), "join", f"{ours}/{self.user}", f"{ours}/{self.network}")


async def make_session_network() -> SessionNetwork | None:
    """Return a new network; None where namespaces cannot be made."""
    return await asyncio.to_thread(_make) if sys.platform == "linux" else None


def _make() -> SessionNetwork | None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with ours, theirs:
        try:
            ours.settimeout(_SECONDS)
            ended = subprocess.run(
                [PYTHON, "-I", "-S", str(_PROGRAM), "make", str(theirs.fileno())],
                env=DEFAULT_ENV.build(),
                check=False,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                timeout=_SECONDS,
            )
            if ended.returncode != 0:
                return None
            _, descriptors, _, _ = socket.recv_fds(ours, 16, 3)
        except (OSError, subprocess.SubprocessError):
            return None
    if len(descriptors) != 3:
        for descriptor in descriptors:
            os.close(descriptor)
        return None
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    user, network, listening = descriptors
    made = SessionNetwork(user, network, socket.socket(fileno=listening))
    weakref.finalize(made, _close, user, network)
    return made


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
