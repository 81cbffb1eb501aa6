"""What goes wrong between a service and us, against a real HTTP server."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import aclosing
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from kimi_tui.errors import (
    ContextOverflowError,
    ProviderAuthError,
    ProviderConnectionError,
    ProviderError,
    ProviderStatusError,
    ProviderTimeoutError,
)
from kimi_tui.llm.message import user_message
from kimi_tui.llm.provider import SpokenPart
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.llm.providers.openai_chat import OpenAIChat
from kimi_tui.wire.parts import TextPart
from tests.llm.provider_calls import ask, calls_of
from tests.llm.servers import (
    Answer,
    Drop,
    Hold,
    OpenAIServer,
    chat_chunk,
    chat_reply,
    openai_server,
    sse,
    status,
)

__all__ = ["openai_server"]

LONG = chat_reply(
    ["Let ", "me ", "see."], calls=[("c1", "Shell", {"command": "ls"}), ("c2", "Shell", {"command": "世界"})]
)
LAST_WORD = 10  # the chunk with the finish_reason


@pytest.fixture
async def provider(openai_server: OpenAIServer) -> AsyncIterator[OpenAIChat]:
    settings = ProviderSettings(
        "openai_legacy", "test-model", base_url=openai_server.base_url, api_key="test-key", idle_timeout_s=1.5
    )
    provider = OpenAIChat(settings)
    yield provider
    await provider.aclose()


async def failure(provider: OpenAIChat) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await ask(provider)
    return caught.value


@pytest.mark.parametrize("at", range(LAST_WORD + 1))
@pytest.mark.parametrize("politely", [True, False])
async def test_a_stream_cut_at_any_event_is_a_connection_error(
    openai_server: OpenAIServer, provider: OpenAIChat, at: int, politely: bool
) -> None:
    cut = Answer(list(LONG.chunks[:at])) if politely and at else LONG.cut(at)
    openai_server.add(cut)
    error = await failure(provider)
    assert type(error) is ProviderConnectionError
    assert error.retryable


@pytest.mark.parametrize("at", range(LAST_WORD + 1, len(LONG.chunks)))
async def test_a_cut_behind_the_last_word_takes_nothing_away(
    openai_server: OpenAIServer, provider: OpenAIChat, at: int
) -> None:
    openai_server.add(LONG.cut(at))
    assert len(calls_of(await ask(provider))) == 2


async def test_a_body_cut_within_a_letter_is_a_connection_error(
    openai_server: OpenAIServer, provider: OpenAIChat
) -> None:
    body = LONG.joined()
    openai_server.add(Answer([body[: body.index("界".encode()) + 1]]))
    assert type(await failure(provider)) is ProviderConnectionError


@pytest.mark.parametrize("sizes", [(1,), (2,), (7,), (1000,), (100_000,)])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
async def test_where_chunks_are_cut_does_not_matter(
    openai_server: OpenAIServer, provider: OpenAIChat, sizes: tuple[int, ...], end: str
) -> None:
    whole = chat_reply(["世", "界"], calls=[("c1", "Shell", {"command": "世\u2028界"})], end=end)
    openai_server.add(whole.rechunked(*sizes))
    reply = await ask(provider)
    assert reply.message.text == "世界"
    assert [json.loads(arguments or "") for _, _, arguments in calls_of(reply)] == [{"command": "世\u2028界"}]


async def test_comments_and_other_fields_are_passed_over(openai_server: OpenAIServer, provider: OpenAIChat) -> None:
    whole = chat_reply("Hello")
    noise = b": keep-alive\n\nretry: 10\nid: 7\n\nevent: message\n"
    openai_server.add(Answer([noise + chunk for chunk in whole.chunks if isinstance(chunk, bytes)]))
    assert (await ask(provider)).message.text == "Hello"


@pytest.mark.parametrize("data", ['{"id": "x", "choices": [{"de', "nonsense", "[]", '{"choices": 3}', "\\xff"])
async def test_half_json_is_a_connection_error(openai_server: OpenAIServer, provider: OpenAIChat, data: str) -> None:
    openai_server.add(sse(chat_chunk({"content": "Hal"}), data, chat_chunk({}, "stop")))
    error = await failure(provider)
    assert type(error) is ProviderConnectionError
    assert "malformed" in str(error)


@pytest.mark.parametrize("begun", [0, 1, 3])
async def test_a_silent_stream_times_out(openai_server: OpenAIServer, provider: OpenAIChat, begun: int) -> None:
    openai_server.add(Answer([*LONG.chunks[:begun], Hold()]))
    error = await failure(provider)
    assert type(error) is ProviderTimeoutError
    assert str(error) == "no data from the service for 1.5 seconds"


async def test_a_refused_connection_says_where_to() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        provider = OpenAIChat(ProviderSettings("kimi", "test-model", base_url=url, api_key="test-key"))
        error = await failure(provider)
        await provider.aclose()
    assert type(error) is ProviderConnectionError
    assert str(error).startswith(f"cannot connect to {url}: ")


async def test_plain_http_loads_no_certificates(
    openai_server: OpenAIServer, provider: OpenAIChat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "certificates.pem"
    broken.write_text("no certificate", "utf-8")
    monkeypatch.setenv("SSL_CERT_FILE", str(broken))
    openai_server.add(chat_reply("Hello"))
    assert (await ask(provider)).message.text == "Hello"


async def test_a_server_that_hangs_up_at_once_is_a_connection_error(
    openai_server: OpenAIServer, provider: OpenAIChat
) -> None:
    openai_server.add(Answer([Drop()]))
    assert type(await failure(provider)) is ProviderConnectionError


async def test_closing_the_stream_hangs_up(openai_server: OpenAIServer, provider: OpenAIChat) -> None:
    openai_server.add(Answer([*LONG.chunks[:3], Hold()]))
    async with aclosing(provider.stream("", (), (user_message("hi"),))) as pieces:
        async for piece in pieces:
            if isinstance(piece, TextPart):
                break
    await asyncio.wait_for(openai_server.hung_up.wait(), 5)


async def test_a_cancelled_request_hangs_up(openai_server: OpenAIServer, provider: OpenAIChat) -> None:
    openai_server.add(Answer([*LONG.chunks[:3], Hold()]))
    begun = asyncio.Event()

    async def run() -> None:
        parts: list[SpokenPart] = []
        async for piece in provider.stream("", (), (user_message("hi"),)):
            parts.append(piece) if isinstance(piece, TextPart) else None
            begun.set()

    task = asyncio.create_task(run())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(openai_server.hung_up.wait(), 5)


@pytest.mark.parametrize(
    ("code", "kind", "retryable"),
    [
        (400, ProviderStatusError, False),
        (401, ProviderAuthError, False),
        (403, ProviderAuthError, False),
        (404, ProviderStatusError, False),
        (408, ProviderStatusError, True),
        (409, ProviderStatusError, True),
        (413, ContextOverflowError, False),
        (422, ProviderStatusError, False),
        (429, ProviderStatusError, True),
        (500, ProviderStatusError, True),
        (502, ProviderStatusError, True),
        (503, ProviderStatusError, True),
        (504, ProviderStatusError, True),
        (529, ProviderStatusError, True),
        (418, ProviderStatusError, False),
    ],
)
async def test_each_status_has_its_error(
    openai_server: OpenAIServer, provider: OpenAIChat, code: int, kind: type[ProviderError], retryable: bool
) -> None:
    openai_server.add(status(code, {"error": {"message": "because of\nreasons", "type": "some_error"}}))
    error = await failure(provider)
    assert type(error) is kind
    assert isinstance(error, ProviderStatusError)
    assert (error.status_code, error.retryable) == (code, retryable)
    assert str(error).startswith(f"the service answered {code}")
    assert "because of reasons" in str(error)


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
        "Invalid request: Your request exceeded model token limit: 131072",
        "the request exceeds the available context size, try increasing it",
        "prompt is too long: 210000 tokens > 200000 maximum",
    ],
)
async def test_a_conversation_that_is_too_long_is_told_apart(
    openai_server: OpenAIServer, provider: OpenAIChat, message: str
) -> None:
    openai_server.add(status(400, {"error": {"message": message}}))
    assert type(await failure(provider)) is ContextOverflowError


async def test_a_used_up_account_is_not_retried(openai_server: OpenAIServer, provider: OpenAIChat) -> None:
    openai_server.add(status(429, {"error": {"message": "You have no money left.", "code": "insufficient_quota"}}))
    assert not (await failure(provider)).retryable


@pytest.mark.parametrize(
    ("value", "seconds"), [("7", 7), ("0.5", 0.5), ("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("soon", None)]
)
async def test_retry_after_is_read(
    openai_server: OpenAIServer, provider: OpenAIChat, value: str, seconds: float | None
) -> None:
    openai_server.add(status(429, {"error": {"message": "slow down"}}, retry_after=value))
    error = await failure(provider)
    assert isinstance(error, ProviderStatusError)
    assert error.retry_after == seconds


PAGE = "<!DOCTYPE html>\n<html><head><title>502 Bad\n Gateway</title></head><body><h1>nginx</h1></body></html>"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (status(502, PAGE), "the service answered 502 (Bad Gateway): a web page: 502 Bad Gateway"),
        (status(500, "upstream went away"), "the service answered 500 (Internal Server Error): upstream went away"),
        (status(503, ""), "the service answered 503 (Service Unavailable)"),
        (status(400, {"detail": "no such field"}), "the service answered 400 (Bad Request): no such field"),
        (status(400, [{"error": {"message": "in a list"}}]), "the service answered 400 (Bad Request): in a list"),
        (
            status(404, {"error": "model 'x' not found"}),
            "the service answered 404 (Not Found): model 'x' not found; check",
        ),
        (
            status(401, {"error": {"message": "Incorrect API key provided: sk-abcd1234efgh5678. \x1b[2JSee"}}),
            "the service answered 401 (Unauthorized): Incorrect API key provided: *** [2JSee; check the API key",
        ),
        (status(200, PAGE), "the service returned a web page instead of a reply; check base_url"),
        (status(200, {"error": {"message": "no", "code": 429}}), "the service reported an error: no"),
        (
            status(200, {"ok": True}),
            'the service did not return an event stream; check base_url. Response: {"ok": true}',
        ),
    ],
)
async def test_what_a_service_says_is_told_in_a_line(
    openai_server: OpenAIServer, provider: OpenAIChat, answer: Answer, message: str
) -> None:
    openai_server.add(answer)
    said = str(await failure(provider))
    assert said.startswith(message)
    assert "\n" not in said


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"error": {"message": "busy", "type": "overloaded_error"}}, 529),
        ({"error": {"message": "oops", "type": "server_error", "code": None}}, 500),
        ({"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, 429),
        ({"object": "error", "message": "bad", "type": "BadRequestError", "code": 400}, 400),
        ({"error": "the model runner has stopped"}, None),
    ],
)
async def test_an_error_within_the_stream_is_an_error(
    openai_server: OpenAIServer, provider: OpenAIChat, data: dict[str, Any], code: int | None
) -> None:
    openai_server.add(sse(chat_chunk({"content": "Hal"}), data))
    assert getattr(await failure(provider), "status_code", None) == code
    openai_server.add(status(200, data))
    assert getattr(await failure(provider), "status_code", None) == code


async def test_no_secret_is_told(openai_server: OpenAIServer) -> None:
    secrets = {"api_key": "my-own-key-1", "custom_headers": {"X-Token": "my-own-token-2"}}
    settings = ProviderSettings("kimi", "test-model", base_url=openai_server.base_url, **secrets)
    openai_server.add(status(401, {"error": "my-own-key-1 with my-own-token-2 is no key"}))
    provider = OpenAIChat(settings)
    error = await failure(provider)
    await provider.aclose()
    assert "*** with *** is no key" in str(error)
    assert "my-own" not in repr(settings)


@pytest.mark.parametrize("secret", ["my-own-key-1", "my-own-token-2"])
@pytest.mark.parametrize("how", ["event", "event of another shape", "body", "text"])
async def test_no_secret_is_told_that_a_service_repeats_in_a_stream_or_a_200(
    openai_server: OpenAIServer, secret: str, how: str
) -> None:
    secrets = {"api_key": "my-own-key-1", "custom_headers": {"X-Proxy": "Bearer my-own-token-2"}}
    provider = OpenAIChat(ProviderSettings("kimi", "test-model", base_url=openai_server.base_url, **secrets))
    told = {"error": {"message": f"{secret} is no key", "code": "invalid_api_key"}}
    match how:
        case "event":
            openai_server.add(sse(told))
        case "event of another shape":
            openai_server.add(sse({"object": "error", "message": f"{secret} is no key"}))
        case "body":
            openai_server.add(status(200, told))
        case _:
            openai_server.add(Answer([f"{'x' * 90} {secret} is no key".encode()]))
    error = await failure(provider)
    await provider.aclose()
    assert "***" in str(error)
    assert "my-own" not in str(error)


@pytest.fixture
async def hasty(openai_server: OpenAIServer) -> AsyncIterator[OpenAIChat]:
    provider = OpenAIChat(
        ProviderSettings("openai_legacy", "test-model", base_url=openai_server.base_url, idle_timeout_s=0.2)
    )
    yield provider
    await provider.aclose()


@pytest.mark.parametrize(
    "event",
    [
        {"id": "x", "choices": []},
        {"choices": [{"index": 1, "delta": {"content": "of another choice"}}]},
        {"choices": [{"index": 0, "delta": {"content": ""}}]},
        {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}},
    ],
)
async def test_events_that_say_nothing_do_not_keep_a_stream_alive(
    openai_server: OpenAIServer, hasty: OpenAIChat, event: dict[str, Any]
) -> None:
    openai_server.add(Answer(repeat(f"data: {json.dumps(event)}\n\n".encode())))
    error = await failure(hasty)
    assert type(error) is ProviderTimeoutError
    assert error.retryable


async def test_headers_that_never_end_time_out() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        try:
            while True:
                writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                await writer.drain()
                await asyncio.sleep(0)
        except ConnectionError:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        provider = OpenAIChat(ProviderSettings("openai_legacy", "m", base_url=base_url, idle_timeout_s=0.2))
        async with asyncio.timeout(30):
            assert type(await failure(provider)) is ProviderTimeoutError
        await provider.aclose()


async def test_calls_without_a_name_are_counted_though_they_are_kept_back(
    openai_server: OpenAIServer, provider: OpenAIChat
) -> None:
    piece = {"tool_calls": [{"index": 0, "function": {"arguments": "x" * 1_000_000}}]}
    event = json.dumps({"choices": [{"index": 0, "delta": piece}]})
    openai_server.add(Answer([*[f"data: {event}\n\n".encode()] * 20, Hold()]))
    assert "size limit" in str(await failure(provider))
