"""The HTTP transports, streamable and SSE, with an HTTP client that limits the size of responses."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from ipaddress import ip_address

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from kimi_tui.json_text import value_count
from kimi_tui.mcp.config import ServerConfig
from kimi_tui.mcp.message_limit import (
    MAX_MESSAGE,
    MAX_VALUES,
    TOO_LARGE,
    TOO_MANY_VALUES,
    EventValues,
)

_CONNECT_SECONDS = 30.0
_IDLE_SECONDS = 300.0
_STREAM_SECONDS = 1.0
FIRST_STREAMS = 10
"""Streams that a server may end and have opened again at once; then one every `_STREAM_SECONDS`."""


class ResponseTooLargeError(httpx2.StreamError):
    """The body of a response, or an event of it, is larger than the limit for a message."""


class InsecureAddressError(httpx2.UnsupportedProtocol):
    """The authorization address that a server gave is neither HTTPS nor on the server's own host."""


class StreamPace:
    """Limits how often event streams are opened: the server decides when one ends and when the next one is opened."""

    def __init__(self) -> None:
        self._next = 0.0

    async def wait(self) -> None:
        """Wait until the next stream may be opened."""
        now = asyncio.get_running_loop().time()
        start = max(self._next, now - FIRST_STREAMS * _STREAM_SECONDS)
        self._next = start + _STREAM_SECONDS
        await asyncio.sleep(start - now)  # defence: pace-of-streams


class LastStatus:
    """The server's last HTTP status; 0 before the first response. 401: the server requires authorization.

    `has_session`: the server has begun a session.
    """

    def __init__(self) -> None:
        self.code = 0
        self.has_session = False


@asynccontextmanager
async def http_transport(
    config: ServerConfig, *, auth: httpx2.Auth | None, status: LastStatus
) -> AsyncGenerator[TransportStreams, None]:
    """Connect to the server at the entry's address. Raises httpx2's errors if that fails."""
    assert config.url is not None
    idle = max(_IDLE_SECONDS, config.timeout_ms / 1000 + _CONNECT_SECONDS)
    timeout = httpx2.Timeout(_CONNECT_SECONDS, read=idle)
    pace = StreamPace()

    def client(
        headers: Mapping[str, str] | None = None,
        timeout: httpx2.Timeout | None = timeout,
        auth: httpx2.Auth | None = auth,
    ) -> httpx2.AsyncClient:
        async def bound(response: httpx2.Response) -> None:
            status.code = response.status_code
            status.has_session |= "mcp-session-id" in response.headers
            _bound(response)

        async def checked(request: httpx2.Request) -> None:
            check_address(str(request.url), server=config.url or "")  # defence: oauth-request-over-https
            if request.method == "GET" and "text/event-stream" in request.headers.get("accept", ""):
                await pace.wait()

        return httpx2.AsyncClient(
            headers={**config.headers, **(headers or {}), "Accept-Encoding": "identity"},
            timeout=timeout,
            auth=auth,
            event_hooks={"request": [checked], "response": [bound]},
        )

    if config.transport == "sse":
        async with sse_client(
            config.url, timeout=_CONNECT_SECONDS, sse_read_timeout=idle, httpx_client_factory=client, auth=auth
        ) as streams:
            yield streams
        return
    async with (
        client() as http_client,
        streamable_http_client(config.url, http_client=http_client, max_sse_event_size=MAX_MESSAGE) as streams,
    ):
        yield streams


def check_address(address: str, *, server: str) -> None:
    """Check an address that a server gave for its authorization, so that no request reaches the local network.

    Raises InsecureAddressError.
    """
    url, own = httpx2.URL(address), httpx2.URL(server)
    same_machine = url.host == own.host or (_is_loopback(url.host) and _is_loopback(own.host))
    if url.scheme != "https" and not (url.scheme == own.scheme and same_machine):
        shown = url.copy_with(userinfo=b"", query=None, fragment=None)
        raise InsecureAddressError(f"it asks for authorization at {shown}, which is not https")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _bound(response: httpx2.Response) -> None:
    """Limit a body's size and values, or the values of each event, whose size its reader limits.

    We never request compression.
    """
    encoding = response.headers.get("content-encoding", "identity").lower()
    if encoding not in ("", "identity"):
        raise httpx2.StreamError(f"the server answered with the encoding {encoding}, which was not requested")
    is_stream = response.headers.get("content-type", "").lower().startswith("text/event-stream")
    requested = "text/event-stream" in response.request.headers.get("accept", "")
    if not isinstance(response.stream, httpx2.AsyncByteStream):
        return
    if is_stream and requested and response.status_code == 200:  # defence: only-requested-streams
        response.encoding = "utf-8"  # the only one of MCP, and the one that is counted
        response.stream = _BoundedEvents(response.stream)
    else:
        response.stream = _BoundedBody(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def aclose(self) -> None:
        await self._stream.aclose()


class _BoundedBody(_Bounded):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks: list[bytes] = []
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_MESSAGE:
                raise ResponseTooLargeError(TOO_LARGE)
            chunks.append(chunk)
            yield chunk
        if value_count(b"".join(chunks)) > MAX_VALUES:  # defence: bound-mcp-body-values
            raise ResponseTooLargeError(TOO_MANY_VALUES)


class _BoundedEvents(_Bounded):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        values = EventValues()
        async for chunk in self._stream:
            if values.add(chunk) > MAX_VALUES:  # defence: bound-mcp-event-values
                raise ResponseTooLargeError(TOO_MANY_VALUES)
            yield chunk
