"""A turn with a tool call on each kind of service, from the configuration to the answer, over real HTTP."""

import json
from dataclasses import replace

import pytest
from pydantic import SecretStr

from kimi_tui.config.schema import ModelConfig, ProviderConfig
from kimi_tui.wire.events import StatusUpdate
from kimi_tui.wire.parts import ThinkPart, ToolResult
from tests.llm import servers
from tests.soul.scripted_engine import engine_on, plan


def chat():
    return [servers.chat_reply("I look.", think="hm", calls=[("c1", "Glob", {"pattern": "*.md"})]), _CHAT_END]


_CHAT_END = servers.chat_reply(["Do", "ne."])


def responses():
    from tests.llm.providers import test_openai_responses as said

    call = {"type": "function_call", "call_id": "c1", "name": "Glob", "arguments": ""}
    started = [
        said.CREATED,
        said.summary("hm"),
        said.text("I look.", 1),
        said.item("added", 2, **call),
        said.arguments('{"pattern": "*.md"}', 2),
    ]
    return [
        servers.named_sse(*started, said.COMPLETED),
        servers.named_sse(said.CREATED, said.text("Done."), said.COMPLETED),
    ]


def anthropic():
    said = pytest.importorskip("tests.llm.providers.test_anthropic")
    think = [said.begin(0, type="thinking", thinking=""), said.more(0, "thinking_delta", thinking="hm"), said.stop(0)]
    text = [said.begin(1, type="text", text=""), said.more(1, "text_delta", text="I look."), said.stop(1)]
    call = [
        said.begin(2, type="tool_use", id="c1", name="Glob", input={}),
        said.more(2, "input_json_delta", partial_json='{"pattern": "*.md"}'),
        said.stop(2),
    ]
    done = [said.begin(0, type="text", text=""), said.more(0, "text_delta", text="Done."), said.stop(0)]
    return [
        servers.named_sse(said.START, *think, *text, *call, *said.end("tool_use")),
        servers.named_sse(said.START, *done, *said.end()),
    ]


def google():
    said = pytest.importorskip("tests.llm.providers.test_google")
    call = {"functionCall": {"name": "Glob", "args": {"pattern": "*.md"}}}
    first = said.chunk({"text": "hm", "thought": True}, {"text": "I look."}, call, finish="STOP")
    return [servers.sse(first, done=False), servers.sse(said.chunk({"text": "Done."}, finish="STOP"), done=False)]


SERVICES = {
    "kimi": (chat, "/v1"),
    "openai_legacy": (chat, "/v1"),
    "openai_responses": (responses, "/v1"),
    "anthropic": (anthropic, ""),
    "google_genai": (google, ""),
}


@pytest.mark.parametrize("kind", SERVICES)
async def test_a_turn_thinks_calls_a_tool_and_ends_with_what_was_used(tmp_path, kind):
    replies, path = SERVICES[kind]
    async with servers.Server() as server:
        server.add(*replies())
        service = ProviderConfig(
            type=kind, base_url=server.url + path, api_key=SecretStr("test-key"), custom_headers={"X-Team": "blue"}
        )
        made = plan(tmp_path)
        models = {"m": ModelConfig(provider="p", model="test-model", capabilities=frozenset({"thinking"}))}
        config = made.config.model_copy(update={"providers": {"p": service}, "models": models})
        async with engine_on(replace(made, config=config, thinking=True)) as (engine, received):
            result = await engine.prompt("go")
            assert (result.message, result.steps) == ("Done.", 2)
            assert any("hm" in part.think for part in received.of(ThinkPart))
            assert [one.return_value.is_error for one in received.of(ToolResult)] == [False]
            used = [messages for messages in received.of(StatusUpdate) if messages.token_usage is not None]
            assert [messages.model for messages in used] == ["m", "m"]
            assert engine.figures.usage.output > 0
    first, second = server.requests
    assert (first.headers["x-team"], second.headers["x-team"]) == ("blue", "blue")
    assert "test-key" in str(first.headers)
    assert "I look." in json.dumps(second.json)
    assert "*.md" in json.dumps(second.json)


async def test_the_environment_goes_before_the_configuration(tmp_path, monkeypatch):
    for name, value in {
        "KIMI_API_KEY": "env-key",
        "KIMI_MODEL_NAME": "env-model",
        "KIMI_MODEL_TEMPERATURE": "0.3",
        "KIMI_MODEL_TOP_P": "0.9",
        "KIMI_MODEL_MAX_TOKENS": "500",
        "KIMI_MODEL_THINKING_KEEP": "all",
        "KIMI_MODEL_CAPABILITIES": "thinking",
    }.items():
        monkeypatch.setenv(name, value)
    async with servers.OpenAIServer() as server:
        server.add(_CHAT_END)
        monkeypatch.setenv("KIMI_BASE_URL", server.base_url)
        made = plan(tmp_path)
        service = ProviderConfig(type="kimi", base_url="http://127.0.0.1:9/v1", api_key=SecretStr("file-key"))
        models = {"m": ModelConfig(provider="p", model="file-model")}
        config = made.config.model_copy(update={"providers": {"p": service}, "models": models})
        async with engine_on(replace(made, config=config, thinking=True)) as (engine, _):
            assert (await engine.prompt("go")).message == "Done."
    asked = server.requests[0]
    sent = asked.json
    assert (asked.headers["authorization"], sent["model"]) == ("Bearer env-key", "env-model")
    assert (sent["temperature"], sent["top_p"], sent["max_completion_tokens"]) == (0.3, 0.9, 500)
    assert sent["thinking"] == {"type": "enabled", "keep": "all"}


@pytest.mark.parametrize(
    ("capabilities", "wanted", "sent"),
    [
        ({"thinking"}, True, {"type": "enabled"}),
        ({"thinking"}, False, {"type": "disabled"}),
        (set(), False, {"type": "disabled"}),
        (set(), True, None),
        ({"always_thinking"}, False, None),
    ],
)
async def test_kimi_is_told_to_think_or_not_as_far_as_the_model_can(tmp_path, capabilities, wanted, sent):
    async with servers.OpenAIServer() as server:
        server.add(_CHAT_END)
        made = plan(tmp_path)
        service = ProviderConfig(type="kimi", base_url=server.base_url, api_key=SecretStr("k"))
        models = {"m": ModelConfig(provider="p", model="model", capabilities=frozenset(capabilities))}
        config = made.config.model_copy(update={"providers": {"p": service}, "models": models})
        async with engine_on(replace(made, config=config, thinking=wanted)) as (engine, _):
            await engine.prompt("go")
    assert server.requests[0].json.get("thinking") == sent


async def test_yolo_of_an_option_is_for_that_start_only_and_that_of_the_user_stays(tmp_path):
    async with engine_on(plan(tmp_path, "text: one", yolo=True)) as (engine, _):
        await engine.prompt("one")
        await engine.prompt("/plan on")  # saves the state
        session = engine.session_id
        assert engine.approvals.yolo
    async with engine_on(plan(tmp_path, session_id=session)) as (engine, _):
        assert engine.services.plan_mode.on
        assert not engine.approvals.yolo
        await engine.prompt("/yolo")
    async with engine_on(plan(tmp_path, session_id=session)) as (engine, _):
        assert engine.approvals.yolo
        await engine.prompt("/yolo")
        await engine.prompt("/yolo")
    async with engine_on(plan(tmp_path, session_id=session)) as (engine, _):
        assert engine.approvals.yolo
