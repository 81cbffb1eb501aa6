"""An editor: the official SDK's client, which keeps what it is told and is told how to answer."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from acp import text_block
from acp.agent.connection import AgentSideConnection
from acp.client.connection import ClientSideConnection
from acp.exceptions import RequestError
from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

from kimi_tui.errors import ModelNotSetError
from kimi_tui.mcp.config import Setup
from kimi_tui.soul.assemble import EngineConfig, build_engine
from kimi_tui.ui.acp.agent import AcpAgent
from kimi_tui.ui.acp.transport import StdioTransport
from kimi_tui.ui.stdio import LineReader, LineWriter


class Editor:
    """What a client of the protocol implements. `asked` holds what waits for an answer."""

    def __init__(self) -> None:
        self.updates = []
        self.asked: asyncio.Queue = asyncio.Queue()

    async def session_update(self, session_id, update, **kwargs):
        self.updates.append(update)

    async def request_permission(self, session_id, tool_call, options, **kwargs):
        answer = asyncio.get_running_loop().create_future()
        self.asked.put_nowait((tool_call, options, answer))
        return await answer

    async def ext_method(self, method, params):
        raise RequestError.method_not_found(method)

    async def ext_notification(self, method, params):
        pass

    def on_connect(self, conn):
        self.agent = conn

    async def answer(self, option_id):
        """Answer the next question with that option, or with none; returns what was asked."""
        tool_call, options, answer = await self.asked.get()
        outcome = (
            DeniedOutcome(outcome="cancelled")
            if option_id is None
            else AllowedOutcome(outcome="selected", option_id=option_id)
        )
        answer.set_result(RequestPermissionResponse(outcome=outcome))
        return tool_call, options

    async def say(self, session_id, text):
        return await self.agent.prompt(session_id=session_id, prompt=[text_block(text)])

    def of(self, kind):
        return [update for update in self.updates if update.session_update == kind]

    def text(self, kind="agent_message_chunk"):
        return "".join(update.content.text for update in self.of(kind))

    def calls(self):
        """Tool calls by id, as an editor shows them: each with the latest of its fields."""
        calls = {}
        for update in self.updates:
            if update.session_update in ("tool_call", "tool_call_update"):
                fields = update.model_dump(exclude_none=True, exclude={"session_update"})
                calls.setdefault(update.tool_call_id, {}).update(fields)
        return list(calls.values())


class Program:
    """The agent's host: every session is made by one plan. `made` holds the engines."""

    def __init__(self, plan: EngineConfig) -> None:
        self.plan = plan
        self.made = []

    async def open(self, work_dir, session_id, *, add_dirs, mcp_servers):
        plan = replace(self.plan, work_dir=work_dir, session_id=session_id, add_dirs=tuple(add_dirs))
        made = await build_engine(replace(plan, autostart=False, mcp=Setup(tuple(mcp_servers))))
        self.made.append(made)
        return made

    def why_no_model(self):
        from kimi_tui.config.model_selection import choose_model

        try:
            choose_model(self.plan.config)
        except ModelNotSetError as error:
            return str(error)
        return None


@asynccontextmanager
async def editor_on(plan: EngineConfig, editor: Editor | None = None) -> AsyncIterator[tuple[Editor, Program]]:
    """An editor and the agent, joined by pipes within this process."""
    to_agent, from_editor = os.pipe()
    to_editor, from_agent = os.pipe()
    program, agents = Program(plan), []
    writer = LineWriter(from_agent)

    def make(client):
        agents.append(AcpAgent(client, program))
        return agents[0]

    serving = AgentSideConnection(
        make, StdioTransport(LineReader(to_agent), writer), listening=False, use_unstable_protocol=True
    )
    listening = asyncio.create_task(serving.listen())
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 24)
    receiving, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(to_editor, "rb", 0)
    )
    sending, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop), os.fdopen(from_editor, "wb", 0)
    )
    editor = editor or Editor()
    editor.receiving = receiving
    connection = ClientSideConnection(
        editor, asyncio.StreamWriter(sending, protocol, None, loop), reader, use_unstable_protocol=True
    )
    try:
        yield editor, program
    finally:
        sending.close()
        await listening
        await agents[0].aclose()
        await serving.close()
        await writer.close()
        os.close(from_agent)
        os.close(to_agent)
        with suppress(ConnectionError):  # an answer of the editor may have come too late to be sent
            await connection.close()
        receiving.close()


async def begun(editor: Editor, plan: EngineConfig) -> str:
    """A new session's id, after the handshake."""
    await editor.agent.initialize(protocol_version=1)
    return (await editor.agent.new_session(cwd=str(plan.work_dir), mcp_servers=[])).session_id
