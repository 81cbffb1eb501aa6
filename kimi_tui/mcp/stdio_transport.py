"""The stdio transport: a server as a child process, one JSON-RPC message per line.

The SDK's own transport keeps a line of any length in memory, and leaves standard error to the terminal. Here the length
of a line is limited, a flood ends the connection, and the last line on standard error explains why a server exited. The
child runs under a supervisor, which ends all of its descendants when we exit, in any way.
"""

import asyncio
import contextlib
import os
import shutil
import signal
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage

from kimi_tui import json_text
from kimi_tui.i18n import tr
from kimi_tui.mcp.message_limit import MAX_MESSAGE, MAX_VALUES, TOO_LARGE, TOO_MANY_VALUES
from kimi_tui.mcp.rate_limit import FLOOD, RateLimit
from kimi_tui.tools.shell_support.supervision import GRACE, kill_escaped_processes, marked, supervisor_argv

_CHUNK = 1 << 18
_POLL_SECONDS = 0.005
"""A pause in seconds after each full chunk, so that a flood does not block the screen."""

_EXIT_AFTER_EOF_S = 1.0
_EXIT_AFTER_SIGNAL_S = GRACE + 1.0
_EXIT_AFTER_KILL_S = 1.0
_LAST_WORDS = 5
_SIGNALS = frozenset(map(int, signal.Signals))


class Child:
    """A server process, its supervisor, and the pipes to both.

    `end_reason` is set once the server exited or its output ends the connection. `status` and `control` are our ends
    of the supervisor's descriptors; `end` closes them.
    """

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        on_stderr: Callable[[str], None],
        *,
        status: int,
        control: int,
        mark: str,
    ) -> None:
        self._process = process
        self._status, self._control, self._mark = status, control, mark
        self._on_stderr = on_stderr
        self._last_words: deque[str] = deque(maxlen=_LAST_WORDS)
        self._stderr_read = asyncio.Event()
        self.end_reason: str | None = None

    @property
    def last_error_line(self) -> str:
        """The last non-blank line on standard error."""
        return next((line for line in reversed(self._last_words) if line.strip()), "")

    async def read_messages(self, stream: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Forward messages until the output ends or breaks a limit."""
        meter = RateLimit()
        async with stream:
            async for line in self._lines():
                if meter.flooded():
                    self.end_reason = FLOOD
                    break
                if not line.strip():
                    continue
                if json_text.value_count(line) > MAX_VALUES:  # defence: bound-mcp-values
                    self.end_reason = TOO_MANY_VALUES
                    break
                try:
                    message = _message(line)
                except ValueError:
                    if _meant_for_us(line):
                        self.end_reason = "it sent a message that cannot be read"
                        break
                    self._stray(line)
                    continue
                try:
                    await stream.send(SessionMessage(message))
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return
            if self.end_reason is None:
                self.end_reason = await self._why_it_went()

    async def _lines(self) -> AsyncGenerator[bytes, None]:
        assert self._process.stdout is not None
        partial: list[bytes] = []
        size = 0
        while chunk := await self._process.stdout.read(_CHUNK):
            *lines, tail = chunk.split(b"\n")
            for line in lines:
                yield b"".join((*partial, line))
                partial, size = [], 0
            partial.append(tail)
            size += len(tail)
            if size > MAX_MESSAGE:  # defence: bound-mcp-message
                self.end_reason = TOO_LARGE
                return
            if len(chunk) >= _CHUNK // 2:
                await asyncio.sleep(_POLL_SECONDS)

    def _stray(self, line: bytes) -> None:
        self._on_stderr(f"(on stdout) {line[:500].decode('utf-8', 'replace')}")

    async def _why_it_went(self) -> str:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_EXIT_AFTER_EOF_S):
                await self._process.wait()
                await self._stderr_read.wait()
        code = self._exit_code() if self._process.returncode is not None else None
        if code is None:
            return tr("it closed its output")
        how = (
            tr("killed by signal {number}", number=code - 128)
            if code > 128 and code - 128 in _SIGNALS
            else tr("ended with exit code {code}", code=code)
        )
        return f"{how}: {self.last_error_line}" if self.last_error_line else how

    def _exit_code(self) -> int | None:
        """The exit code from the supervisor, 128 + signal if the server was killed; None if it did not report one."""
        with contextlib.suppress(OSError, ValueError):
            for line in os.read(self._status, 4096).decode("ascii", "replace").splitlines():
                if line.startswith("exit "):
                    return int(line.removeprefix("exit "))
        return None

    async def write_messages(self, messages: MemoryObjectReceiveStream[SessionMessage]) -> None:
        assert self._process.stdin is not None
        async with messages:
            async for message in messages:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                self._process.stdin.write(text.encode("utf-8", "replace") + b"\n")
                try:
                    await self._process.stdin.drain()
                except OSError:
                    return

    async def read_stderr(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(_CHUNK):
            for line in chunk.decode("utf-8", "replace").splitlines()[-1000:]:
                self._last_words.append(line[:500])
                self._on_stderr(line[:500])
            if len(chunk) >= _CHUNK // 2:
                await asyncio.sleep(_POLL_SECONDS)
        self._stderr_read.set()

    async def end(self) -> None:
        """Close the input, then tell the supervisor to end all descendants, then kill it; every wait is bounded."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._wait_for_exit(_EXIT_AFTER_EOF_S)
        os.close(self._control)
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGCONT)  # the server may have stopped it
        await self._wait_for_exit(_EXIT_AFTER_SIGNAL_S)
        if self._process.returncode is None:
            self._process.kill()
            await self._wait_for_exit(_EXIT_AFTER_KILL_S)
        os.close(self._status)
        if self._process.returncode != 0:
            await asyncio.to_thread(kill_escaped_processes, self._mark)
        self._process._transport.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - a child that keeps the pipes must not keep us

    async def _wait_for_exit(self, seconds: float) -> None:
        until = asyncio.get_running_loop().time() + seconds
        while self._process.returncode is None and asyncio.get_running_loop().time() < until:  # noqa: ASYNC110 - `wait` waits for the pipes as well
            await asyncio.sleep(0.01)


@asynccontextmanager
async def stdio_transport(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    on_stderr: Callable[[str], None],
    on_child: Callable[[Child], None],
    on_end: Callable[[str], None],
) -> AsyncGenerator[TransportStreams, None]:
    """Run the command and connect to it. `on_end` gets the cause if it exits without being stopped.

    Raises OSError if it cannot be started.
    """
    program = shutil.which(command[0], path=env.get("PATH")) or _relative(command[0], cwd)
    if program is None:
        raise FileNotFoundError(tr("command not found: {command!r}", command=command[0]))
    env, mark = marked(env)
    with contextlib.ExitStack() as fds:
        status, child_end = _pipe(fds)
        control, own_end = _pipe(fds)
        process = await asyncio.create_subprocess_exec(
            *supervisor_argv([program, *command[1:]], status=child_end, control=control),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_CHUNK,
            env=env,
            cwd=cwd,
            pass_fds=(child_end, control),
            start_new_session=True,
        )
        fds.pop_all()
    os.close(child_end)
    os.close(control)
    os.set_blocking(status, False)
    child = Child(process, on_stderr, status=status, control=own_end, mark=mark)
    on_child(child)
    incoming, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write_stream, outgoing = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        try:
            await child.read_messages(incoming)
        finally:
            if child.end_reason is not None:
                on_end(child.end_reason)

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(child.read_stderr)
            tasks.start_soon(read)
            tasks.start_soon(child.write_messages, outgoing)
            try:
                yield read_stream, write_stream
            finally:
                tasks.cancel_scope.cancel()
    finally:
        for stream in (incoming, read_stream, write_stream, outgoing):
            stream.close()
        with anyio.CancelScope(shield=True):
            await child.end()


def _message(line: bytes) -> types.JSONRPCMessage:
    """Parse a line. Raises ValueError if it is not a message."""
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        if b"\\ud" not in line.lower():  # half a surrogate pair is no reason to give a server up
            raise
        return types.jsonrpc_message_adapter.validate_python(json_text.loads(line), by_name=False)


def _pipe(fds: contextlib.ExitStack) -> tuple[int, int]:
    read, write = os.pipe()
    fds.callback(os.close, read)
    fds.callback(os.close, write)
    return read, write


def _meant_for_us(line: bytes) -> bool:
    """Whether an invalid line was meant as a message, and is not a misplaced log line."""
    return line.lstrip().startswith(b"{") and (b'"jsonrpc"' in line[:200] or b'"jsonrpc"' in line[-200:])


def _relative(name: str, cwd: Path) -> str | None:
    """Resolve a command that is a path, from the work dir or the home folder."""
    if "/" not in name:
        return None
    path = cwd / Path(name).expanduser()
    return str(path) if os.access(path, os.X_OK) else None
