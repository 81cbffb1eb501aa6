"""A whole engine on a scripted model: real tools, real files, a home of its own."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from pydantic import SecretStr

from kimi_tui.config.schema import Config, LoopControl, ModelConfig, ProviderConfig
from kimi_tui.soul.assemble import EngineConfig, build_engine
from kimi_tui.soul.engine import Engine
from kimi_tui.wire.codec import WireMessage, type_name


def tool_call(name: str, call_id: str = "c1", /, **arguments) -> str:
    call = {"id": call_id, "name": name, "arguments": json.dumps(arguments)}
    return "tool_call: " + json.dumps(call)


def plan(tmp_path: Path, *replies: str, loop: dict | None = None, **fields) -> EngineConfig:
    """A plan for `tmp_path/work`, with a model that gives `replies`, one a request."""
    work_dir = tmp_path / "work"
    work_dir.mkdir(exist_ok=True)
    scripts = tmp_path / "script.json"
    scripts.write_text(json.dumps(list(replies)), "utf-8")
    config = Config(
        models={"s": ModelConfig(provider="script", model="scripted", max_context_size=100_000)},
        providers={"script": ProviderConfig(type="scripted", scripts=scripts, api_key=SecretStr("sk-hidden"))},
        loop_control=LoopControl(**(loop or {})),
    )
    return replace(EngineConfig(work_dir=work_dir.resolve(), config=config), **fields)


def seeing(made: EngineConfig) -> EngineConfig:
    """The same with a model that takes pictures."""
    model = made.config.models["s"].model_copy(update={"capabilities": frozenset({"image_in"})})
    return replace(made, config=made.config.model_copy(update={"models": {"s": model}}))


class ReceivedMessages(list[WireMessage]):
    """What the Wire said, merged."""

    @property
    def names(self) -> list[str]:
        return [type_name(message) for message in self]

    def of(self, *types):
        return [message for message in self if isinstance(message, types)]


@asynccontextmanager
async def engine_on(made: EngineConfig) -> AsyncIterator[tuple[Engine, ReceivedMessages]]:
    engine = await build_engine(made)
    received = ReceivedMessages()
    engine.wire.listen(received.append, merged=True)
    try:
        yield engine, received
    finally:
        await engine.aclose()
