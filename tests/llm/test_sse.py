"""Server-sent events from bytes, wherever the bytes were cut."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.errors import ProviderConnectionError
from kimi_tui.json_text import MAX_VALUES
from kimi_tui.llm.sse import LineSplitter, NotAnEventStreamError, ServerEvent, server_events


async def chunks(*pieces: bytes) -> AsyncGenerator[bytes, None]:
    for piece in pieces:
        yield piece


async def events(*pieces: bytes) -> list[ServerEvent]:
    return [event async for event in server_events(chunks(*pieces))]


@given(st.lists(st.sampled_from([b"a", b"\r", b"\n", b"\r\n", b"bc", b"\xe4\xb8", b""]), max_size=12))
def test_lines_do_not_depend_on_where_chunks_are_cut(pieces: list[bytes]) -> None:
    splitter = LineSplitter()
    lines = [line for piece in pieces for line in splitter.feed(piece)]
    whole = b"".join(pieces).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    assert [*lines, splitter.rest] == whole


async def test_an_event_has_a_name_and_all_of_its_data() -> None:
    body = b": hello\n\nid: 1\nevent: done\ndata: a\ndata:b\ndata\n\ndata: c\n\n"
    assert await events(body) == [ServerEvent("done", b"a\nb\n"), ServerEvent("", b"c")]


async def test_an_event_without_its_blank_line_was_cut() -> None:
    assert await events(b"data: a\n\ndata: {", b'"b": 1}') == [ServerEvent("", b"a")]


@pytest.mark.parametrize("body", [b'{\n  "error": "no"\n}', b"<html>\n<p>", b"plain text", b"\n\n{}", b'{"a": 1}\n'])
@pytest.mark.parametrize("size", [1, 3, 100])
async def test_a_body_that_is_no_stream_is_handed_over(body: bytes, size: int) -> None:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    with pytest.raises(NotAnEventStreamError) as caught:
        await events(*pieces)
    assert caught.value.body.strip() == body.strip()


@pytest.mark.parametrize("more", [b"", b"data: {}\n\n"])
async def test_a_line_of_more_than_16_mib_is_malformed(more: bytes) -> None:
    with pytest.raises(ProviderConnectionError, match="malformed"):
        await events(more, b"data: ", *[b"x" * (1 << 20)] * 17)


async def test_a_body_that_has_come_already_leaves_time_for_other_tasks() -> None:
    others = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(others.set_result, None)

    async def flood() -> AsyncGenerator[bytes, None]:
        for _ in range(5_000):
            if others.done():
                return
            yield b"\n" * 5_000

    assert [event async for event in server_events(flood())] == []
    assert others.done()


async def test_an_event_of_millions_of_values_is_not_read() -> None:
    with pytest.raises(ProviderConnectionError, match="malformed"):
        await events(b"data: [", b"[]," * MAX_VALUES, b"[]]\n\n")
