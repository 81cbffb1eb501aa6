"""Limits the size of HTTP response bodies.

Importing it loads httpx2, which decompresses a body one MiB at a time.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import httpx2

from kimi_tui.charsets import decode_text
from kimi_tui.formats import byte_count

MAX_ERROR_BYTES = 64 * 1024
ERROR_SECONDS = 10.0

Hooks = dict[str, list[Callable[..., Coroutine[Any, Any, None]]]]


class BodyTooLargeError(httpx2.StreamError):
    """The body exceeds the limit."""


def response_hooks(*, error_seconds: float = ERROR_SECONDS) -> Hooks:
    """Return client `event_hooks` that limit the bodies of errors and redirects to MAX_ERROR_BYTES and `error_seconds`.

    A body that reaches a limit is cut there. It becomes UTF-8, whatever charset its header names.
    """

    async def bound(response: httpx2.Response) -> None:
        if response.status_code >= 300:
            await _cut_error(response, error_seconds)

    return {"request": [], "response": [bound]}


async def read_body(response: httpx2.Response, max_bytes: int) -> bytes:
    """Read the whole decoded body. Raises BodyTooLargeError above `max_bytes`."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > max_bytes:
            raise BodyTooLargeError(f"the answer is larger than {byte_count(max_bytes)}")
    return bytes(body)


async def _cut_error(response: httpx2.Response, seconds: float) -> None:
    """Replace the body with the start of the decoded body."""
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    unread = httpx2.Response(
        response.status_code, headers=response.headers, stream=response.stream, request=response.request
    )
    body = bytearray()
    with suppress(TimeoutError, httpx2.HTTPError, httpx2.StreamError):
        async with asyncio.timeout(seconds):  # defence: deadline-for-error-body
            async for piece in unread.aiter_bytes():
                body += piece
                if len(body) >= MAX_ERROR_BYTES:  # defence: bound-error-body
                    break
    await unread.aclose()
    for header in ("content-encoding", "content-length", "transfer-encoding"):
        response.headers.pop(header, None)
    text = decode_text(bytes(body[:MAX_ERROR_BYTES]), response.charset_encoding)
    response.encoding = "utf-8"
    response.stream = httpx2.ByteStream(text.encode())
