"""What a server sends without end, packed or drop by drop, is cut; against a real HTTP server."""

import asyncio
import gzip
import itertools
import time
import tracemalloc
from collections.abc import AsyncIterator
from typing import cast

import httpx2
import pytest

from kimi_tui.bounded_http import MAX_ERROR_BYTES, BodyTooLargeError, read_body, response_hooks
from kimi_tui.errors import ProviderError, ProviderStatusError, ProviderTimeoutError
from kimi_tui.llm.key_check import check_key
from kimi_tui.llm.provider import Provider
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.llm.providers.anthropic import Anthropic
from kimi_tui.llm.providers.google import Google
from kimi_tui.llm.providers.openai_chat import OpenAIChat
from kimi_tui.llm.providers.openai_responses import OpenAIResponses
from kimi_tui.tools.web_support.fetcher import FetchError, fetch
from tests.llm.provider_calls import ask
from tests.llm.servers import Answer, Hold, Server

BOMB = gzip.compress(bytes(256 << 20), 9)
IDLE = 1.0
PROVIDERS = {
    "openai_legacy": OpenAIChat,
    "openai_responses": OpenAIResponses,
    "anthropic": Anthropic,
    "google_genai": Google,
}


class Endless(list[bytes | Hold]):
    """Chunks of a body that never ends."""

    def __init__(self, chunk: bytes) -> None:
        super().__init__([chunk])

    def __iter__(self) -> "itertools.cycle[bytes | Hold]":  # type: ignore[override]
        return itertools.cycle(list(super().__iter__()))


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server() as server:
        yield server


@pytest.fixture(params=PROVIDERS)
async def provider(request: pytest.FixtureRequest, server: Server) -> AsyncIterator[Provider]:
    kind = cast(str, request.param)
    made = PROVIDERS[kind](ProviderSettings(kind, "m", base_url=server.url, api_key="test-key", idle_timeout_s=IDLE))
    await made.prepare()
    yield made
    await made.aclose()


async def failure(provider: Provider) -> tuple[ProviderError, int]:
    """How it fails, and the most memory that was used for it, in bytes."""
    tracemalloc.start()
    try:
        with pytest.raises(ProviderError) as caught:
            await asyncio.wait_for(ask(provider), 20)
        return caught.value, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("status", [500, 302])
async def test_the_body_of_an_error_without_end_is_cut(server: Server, provider: Provider, status: int) -> None:
    server.add(Answer(Endless(b"no" * 4096), status))
    error, memory = await failure(provider)
    assert isinstance(error, ProviderStatusError)
    assert error.status_code == status
    assert memory < 16 << 20


async def test_no_more_of_a_long_error_is_waited_for_than_is_kept(server: Server) -> None:
    server.add(Answer([b"no" * MAX_ERROR_BYTES, Hold()], 500))
    async with httpx2.AsyncClient(event_hooks=response_hooks(error_seconds=1000), timeout=1000) as client:
        answer = await asyncio.wait_for(client.get(server.url), 10)
    assert (answer.status_code, len(answer.content)) == (500, MAX_ERROR_BYTES)


async def test_an_error_may_name_a_charset_that_is_none(server: Server, provider: Provider) -> None:
    server.add(Answer(b"busy", 500, {"Content-Type": "text/plain; charset=zip"}))
    error, _ = await failure(provider)
    assert "busy" in str(error)


async def test_an_error_that_unfolds_to_much_is_cut(server: Server, provider: Provider) -> None:
    server.add(Answer(BOMB, 500, {"Content-Encoding": "gzip"}))
    error, memory = await failure(provider)
    assert isinstance(error, ProviderStatusError)
    assert memory < 16 << 20


async def test_an_error_whose_body_never_ends_is_told_by_its_status(server: Server) -> None:
    server.add(Answer([b"too many", Hold()], 429))
    async with httpx2.AsyncClient(event_hooks=response_hooks(error_seconds=0.2), timeout=20) as client:
        answer = await asyncio.wait_for(client.get(server.url), 10)
    assert (answer.status_code, answer.text) == (429, "too many")


async def test_a_stream_of_comments_alone_comes_to_an_end(server: Server, provider: Provider) -> None:
    server.add(Answer(Endless(b"\n" if isinstance(provider, Google) else b": still here\n\nevent: ping\ndata: {}\n\n")))
    error, memory = await failure(provider)
    assert isinstance(error, ProviderTimeoutError)
    assert error.retryable
    assert memory < 16 << 20


async def test_a_packed_error_is_read_as_it_was_meant(server: Server) -> None:
    server.add(Answer(gzip.compress(b"what went wrong"), 500, {"Content-Encoding": "gzip"}))
    async with httpx2.AsyncClient(event_hooks=response_hooks()) as client:
        answer = await client.get(server.url)
    assert (answer.status_code, answer.text) == (500, "what went wrong")


async def test_garbage_for_a_packed_error_is_an_empty_one(server: Server) -> None:
    server.add(Answer(b"no gzip", 500, {"Content-Encoding": "gzip"}))
    async with httpx2.AsyncClient(event_hooks=response_hooks()) as client:
        answer = await client.get(server.url)
    assert (answer.status_code, answer.content) == (500, b"")


async def test_a_body_is_read_up_to_its_bound(server: Server) -> None:
    server.add(Answer(bytes(100)), Answer(bytes(101)), Answer(BOMB, headers={"Content-Encoding": "gzip"}))
    async with httpx2.AsyncClient(event_hooks=response_hooks()) as client:
        async with client.stream("GET", server.url) as answer:
            assert await read_body(answer, 100) == bytes(100)
        async with client.stream("GET", server.url) as answer:
            with pytest.raises(BodyTooLargeError):
                await read_body(answer, 100)
        tracemalloc.start()
        async with client.stream("GET", server.url) as answer:
            with pytest.raises(BodyTooLargeError):
                await read_body(answer, MAX_ERROR_BYTES)
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert memory < 16 << 20


async def test_a_list_of_models_without_end_says_nothing_of_the_key(server: Server) -> None:
    server.add(Answer(Endless(b"x" * 65536)))
    assert (await check_key("kimi", server.url, "sk-x")).verdict == "unknown"


async def test_a_page_of_an_error_without_end_is_told_by_its_status(server: Server) -> None:
    server.add(Answer(Endless(b"x" * 65536), 404))
    began = time.monotonic()
    with pytest.raises(FetchError, match="404"):
        await fetch(server.url, allow_private=True)
    assert time.monotonic() - began < 15
