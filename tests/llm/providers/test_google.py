"""Google's Gemini API against a real HTTP server."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from kimi_tui.errors import (
    ContextOverflowError,
    EmptyResponseError,
    ProviderAuthError,
    ProviderConnectionError,
    ProviderError,
    ProviderStatusError,
    ProviderTimeoutError,
)
from kimi_tui.json_text import MAX_VALUES
from kimi_tui.llm.message import Message, user_message
from kimi_tui.llm.provider import SpokenPart
from kimi_tui.llm.provider_settings import GenerationOptions, ProviderSettings
from kimi_tui.llm.providers.google import Google
from kimi_tui.wire.parts import ImageURLPart, MediaURL, TextPart, ThinkPart, TokenUsage, ToolCall
from tests.llm.provider_calls import RED_DOT, SEEING, SHELL, ask, call, calls_of
from tests.llm.servers import Answer, Hold, Server, sse, status

pytest.importorskip("google.genai", reason="the extra kimi-tui[google] is not installed")

USAGE = {
    "promptTokenCount": 100,
    "cachedContentTokenCount": 60,
    "candidatesTokenCount": 15,
    "thoughtsTokenCount": 5,
    "totalTokenCount": 120,
}


def chunk(*parts: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": list(parts)}}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "responseId": "resp-1", "usageMetadata": USAGE, **more}


HELLO = sse(chunk({"text": "Hel"}), chunk({"text": "lo 世界"}, finish="STOP"), done=False)
WHOLE = sse(
    chunk({"text": "Look ", "thought": True}),
    chunk({"text": "first.", "thought": True}),
    chunk({"text": "Let me see."}),
    chunk(
        {"functionCall": {"name": "Shell", "args": {"command": "ls"}}, "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "f2", "name": "Glob", "args": {"pattern": "世"}}},
    ),
    chunk({"text": "", "thoughtSignature": "bGFzdA=="}, finish="STOP"),
    done=False,
)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server() as server:
        yield server


@pytest.fixture
async def provider(server: Server) -> AsyncIterator[Google]:
    provider = make(server, idle_timeout_s=1.5)
    yield provider
    await provider.aclose()


def make(server: Server, model: str = "gemini-2.5-flash", **more: Any) -> Google:
    return Google(ProviderSettings("google_genai", model, base_url=server.url, api_key="test-key", **SEEING | more))


async def body_sent(server: Server, provider: Google, *history: Message, **more: Any) -> Any:
    server.add(HELLO)
    await ask(provider, *history, **more)
    await provider.aclose()
    return server.requests[-1].json


async def failure(provider: Google) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await ask(provider)
    return caught.value


@pytest.mark.parametrize("count", ["many", 1.5, [1], {}, True])
async def test_a_usage_that_cannot_be_read_does_not_cost_the_answer(
    server: Server, provider: Google, count: object
) -> None:
    for usage in (
        count,
        USAGE | {"totalTokenCount": count, "promptTokensDetails": count, "trafficType": count, "unknown": count},
        USAGE | {"candidatesTokenCount": count},
    ):
        server.add(sse(chunk({"text": "Hel"}), chunk({"text": "lo"}, finish="STOP", usageMetadata=usage), done=False))
        reply = await ask(provider)
        assert reply.message.text == "Hello"
        assert reply.usage is not None
        assert reply.usage.input_other == 40


@pytest.mark.filterwarnings("ignore:.*is not a valid FinishReason")  # by the SDK
async def test_a_gateway_may_say_in_its_own_words_that_a_reply_ends_on_calls(server: Server, provider: Google) -> None:
    server.add(sse(chunk({"functionCall": {"name": "Shell", "args": {}}}, finish="FUNCTION_CALL"), done=False))
    assert [name for _, name, _ in calls_of(await ask(provider))] == ["Shell"]


@pytest.mark.parametrize(("path", "version"), [("", "/v1beta"), ("/v1", "/v1"), ("/gate/v1alpha/", "/gate/v1alpha")])
async def test_the_address_may_say_which_version_of_the_api(server: Server, path: str, version: str) -> None:
    server.add(HELLO)
    provider = Google(ProviderSettings("google_genai", "gemini", base_url=server.url + path, api_key="test-key"))
    await ask(provider)
    assert server.requests[0].path == f"{version}/models/gemini:streamGenerateContent?alt=sse"
    await provider.aclose()


async def test_a_reply_streams_thinking_text_and_calls(server: Server, provider: Google) -> None:
    server.add(WHOLE)
    parts: list[SpokenPart] = []
    reply = await ask(provider, parts=parts)
    assert parts[0] == ThinkPart(think="Look ")
    assert reply.message.content == (
        ThinkPart(think="Look first."),
        TextPart(text="Let me see."),
        ThinkPart(think="", encrypted="google_genai:bGFzdA=="),
    )
    (_, *first), second = calls_of(reply)
    assert first == ["Shell", '{"command": "ls"}']
    assert second == ("f2", "Glob", '{"pattern": "世"}')
    assert [each.extras for each in reply.message.tool_calls or ()] == [{"thought_signature": "c2ln"}, None]
    assert reply.id == "resp-1"
    assert reply.usage == TokenUsage(input_other=40, output=20, input_cache_read=60)


async def test_a_request_carries_the_conversation(server: Server) -> None:
    image = ImageURLPart(image_url=MediaURL(url=RED_DOT))
    thoughts = (
        ThinkPart(think="hm", encrypted="google_genai:c2ln"),
        ThinkPart(think="of another service", encrypted="anthropic:x"),
        TextPart(text="I look."),
        ThinkPart(think="", encrypted="google_genai:bGFzdA=="),
    )
    signed = ToolCall.model_validate({**call("c1").model_dump(), "extras": {"thought_signature": "Y2FsbA=="}})
    history = [
        user_message((TextPart(text="what?"), image)),
        Message(role="assistant", content=thoughts, tool_calls=(signed, call("c2"))),
        Message(role="tool", content=(TextPart(text="a.txt"), image), tool_call_id="c1"),
        Message(role="tool", content=(TextPart(text="b.txt"),), tool_call_id="c2"),
        user_message("go on"),
    ]
    options = GenerationOptions(temperature=0.3, top_p=0.9, max_tokens=500)
    provider = make(server, custom_headers={"X-Team": "blue"}, generation=options)
    sent = await body_sent(server, provider, *history, system="be brief", tools=[SHELL])
    seen = server.requests[0]
    assert seen.path == "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    assert not [name for name in seen.headers if name.startswith("x-kimi-tui")]
    assert (seen.headers["x-goog-api-key"], seen.headers["x-team"]) == ("test-key", "blue")
    urlsafe = RED_DOT.partition(",")[2].replace("/", "_").replace("+", "-")
    sent_image = {"inlineData": {"mime_type": "image/png", "data": urlsafe}}
    called = {"name": "Shell", "args": {"command": "ls"}}
    declared = {"name": "Shell", "description": "Runs a command.", "parameters_json_schema": SHELL.parameters}
    assert sent == {
        "systemInstruction": {"parts": [{"text": "be brief"}]},
        "tools": [{"functionDeclarations": [declared]}],
        "generationConfig": {"temperature": 0.3, "topP": 0.9, "maxOutputTokens": 500},
        "contents": [
            {"role": "user", "parts": [{"text": "what?"}, sent_image]},
            {
                "role": "model",
                "parts": [
                    {"text": "hm", "thought": True, "thoughtSignature": "c2ln"},
                    {"text": "I look."},
                    {"text": "", "thoughtSignature": "bGFzdA=="},
                    {"functionCall": {"id": "c1", **called}, "thoughtSignature": "Y2FsbA=="},
                    {"functionCall": {"id": "c2", **called}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"id": "c1", "name": "Shell", "response": {"output": "a.txt"}}},
                    {"functionResponse": {"id": "c2", "name": "Shell", "response": {"output": "b.txt"}}},
                    sent_image,
                    {"text": "go on"},
                ],
            },
        ],
    }


async def test_calls_of_another_model_pass_where_signatures_are_demanded(server: Server) -> None:
    history = [
        user_message("hi"),
        Message(role="assistant", tool_calls=(call("c1"), call("c2"))),
        Message(role="tool", tool_call_id="c1"),
        Message(role="tool", tool_call_id="c2"),
    ]
    sent = await body_sent(server, make(server, "gemini-3-pro"), *history)
    assert [part.get("thoughtSignature") for part in sent["contents"][1]["parts"]] == [
        "skip_thought_signature_validator",
        None,
    ]


async def test_thinking_is_switched(server: Server) -> None:
    thinker = frozenset({"thinking"})
    on = await body_sent(server, make(server).with_thinking(True))
    assert on["generationConfig"]["thinkingConfig"] == {"include_thoughts": True}
    off = await body_sent(server, make(server, capabilities=thinker).with_thinking(False))
    assert off["generationConfig"]["thinkingConfig"] == {"thinking_budget": 0}
    newer = await body_sent(server, make(server, "gemini-3-flash", capabilities=thinker).with_thinking(False))
    assert newer["generationConfig"]["thinkingConfig"] == {"thinking_level": "LOW"}
    assert not (await body_sent(server, make(server).with_thinking(False))).get("generationConfig")


async def test_one_connection_serves_many_requests(server: Server, provider: Google) -> None:
    server.add(HELLO, HELLO)
    await ask(provider)
    await ask(provider)
    assert server.connections == 1


@pytest.mark.parametrize("sizes", [(1,), (7,), (100_000,)])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_where_chunks_are_cut_does_not_matter(
    server: Server, provider: Google, sizes: tuple[int, ...], end: str
) -> None:
    whole = sse(chunk({"text": "世\u2028界"}, finish="STOP"), done=False, end=end)
    server.add(whole.rechunked(*sizes))
    assert (await ask(provider)).message.text == "世\u2028界"


@pytest.mark.parametrize("at", range(len(WHOLE.chunks)))
async def test_a_stream_cut_at_any_event_is_a_connection_error(server: Server, provider: Google, at: int) -> None:
    server.add(WHOLE.cut(at), Answer([*WHOLE.chunks[:at]]))
    assert type(await failure(provider)) is ProviderConnectionError
    assert type(await failure(provider)) is ProviderConnectionError


@pytest.mark.parametrize("data", ['{"candidates": [{"cont', "[]", "3", '{"candidates": 3}'])
async def test_half_json_is_a_connection_error(server: Server, provider: Google, data: str) -> None:
    server.add(sse(chunk({"text": "Hal"}), data, done=False))
    assert type(await failure(provider)) is ProviderConnectionError


async def test_silence_times_out(server: Server, provider: Google) -> None:
    server.add(Answer([Hold()]), Answer([*WHOLE.chunks[:2], Hold()]))
    assert type(await failure(provider)) is ProviderTimeoutError
    assert type(await failure(provider)) is ProviderTimeoutError


async def test_a_refused_connection_says_where_to(server: Server) -> None:
    url = server.url
    provider = make(server)
    await server.__aexit__(None, None, None)
    error = await failure(provider)
    await provider.aclose()
    assert type(error) is ProviderConnectionError
    assert str(error).startswith(f"cannot connect to {url}: ")


async def test_closing_the_stream_hangs_up(server: Server, provider: Google) -> None:
    server.add(Answer([*WHOLE.chunks[:3], Hold()]))
    async with aclosing(provider.stream("", (), (user_message("hi"),))) as pieces:
        async for piece in pieces:
            if isinstance(piece, TextPart):
                break
    await asyncio.wait_for(server.hung_up.wait(), 5)


OVERFLOW = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."


@pytest.mark.parametrize(
    ("code", "word", "message", "error_type"),
    [
        (400, "INVALID_ARGUMENT", "no such field", ProviderStatusError),
        (400, "INVALID_ARGUMENT", OVERFLOW, ContextOverflowError),
        (401, "UNAUTHENTICATED", "who?", ProviderAuthError),
        (403, "PERMISSION_DENIED", "not you", ProviderAuthError),
        (404, "NOT_FOUND", "no such model", ProviderStatusError),
        (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota", ProviderStatusError),
        (500, "INTERNAL", "oops", ProviderStatusError),
        (503, "UNAVAILABLE", "overloaded", ProviderStatusError),
        (504, "DEADLINE_EXCEEDED", "too slow", ProviderStatusError),
    ],
)
async def test_errors_are_the_same_as_status_and_in_the_stream(
    server: Server, provider: Google, code: int, word: str, message: str, error_type: type[ProviderError]
) -> None:
    delay = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "32s"}
    data = {"error": {"code": code, "message": message, "status": word, "details": [delay]}}
    server.add(status(code, data), sse(chunk({"text": "Hal"}), data, done=False))
    for _ in range(2):
        error = await failure(provider)
        assert type(error) is error_type
        assert isinstance(error, ProviderStatusError)
        assert error.status_code == code
        assert message in str(error)
        if code == 429:
            assert (error.retry_after, error.retryable) == (32, True)


async def test_a_web_page_is_no_reply(server: Server, provider: Google) -> None:
    page = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>"
    server.add(status(502, page), status(200, page))
    assert str(await failure(provider)) == "the service answered 502 (Bad Gateway): a web page: Sign in"
    error = await failure(provider)
    assert not error.retryable
    assert "base_url" in str(error)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (chunk(finish="SAFETY"), ProviderError),
        (chunk(finish="MALFORMED_FUNCTION_CALL"), EmptyResponseError),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, ProviderError),
        (chunk(finish="STOP"), EmptyResponseError),
    ],
)
async def test_a_stopped_answer_is_said_to_be_so(
    server: Server, provider: Google, data: dict[str, Any], kind: type[ProviderError]
) -> None:
    server.add(sse(json.dumps(data), done=False))
    assert type(await failure(provider)) is kind


async def test_an_answer_cut_at_the_limit_of_its_length_says_so(server: Server, provider: Google) -> None:
    server.add(sse(chunk({"text": "Half"}, finish="MAX_TOKENS"), done=False), HELLO)
    assert [(await ask(provider)).cut for _ in range(2)] == [True, False]


async def test_a_call_with_arguments_nested_too_deeply_is_a_garbled_answer(server: Server, provider: Google) -> None:
    nested: Any = 1
    for _ in range(600):
        nested = [nested]
    server.add(sse(chunk({"functionCall": {"name": "Shell", "args": {"a": nested}}}, finish="STOP"), done=False))
    with pytest.raises(ProviderConnectionError):
        await ask(provider)


async def test_a_chunk_without_end_is_stopped(server: Server) -> None:
    provider = make(server, idle_timeout_s=30)
    server.add(Answer([b"data: ", *[b"a" * (1 << 20)] * 20, Hold()], headers={"Content-Type": "text/event-stream"}))
    async with asyncio.timeout(20):
        assert isinstance(await failure(provider), ProviderConnectionError)
    await provider.aclose()


async def test_a_chunk_of_millions_of_values_is_not_read(server: Server, provider: Google) -> None:
    wide = chunk({"functionCall": {"name": "Shell", "args": {"wide": [[]] * MAX_VALUES}}}, finish="STOP")
    server.add(sse(wide, done=False))
    assert type(await failure(provider)) is ProviderConnectionError


async def test_chunks_without_number_are_read(server: Server, provider: Google) -> None:
    long = chunk({"text": "x" * (1 << 20)})
    server.add(sse(*[long] * 20, chunk({"text": "."}, finish="STOP"), done=False))
    with pytest.raises(ProviderError, match="size limit"):
        await ask(provider, user_message("hi"))
