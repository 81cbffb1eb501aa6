"""Removes invalid entries from a server's lists, so that one invalid tool does not make the others unavailable.

The SDK rejects a whole list for one invalid entry, so the entries are checked before it parses the message. A flood of
messages ends the connection here.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Any, cast

import anyio
from mcp.client._transport import ReadStream, TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse
from mcp_types.methods import validate_server_result
from pydantic import ValidationError

from kimi_tui.mcp.rate_limit import RateLimit
from kimi_tui.mcp.untrusted_text import one_line

MAX_ENTRIES = 1_000
"""Maximum entries of an invalid list that are checked one by one; the rest is left out."""

MAX_ITEMS = 5_000
"""Maximum items of any list in a result: the SDK validates each on the event loop, about 25 us each."""

_VERSION_WITHOUT_INITIALIZE = "2026-07-28"
_METHODS = {
    "tools": "tools/list",
    "prompts": "prompts/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
}


@asynccontextmanager
async def with_valid_lists(
    transport: AbstractAsyncContextManager[TransportStreams],
    on_invalid: Callable[[str], None],
    *,
    on_flood: Callable[[], None],
) -> AsyncGenerator[TransportStreams, None]:
    """Return the transport with invalid list entries removed; `on_invalid` gets the name of each removed entry.

    A flood of messages calls `on_flood` and ends the stream.
    """
    async with transport as (incoming, outgoing):
        yield _ValidLists(incoming, on_invalid, on_flood), outgoing


class _ValidLists:
    def __init__(
        self,
        stream: ReadStream[SessionMessage | Exception],
        on_invalid: Callable[[str], None],
        on_flood: Callable[[], None],
    ) -> None:
        self._stream = stream
        self._on_invalid = on_invalid
        self._on_flood = on_flood
        self._rate = RateLimit()
        self._version = _VERSION_WITHOUT_INITIALIZE

    @property
    def last_context(self) -> object:
        """The context of the message received last, which the SDK reads."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        item = await self._stream.receive()
        if self._is_flooded():
            raise anyio.EndOfStream
        return self._filtered(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> "_ValidLists":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        item = await anext(self._stream)
        if self._is_flooded():
            raise StopAsyncIteration
        return self._filtered(item)

    async def __aenter__(self) -> "_ValidLists":
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        return await self._stream.__aexit__(exc_type, exc_val, exc_tb)

    def _is_flooded(self) -> bool:
        if not self._rate.flooded():  # defence: bound-messages-by-http
            return False
        self._on_flood()
        return True

    def _filtered(self, item: SessionMessage | Exception) -> SessionMessage | Exception:
        if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCResponse):
            result = item.message.result
            if isinstance(version := result.get("protocolVersion"), str):
                self._version = version
            for key, items in result.items():
                if isinstance(items, list):
                    result[key] = _shortened(key, cast(list[object], items))  # defence: bound-result-items
            for key, method in _METHODS.items():
                if isinstance(entries := result.get(key), list):
                    result[key] = self._valid(method, result, key, cast(list[object], entries))
        return item

    def _valid(self, method: str, result: dict[str, Any], key: str, entries: list[object]) -> list[object]:
        # defence: invalid-tool-left-out
        if self._fits(method, result) or not self._fits(method, {**result, key: []}):
            return entries
        valid: list[object] = []
        for entry in entries[:MAX_ENTRIES]:
            if self._fits(method, {**result, key: [entry]}):
                valid.append(entry)
            else:
                self._on_invalid(_label(entry))
        return valid

    def _fits(self, method: str, result: dict[str, Any]) -> bool:
        try:
            validate_server_result(method, self._version, result)
        except ValidationError:
            return False
        except (KeyError, ValueError):  # a version or method without a schema: the SDK decides
            return True
        return True


def _shortened(key: str, items: list[object]) -> list[object]:
    if len(items) <= MAX_ITEMS:
        return items
    note = f"[{len(items) - MAX_ITEMS} more parts are left out]"
    return items[:MAX_ITEMS] + ([{"type": "text", "text": note}] if key == "content" else [])


def _label(entry: object) -> str:
    name = cast(dict[str, object], entry).get("name") if isinstance(entry, dict) else None
    return one_line(name, limit=60) if isinstance(name, str) and name else "?"
