"""A whole engine with MCP servers: the model calls their tools, and none that fails stops a turn."""

import asyncio
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kimi_tui.config.schema import HookConfig
from kimi_tui.errors import UsageError
from kimi_tui.mcp.config import Setup, load
from kimi_tui.permission.trust import project_items, remember, trust_state
from kimi_tui.wire.events import MCPLoadingBegin, MCPLoadingEnd, Notification, TurnEnd
from kimi_tui.wire.parts import ToolResult
from tests.mcp.harness import SERVERS, everyday, odd
from tests.soul.scripted_engine import engine_on, plan, tool_call


def setup(work_dir: Path, **entries: Any) -> Setup:
    return load(work_dir, texts=[json.dumps({"mcpServers": entries})])


async def test_a_turn_without_a_screen_has_the_tools_and_survives_what_fails(tmp_path: Path) -> None:
    servers = setup(tmp_path, e=everyday(), crash=odd("crash"), hang=odd("hang", connect_timeout_ms=500))
    replies = (
        tool_call("mcp__e__echo", text="from afar"),
        tool_call("echo", "c2", text="by its short name"),
        "text: ok",
    )
    made = plan(tmp_path, *replies, mcp=servers, interactive=False, auto_approve=True)
    async with engine_on(made) as (engine, received):
        assert (await engine.prompt("go")).message == "ok"
        assert [result.return_value.output for result in received.of(ToolResult)] == ["from afar", "by its short name"]
        assert received.names.index("MCPLoadingEnd") < received.names.index("TurnBegin")
        told = {note.title: note.body for note in received.of(Notification)}
        assert told["MCP server crash: failed"].endswith("no module named 'milk'")
        assert told["MCP server hang: failed"] == "no answer within 0.5 s"


async def test_a_hook_for_a_tool_holds_for_a_call_by_its_short_name(tmp_path: Path) -> None:
    made = plan(tmp_path, tool_call("echo", text="x"), "text: ok", mcp=setup(tmp_path, e=everyday()), yolo=True)
    hook = HookConfig(event="PreToolUse", matcher="^mcp__e__echo$", command="exit 2")
    made = replace(made, config=made.config.model_copy(update={"hooks": (hook,)}))
    async with engine_on(made) as (engine, received):
        await engine.mcp.ready()
        await engine.prompt("go")
        assert "A hook did not let" in received.of(ToolResult)[0].return_value.message


@pytest.mark.parametrize(("allowed", "told"), [(True, "scripted says soup, of course"), (False, "sampling")])
async def test_a_server_asks_the_model_only_where_its_entry_allows_that(
    tmp_path: Path, allowed: bool, told: str
) -> None:
    replies = (tool_call("mcp__e__ask_the_model"), *(["text: soup, of course"] if allowed else []), "text: ok")
    made = plan(tmp_path, *replies, mcp=setup(tmp_path, e=everyday(sampling=allowed)), yolo=True)
    async with engine_on(made) as (engine, received):
        await engine.mcp.ready()
        assert (await engine.prompt("go")).message == "ok"
        [result] = received.of(ToolResult)
        assert result.return_value.is_error is not allowed
        assert told in f"{result.return_value.output} {result.return_value.message}".lower()
        assert not any("soup" in message.text for message in engine.context.history if message.role == "assistant")


async def test_with_a_screen_they_start_by_themselves_and_a_server_that_goes_does_not_end_the_turn(
    tmp_path: Path,
) -> None:
    replies = (tool_call("mcp__e__die"), "text: never mind")
    made = plan(tmp_path, *replies, mcp=setup(tmp_path, e=everyday()), yolo=True)
    async with engine_on(made) as (engine, received):
        async with asyncio.timeout(20):
            await engine.mcp.ready()
        assert received.of(MCPLoadingEnd)
        assert (await engine.prompt("go")).message == "never mind"
        assert received.of(ToolResult)[0].return_value.is_error
        assert received.of(TurnEnd)
        await engine.prompt("/mcp restart e")
        assert engine.mcp.status().connected == 1
        with pytest.raises(UsageError, match="no MCP server named 'x'"):
            await engine.prompt("/mcp restart x")


async def test_a_server_of_a_project_is_started_as_it_was_trusted_only(tmp_path: Path) -> None:
    """A command in the sandbox could have changed the program before a call starts the server again."""
    work_dir = tmp_path / "work"
    (work_dir / ".git").mkdir(parents=True)
    shutil.copy(SERVERS / "everyday.py", work_dir / "server.py")
    entry = {"command": sys.executable, "args": ["server.py"]}
    (work_dir / ".mcp.json").write_text(json.dumps({"mcpServers": {"e": entry}}), "utf-8")
    remember(work_dir, True, project_items(work_dir))
    state = trust_state(work_dir)
    made = plan(tmp_path, mcp=load(work_dir, trusted=state.active))
    async with engine_on(replace(made, trust=state)) as (engine, _):
        await engine.mcp.ready()
        assert engine.mcp.states()[0].status == "connected"
        with (work_dir / "server.py").open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        again = await engine.mcp.restart("e")
        assert (again.status, again.cause[:35]) == ("failed", "server.py changed after you trusted")


async def test_servers_of_a_project_that_is_not_trusted_are_not_started(tmp_path: Path) -> None:
    work_dir = tmp_path / "work"
    work_dir.mkdir()
    (work_dir / ".mcp.json").write_text(json.dumps({"mcpServers": {"theirs": odd("chatty")}}), "utf-8")
    made = plan(tmp_path, "text: ok", "text: ok", mcp=load(work_dir), interactive=False, auto_approve=True)
    async with engine_on(made) as (engine, received):
        await engine.prompt("one")
        await engine.prompt("two")
        assert not received.of(MCPLoadingBegin)
        assert engine.mcp.states()[0].status == "untrusted"
