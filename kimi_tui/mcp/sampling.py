"""Sampling: a server with `"sampling": true` may send requests to the model, without our messages and tools.

Other servers get the error of a client without this capability.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kimi_tui.errors import KimiTuiError
from kimi_tui.llm.message import Message
from kimi_tui.wire.parts import ContentPart, ImageURLPart, MediaURL, TextPart

if TYPE_CHECKING:
    from mcp.client.session import ClientRequestContext
    from mcp_types import CreateMessageRequestParams, CreateMessageResult, ErrorData, SamplingMessage

Ask = Callable[[str, Sequence[Message]], Coroutine[Any, Any, tuple[str, str]]]
"""Takes a system prompt and messages; returns the model's name and its reply. Raises KimiTuiError."""

_log = logging.getLogger(__name__)
_REFUSED = -1
_MAX_MESSAGES = 100
MAX_REQUESTS = 50
"""Maximum requests of a server within one call of its tools. Each is paid for."""
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling for one server, only while one of its tools runs: the user approved only that. `call_id` names the
    call.
    """

    server: str
    ask: Ask
    call_id: Callable[[], str | None]
    _taken: Counter[str] = field(default_factory=Counter[str])
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    async def answer(
        self, context: "ClientRequestContext", params: "CreateMessageRequestParams"
    ) -> "CreateMessageResult | ErrorData":
        from mcp_types import CreateMessageResult, ErrorData, TextContent

        messages = [_message(message) for message in params.messages[:_MAX_MESSAGES]]
        converted = [message for message in messages if message is not None]
        call_id = self.call_id()
        if call_id is None or params.tools or len(converted) != len(params.messages):
            return ErrorData(code=_REFUSED, message="the model is asked with texts and pictures, within a call only")
        self._taken[call_id] += 1
        if self._taken[call_id] > MAX_REQUESTS:  # defence: bound-sampling
            return ErrorData(code=_REFUSED, message=f"the model is asked at most {MAX_REQUESTS} times in a call")
        async with self._slots:
            if self.call_id() is None:
                return ErrorData(code=_REFUSED, message="the call has ended")
            _log.info("MCP server %s asks the model, %d messages", self.server, len(converted))
            try:
                model, text = await self.ask(params.system_prompt or "", converted)
            except KimiTuiError as error:
                return ErrorData(code=_REFUSED, message=f"the model could not be asked: {error}")
        return CreateMessageResult(
            role="assistant", content=TextContent(type="text", text=text), model=model, stop_reason="endTurn"
        )


def _message(message: "SamplingMessage") -> Message | None:
    """Convert a message; None for content that our models cannot take."""
    from mcp_types import ImageContent, TextContent

    parts: list[ContentPart] = []
    for content in message.content if isinstance(message.content, list) else [message.content]:
        match content:
            case TextContent(text=text):
                parts.append(TextPart(text=text))
            case ImageContent(data=data, mime_type=kind):
                parts.append(ImageURLPart(image_url=MediaURL(url=f"data:{kind};base64,{data}")))
            case _:
                return None
    return Message(role=message.role, content=tuple(parts))
