"""Anthropic's Messages API against a real HTTP server."""

from collections.abc import AsyncIterator
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
from kimi_tui.llm.message import Message, user_message
from kimi_tui.llm.provider import SpokenPart
from kimi_tui.llm.provider_settings import GenerationOptions, ProviderSettings
from kimi_tui.llm.providers.anthropic import Anthropic
from kimi_tui.wire.parts import ImageURLPart, MediaURL, TextPart, ThinkPart, TokenUsage
from tests.llm.provider_calls import RED_DOT, SEEING, SHELL, ask, call, calls_of
from tests.llm.servers import Answer, Hold, SeenRequest, Server, named_sse, status

pytest.importorskip("anthropic", reason="the extra kimi-tui[anthropic] is not installed")


def begin(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def more(index: int, kind: str, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **delta}}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def end(reason: str = "end_turn") -> list[dict[str, Any]]:
    usage = {"output_tokens": 20}
    return [
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


COUNTED = {"input_tokens": 30, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 10, "output_tokens": 1}
START = {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": [], "usage": COUNTED}}
HELLO = named_sse(START, begin(0, type="text", text=""), more(0, "text_delta", text="Hello"), stop(0), *end())
WHOLE = named_sse(
    START,
    {"type": "ping"},
    begin(0, type="thinking", thinking="", signature=""),
    more(0, "thinking_delta", thinking="Look "),
    more(0, "thinking_delta", thinking="first."),
    more(0, "signature_delta", signature="c2ln"),
    stop(0),
    begin(1, type="redacted_thinking", data="secret"),
    stop(1),
    begin(2, type="text", text=""),
    more(2, "text_delta", text="Let me "),
    more(2, "text_delta", text="see."),
    stop(2),
    begin(3, type="tool_use", id="toolu_1", name="Shell", input={}),
    more(3, "input_json_delta", partial_json=""),
    more(3, "input_json_delta", partial_json='{"comm'),
    more(3, "input_json_delta", partial_json='and": "ls"}'),
    stop(3),
    begin(4, type="tool_use", id="toolu_2", name="Think", input={}),
    stop(4),
    begin(5, type="tool_use", id="toolu_3", name="Glob", input={"pattern": "*"}),
    stop(5),
    *end("tool_use"),
)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server() as server:
        yield server


@pytest.fixture
async def provider(server: Server) -> AsyncIterator[Anthropic]:
    provider = make(server, idle_timeout_s=1.5)
    yield provider
    await provider.aclose()


def make(server: Server, model: str = "claude-opus-4-6", **more: Any) -> Anthropic:
    return Anthropic(ProviderSettings("anthropic", model, base_url=server.url, api_key="test-key", **SEEING | more))


async def body_sent(server: Server, provider: Anthropic, *history: Message, **more: Any) -> Any:
    server.add(HELLO)
    await ask(provider, *history, **more)
    await provider.aclose()
    return server.requests[-1].json


async def failure(provider: Anthropic) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await ask(provider)
    return caught.value


@pytest.mark.parametrize("count", ["many", 1.5, [1], {}])
async def test_a_usage_that_cannot_be_read_does_not_cost_the_answer(
    server: Server, provider: Anthropic, count: object
) -> None:
    for usage in (count, {"output_tokens": count}):
        first, last = end()
        spoken = (begin(0, type="text", text=""), more(0, "text_delta", text="Hello"), stop(0))
        server.add(named_sse(START, *spoken, {**first, "usage": usage}, last))
        reply = await ask(provider)
        assert reply.message.text == "Hello"
        assert reply.usage == TokenUsage(input_other=30, output=1, input_cache_read=60, input_cache_creation=10)


async def test_a_reply_streams_thinking_text_and_calls(server: Server, provider: Anthropic) -> None:
    server.add(WHOLE)
    parts: list[SpokenPart] = []
    reply = await ask(provider, parts=parts)
    assert parts[0] == ThinkPart(think="Look ")
    assert reply.message.content == (
        ThinkPart(think="Look first.", encrypted="anthropic:c2ln"),
        ThinkPart(think="", encrypted="anthropic_redacted:secret"),
        TextPart(text="Let me see."),
    )
    assert calls_of(reply) == [
        ("toolu_1", "Shell", '{"command": "ls"}'),
        ("toolu_2", "Think", "{}"),
        ("toolu_3", "Glob", '{"pattern": "*"}'),
    ]
    assert reply.id == "msg_1"
    assert reply.usage == TokenUsage(input_other=30, output=20, input_cache_read=60, input_cache_creation=10)


async def test_a_request_carries_the_conversation(server: Server) -> None:
    image = ImageURLPart(image_url=MediaURL(url=RED_DOT))
    thoughts = (
        ThinkPart(think="hm", encrypted="anthropic:c2ln"),
        ThinkPart(think="", encrypted="anthropic_redacted:secret"),
        ThinkPart(think="of another service"),
    )
    history = [
        user_message((TextPart(text="what?"), image, TextPart(text=" "))),
        Message(role="assistant", content=thoughts, tool_calls=(call("functions.Shell:0"), call("c2", arguments="{"))),
        Message(role="tool", content=(TextPart(text="a.txt"),), tool_call_id="functions.Shell:0"),
        Message(role="tool", content=(TextPart(text="see"), image), tool_call_id="c2"),
        user_message("go on"),
    ]
    provider = make(server, custom_headers={"X-Team": "blue"})
    sent = await body_sent(server, provider, *history, system="be brief", tools=[SHELL])
    seen = server.requests[0]
    assert (seen.path, seen.headers["x-api-key"], seen.headers["x-team"]) == ("/v1/messages", "test-key", "blue")
    mark = {"cache_control": {"type": "ephemeral"}}
    data = RED_DOT.partition(",")[2]
    sent_image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    shell = {"name": "Shell", "description": "Runs a command.", "input_schema": SHELL.parameters}
    assert sent == {
        "model": "claude-opus-4-6",
        "stream": True,
        "max_tokens": 32_000,
        "system": [{"type": "text", "text": "be brief", **mark}],
        "tools": [{**shell, **mark}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "what?"}, sent_image]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                    {"type": "redacted_thinking", "data": "secret"},
                    {"type": "tool_use", "id": "functions_Shell_0", "name": "Shell", "input": {"command": "ls"}},
                    {"type": "tool_use", "id": "c2", "name": "Shell", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "functions_Shell_0",
                        "content": [{"type": "text", "text": "a.txt"}],
                    },
                    {
                        "type": "tool_result",
                        "tool_use_id": "c2",
                        "content": [{"type": "text", "text": "see"}, sent_image],
                    },
                    {"type": "text", "text": "go on", **mark},
                ],
            },
        ],
    }
    # The mark of the last block does not stay in the history.
    assert (await body_sent(server, provider, *history, user_message("more")))["messages"][2]["content"][2:] == [
        {"type": "text", "text": "go on"},
        {"type": "text", "text": "more", **mark},
    ]


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("claude-opus-4-6", {"type": "adaptive", "display": "summarized"}),
        ("claude-sonnet-4-5-20250929", {"type": "enabled", "budget_tokens": 16_000}),
        ("claude-3-7-sonnet-20250219", {"type": "enabled", "budget_tokens": 4_096}),
        ("kimi-k2", {"type": "enabled", "budget_tokens": 16_000}),
    ],
)
@pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning")
async def test_thinking_is_asked_for_as_the_model_takes_it(server: Server, model: str, thinking: Any) -> None:
    options = GenerationOptions(temperature=0.3)
    sent = await body_sent(server, make(server, model, generation=options).with_thinking(True))
    assert sent["thinking"] == thinking
    assert "temperature" not in sent


async def test_thinking_is_switched_off_where_that_is_known_to_work(server: Server) -> None:
    plain = make(server, generation=GenerationOptions(temperature=0.3, max_tokens=100)).with_thinking(False)
    sent = await body_sent(server, plain)
    assert (sent["temperature"], sent["max_tokens"], sent.get("thinking")) == (0.3, 100, None)
    thinker = make(server, capabilities=frozenset({"thinking"})).with_thinking(False)
    assert (await body_sent(server, thinker))["thinking"] == {"type": "disabled"}


async def test_one_connection_serves_many_requests(server: Server, provider: Anthropic) -> None:
    server.add(HELLO, HELLO)
    await ask(provider)
    await ask(provider)
    assert server.connections == 1


LAST_WORD = len(WHOLE.chunks) - 2


@pytest.mark.parametrize("at", range(LAST_WORD + 1))
async def test_a_stream_cut_at_any_event_is_a_connection_error(server: Server, provider: Anthropic, at: int) -> None:
    server.add(WHOLE.cut(at), Answer([*WHOLE.chunks[:at]]))
    assert type(await failure(provider)) is ProviderConnectionError
    assert type(await failure(provider)) is ProviderConnectionError


async def test_a_cut_behind_the_last_word_takes_nothing_away(server: Server, provider: Anthropic) -> None:
    server.add(WHOLE.cut(LAST_WORD + 1))
    assert len(calls_of(await ask(provider))) == 3


async def test_silence_times_out(server: Server, provider: Anthropic) -> None:
    server.add(Answer([*WHOLE.chunks[:3], Hold()]))
    assert type(await failure(provider)) is ProviderTimeoutError


async def test_half_json_is_a_connection_error(server: Server, provider: Anthropic) -> None:
    server.add(Answer([HELLO.joined()[:60] + b"\n\n" + HELLO.joined()]))
    assert "malformed" in str(await failure(provider))


@pytest.mark.parametrize(
    ("kind", "message", "code", "error_type"),
    [
        ("overloaded_error", "Overloaded", 529, ProviderStatusError),
        ("api_error", "Internal server error", 500, ProviderStatusError),
        ("rate_limit_error", "slow down", 429, ProviderStatusError),
        ("invalid_request_error", "prompt is too long: 201 tokens > 200 maximum", 400, ContextOverflowError),
        ("authentication_error", "invalid x-api-key", 401, ProviderAuthError),
        ("permission_error", "not you", 403, ProviderAuthError),
        ("not_found_error", "model: x", 404, ProviderStatusError),
        ("request_too_large", "too large", 413, ContextOverflowError),
        ("timeout_error", "too slow", 504, ProviderStatusError),
    ],
)
async def test_errors_are_the_same_as_status_and_in_the_stream(
    server: Server, provider: Anthropic, kind: str, message: str, code: int, error_type: type[ProviderError]
) -> None:
    data = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    server.add(status(code, data), named_sse(START, data))
    for _ in range(2):
        error = await failure(provider)
        assert type(error) is error_type
        assert getattr(error, "status_code", None) == code
        assert message in str(error)


async def test_a_refusal_is_said_to_be_one(server: Server, provider: Anthropic) -> None:
    server.add(named_sse(START, *end("refusal")))
    error = await failure(provider)
    assert "refused" in str(error)
    assert not error.retryable


@pytest.mark.parametrize(
    ("reason", "cut"), [("max_tokens", True), ("model_context_window_exceeded", True), ("end_turn", False)]
)
async def test_an_answer_cut_at_the_limit_of_its_length_says_so(
    server: Server, provider: Anthropic, reason: str, cut: bool
) -> None:
    server.add(named_sse(START, begin(0, type="text", text="Half"), stop(0), *end(reason)))
    assert (await ask(provider)).cut is cut


async def test_a_call_with_arguments_nested_too_deeply_does_not_spoil_later_requests(server: Server) -> None:
    deep = '{"a":' + "[" * 900 + "]" * 900 + "}"
    asked = Message(role="assistant", content=(), tool_calls=(call("c1", "made.up", deep),))
    answer = Message(role="tool", content=(TextPart(text="nested too deeply"),), tool_call_id="c1")
    sent = await body_sent(server, make(server), user_message("hi"), asked, answer)
    assert sent["messages"][1]["content"][0] == {"type": "tool_use", "id": "c1", "name": "made_up", "input": {}}


class StrictServer(Server):
    """Refuses what the service refuses: with a thinking budget, a tool turn that does not begin with a thought."""

    def respond(self, request: SeenRequest) -> Answer:
        messages = request.json["messages"]
        begun = len(messages)
        while begun and (messages[begun - 1]["role"] == "assistant" or _is_result(messages[begun - 1])):
            begun -= 1
        first = next((message["content"][0]["type"] for message in messages[begun:]), "thinking")
        budget = request.json.get("thinking", {}).get("type") == "enabled"
        if budget and first not in ("thinking", "redacted_thinking"):
            return status(400, {"error": {"message": f"Expected `thinking`, but found `{first}`"}})
        return super().respond(request)


def _is_result(message: Any) -> bool:
    return message["content"][0]["type"] == "tool_result"


SIGNED = ThinkPart(think="hm", encrypted="anthropic:c2ln")
RESULT = Message(role="tool", content=(TextPart(text="a.txt"),), tool_call_id="c1")


@pytest.mark.parametrize(
    ("turn", "thinks"),
    [
        ((), True),
        ((Message(role="assistant", content=(SIGNED,), tool_calls=(call("c1"),)), RESULT), True),
        ((Message(role="assistant", tool_calls=(call("c1"),)), RESULT), False),
        ((Message(role="assistant", content=(TextPart(text="so"),), tool_calls=(call("c1"),)), RESULT), False),
        ((Message(role="assistant", tool_calls=(call("c1"),)), RESULT, user_message("never mind")), False),
        (
            (
                Message(role="assistant", tool_calls=(call("c1"),)),
                RESULT,
                Message(role="assistant", content=(TextPart(text="done"),)),
                user_message("and now?"),
            ),
            True,
        ),
    ],
)
async def test_a_tool_turn_that_began_without_a_thought_goes_on_without_thinking(
    turn: tuple[Message, ...], thinks: bool
) -> None:
    async with StrictServer() as server:
        server.add(HELLO)
        options = GenerationOptions(temperature=0.3)
        provider = make(server, "some-model", generation=options, capabilities=frozenset({"thinking"}))
        thinker = provider.with_thinking(True)
        assert (await ask(thinker, user_message("look"), *turn)).message.text == "Hello"
        await thinker.aclose()
        assert server.requests[0].json["thinking"]["type"] == ("enabled" if thinks else "disabled")
        assert ("temperature" in server.requests[0].json) is not thinks


async def test_a_model_that_decides_itself_when_to_think_goes_on_thinking(server: Server) -> None:
    history = (user_message("look"), Message(role="assistant", tool_calls=(call("c1"),)), RESULT)
    sent = await body_sent(server, make(server, "claude-opus-4-6").with_thinking(True), *history)
    assert sent["thinking"]["type"] == "adaptive"


async def test_the_key_does_not_follow_a_redirect(server: Server, provider: Anthropic) -> None:
    async with Server() as other:
        server.add(Answer(b"", status=307, headers={"Location": f"http://localhost:{other.port}/v1/messages"}))
        assert "307" in str(await failure(provider))
        assert other.requests == []


async def test_inputs_that_are_kept_back_are_counted(server: Server, provider: Anthropic) -> None:
    large = [
        begin(index, type="tool_use", id=f"c{index}", name="x", input={"a": "x" * (6 << 20)}) for index in range(3)
    ]
    server.add(named_sse(*large, *end("tool_use")))
    assert "size limit" in str(await failure(provider))
