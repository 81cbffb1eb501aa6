"""An editor that offers all it has: buffers with unsaved text, terminals with real commands in them, forms."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path

from acp.exceptions import RequestError
from acp.schema import (
    BooleanConfigOptionCapabilities,
    ClientCapabilities,
    ClientSessionCapabilities,
    CreateTerminalResponse,
    ElicitationCapabilities,
    ElicitationFormCapabilities,
    FileSystemCapabilities,
    KillTerminalResponse,
    ReadTextFileResponse,
    ReleaseTerminalResponse,
    SessionConfigOptionsCapabilities,
    TerminalExitStatus,
    TerminalOutputResponse,
    WaitForTerminalExitResponse,
    WriteTextFileResponse,
)

from tests.ui.acp.acp_client import Editor

ALL = ClientCapabilities(
    fs=FileSystemCapabilities(read_text_file=True, write_text_file=True),
    terminal=True,
    session=ClientSessionCapabilities(
        config_options=SessionConfigOptionsCapabilities(boolean=BooleanConfigOptionCapabilities())
    ),
    elicitation=ElicitationCapabilities(form=ElicitationFormCapabilities()),
)


class FullClient(Editor):
    """`unsaved` is what its buffers hold, by path; `written` and `read` are the paths that it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.unsaved: dict[str, str] = {}
        self.read: list[str] = []
        self.written: list[str] = []
        self.refuses: str | None = None
        self.forms: list = []
        self.filled_in: object = None
        self.terminals: dict[str, tuple[asyncio.subprocess.Process, asyncio.Task, list[bytes]]] = {}
        self.made: list[tuple[str, list[str], dict[str, str], str | None]] = []
        self.released: list[str] = []

    async def read_text_file(self, session_id, path, line=None, limit=None, **kwargs):
        self.read.append(path)
        if path in self.unsaved:
            return ReadTextFileResponse(content=self.unsaved[path])
        try:
            return ReadTextFileResponse(content=Path(path).read_text())
        except OSError:
            raise RequestError.resource_not_found(path) from None

    async def write_text_file(self, session_id, path, content, **kwargs):
        if self.refuses:
            raise RequestError(-32603, self.refuses)
        self.written.append(path)
        self.unsaved.pop(path, None)
        Path(path).write_text(content, newline="")
        return WriteTextFileResponse()

    async def create_terminal(
        self, session_id, command, args=None, env=None, cwd=None, output_byte_limit=None, **kwargs
    ):
        if self.refuses:
            raise RequestError(-32603, self.refuses)
        added = {variable.name: variable.value for variable in env or []}
        self.made.append((command, args, added, cwd))
        process = await asyncio.create_subprocess_exec(
            command,
            *args,
            cwd=cwd,
            env=os.environ | added,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        said: list[bytes] = []

        async def take():
            while piece := await process.stdout.read(1 << 16):
                said.append(piece)

        name = f"terminal-{len(self.made)}"
        self.terminals[name] = (process, asyncio.create_task(take()), said)
        return CreateTerminalResponse(terminal_id=name)

    async def wait_for_terminal_exit(self, session_id, terminal_id, **kwargs):
        process, taking, _ = self.terminals[terminal_id]
        await process.wait()
        await taking
        status = self._status(process)
        return WaitForTerminalExitResponse(exit_code=status.exit_code, signal=status.signal)

    async def terminal_output(self, session_id, terminal_id, **kwargs):
        process, _, said = self.terminals[terminal_id]
        output = b"".join(said).decode()
        return TerminalOutputResponse(output=output, truncated=False, exit_status=self._status(process))

    async def kill_terminal(self, session_id, terminal_id, **kwargs):
        await self._end(terminal_id)
        return KillTerminalResponse()

    async def release_terminal(self, session_id, terminal_id, **kwargs):
        await self._end(terminal_id)
        del self.terminals[terminal_id]
        self.released.append(terminal_id)
        return ReleaseTerminalResponse()

    async def create_elicitation(self, message, mode, **kwargs):
        self.forms.append((message, mode))
        return self.filled_in

    async def complete_elicitation(self, elicitation_id, **kwargs):
        pass

    async def _end(self, terminal_id):
        process, taking, _ = self.terminals[terminal_id]
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):  # it has ended, and the loop was not told yet
                os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        await taking

    def _status(self, process):
        code = process.returncode
        if code is None:
            return None
        if code < 0:
            return TerminalExitStatus(signal=signal.Signals(-code).name)
        return TerminalExitStatus(exit_code=code)
