"""Asking a provider once, and keeping all that it says on the way."""

from collections.abc import Sequence
from typing import Any

from kimi_tui.llm.message import Message, user_message
from kimi_tui.llm.provider import Provider, SpokenPart, ToolSpec
from kimi_tui.llm.reply import Reply, request_reply
from kimi_tui.wire.parts import FunctionBody, ToolCall

SHELL = ToolSpec("Shell", "Runs a command.", {"type": "object", "properties": {"command": {"type": "string"}}})
RED_DOT = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4"
    "//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg=="
)
SEEING: dict[str, Any] = {"capabilities": frozenset({"image_in", "video_in"})}
"""Settings of a model that takes pictures and films."""


async def ask(
    provider: Provider,
    *history: Message,
    system: str = "",
    tools: Sequence[ToolSpec] = (),
    parts: list[SpokenPart] | None = None,
) -> Reply:
    """One reply to `history`, or to a greeting."""
    seen: list[SpokenPart] = [] if parts is None else parts
    return await request_reply(provider, system, tools, history or (user_message("hi"),), on_part=seen.append)


def call(call_id: str, name: str = "Shell", arguments: str = '{"command": "ls"}') -> ToolCall:
    return ToolCall(id=call_id, function=FunctionBody(name=name, arguments=arguments))


def calls_of(reply: Reply) -> list[tuple[str, str, str | None]]:
    return [(c.id, c.function.name, c.function.arguments) for c in reply.message.tool_calls or ()]
