"""While one command or turn works on the conversation, nothing else does."""

import asyncio
import json
from collections.abc import Callable

import pytest

from kimi_tui.mcp.config import load as load_mcp
from kimi_tui.soul.commands.command import TurnRunningError
from kimi_tui.soul.engine import Engine
from kimi_tui.wire.events import CompactionBegin, CompactionEnd, TurnBegin
from tests.mcp.harness import odd
from tests.soul.scripted_engine import ReceivedMessages, engine_on, plan

LONG = "text: " + "a long answer " * 400
REPLIES = (LONG, LONG, LONG, "delay: 0.4\ntext: <state>summed up</state>", "text: after it")


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


async def compacting(engine: Engine, received: ReceivedMessages) -> "asyncio.Task[object]":
    """A compaction by hand whose summary the model is writing."""
    for number in range(3):
        await engine.prompt(f"question {number}")
    task = asyncio.create_task(engine.prompt("/compact"))
    await until(lambda: received.of(CompactionBegin))
    return task


@pytest.mark.parametrize("line", ["a message", "/clear", "/skill:own", "/rewind 1", "/compact", "/import notes.txt"])
async def test_nothing_else_changes_the_conversation_while_it_is_compacted_by_hand(tmp_path, line):
    made = plan(tmp_path, *REPLIES)
    (made.work_dir / "notes.txt").write_text("notes")
    async with engine_on(made) as (engine, received):
        task = await compacting(engine, received)
        with pytest.raises(TurnRunningError):
            await engine.prompt(line)
        await task
        assert "summed up" in engine.context.history[0].text
        await engine.prompt("next")
        assert [message.text for message in engine.context.history[-2:]] == ["next", "after it"]


async def test_a_compaction_by_hand_can_be_interrupted_and_leaves_the_conversation_as_it_was(tmp_path):
    replies = (*REPLIES[:3], "delay: 60\ntext: never", "text: after it")
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        task = await compacting(engine, received)
        before = list(engine.context.history)
        assert not engine.steer("not for a compaction")
        engine.cancel()
        assert (await task).stop == "cancelled"
        assert received.of(CompactionEnd) == [CompactionEnd(compacted=False)]
        assert engine.context.history == before
        assert not engine.busy


def with_server(tmp_path, server, *replies):
    entries = json.dumps({"mcpServers": {"odd": server}})
    return plan(tmp_path, *replies, mcp=load_mcp(tmp_path, texts=[entries]))


async def test_a_turn_that_waits_for_its_servers_can_be_interrupted_and_leaves_nothing(tmp_path):
    server = {"command": "sh", "args": ["-c", "touch begun; exec sleep 1000"], "cwd": "."}
    async with engine_on(with_server(tmp_path, server, "text: never")) as (engine, received):
        task = asyncio.create_task(engine.prompt("go"))
        await until((engine.work_dir / "begun").exists)
        engine.cancel()
        result = await task
        assert (result.stop, result.started) == ("cancelled", False)
        assert received.of(TurnBegin) == []
        assert not engine.context.history
        assert not engine.busy


async def test_the_prompt_of_a_server_is_part_of_the_turn_that_it_starts(tmp_path):
    async with engine_on(with_server(tmp_path, odd("prompts"), "text: never")) as (engine, _received):
        await engine.mcp.ready()
        task = asyncio.create_task(engine.prompt("/mcp:odd:wait"))
        await asyncio.sleep(0)
        for line in ("a message", "/clear", "/flow:own", "/init"):
            with pytest.raises(TurnRunningError):
                await engine.prompt(line)
        engine.cancel()
        assert (await task).stop == "cancelled"
        assert not engine.context.history
