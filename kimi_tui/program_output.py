"""Runs a program for its output, bounded in size and time."""

import errno
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path


class OutputTooLargeError(OSError):
    """The program writes more than the size limit."""


def program_output(
    command: Sequence[str], *, most: int, seconds: float, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> bytes:
    """Return what the program writes to stdout. It gets no input, and it and what it started end after `seconds`.

    Raises OSError if it cannot be started, OutputTooLargeError above `most` bytes, `subprocess.TimeoutExpired`, and
    `subprocess.CalledProcessError` for another status than 0.
    """
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=cwd,
        env=env,
        start_new_session=True,  # one group to end
    ) as process:
        timer = threading.Timer(seconds, _end, (process,))
        timer.daemon = True
        timer.start()
        try:
            assert process.stdout is not None
            output = process.stdout.read(most + 1)
            if len(output) <= most:
                process.wait()
        finally:
            in_time = timer.is_alive()
            timer.cancel()
            if process.returncode is None:
                _end(process)
    if len(output) > most:  # defence: bounded-program-output
        raise OutputTooLargeError(errno.EFBIG, os.strerror(errno.EFBIG), command[0])
    if not in_time:
        raise subprocess.TimeoutExpired(command, seconds)
    if (status := process.wait()) != 0:
        raise subprocess.CalledProcessError(status, command)
    return output


def _end(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
