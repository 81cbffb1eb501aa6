"""Characters cut in two by a service, against real servers on loopback, for each provider."""

import asyncio
import itertools
import json
import random
from typing import Any

import pytest

from kimi_tui.llm.message import Message, user_message
from kimi_tui.llm.provider import Provider
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.llm.providers.anthropic import Anthropic
from kimi_tui.llm.providers.google import Google
from kimi_tui.llm.providers.openai_chat import OpenAIChat
from kimi_tui.llm.providers.openai_responses import OpenAIResponses
from kimi_tui.wire.parts import FunctionBody, TextPart, ThinkPart, ToolCall
from tests.llm.provider_calls import ask
from tests.llm.servers import Answer, OpenAIServer, Server, chat_chunk

TEXT = "Ready 🚀 世界 👩‍💻!"
THOUGHT = "hm 🤔 é"
KINDS = ("kimi", "openai_legacy", "openai_responses", "anthropic", "google_genai")


def _events(kind: str, thoughts: list[str], texts: list[str], arguments: list[str]) -> list[dict[str, Any]]:
    match kind:
        case "kimi" | "openai_legacy":
            begin = {"index": 0, "id": "c1", "type": "function", "function": {"name": "Shell", "arguments": ""}}
            return [
                *(chat_chunk({"reasoning_content": piece}) for piece in thoughts),
                *(chat_chunk({"content": piece}) for piece in texts),
                chat_chunk({"tool_calls": [begin]}),
                *(chat_chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in arguments),
                chat_chunk({}, "tool_calls"),
            ]
        case "openai_responses":
            of = {"output_index": 2}
            item = {"type": "function_call", "call_id": "c1", "name": "Shell"}
            return [
                *({"type": "response.reasoning_text.delta", "output_index": 0, "delta": piece} for piece in thoughts),
                *({"type": "response.output_text.delta", "output_index": 1, "delta": piece} for piece in texts),
                {"type": "response.output_item.added", **of, "item": item},
                *({"type": "response.function_call_arguments.delta", **of, "delta": piece} for piece in arguments),
                {"type": "response.completed", "response": {"id": "r1"}},
            ]
        case "anthropic":
            deltas = [
                *((0, {"type": "thinking_delta", "thinking": piece}) for piece in thoughts),
                *((1, {"type": "text_delta", "text": piece}) for piece in texts),
            ]
            inputs = [(2, {"type": "input_json_delta", "partial_json": piece}) for piece in arguments]
            tool = {"type": "tool_use", "id": "c1", "name": "Shell", "input": {}}
            return [
                *({"type": "content_block_delta", "index": index, "delta": delta} for index, delta in deltas),
                {"type": "content_block_start", "index": 2, "content_block": tool},
                *({"type": "content_block_delta", "index": index, "delta": delta} for index, delta in inputs),
                {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
                {"type": "message_stop"},
            ]
        case _:
            call = {"functionCall": {"id": "c1", "name": "Shell", "args": json.loads("".join(arguments))}}
            parts = [
                *({"text": piece, "thought": True} for piece in thoughts),
                *({"text": piece} for piece in texts),
                call,
            ]
            chunks = [{"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}]} for part in parts]
            chunks[-1]["candidates"][0]["finishReason"] = "STOP"
            return chunks


def _answer(kind: str, events: list[dict[str, Any]]) -> Answer:
    named = kind in ("openai_responses", "anthropic")
    head = [f"event: {event['type']}\n" if named else "" for event in events]
    body = [f"{name}data: {json.dumps(event)}\n\n".encode() for name, event in zip(head, events, strict=True)]
    return Answer([*body, b"data: [DONE]\n\n"] if kind in ("kimi", "openai_legacy") else body)


def _provider(kind: str, server: OpenAIServer) -> Provider:
    address = server.base_url if kind in ("kimi", "openai_legacy", "openai_responses") else server.url
    settings = ProviderSettings(kind, "m", base_url=address, api_key="k", idle_timeout_s=5)
    match kind:
        case "kimi" | "openai_legacy":
            return OpenAIChat(settings)
        case "openai_responses":
            return OpenAIResponses(settings)
        case "anthropic":
            pytest.importorskip("anthropic", reason="the extra kimi-tui[anthropic] is not installed")
            return Anthropic(settings)
        case _:
            pytest.importorskip("google.genai", reason="the extra kimi-tui[google] is not installed")
            return Google(settings)


def _cut(text: str, rng: random.Random) -> list[str]:
    """The text in pieces of UTF-16 units, as services that count in those cut it."""
    units = text.encode("utf-16-le")
    ends = sorted({0, len(units), *(2 * rng.randrange(len(units) // 2) for _ in range(6))})
    return [units[a:b].decode("utf-16-le", "surrogatepass") for a, b in itertools.pairwise(ends)]


@pytest.mark.parametrize("kind", KINDS)
async def test_characters_cut_over_events_are_joined_wherever_they_are_cut(kind):
    rng = random.Random(20)
    async with OpenAIServer() as server:
        provider = _provider(kind, server)
        try:
            for _ in range(25):
                arguments = json.dumps({"command": "echo 🎉 é"}, ensure_ascii=rng.random() < 0.5)
                events = _events(kind, _cut(THOUGHT, rng), _cut(TEXT, rng), _cut(arguments, rng))
                answer = _answer(kind, events)
                server.add(answer.rechunked(*(rng.randint(1, 60) for _ in range(8)), 200))
                reply = await ask(provider)
                thoughts, texts = (part for part in reply.message.content)
                assert thoughts == ThinkPart(think=THOUGHT)
                assert texts == TextPart(text=TEXT)
                (called,) = reply.message.tool_calls or ()
                assert json.loads(called.function.arguments or "") == {"command": "echo 🎉 é"}
        finally:
            await provider.aclose()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_half_whose_other_half_never_comes_is_replaced_and_nothing_else_is_lost(kind):
    async with OpenAIServer() as server:
        provider = _provider(kind, server)
        parts = []
        server.add(_answer(kind, _events(kind, ["a\ud83d"], ["\ude00b", "c\ud83d"], ['{"command": "x\\ud83d"}'])))
        reply = await ask(provider, parts=parts)
        await provider.aclose()
    assert [getattr(part, "think", None) or getattr(part, "text", "") for part in reply.message.content] == [
        "a\ufffd",
        "\ufffdbc\ufffd",
    ]
    assert all(part.model_dump_json() for part in parts)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_history_with_half_characters_is_sent_with_them_replaced(kind):
    """Files of older versions hold them; a service would refuse every request of that session."""
    call = ToolCall(id="c1", function=FunctionBody(name="Shell", arguments='{"command": "\\ud800"}'))
    history = (
        user_message("hi \ud800"),
        Message(role="assistant", content=(TextPart(text="\udc00"),), tool_calls=(call,)),
        Message(role="tool", content=(TextPart(text="out \udcff"),), tool_call_id="c1"),
    )
    async with OpenAIServer() as server:
        provider = _provider(kind, server)
        server.add(_answer(kind, _events(kind, ["t"], ["ok"], ['{"command": "ls"}'])))
        reply = await ask(provider, *history, system="at \udce9")
        await provider.aclose()
        sent = server.requests[0].body
    assert reply.message.text == "ok"
    assert "hi \ufffd" in json.dumps(json.loads(sent), ensure_ascii=False)


async def test_bytes_of_an_event_that_are_no_utf8_cost_only_themselves():
    async with Server() as server:
        body = b'data: {"choices":[{"delta":{"content":"a\xff\xedb"}}]}\n\n'
        end = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
        server.add(Answer([body, end]))
        provider = OpenAIChat(ProviderSettings("openai_legacy", "m", base_url=server.url, api_key="k"))
        async with asyncio.timeout(10):
            reply = await ask(provider)
        await provider.aclose()
    assert reply.message.text == "a\ufffd\ufffdb"
