"""Runs one command and cleans up after it; `supervisor.py` ends the processes.

Invariant: when `run` exits, in whatever way, the command's whole process tree has ended or is being ended, and all our
descriptors are closed.
"""

import asyncio
import codecs
import contextlib
import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kimi_tui.tools.shell_support.supervision import GRACE, kill_escaped_processes, marked, supervisor_argv

_PATIENCE = GRACE + 6.0
_DRAIN = 0.25
_CHUNK = 1 << 18
_REST = 2.0
"""Pause after each full chunk, as a multiple of its processing time, so that heavy output leaves time for the UI."""

_WAKING = 0.5
"""Seconds after which a stopped supervisor is resumed."""


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """The end of a command. `exit_code` is 128 + signal if it was killed, None if unknown.

    `left` is the number of leftover processes that were killed. `started`: whether the command itself ran, and not only
    what should have started it (a sandbox), whose exit code and output these are then.
    """

    exit_code: int | None
    timed_out: bool = False
    left: int = 0
    started: bool = True


async def run(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    on_text: Callable[[str], bool | None],
    seconds: float | None = None,
) -> ProcessResult:
    """Run to the end; `on_text` gets standard output and error as they arrive, never cut within a character. If it
    returns True, the command is ended.

    Standard input is empty. The command is ended after `seconds`. Raises OSError if it cannot start (its work dir is
    gone).
    """
    process = _Process(command, cwd=cwd, env=env, on_text=on_text)
    try:
        async with asyncio.timeout(seconds):
            await process.ended.wait()
        timed_out = False
    except TimeoutError:
        process.read_status()  # we may have been held up or stopped meanwhile, and the command was not
        timed_out = not process.ended.is_set()  # defence: ended-in-time
    finally:
        process.ask_to_end()
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE):
                    await process.ended.wait()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_DRAIN):
                    await process.drained.wait()
        finally:
            process.close()
    return ProcessResult(None if timed_out else process.exit_code, timed_out, process.left, process.started)


class _Process:
    """The supervisor of one command, and the pipes to it. Requires a running event loop."""

    def __init__(
        self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], on_text: Callable[[str], bool | None]
    ) -> None:
        self.ended = asyncio.Event()
        self.drained = asyncio.Event()
        self.exit_code: int | None = None
        self.left = 0
        self.started = True
        self._pid = 0
        self._on_text = on_text
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._report = b""
        self._loop = asyncio.get_running_loop()
        self._resting: asyncio.TimerHandle | None = None
        with contextlib.ExitStack() as fds:
            self._output, output = _pipe(fds)
            self._status, status = _pipe(fds)
            control, self._control = _pipe(fds)
            env, self._mark = marked(env)
            self._child = subprocess.Popen(
                supervisor_argv(command, status=status, control=0),
                stdin=control,
                stdout=output,
                stderr=output,
                cwd=cwd,
                env=env,
                pass_fds=(status,),
                start_new_session=True,  # defence: session-of-supervisor
            )
            fds.pop_all()
        for ours_no_more in (output, status, control):
            os.close(ours_no_more)
        with contextlib.suppress(OSError, AttributeError):
            fcntl.fcntl(self._output, fcntl.F_SETPIPE_SZ, _CHUNK)
        for descriptor in (self._output, self._status):
            os.set_blocking(descriptor, False)
        self._loop.add_reader(self._output, self._read_output)
        self._loop.add_reader(self._status, self.read_status)
        self._waking = self._loop.call_later(_WAKING, self._wake)

    def ask_to_end(self) -> None:
        """Close the control pipe, which tells the supervisor to end the command. Idempotent."""
        control, self._control = self._control, -1
        if control >= 0:
            os.close(control)

    def close(self) -> None:
        self.ask_to_end()
        self._waking.cancel()
        if self._resting is not None:
            self._resting.cancel()
        for descriptor in (self._output, self._status):
            self._loop.remove_reader(descriptor)
            os.close(descriptor)
        if not self.ended.is_set():
            self._child.kill()
            self._reap()
        if text := self._decoder.decode(b"", final=True):
            self._on_text(text)

    def _wake(self) -> None:
        """Resume a supervisor that its command has stopped."""
        self._child.send_signal(signal.SIGCONT)  # defence: wake-supervisor
        self._waking = self._loop.call_later(_WAKING, self._wake)

    def _read_output(self) -> None:
        began = time.perf_counter()
        try:
            piece = os.read(self._output, _CHUNK)  # defence: drop-passed-output
        except BlockingIOError:
            return
        if (text := self._decoder.decode(piece)) and self._on_text(text):  # defence: decode-across-pieces
            self.ask_to_end()
        if not piece:
            self._loop.remove_reader(self._output)
            self.drained.set()
        elif len(piece) >= _CHUNK // 4:
            self._loop.remove_reader(self._output)
            rest = 0.001 + _REST * (time.perf_counter() - began)
            self._resting = self._loop.call_later(rest, self._loop.add_reader, self._output, self._read_output)

    def read_status(self) -> None:
        """Read what the supervisor has reported; sets `ended` at its end. Idempotent."""
        if self.ended.is_set():
            return
        try:
            while piece := os.read(self._status, 4096):
                self._report += piece
        except BlockingIOError:
            return
        self._loop.remove_reader(self._status)
        self._reap()
        self.ended.set()

    def _reap(self) -> None:
        """Reap the supervisor; if it did not report how the command ended, the command was killed."""
        self._child.wait()  # defence: wait-for-child
        for line in self._report.decode("ascii", "replace").splitlines():
            word, _, number = line.partition(" ")
            match word:
                case "pid":
                    self._pid = int(number)
                case "exit":
                    self.exit_code = int(number)
                case "left":
                    self.left = int(number)
                case "unstarted":
                    self.started = False
                case _:
                    pass
        if self.exit_code is None and self._pid:
            with contextlib.suppress(OSError):
                os.killpg(self._pid, signal.SIGKILL)
        if self._child.returncode != 0:
            kill_escaped_processes(self._mark)  # defence: strays-by-mark


def _pipe(fds: contextlib.ExitStack) -> tuple[int, int]:
    read, write = os.pipe()
    fds.callback(os.close, read)  # defence: give-back-pipe
    fds.callback(os.close, write)
    return read, write
