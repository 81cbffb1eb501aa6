"""A session's MCP servers as real processes, a user who answers, and the messages that were sent."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from kimi_tui.interaction.approvals import Approvals
from kimi_tui.interaction.questions import Questions
from kimi_tui.llm.provider import Capability
from kimi_tui.mcp.config import load
from kimi_tui.mcp.connection import ConnectionContext
from kimi_tui.mcp.failure_notices import FailureNotices
from kimi_tui.mcp.sampling import Ask
from kimi_tui.mcp.server_state import ServerState
from kimi_tui.mcp.servers import McpServers, McpSession
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.tools.shell_support.child_env import ChildEnv
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import ApprovalAnswer
from kimi_tui.wire.parts import FunctionBody, ToolCall, ToolReturnValue
from kimi_tui.wire.requests import ApprovalRequest, QuestionRequest

SERVERS = Path(__file__).parent / "servers"


def everyday(**more: Any) -> dict[str, Any]:
    return {"command": sys.executable, "args": [str(SERVERS / "everyday.py")], **more}


def odd(how: str, **more: Any) -> dict[str, Any]:
    return {"command": sys.executable, "args": [str(SERVERS / "odd.py"), how], **more}


class McpHarness:
    """The servers that `entries` configure, one toolset, and a user who answers as told."""

    def __init__(
        self,
        work_dir: Path,
        entries: dict[str, Any],
        *,
        yolo: bool = True,
        told: FailureNotices | None = None,
        ask_model: Ask | None = None,
        granted: Collection[str] = (),
    ) -> None:
        self.wire = Wire()
        self.received: list[WireMessage] = []
        self.told: list[tuple[str, str]] = []
        self.answer: ApprovalAnswer = "approve"
        self.answers: dict[str, str] | None = {}  # None: the user does not answer
        self.sees: frozenset[Capability] = frozenset({"image_in"})
        self.approvals = Approvals(self.wire, yolo=yolo, granted=granted)
        self.questions = Questions(self.wire)
        self.progress = ToolProgress()
        self.toolset = Toolset()
        self.wire.listen(self._hear)
        self.servers = McpServers(
            load(work_dir, texts=[json.dumps({"mcpServers": entries})]),
            McpSession(
                around=ConnectionContext(work_dir, ChildEnv(), self.questions, ask_model, lambda: (work_dir,)),
                approvals=self.approvals,
                progress=self.progress,
                send=self.wire.send,
                notify=lambda title, body: self.told.append((title, body)),
                capabilities=lambda: self.sees,
                notices=told or FailureNotices(),
            ),
        )
        self.servers.attach(self.toolset)
        self._calls = 0

    def _hear(self, message: WireMessage) -> None:
        self.received.append(message)
        match message:
            case ApprovalRequest():
                self.approvals.settle(message.id, self.answer)
            case QuestionRequest() if self.answers is not None:
                asyncio.get_running_loop().call_soon(self.questions.settle, message.id, self.answers)
            case _:
                pass

    def of(self, kind: type) -> list[Any]:
        return [message for message in self.received if isinstance(message, kind)]

    def state(self, name: str) -> ServerState:
        return next(state for state in self.servers.states() if state.name == name)

    async def use(self, name: str, /, **arguments: Any) -> ToolReturnValue:
        """A tool's result, through the toolset as the soul calls it."""
        self._calls += 1
        body = FunctionBody(name=name, arguments=json.dumps(arguments))
        self.toolset.begin_step()
        return (await self.toolset.handle(ToolCall(id=f"c{self._calls}", function=body))).return_value


@asynccontextmanager
async def mcp_harness(
    work_dir: Path,
    *,
    yolo: bool = True,
    told: FailureNotices | None = None,
    ask_model: Ask | None = None,
    granted: Collection[str] = (),
    **entries: Any,
) -> AsyncIterator[McpHarness]:
    """A harness whose servers have connected."""
    made = McpHarness(work_dir, entries, yolo=yolo, told=told, ask_model=ask_model, granted=granted)
    try:
        await made.servers.ready()
        yield made
    finally:
        await made.servers.aclose()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@asynccontextmanager
async def served(*arguments: str) -> AsyncIterator[int]:
    """A server of `servers/` as a process that listens on the port that is given."""
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(SERVERS / arguments[0]),
        *arguments[1:],
        str(port),
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(20):
            while not await _listens(port):
                assert process.returncode is None
        yield port
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        await asyncio.sleep(0.02)
        return False
    writer.close()
    await writer.wait_closed()
    return True
