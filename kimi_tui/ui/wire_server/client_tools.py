"""Tools provided by the client: the model calls them like any other, and the client runs them."""

import asyncio
import re
from collections.abc import Callable
from typing import ClassVar

from pydantic import ConfigDict, ValidationError

from kimi_tui.llm.provider import ToolSpec
from kimi_tui.tools.core.tool import Params, Tool, current_tool_call, failed
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.ui.wire_server.params import OfferedTool
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.parts import ToolResult, ToolReturnValue
from kimi_tui.wire.requests import ToolCallRequest

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class AnyParams(Params):
    """Accepts any parameters; the client validates them by its schema."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow", frozen=True)


class ClientTools:
    """Pending tool calls of the client, by tool call id."""

    def __init__(self, toolset: Toolset, send: Callable[[WireMessage], None]) -> None:
        self._toolset = toolset
        self._send = send
        self._offered: set[str] = set()
        self._waiting: dict[str, asyncio.Future[ToolReturnValue]] = {}

    def offer(self, tools: tuple[OfferedTool, ...]) -> tuple[list[str], list[tuple[str, str]]]:
        """Replace the offered tools; returns the accepted names, and the rejected ones with the reason."""
        for name in self._offered:
            self._toolset.remove(name)
        self._offered.clear()
        accepted: list[str] = []
        rejected: list[tuple[str, str]] = []
        for tool in tools:
            reason = self._why_not(tool)
            if reason is not None:
                rejected.append((tool.name, reason))
                continue
            self._toolset.add(ClientTool(tool, self))
            self._offered.add(tool.name)
            accepted.append(tool.name)
        return accepted, rejected

    async def call(self, name: str) -> ToolReturnValue:
        call = current_tool_call.get()
        if call.id in self._waiting:
            return failed(f"A call with the id {call.id} is waiting already.")
        answer: asyncio.Future[ToolReturnValue] = asyncio.get_running_loop().create_future()
        self._waiting[call.id] = answer
        self._send(ToolCallRequest(id=call.id, name=name, arguments=call.function.arguments))
        try:
            return await answer
        finally:
            del self._waiting[call.id]

    def settle(self, call_id: str, result: object, error: str | None) -> None:
        """Settle a call with the client's result; an invalid result becomes an error for the model."""
        answer = self._waiting.get(call_id)
        if answer is None or answer.done():
            return
        if error is not None:
            answer.set_result(failed(f"The client could not run the tool: {error}"))
            return
        try:
            answer.set_result(ToolResult.model_validate(result).return_value)
        except ValidationError:
            answer.set_result(failed("The client's answer is not a tool result."))

    def _why_not(self, tool: OfferedTool) -> str | None:
        if tool.name in self._offered:
            return "offered twice"
        if self._toolset.get(tool.name) is not None:
            return "conflicts with builtin tool"
        if not _NAME.fullmatch(tool.name):
            return "a name is 1 to 64 letters, digits, '_' and '-'"
        if tool.parameters.get("type", "object") != "object":
            return "parameters must be a JSON schema of an object"
        return None


class ClientTool(Tool[AnyParams]):
    """One tool of the client."""

    params: type[AnyParams] = AnyParams

    def __init__(self, offered: OfferedTool, tools: ClientTools) -> None:
        self.name = offered.name  # pyright: ignore[reportAttributeAccessIssue] - known only now
        self._offered = offered
        self._tools = tools

    @property
    def description(self) -> str:
        return self._offered.description

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self._offered.name, self.description, {"type": "object", **self._offered.parameters})

    async def call(self, params: AnyParams) -> ToolReturnValue:
        return await self._tools.call(self._offered.name)
