"""Bounds on what an HTTP server may send as a body.

Importing it loads httpx2, which unfolds a packed body a MiB at a time.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import httpx2

MAX_ERROR_BYTES = 64 * 1024
ERROR_SECONDS = 10.0

Hooks = dict[str, list[Callable[..., Coroutine[Any, Any, None]]]]


class BodyTooLargeError(httpx2.StreamError):
    """A body is larger than the reader takes."""


def answer_hooks(*, error_seconds: float = ERROR_SECONDS) -> Hooks:
    """The `event_hooks` of a client that keeps bodies of errors to MAX_ERROR_BYTES and `error_seconds`.

    Such a body is cut where it reaches either; what has come until then is the body.
    """

    async def bound(response: httpx2.Response) -> None:
        if response.status_code >= 400:
            await _cut_error(response, error_seconds)

    return {"request": [], "response": [bound]}


async def read_body(response: httpx2.Response, max_bytes: int) -> bytes:
    """The whole decoded body. Raises BodyTooLargeError for more than `max_bytes`."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > max_bytes:
            raise BodyTooLargeError(f"the answer is larger than {max_bytes >> 10} KiB")
    return bytes(body)


async def _cut_error(response: httpx2.Response, seconds: float) -> None:
    """Put the beginning of the decoded body in the place of the body."""
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    unread = httpx2.Response(
        response.status_code, headers=response.headers, stream=response.stream, request=response.request
    )
    body = bytearray()
    with suppress(TimeoutError, httpx2.HTTPError, httpx2.StreamError):
        async with asyncio.timeout(seconds):
            async for piece in unread.aiter_bytes():
                body += piece
                if len(body) >= MAX_ERROR_BYTES:
                    break
    await unread.aclose()
    for header in ("content-encoding", "content-length", "transfer-encoding"):
        response.headers.pop(header, None)
    response.stream = httpx2.ByteStream(bytes(body[:MAX_ERROR_BYTES]))
