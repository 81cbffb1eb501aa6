"""The tools that list and read resources of MCP servers for the model."""

import json
from collections.abc import Callable, Sequence

from pydantic import Field

from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals, ProposedAction, Scope
from kimi_tui.llm.provider import Capability
from kimi_tui.mcp.connection import Connection, ServerError
from kimi_tui.mcp.result_content import resource_result
from kimi_tui.mcp.tool_names import tools_prefix
from kimi_tui.mcp.untrusted_text import one_line
from kimi_tui.permission.subject import ArgumentsSubject
from kimi_tui.tools.core.ask_approval import ask_approval
from kimi_tui.tools.core.result_builder import ResultBuilder
from kimi_tui.tools.core.tool import Params, Tool, failed, ok
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import ToolReturnValue

LIST, READ = "ListMcpResources", "ReadMcpResource"
_MAX_CHARS = 30_000


class ListParams(Params):
    server: str | None = Field(default=None, description="The server; all of them where it is left out.")


class ReadParams(Params):
    server: str = Field(description="The server that has the resource.")
    uri: str = Field(description="Its address, as it is listed, or made from a template that is.", max_length=2_000)


class ListMcpResources(Tool[ListParams]):
    name = LIST
    params = ListParams
    read_only = True

    def __init__(self, connections: Callable[[], Sequence[Connection]]) -> None:
        self._connections = connections

    @property
    def description(self) -> str:
        return (
            "Lists the resources that MCP servers offer, with their addresses. A message that names one says it as "
            "`@SERVER:URI`. Names and descriptions are the servers' own words."
        )

    async def call(self, params: ListParams) -> ToolReturnValue:
        connections = [
            connection for connection in self._connections() if params.server in (None, connection.server.name)
        ]
        if params.server is not None and not connections:
            return failed(f"No MCP server `{params.server}` offers resources.")
        builder = ResultBuilder(max_chars=_MAX_CHARS, max_line_chars=None)
        count = 0
        for connection in connections:
            for resource in connection.state.resources:
                template_note = " (a template: fill it in)" if resource.is_template else ""
                description = ": ".join(filter(None, (resource.name, resource.description)))
                builder.write(f"{connection.server.name}  {resource.uri}{template_note}  {description}\n")
                count += 1
        return ok(builder.build(), builder.note(""), display=(BriefBlock(text=tr("{count} found", count=count)),))


class ReadMcpResource(Tool[ReadParams]):
    """Reads a resource. It needs approval like a tool of that server: reading may have effects on the server."""

    name = READ
    params = ReadParams
    asks = True

    def __init__(
        self,
        connections: Callable[[], Sequence[Connection]],
        approvals: Approvals,
        capabilities: Callable[[], frozenset[Capability]],
    ) -> None:
        self._connections = connections
        self._approvals = approvals
        self._capabilities = capabilities

    @property
    def description(self) -> str:
        return "Reads a resource of an MCP server; ListMcpResources tells which there are."

    async def call(self, params: ReadParams) -> ToolReturnValue:
        connection = next(
            (connection for connection in self._connections() if connection.server.name == params.server), None
        )
        if connection is None:
            return failed(f"No MCP server `{one_line(params.server, limit=60)}` offers resources.")
        server, uri = one_line(params.server, limit=60), one_line(params.uri, limit=200)
        refused = await ask_approval(
            self._approvals,
            ProposedAction(
                sender=self.name,
                action=tr("mcp:{tool}", tool="read resource"),
                description=tr("Read `{uri}` of the MCP server `{server}`", uri=uri, server=server),
                display=(BriefBlock(text=params.uri),),
                scope=Scope(
                    # defence: scope-of-one-resource-server
                    (f"mcp resources: {json.dumps([params.server, connection.server.config.place])}",),
                    tr("resources of the MCP server `{server}`", server=server),
                ),
                subject=ArgumentsSubject({"server": params.server, "uri": params.uri}, tools_prefix(params.server)),
            ),
        )
        if refused is not None:
            return refused
        try:
            result = await connection.read_resource(params.uri)
        except ServerError as error:
            return failed(f"The MCP server `{server}` failed: {error}", brief=f"{server}: {error}")
        return resource_result(result, self._capabilities())
