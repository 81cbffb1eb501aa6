"""Parses server-sent events from bytes.

It replaces the SDKs' own readers: it takes an eighth of their time per event, recognises `[DONE]`, and detects a body
that is not an event stream.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

from kimi_tui.json_text import has_too_many_values
from kimi_tui.llm.error_mapping import malformed_stream
from kimi_tui.llm.time_slice import TimeSlice

# No model's reply has a line, or an event of several lines, beyond this size.
MAX_LINE = 16 * 1024 * 1024
_MAX_BODY = 64 * 1024
_BODY_SECONDS = 10.0
_FIELDS = (b"data", b"event", b"id", b"retry", b"")


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event; `data` is undecoded, for a JSON reader that takes bytes."""

    name: str
    data: bytes


class NotAnEventStreamError(Exception):
    """The body is not an event stream; `body` is its beginning. Private to `llm`."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.body = body[:_MAX_BODY]


async def server_events(chunks: AsyncIterator[bytes]) -> AsyncGenerator[ServerEvent, None]:
    """The events of a body. An event without its final blank line is incomplete and is dropped."""
    splitter = LineSplitter()
    name, data, size = "", list[bytes](), 0
    checked = False
    share = TimeSlice()
    async for chunk in chunks:
        await share.pause()
        lines = splitter.feed(chunk)
        for number, line in enumerate(lines):
            if not line:
                if data:
                    event = ServerEvent(name, b"\n".join(data))
                    if has_too_many_values(event.data):  # defence: bound-event-values
                        raise malformed_stream()
                    yield event
                name, data, size = "", [], 0
                continue
            field, _, value = line.partition(b":")
            if not checked and field not in _FIELDS:
                raise NotAnEventStreamError(await _body(b"\n".join([*lines[number:], splitter.rest]), chunks))
            checked = True
            value = value.removeprefix(b" ")
            if field == b"data":
                data.append(value)
                size += len(value) + 1
            elif field == b"event":
                name = value.decode("utf-8", "replace")
        if splitter.size + size > MAX_LINE:
            raise malformed_stream()
    if not checked and splitter.rest.partition(b":")[0] not in _FIELDS:
        raise NotAnEventStreamError(splitter.rest)


class LineSplitter:
    """Splits chunks into lines at LF, CR LF or CR, wherever the chunks were split. The time is linear in the input."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._after_cr = False
        self.size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that `chunk` completes, without their line ends."""
        if not chunk:
            return []
        if self._after_cr:
            chunk = chunk.removeprefix(b"\n")
        self._after_cr = chunk.endswith(b"\r")
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        first, *more = chunk.split(b"\n")
        self._pieces.append(first)
        self.size += len(first)
        if not more:
            return []
        lines = [self.rest, *more[:-1]]  # defence: join-sse-lines
        self._pieces, self.size = [more[-1]], len(more[-1])
        return lines

    @property
    def rest(self) -> bytes:
        """The rest after the last line end."""
        return b"".join(self._pieces)


async def _body(begin: bytes, chunks: AsyncIterator[bytes]) -> bytes:
    body = [begin]
    size = len(begin)
    with suppress(TimeoutError):
        async with asyncio.timeout(_BODY_SECONDS):
            async for chunk in chunks:
                body.append(chunk)
                size += len(chunk)
                if size > _MAX_BODY:
                    break
    return b"".join(body)
