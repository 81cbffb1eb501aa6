"""Whole turns against a fake of the services that is not ours: npm `@copilotkit/aimock`, skipped where it is missing.

    npm install @copilotkit/aimock

Its `llmock` is looked for on PATH, and in the folders of KIMI_TUI_TEST_SERVERS (as PATH is written).
"""

import asyncio
import json
import os
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from kimi_tui.config.schema import ProviderConfig
from kimi_tui.errors import ProviderAuthError, ProviderError
from kimi_tui.soul.assemble import EngineConfig
from kimi_tui.wire.events import StatusUpdate, StepRetry
from kimi_tui.wire.parts import TextPart, ThinkPart, ToolCall, ToolResult
from tests.soul.scripted_engine import engine_on, plan

SERVICES = {
    "kimi": "/v1",
    "openai_legacy": "/v1",
    "openai_responses": "/v1",
    "anthropic": "",
    "google_genai": "",
}
MODELS = {"google_genai": "gemini-2.5-flash", "anthropic": "claude-test", "openai_responses": "gpt-5"}
LOOK = {"name": "Glob", "arguments": '{"pattern": "*.txt"}'}, {"name": "ReadFile", "arguments": '{"path": "a.txt"}'}
FIXTURES: list[dict[str, Any]] = [
    {
        "match": {"userMessage": "look around", "toolResultContains": "salt"},
        "response": {"content": "There is salt in it. 盐"},
    },
    {
        "match": {"userMessage": "look around", "hasToolResult": False},
        "response": {"content": "I look.", "toolCalls": list(LOOK)},
    },
    {"match": {"userMessage": "ponder"}, "response": {"content": "Yes.", "reasoning": "Is it so? It is."}},
    {"match": {"userMessage": "at length"}, "response": {"content": "word 词 " * 2000}},
    {
        "match": {"userMessage": "busy", "sequenceIndex": 0},
        "response": {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429, "retryAfter": 0},
    },
    {"match": {"userMessage": "busy", "sequenceIndex": 1}, "response": {"content": "Here I am."}},
    {
        "match": {"userMessage": "locked"},
        "response": {"error": {"message": "the key is no good", "type": "authentication_error"}, "status": 401},
    },
]


@asynccontextmanager
async def fake(folder: Path, *args: str) -> AsyncIterator[str]:
    """The server with our fixtures, strict: what it has no answer to is an error."""
    folders = os.pathsep.join(filter(None, (os.environ.get("KIMI_TUI_TEST_SERVERS"), os.environ.get("PATH"))))
    command = shutil.which("llmock", path=folders)
    if command is None:
        pytest.skip("@copilotkit/aimock is not installed")
    fixtures = folder / "fixtures.json"
    fixtures.write_text(json.dumps({"fixtures": FIXTURES}), "utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *(command, "-p", str(port), "-f", str(fixtures), "--strict", *args),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    try:
        said = b""
        async with asyncio.timeout(30):
            while str(port).encode() not in (line := await process.stdout.readline()):
                assert line, said.decode()
                said += line
        rest = asyncio.create_task(process.stdout.read())
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()
    await rest


def asking(tmp_path: Path, service: str, url: str, **loop: int) -> EngineConfig:
    if service in ("anthropic", "google_genai"):
        pytest.importorskip(service.replace("_", "."), reason=f"the extra for {service} is not installed")
    made = plan(tmp_path, loop=loop or None, yolo=True)
    provider = ProviderConfig(type=service, base_url=url + SERVICES[service], api_key=SecretStr("test-key"))
    model = made.config.models["s"].model_copy(update={"model": MODELS.get(service, "some-model")})
    return replace(
        made, config=made.config.model_copy(update={"providers": {"script": provider}, "models": {"s": model}})
    )


@pytest.fixture(params=SERVICES)
async def asked(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[EngineConfig]:
    async with fake(tmp_path) as url:
        yield asking(tmp_path, request.param, url)


@pytest.mark.filterwarnings("ignore:FUNCTION_CALL is not a valid FinishReason")  # of the fake, by Google's SDK
async def test_a_turn_with_tools_and_what_else_a_service_says(asked: EngineConfig) -> None:
    (asked.work_dir / "a.txt").write_text("salt\n")
    async with engine_on(asked) as (engine, received):
        result = await engine.prompt("look around")
        assert result.message == "There is salt in it. 盐"
        assert [call.function.name for call in received.of(ToolCall)] == ["Glob", "ReadFile"]
        results = {found.tool_call_id: str(found.return_value.output) for found in received.of(ToolResult)}
        listed, read = (results[call.id] for call in received.of(ToolCall))
        assert "a.txt" in listed
        assert "salt" in read
        assert received.of(TextPart)[0].text == "I look."
        assert received.of(StatusUpdate)[-1].context_tokens
        assert (await engine.prompt("at length")).message == ("word 词 " * 2000)
        assert (await engine.prompt("busy")).message == "Here I am."
        assert [retry.status_code for retry in received.of(StepRetry)] == [429]
        with pytest.raises(ProviderAuthError, match="the key is no good"):
            await engine.prompt("locked")
        assert (await engine.prompt("ponder")).message == "Yes."
        assert "".join(part.think for part in received.of(ThinkPart)) == "Is it so? It is."
        with pytest.raises(ProviderError, match=r"(?i)no fixture"):
            await engine.prompt("something else")


@pytest.mark.parametrize("chaos", ["disconnect", "malformed", "drop"])
@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_that_breaks_off_is_an_error_with_its_cause(tmp_path: Path, service: str, chaos: str) -> None:
    async with fake(tmp_path, f"--chaos-{chaos}", "1") as url:
        made = asking(tmp_path, service, url, max_retries_per_step=1)
        async with engine_on(made) as (engine, _):
            with pytest.raises(ProviderError) as failed:
                await engine.prompt("ponder")
            assert str(failed.value)
            assert not engine.busy
