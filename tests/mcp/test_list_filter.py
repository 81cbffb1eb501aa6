from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse

from kimi_tui.mcp.list_filter import MAX_ITEMS, with_valid_lists


async def test_a_result_of_very_many_parts_is_cut_before_it_is_validated() -> None:
    send, receive = anyio.create_memory_object_stream[SessionMessage | Exception](1)
    outgoing, unread = anyio.create_memory_object_stream[SessionMessage](1)

    @asynccontextmanager
    async def transport() -> AsyncGenerator[TransportStreams, None]:
        yield receive, outgoing

    parts = [{"type": "text", "text": "x"}] * (MAX_ITEMS + 7)
    await send.send(SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=1, result={"content": parts})))
    async with with_valid_lists(transport(), lambda _: None, on_flood=lambda: None) as (incoming, _):
        message = cast(Any, await incoming.receive())
    content = message.message.result["content"]
    assert len(content) == MAX_ITEMS + 1
    assert content[-1]["text"] == "[7 more parts are left out]"
    for stream in (send, receive, outgoing, unread):
        stream.close()
