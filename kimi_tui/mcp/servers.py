"""All MCP servers of a session: they start in parallel in the background; their tools are added and removed.

A failed server is reported and ignored; no turn waits for a server longer than its connect timeout.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from weakref import WeakSet

from kimi_tui.errors import UsageError
from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals
from kimi_tui.llm.provider import Capability
from kimi_tui.mcp.config import Setup
from kimi_tui.mcp.connection import Connection, ConnectionContext, ServerError
from kimi_tui.mcp.failure_notices import FailureNotices
from kimi_tui.mcp.remote_prompt import RemotePrompt, command_names, parse_arguments, prompt_note
from kimi_tui.mcp.remote_tool import RemoteTool
from kimi_tui.mcp.resource_tools import LIST, READ, ListMcpResources, ReadMcpResource
from kimi_tui.mcp.result_content import prompt_text
from kimi_tui.mcp.server_instructions import instructions_note
from kimi_tui.mcp.server_state import ServerState
from kimi_tui.mcp.tool import McpTool
from kimi_tui.mcp.tool_names import long_names, short_names
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import MCPLoadingBegin, MCPLoadingEnd, MCPServerStatus, MCPStatus, StatusUpdate
from kimi_tui.wire.parts import ContentPart, TextPart


@dataclass(frozen=True, slots=True)
class McpSession:
    """The session, as servers use it: `send` is the Wire, `notices` remembers the reported failures."""

    around: ConnectionContext
    approvals: Approvals
    progress: ToolProgress
    send: Callable[[WireMessage], None]
    notify: Callable[[str, str], None]
    capabilities: Callable[[], frozenset[Capability]]
    notices: FailureNotices = field(default_factory=FailureNotices)


class McpServers:
    """The servers of one session. Attached toolsets get the tools of the servers that work."""

    def __init__(self, setup: Setup, session: McpSession) -> None:
        self._setup = setup
        self._session = session
        self._connections = {server.name: Connection(server, session.around, self._changed) for server in setup.servers}
        self._toolsets: WeakSet[Toolset] = WeakSet()
        self._tools: dict[str, McpTool] = {}
        self._also: dict[str, str] = {}
        self._loading: asyncio.Task[None] | None = None
        self._loaded = False
        self._started = False
        self._quiet = False
        self._closed = False

    def __bool__(self) -> bool:
        """Whether any server can start."""
        return any(connection.may_start for connection in self._connections.values())

    def states(self) -> tuple[ServerState, ...]:
        """The state of every configured server, including those that must not be started."""
        return tuple(connection.state for connection in self._connections.values())

    def status(self) -> MCPStatus:
        """The servers that may be started, for the Wire."""
        statuses: list[MCPServerStatus] = []
        for state in self.states():
            if state.status != "untrusted" and state.status != "disabled":
                tools = tuple(tool.name for tool in state.tools) if state.status == "connected" else ()
                statuses.append(MCPServerStatus(name=state.name, status=state.status, tools=tools))
        return MCPStatus(
            loading=self._loading is not None and not self._loaded,
            connected=sum(server.status == "connected" for server in statuses),
            total=len(statuses),
            tools=sum(len(server.tools) for server in statuses),
            servers=tuple(statuses),
        )

    def attach(self, toolset: Toolset) -> None:
        """Add the current tools to an agent's toolset, and keep it up to date."""
        self._toolsets.add(toolset)
        self._update_tools(toolset, ())

    def start(self) -> None:
        """Start to connect to all servers; further calls do nothing."""
        if self._started or self._closed:
            return
        self._started = True
        for problem in self._setup.problems:
            self._session.notify(tr("MCP configuration"), problem)
        if self:
            self._loading = asyncio.create_task(self._load(), name="mcp servers")

    async def ready(self, seconds: float | None = None) -> None:
        """Start the servers if necessary, and wait until each one has connected or failed; at most `seconds`."""
        self.start()
        if self._loading is not None and not self._loading.done():
            await asyncio.wait([self._loading], timeout=seconds)

    def instructions(self) -> tuple[str, ...]:
        """The instructions of working servers for the model, marked as the servers' text."""
        return tuple(
            instructions_note(name, connection.state.instructions)
            for name, connection in self._connections.items()
            if connection.state.instructions and connection.state.tools
        )

    def prompts(self) -> dict[str, tuple[str, RemotePrompt]]:
        """Slash command, without its slash, to the server and its prompt."""
        return command_names({name: connection.state.prompts for name, connection in self._connections.items()})

    def resources(self) -> tuple[str, ...]:
        """`SERVER:URI` of each listed resource, the form in which messages mention it."""
        return tuple(
            f"{connection.server.name}:{resource.uri}"
            for connection in self._with_resources()
            for resource in connection.state.resources
            if not resource.is_template
        )

    async def prompt(self, command: str, line: str) -> tuple[ContentPart, ...]:
        """The text of a command's prompt, with the arguments typed after it. Raises UsageError."""
        entry = self.prompts().get(command)
        if entry is None:
            raise UsageError(tr("no MCP server offers {command}", command=f"/{command}"))
        server, prompt = entry
        try:
            result = await self._connections[server].get_prompt(prompt.name, parse_arguments(prompt, line))
        except ServerError as error:
            raise UsageError(tr("the MCP server {name} failed: {error}", name=server, error=error)) from error
        return (
            TextPart(text=prompt_note(server, prompt.name)),
            *prompt_text(result, self._session.capabilities()),
        )

    async def restart(self, name: str) -> ServerState:
        """Stop one server and connect to it again; returns the new state. Raises UsageError."""
        connection = self._connections.get(name)
        if connection is None:
            raise UsageError(
                tr(
                    "no MCP server named {name!r}. Available: {facts}",
                    name=name,
                    facts=", ".join(self._connections) or tr("none"),
                )
            )
        if not connection.may_start:
            raise UsageError(tr("the MCP server {name!r} is {state}", name=name, state=connection.state.status))
        await connection.restart()
        return connection.state

    async def aclose(self) -> None:
        """Stop all servers in parallel."""
        self._closed = True
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.wait([self._loading])
        await asyncio.gather(*(connection.stop() for connection in self._connections.values()))

    async def _load(self) -> None:
        starting = [connection for connection in self._connections.values() if connection.may_start]
        self._session.send(MCPLoadingBegin())
        self._quiet = True
        for connection in starting:
            connection.start()
        self._quiet = False
        self._send_status()
        await asyncio.gather(*(connection.settled.wait() for connection in starting))
        self._loaded = True
        self._send_status()
        self._session.send(MCPLoadingEnd())

    def _changed(self, connection: Connection) -> None:
        if self._closed or self._quiet:
            return
        self._name_tools()
        self._send_status()
        state = connection.state
        if state.status == "connected":
            self._session.notices.clear(f"{state.name} {state.place}")
        elif state.status in ("failed", "unauthorized") and self._session.notices.should_report(
            f"{state.name} {state.place}", state.cause
        ):
            self._session.notify(tr("MCP server {name}: {state}", name=state.name, state=state.status), state.cause)

    def _send_status(self) -> None:
        self._session.send(StatusUpdate(mcp_status=self.status()))

    def _name_tools(self) -> None:
        """Assign all tool names anew. Tools of a server that has exited stay: a call restarts it."""
        by_pair: dict[tuple[str, str], tuple[Connection, RemoteTool]] = {
            (name, tool.name): (connection, tool)
            for name, connection in self._connections.items()
            for tool in connection.state.tools
        }
        long = long_names(by_pair)
        previous_tools = self._tools
        self._tools = {}
        for pair, (connection, remote) in by_pair.items():
            name = long[pair]
            old = previous_tools.get(name)
            self._tools[name] = (
                old if old is not None and old.remote == remote else self._tool(name, remote, connection)
            )
        self._also = short_names(long)
        for toolset in tuple(self._toolsets):
            self._update_tools(toolset, previous_tools)

    def _with_resources(self) -> tuple[Connection, ...]:
        return tuple(connection for connection in self._connections.values() if connection.state.resources)

    def _tool(self, name: str, remote: RemoteTool, connection: Connection) -> McpTool:
        session = self._session
        return McpTool(
            name,
            remote,
            connection,
            approvals=session.approvals,
            progress=session.progress,
            capabilities=session.capabilities,
        )

    def _update_tools(self, toolset: Toolset, previous_tools: "tuple[str, ...] | dict[str, McpTool]") -> None:
        """Update the tools in the order of the configuration. A tool of another kind keeps its name."""
        for name in previous_tools:
            if isinstance(toolset.get(name), McpTool):
                toolset.remove(name)
        for name, tool in self._tools.items():
            if toolset.get(name) is None:
                toolset.add(tool)
        self._add_resource_tools(toolset)
        toolset.also_called(self._also)

    def _add_resource_tools(self, toolset: Toolset) -> None:
        """Add the resource tools while a server has resources, else remove them."""
        if not self._with_resources():
            for name, kind in ((LIST, ListMcpResources), (READ, ReadMcpResource)):
                if isinstance(toolset.get(name), kind):
                    toolset.remove(name)
        elif toolset.get(LIST) is None and toolset.get(READ) is None:
            toolset.add(ListMcpResources(self._with_resources))
            toolset.add(ReadMcpResource(self._with_resources, self._session.approvals, self._session.capabilities))
