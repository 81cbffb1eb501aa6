"""A tool of an MCP server as a tool of the agent: it needs approval, and its results are bounded."""

import hashlib
import json
from collections.abc import Callable
from typing import ClassVar

from pydantic import ConfigDict

from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals, ProposedAction, Scope
from kimi_tui.llm.provider import Capability, ToolSpec
from kimi_tui.mcp.connection import Connection, ServerError
from kimi_tui.mcp.remote_tool import RemoteTool
from kimi_tui.mcp.result_content import tool_result
from kimi_tui.mcp.untrusted_text import one_line
from kimi_tui.permission.subject import ArgumentsSubject
from kimi_tui.text_safety import dump_json
from kimi_tui.tools.core.ask_approval import ask_approval
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.core.tool import Params, Tool, current_tool_call, failed
from kimi_tui.wire.display import ShellBlock
from kimi_tui.wire.parts import JsonObject, ToolReturnValue

MAX_ARGUMENTS = 200_000
"""Maximum characters of a call's arguments in the form that the user reviews."""


class AnyParams(Params):
    """Any arguments; the server checks them against its schema."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow", frozen=True)


class McpTool(Tool[AnyParams]):
    """One tool. It never counts as read-only: that would rely on the server's claim alone."""

    params: type[AnyParams] = AnyParams
    asks = True

    def __init__(
        self,
        name: str,
        remote: RemoteTool,
        connection: Connection,
        *,
        approvals: Approvals,
        progress: ToolProgress,
        capabilities: Callable[[], frozenset[Capability]],
    ) -> None:
        self.name = name  # pyright: ignore[reportAttributeAccessIssue] - known only now
        self.remote = remote
        self._connection = connection
        self._approvals = approvals
        self._progress = progress
        self._capabilities = capabilities
        self._spec = ToolSpec(name, self.description, remote.parameters)

    @property
    def description(self) -> str:
        server = one_line(self._connection.server.name, limit=60)
        return self.remote.description or f"The tool {self.remote.name} of the MCP server {server}."

    @property
    def spec(self) -> ToolSpec:
        return self._spec

    def _definition_digest(self) -> str:
        """Hash the server and its definition of the tool, which decides what the model sends."""
        place, remote = self._connection.server.config.place, self.remote
        definition = json.dumps([place, remote.description, remote.parameters], sort_keys=True)
        return hashlib.sha256(definition.encode()).hexdigest()  # defence: scope-of-one-definition

    async def call(self, params: AnyParams) -> ToolReturnValue:
        arguments: JsonObject = dict(params.model_extra or {})
        server, tool = one_line(self._connection.server.name, limit=60), one_line(self.remote.name, limit=100)
        shown = dump_json(arguments, indent=2)  # defence: arguments-shown-escaped
        if len(shown) > MAX_ARGUMENTS:  # defence: arguments-shown-whole
            return failed(f"The arguments are longer than {MAX_ARGUMENTS} characters, which nobody can review.")
        refused = await ask_approval(
            self._approvals,
            ProposedAction(
                sender=self.name,
                action=tr("mcp:{tool}", tool=tool),
                description=tr("Call `{tool}` of the MCP server `{server}`", tool=tool, server=server),
                display=(ShellBlock(language="json", command=shown),) if arguments else (),
                scope=Scope(
                    (_scope_key(self._connection.server.name, self.remote.name, self._definition_digest()),),
                    tr("calls to `{tool}` on the MCP server `{server}`", tool=tool, server=server),
                ),
                subject=ArgumentsSubject(arguments),
            ),
        )
        if refused is not None:
            return refused
        call_id = current_tool_call.get().id

        def show_progress(completed: float, total: float | None, message: str | None) -> None:
            self._progress.write(call_id, f"{_progress(completed, total, message)}\n")

        try:
            result = await self._connection.call(
                self.remote.name, arguments, call_id=call_id, on_progress=show_progress
            )
        except ServerError as error:
            return failed(f"The MCP server `{server}` failed: {error}", brief=f"{server}: {error}")
        finally:
            self._progress.end(call_id)
        return tool_result(result, self._capabilities())


def _scope_key(server: str, tool: str, digest: str) -> str:
    """Both names may have any printable character, so nothing between them would show where one ends."""
    return f"mcp:{json.dumps([server, tool, digest])}"  # defence: scope-of-one-tool


def _progress(completed: float, total: float | None, message: str | None) -> str:
    counted = f"{completed:g}/{total:g}" if total else f"{completed:g}"
    return f"{one_line(message, limit=200)} ({counted})" if message else counted
