"""Chat Completions against a real HTTP server: what is sent, and what is made of what comes."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from kimi_tui.errors import EmptyResponseError, ProviderError
from kimi_tui.llm.message import Message, user_message
from kimi_tui.llm.provider import SpokenPart
from kimi_tui.llm.provider_settings import GenerationOptions, ProviderSettings
from kimi_tui.llm.providers.openai_chat import OpenAIChat
from kimi_tui.wire.parts import (
    ImageURLPart,
    MediaURL,
    TextPart,
    ThinkPart,
    TokenUsage,
    ToolCall,
    ToolCallPart,
)
from tests.llm.provider_calls import RED_DOT, SEEING, SHELL, ask, call, calls_of
from tests.llm.servers import OpenAIServer, chat_chunk, chat_reply, openai_server, sse

__all__ = ["openai_server"]


@pytest.fixture
async def kimi(openai_server: OpenAIServer) -> AsyncIterator[OpenAIChat]:
    provider = make(openai_server)
    yield provider
    await provider.aclose()


def make(server: OpenAIServer, kind: str = "kimi", **more: Any) -> OpenAIChat:
    return OpenAIChat(
        ProviderSettings(kind, "test-model", base_url=server.base_url, api_key="test-key", **SEEING | more)
    )


async def body_sent(server: OpenAIServer, provider: OpenAIChat, *history: Message, **more: Any) -> Any:
    server.add(chat_reply("ok"))
    await ask(provider, *history, **more)
    await provider.aclose()
    return server.requests[-1].json


def calls_delta(*calls: dict[str, Any]) -> dict[str, Any]:
    return chat_chunk({"tool_calls": list(calls)})


def piece(arguments: str = "", **more: Any) -> dict[str, Any]:
    function = {"arguments": arguments} | ({"name": more.pop("name")} if "name" in more else {})
    return {"type": "function", "function": function, **more}


async def test_text_and_reasoning_stream_as_they_come(openai_server: OpenAIServer, kimi: OpenAIChat) -> None:
    openai_server.add(chat_reply(["Hel", "lo 世", "界"], think=["hm", "m"]))
    parts: list[SpokenPart] = []
    reply = await ask(kimi, parts=parts)
    texts = [TextPart(text="Hel"), TextPart(text="lo 世"), TextPart(text="界")]
    assert parts == [ThinkPart(think="hm"), ThinkPart(think="m"), *texts]
    assert reply.message.content == (ThinkPart(think="hmm"), TextPart(text="Hello 世界"))
    assert reply.id == "chatcmpl-1"
    assert reply.usage == TokenUsage(input_other=10, output=5)


async def test_a_request_carries_key_headers_model_and_tools(openai_server: OpenAIServer) -> None:
    provider = make(openai_server, custom_headers={"X-Team": "blue"}, cache_key="session-1")
    sent = await body_sent(openai_server, provider, system="be brief", tools=[SHELL])
    seen = openai_server.requests[0]
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert (seen.headers["authorization"], seen.headers["x-team"]) == ("Bearer test-key", "blue")
    assert sent == {
        "model": "test-model",
        "stream": True,
        "stream_options": {"include_usage": True},
        "prompt_cache_key": "session-1",
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}],
        "tools": [
            {
                "type": "function",
                "function": {"name": "Shell", "description": "Runs a command.", "parameters": SHELL.parameters},
            }
        ],
    }


async def test_one_connection_serves_many_requests(openai_server: OpenAIServer, kimi: OpenAIChat) -> None:
    openai_server.add(*(chat_reply(f"reply {n}") for n in range(3)))
    assert [(await ask(kimi)).message.text for _ in range(3)] == ["reply 0", "reply 1", "reply 2"]
    assert openai_server.connections == 1
    openai_server.add(chat_reply("thought"))
    assert (await ask(kimi.with_thinking(True))).message.text == "thought"
    assert openai_server.connections == 1


async def test_a_closed_provider_can_be_used_again(openai_server: OpenAIServer, kimi: OpenAIChat) -> None:
    openai_server.add(chat_reply("one"), chat_reply("two"))
    await ask(kimi)
    await kimi.aclose()
    assert (await ask(kimi)).message.text == "two"


async def test_requests_side_by_side_do_not_mix(openai_server: OpenAIServer, kimi: OpenAIChat) -> None:
    openai_server.respond = lambda request: chat_reply(request.json["messages"][-1]["content"].split())
    prompts = [f"prompt {n} of many words" for n in range(6)]
    replies = await asyncio.gather(*(ask(kimi, user_message(prompt)) for prompt in prompts))
    assert [reply.message.text for reply in replies] == [prompt.replace(" ", "") for prompt in prompts]


async def test_generation_options_are_sent(openai_server: OpenAIServer) -> None:
    options = GenerationOptions(temperature=0.3, top_p=0.9, max_tokens=500, thinking_keep="all")
    sent = await body_sent(openai_server, make(openai_server, generation=options, thinking=True))
    assert (sent["temperature"], sent["top_p"], sent["max_completion_tokens"]) == (0.3, 0.9, 500)
    assert sent["thinking"] == {"type": "enabled", "keep": "all"}
    other = make(openai_server, "openai_legacy", generation=GenerationOptions(max_tokens=500))
    assert (await body_sent(openai_server, other))["max_tokens"] == 500


async def test_max_tokens_stay_within_the_context(openai_server: OpenAIServer) -> None:
    provider = make(openai_server, generation=GenerationOptions(max_tokens=30_000), max_context_size=10_000)
    sent = await body_sent(openai_server, provider, user_message("x" * 4000))
    assert 7_000 < sent["max_completion_tokens"] < 8_000


async def test_thinking_is_switched(openai_server: OpenAIServer) -> None:
    kimi = make(openai_server)
    assert "thinking" not in await body_sent(openai_server, kimi)
    assert (await body_sent(openai_server, kimi.with_thinking(True)))["thinking"] == {"type": "enabled"}
    assert (await body_sent(openai_server, kimi.with_thinking(False)))["thinking"] == {"type": "disabled"}
    always = make(openai_server, capabilities=frozenset({"always_thinking"}))
    assert "thinking" not in await body_sent(openai_server, always.with_thinking(False))
    other = make(openai_server, "openai_legacy")
    assert (await body_sent(openai_server, other.with_thinking(True)))["reasoning_effort"] == "high"
    assert "reasoning_effort" not in await body_sent(openai_server, other.with_thinking(False))


async def test_a_conversation_is_sent_in_the_services_words(openai_server: OpenAIServer, kimi: OpenAIChat) -> None:
    image = ImageURLPart(image_url=MediaURL(url=RED_DOT))
    history = [
        user_message((TextPart(text="what is this?"), image)),
        Message(role="assistant", content=(ThinkPart(think="hm"),), tool_calls=(call("c1"), call("c2"))),
        Message(role="tool", content=(TextPart(text="a.txt"),), tool_call_id="c1"),
        Message(role="tool", content=(TextPart(text="see"), image), tool_call_id="c2"),
        Message(role="assistant", content=(TextPart(text="A dot."),)),
        user_message("thanks"),
    ]
    sent_image = {"type": "image_url", "image_url": {"url": RED_DOT}}
    function = {"name": "Shell", "arguments": '{"command": "ls"}'}
    calls = [{"id": name, "type": "function", "function": function} for name in ("c1", "c2")]
    expected = [
        {"role": "user", "content": [{"type": "text", "text": "what is this?"}, sent_image]},
        {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
        {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "see"}, sent_image]},
        {"role": "assistant", "content": "A dot."},
        {"role": "user", "content": "thanks"},
    ]
    assert (await body_sent(openai_server, kimi, *history))["messages"] == expected
    # OpenAI takes only text as a result: the image follows the results as the user's.
    legacy = make(openai_server, "openai_legacy", reasoning_key="thoughts")
    expected[1]["thoughts"] = expected[1].pop("reasoning_content")
    expected[3]["content"] = "see"
    note = {"type": "text", "text": "What the tool call c2 returned beside its text:"}
    expected.insert(4, {"role": "user", "content": [note, sent_image]})
    assert (await body_sent(openai_server, legacy, *history))["messages"] == expected
    # A history that was reverted is sent as it is now.
    assert (await body_sent(openai_server, legacy, *history[:2], history[5]))["messages"] == [
        *expected[:2],
        expected[-1],
    ]


async def test_arguments_that_are_no_json_object_are_not_sent_back(
    openai_server: OpenAIServer, kimi: OpenAIChat
) -> None:
    broken = (call("c1", arguments='{"a": '), call("c2", arguments=""), call("c3", arguments="[1]"))
    history = [user_message("hi"), Message(role="assistant", tool_calls=broken), user_message("go on")]
    sent = await body_sent(openai_server, kimi, *history)
    assert [each["function"]["arguments"] for each in sent["messages"][1]["tool_calls"]] == ["{}", "{}", "{}"]


async def test_the_reasoning_key_can_be_set_and_turned_off(openai_server: OpenAIServer) -> None:
    answer = sse(chat_chunk({"reasoning": "a", "thoughts": "b"}), chat_chunk({"content": "x"}), chat_chunk({}, "stop"))
    for key, thought in ((None, "a"), ("thoughts", "b"), ("", None)):
        openai_server.add(answer)
        provider = make(openai_server, "openai_legacy", reasoning_key=key)
        content = (await ask(provider)).message.content
        assert [part.think for part in content if isinstance(part, ThinkPart)] == ([thought] if thought else [])
        await provider.aclose()


async def test_parallel_tool_calls_are_told_one_after_the_other(openai_server: OpenAIServer, kimi: OpenAIChat) -> None:
    openai_server.add(chat_reply("Let me see.", calls=[("c1", "Shell", {"command": "ls"}), ("c2", "Glob", {"p": "*"})]))
    parts: list[SpokenPart] = []
    reply = await ask(kimi, parts=parts)
    assert calls_of(reply) == [("c1", "Shell", '{"command": "ls"}'), ("c2", "Glob", '{"p": "*"}')]
    assert [type(part) for part in parts[1:]] == [ToolCall, ToolCallPart, ToolCallPart] * 2


async def test_tool_calls_that_come_interleaved_are_sorted_out(openai_server: OpenAIServer, kimi: OpenAIChat) -> None:
    openai_server.add(
        sse(
            calls_delta(piece('{"a"', index=0, id="c1", name="A"), piece("", index=1, id="c2", name="B")),
            calls_delta(piece('{"b":', index=1)),
            calls_delta(piece(":1", index=0)),
            calls_delta(piece("2}", index=1), piece("}", index=0)),
            calls_delta(piece("{}", index=2, id="c3", name="C")),
            chat_chunk({}, "tool_calls"),
        )
    )
    assert calls_of(await ask(kimi)) == [("c1", "A", '{"a":1}'), ("c2", "B", '{"b":2}'), ("c3", "C", "{}")]


async def test_missing_and_duplicate_ids_become_unique(openai_server: OpenAIServer, kimi: OpenAIChat) -> None:
    openai_server.add(
        sse(
            calls_delta(piece("{}", index=0, id="same", name="A"), piece("{}", index=1, id="same", name="B")),
            calls_delta(piece('{"c": ', name="C"), piece("1}"), piece("{}", name="D")),
            calls_delta(piece("{}", index=7, id="old", name="E"), piece("{}", index=7, id="", name="F")),
            chat_chunk({}, "tool_calls"),
        )
    )
    history = [user_message("hi"), Message(role="assistant", tool_calls=(call("old"),)), user_message("again")]
    calls = calls_of(await ask(kimi, *history))
    assert [name for _, name, _ in calls] == ["A", "B", "C", "D", "E", "F"]
    assert [arguments for _, _, arguments in calls] == ["{}", "{}", '{"c": 1}', "{}", "{}", "{}"]
    ids = [call_id for call_id, _, _ in calls]
    assert ids[:2] == ["same", "same-2"]
    assert ids[4] == "old-2"
    assert len({*ids, "old"}) == 7
    assert all(ids)


@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 2}, TokenUsage(input_other=10, output=2)),
        (
            {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
            TokenUsage(input_other=6, output=2, input_cache_read=4),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 2, "cached_tokens": 7, "prompt_tokens_details": None},
            TokenUsage(input_other=3, output=2, input_cache_read=7),
        ),
    ],
)
async def test_usage_counts_the_cache(
    openai_server: OpenAIServer, kimi: OpenAIChat, counted: dict[str, Any], expected: TokenUsage
) -> None:
    openai_server.add(chat_reply("x", usage=counted))
    assert (await ask(kimi)).usage == expected
    last = chat_chunk({}, "stop")
    last["choices"][0]["usage"] = counted
    openai_server.add(sse(chat_chunk({"content": "x"}), last))
    assert (await ask(kimi)).usage == expected


@pytest.mark.parametrize("count", ["many", 1.5, [1], {}, float("inf"), float("nan"), True])
async def test_a_usage_that_cannot_be_read_does_not_cost_the_answer(
    openai_server: OpenAIServer, kimi: OpenAIChat, count: object
) -> None:
    for usage in (count, {"prompt_tokens": count, "completion_tokens": 2, "prompt_tokens_details": count}):
        openai_server.add(sse(chat_chunk({"content": "x"}), {**chat_chunk({}, "stop"), "usage": usage}))
        reply = await ask(kimi)
        assert reply.message.text == "x"
        assert reply.usage in (None, TokenUsage(output=2))


async def test_a_reply_of_nothing_is_an_empty_response(openai_server: OpenAIServer, kimi: OpenAIChat) -> None:
    openai_server.add(chat_reply("", think="hm"))
    with pytest.raises(EmptyResponseError):
        await ask(kimi)


async def test_a_filtered_answer_is_said_to_be_so(openai_server: OpenAIServer, kimi: OpenAIChat) -> None:
    openai_server.add(chat_reply("Hal", finish="content_filter"))
    with pytest.raises(ProviderError, match="content filter") as caught:
        await ask(kimi)
    assert not caught.value.retryable


async def test_a_refusal_is_text(openai_server: OpenAIServer, kimi: OpenAIChat) -> None:
    openai_server.add(sse(chat_chunk({"refusal": "I may not."}), chat_chunk({}, "stop")))
    assert (await ask(kimi)).message.text == "I may not."


async def test_an_answer_cut_at_the_limit_of_its_length_says_so(openai_server: OpenAIServer) -> None:
    openai_server.add(chat_reply("Half", finish="length"), chat_reply("Whole"), chat_reply(think="hm", finish="length"))
    provider = make(openai_server)
    assert [(await ask(provider)).cut for _ in range(2)] == [True, False]
    with pytest.raises(ProviderError, match="before any text") as told:
        await ask(provider)
    assert not told.value.retryable
    await provider.aclose()


@pytest.mark.parametrize(
    ("made_up", "sent"),
    [
        ("", "tool_"),
        ("multi_tool_use.parallel", "multi_tool_use_parallel"),
        ("运行 it", "___it"),
        ("7z", "tool_7z"),
        ("x" * 3000, "x" * 64),
    ],
)
async def test_a_name_that_the_model_made_up_goes_back_as_one_that_services_take(
    openai_server: OpenAIServer, kimi: OpenAIChat, made_up: str, sent: str
) -> None:
    asked = Message(role="assistant", content=(), tool_calls=(call("c1", made_up, "{}"),))
    answer = Message(role="tool", content=(TextPart(text="There is no such tool."),), tool_call_id="c1")
    body = await body_sent(openai_server, kimi, user_message("hi"), asked, answer)
    assert re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}", body["messages"][1]["tool_calls"][0]["function"]["name"])
    assert body["messages"][1]["tool_calls"][0]["function"]["name"].endswith(sent)


async def test_a_call_with_arguments_nested_too_deeply_does_not_spoil_later_requests(
    openai_server: OpenAIServer, kimi: OpenAIChat
) -> None:
    deep = '{"a":' + "[" * 900 + "]" * 900 + "}"
    asked = Message(role="assistant", content=(), tool_calls=(call("c1", "Shell", deep),))
    answer = Message(role="tool", content=(TextPart(text="nested too deeply"),), tool_call_id="c1")
    body = await body_sent(openai_server, kimi, user_message("hi"), asked, answer)
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"


async def test_a_model_that_takes_no_pictures_is_told_that_there_was_one(openai_server):
    provider = make(openai_server, capabilities=frozenset({"video_in"}))
    image = ImageURLPart(image_url=MediaURL(url=RED_DOT))
    history = (
        user_message((TextPart(text="what is this?"), image)),
        Message(role="assistant", tool_calls=(call("c1"),)),
        Message(role="tool", content=(image,), tool_call_id="c1"),
    )
    sent = await body_sent(openai_server, provider, *history)
    await provider.aclose()
    assert "image_url" not in str(sent)
    assert str(sent).count("Here is a picture, which this model does not take.") == 2
    assert history[0].content[1] is image
