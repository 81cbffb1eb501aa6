"""The Responses API against a real HTTP server."""

from collections.abc import AsyncIterator
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
from kimi_tui.llm.message import Message, user_message
from kimi_tui.llm.provider import SpokenPart
from kimi_tui.llm.provider_settings import GenerationOptions, ProviderSettings
from kimi_tui.llm.providers.openai_responses import OpenAIResponses
from kimi_tui.wire.parts import ImageURLPart, MediaURL, TextPart, ThinkPart, TokenUsage
from tests.llm.provider_calls import RED_DOT, SEEING, SHELL, ask, call, calls_of
from tests.llm.servers import Answer, Hold, OpenAIServer, named_sse, openai_server, status

__all__ = ["openai_server"]

USAGE = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
    "output_tokens": 20,
    "output_tokens_details": {"reasoning_tokens": 15},
    "total_tokens": 120,
}


def item(kind: str, index: int, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.output_item.{kind}", "output_index": index, "item": fields}


def response(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "response": {"id": "resp_1", "status": kind, "error": None, **fields}}


def text(delta: str, index: int = 0) -> dict[str, Any]:
    return {"type": "response.output_text.delta", "output_index": index, "content_index": 0, "delta": delta}


def arguments(delta: str, index: int) -> dict[str, Any]:
    return {"type": "response.function_call_arguments.delta", "output_index": index, "delta": delta}


def summary(delta: str, part: int = 0) -> dict[str, Any]:
    kind = "response.reasoning_summary_text.delta"
    return {"type": kind, "output_index": 0, "summary_index": part, "delta": delta}


CREATED = response("created")
COMPLETED = response("completed", usage=USAGE)
HELLO = named_sse(CREATED, text("Hel"), text("lo"), COMPLETED)
WHOLE = named_sse(
    CREATED,
    item("added", 0, type="reasoning", id="rs_1", summary=[]),
    {"type": "response.reasoning_summary_part.added", "output_index": 0, "summary_index": 0},
    summary("Look "),
    summary("first."),
    {"type": "response.reasoning_summary_part.added", "output_index": 0, "summary_index": 1},
    summary("Then act.", 1),
    item("done", 0, type="reasoning", id="rs_1", summary=[], encrypted_content="gAAA="),
    item("added", 1, type="message", id="msg_1", role="assistant", content=[]),
    text("Let me see.", 1),
    item("done", 1, type="message", id="msg_1", content=[{"type": "output_text", "text": "Let me see."}]),
    item("added", 2, type="function_call", id="fc_1", call_id="c1", name="Shell", arguments=""),
    arguments('{"command"', 2),
    arguments(': "ls"}', 2),
    item("done", 2, type="function_call", id="fc_1", call_id="c1", name="Shell", arguments='{"command": "ls"}'),
    item("added", 3, type="function_call", id="fc_2", call_id="c2", name="Glob", arguments=""),
    item("done", 3, type="function_call", id="fc_2", call_id="c2", name="Glob", arguments='{"pattern": "*"}'),
    COMPLETED,
)


@pytest.fixture
async def provider(openai_server: OpenAIServer) -> AsyncIterator[OpenAIResponses]:
    provider = make(openai_server, idle_timeout_s=1.5)
    yield provider
    await provider.aclose()


def make(server: OpenAIServer, **more: Any) -> OpenAIResponses:
    settings = ProviderSettings(
        "openai_responses", "test-model", base_url=server.base_url, api_key="test-key", **SEEING | more
    )
    return OpenAIResponses(settings)


async def body_sent(server: OpenAIServer, provider: OpenAIResponses, *history: Message, **more: Any) -> Any:
    server.add(HELLO)
    await ask(provider, *history, **more)
    await provider.aclose()
    return server.requests[-1].json


async def failure(provider: OpenAIResponses) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await ask(provider)
    return caught.value


@pytest.mark.parametrize("count", ["many", 1.5, [1], {}])
async def test_a_usage_that_cannot_be_read_does_not_cost_the_answer(
    openai_server: OpenAIServer, provider: OpenAIResponses, count: object
) -> None:
    for usage in (count, {"input_tokens": count, "output_tokens": 2, "input_tokens_details": count}):
        openai_server.add(named_sse(CREATED, text("Hello"), response("completed", usage=usage)))
        reply = await ask(provider)
        assert reply.message.text == "Hello"
        assert reply.usage in (None, TokenUsage(output=2))


async def test_a_reply_streams_reasoning_text_and_calls(openai_server: OpenAIServer, provider: OpenAIResponses) -> None:
    openai_server.add(WHOLE)
    parts: list[SpokenPart] = []
    reply = await ask(provider, parts=parts)
    assert parts[0] == ThinkPart(think="Look ")
    thought = ThinkPart(think="Look first.\n\nThen act.", encrypted="openai_responses:gAAA=")
    assert reply.message.content == (thought, TextPart(text="Let me see."))
    assert calls_of(reply) == [("c1", "Shell", '{"command": "ls"}'), ("c2", "Glob", '{"pattern": "*"}')]
    assert reply.id == "resp_1"
    assert reply.usage == TokenUsage(input_other=30, output=20, input_cache_read=60, input_cache_creation=10)


async def test_a_whole_item_tells_what_no_piece_told(openai_server: OpenAIServer, provider: OpenAIResponses) -> None:
    block = {"type": "output_text", "text": "Hello"}
    openai_server.add(named_sse(CREATED, item("done", 0, type="message", content=[block]), COMPLETED))
    assert (await ask(provider)).message.text == "Hello"


async def test_a_call_of_a_gateway_without_indexes_is_not_lost_behind_text(
    openai_server: OpenAIServer, provider: OpenAIResponses
) -> None:
    whole = item("done", 0, type="function_call", call_id="c1", name="Shell", arguments='{"command": "ls"}')
    said, called = text("I look."), {name: value for name, value in whole.items() if name != "output_index"}
    del said["output_index"]
    openai_server.add(named_sse(CREATED, said, called, COMPLETED))
    reply = await ask(provider)
    assert reply.message.text == "I look."
    assert calls_of(reply) == [("c1", "Shell", '{"command": "ls"}')]


async def test_a_request_carries_the_conversation(openai_server: OpenAIServer) -> None:
    image = ImageURLPart(image_url=MediaURL(url=RED_DOT))
    own = ThinkPart(think="hm", encrypted="openai_responses:gAAA=")
    foreign = ThinkPart(think="hm", encrypted="anthropic:sig")
    history = [
        user_message((TextPart(text="what?"), image)),
        Message(
            role="assistant", content=(own, foreign, TextPart(text="I look.")), tool_calls=(call("c1"), call("c2"))
        ),
        Message(role="tool", content=(TextPart(text="a.txt"),), tool_call_id="c1"),
        Message(role="tool", content=(TextPart(text="see"), image), tool_call_id="c2"),
    ]
    provider = make(openai_server, cache_key="session-1", custom_headers={"X-Team": "blue"})
    sent = await body_sent(openai_server, provider, *history, system="be brief", tools=[SHELL])
    seen = openai_server.requests[0]
    assert (seen.path, seen.headers["authorization"], seen.headers["x-team"]) == (
        "/v1/responses",
        "Bearer test-key",
        "blue",
    )
    sent_image = {"type": "input_image", "image_url": RED_DOT, "detail": "auto"}
    sent_call = {"type": "function_call", "name": "Shell", "arguments": '{"command": "ls"}'}
    shell = {"name": "Shell", "description": "Runs a command.", "parameters": SHELL.parameters}
    assert sent == {
        "model": "test-model",
        "stream": True,
        "store": False,
        "instructions": "be brief",
        "prompt_cache_key": "session-1",
        "tools": [{"type": "function", "strict": False, **shell}],
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "what?"}, sent_image]},
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "hm"}],
                "encrypted_content": "gAAA=",
            },
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
            {**sent_call, "call_id": "c1"},
            {**sent_call, "call_id": "c2"},
            {"type": "function_call_output", "call_id": "c1", "output": "a.txt"},
            {
                "type": "function_call_output",
                "call_id": "c2",
                "output": [{"type": "input_text", "text": "see"}, sent_image],
            },
        ],
    }


async def test_thinking_and_generation_are_sent(openai_server: OpenAIServer) -> None:
    options = GenerationOptions(temperature=0.3, top_p=0.9, max_tokens=500)
    provider = make(openai_server, generation=options)
    sent = await body_sent(openai_server, provider.with_thinking(True))
    assert sent["reasoning"] == {"effort": "high", "summary": "auto"}
    assert sent["include"] == ["reasoning.encrypted_content"]
    assert (sent["temperature"], sent["top_p"], sent["max_output_tokens"]) == (0.3, 0.9, 500)
    assert not {"reasoning", "include"} & set(await body_sent(openai_server, provider.with_thinking(False)))


async def test_one_connection_serves_many_requests(openai_server: OpenAIServer, provider: OpenAIResponses) -> None:
    openai_server.add(HELLO, HELLO)
    await ask(provider)
    await ask(provider)
    assert openai_server.connections == 1


@pytest.mark.parametrize("at", range(len(WHOLE.chunks)))
async def test_a_stream_cut_at_any_event_is_a_connection_error(
    openai_server: OpenAIServer, provider: OpenAIResponses, at: int
) -> None:
    openai_server.add(WHOLE.cut(at), Answer([*WHOLE.chunks[:at]]))
    assert type(await failure(provider)) is ProviderConnectionError
    assert type(await failure(provider)) is ProviderConnectionError


async def test_silence_times_out(openai_server: OpenAIServer, provider: OpenAIResponses) -> None:
    openai_server.add(Answer([*WHOLE.chunks[:3], Hold()]))
    assert type(await failure(provider)) is ProviderTimeoutError


async def test_half_json_is_a_connection_error(openai_server: OpenAIServer, provider: OpenAIResponses) -> None:
    openai_server.add(Answer([HELLO.joined()[:60] + b"\n\n" + HELLO.joined()]))
    assert "malformed" in str(await failure(provider))


@pytest.mark.parametrize(
    ("event", "kind", "code"),
    [
        ({"type": "error", "code": "rate_limit_exceeded", "message": "slow"}, ProviderStatusError, 429),
        ({"type": "error", "error": {"type": "server_error", "message": "oops"}}, ProviderStatusError, 500),
        (response("failed", error={"code": "server_error", "message": "oops"}), ProviderStatusError, 500),
        (
            response("failed", error={"code": "context_length_exceeded", "message": "too much"}),
            ContextOverflowError,
            400,
        ),
        (response("failed"), ProviderError, None),
        (response("incomplete", incomplete_details={"reason": "content_filter"}), ProviderError, None),
        (COMPLETED, EmptyResponseError, None),
    ],
)
async def test_an_event_that_tells_a_failure_is_an_error(
    openai_server: OpenAIServer,
    provider: OpenAIResponses,
    event: dict[str, Any],
    kind: type[ProviderError],
    code: int | None,
) -> None:
    openai_server.add(named_sse(CREATED, event))
    error = await failure(provider)
    assert type(error) is kind
    assert getattr(error, "status_code", None) == code


async def test_a_reply_that_reached_its_limit_is_a_reply(
    openai_server: OpenAIServer, provider: OpenAIResponses
) -> None:
    end = response("incomplete", usage=USAGE, incomplete_details={"reason": "max_output_tokens"})
    openai_server.add(named_sse(CREATED, text("Hel"), end))
    assert (await ask(provider)).message.text == "Hel"


@pytest.mark.parametrize(
    ("code", "kind"), [(401, ProviderAuthError), (429, ProviderStatusError), (413, ContextOverflowError)]
)
async def test_statuses_have_their_errors(
    openai_server: OpenAIServer, provider: OpenAIResponses, code: int, kind: type[ProviderError]
) -> None:
    openai_server.add(status(code, {"error": {"message": "no"}}, retry_after="3"))
    error = await failure(provider)
    assert type(error) is kind
    assert getattr(error, "status_code", None) == code


async def test_an_answer_cut_at_the_limit_of_its_length_says_so(openai_server: OpenAIServer) -> None:
    cut = response("incomplete", incomplete_details={"reason": "max_output_tokens"}, usage=USAGE)
    openai_server.add(named_sse(text("Half"), cut), named_sse(text("Whole"), response("completed", usage=USAGE)))
    provider = make(openai_server)
    assert [(await ask(provider)).cut for _ in range(2)] == [True, False]
    await provider.aclose()


async def test_no_header_follows_a_redirect(openai_server: OpenAIServer) -> None:
    provider = make(openai_server, custom_headers={"X-Key": "secret"})
    async with OpenAIServer() as other:
        openai_server.add(Answer(b"", status=307, headers={"Location": f"http://localhost:{other.port}/v1/responses"}))
        assert "307" in str(await failure(provider))
        assert other.requests == []
    await provider.aclose()
