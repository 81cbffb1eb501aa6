"""`kimi-tui acp` as a program, spoken to over its pipes by the official SDK's client."""

import asyncio
import json
import os
import sys

from acp.stdio import spawn_agent_process

from tests.soul.test_soul import until
from tests.ui.acp.acp_client import Editor
from tests.ui.sleeper import sleeper
from tests.ui.wire_server.test_process import peer_config


def spawned(editor, config):
    argv = [sys.executable, "-m", "kimi_tui", "--config-file", str(config), "--yolo", "acp"]
    return spawn_agent_process(editor, *argv, env=dict(os.environ), use_unstable_protocol=True)


async def test_a_client_that_leaves_in_the_middle_of_a_tool_leaves_no_process_and_a_session_that_loads(tmp_path):
    work_dir = tmp_path / "work"
    work_dir.mkdir()
    sleep, sleeps = sleeper()
    editor = Editor()
    async with spawned(editor, peer_config(tmp_path, sleep)) as (agent, process):
        await agent.initialize(protocol_version=1)
        session = (await agent.new_session(cwd=str(work_dir), mcp_servers=[])).session_id
        turn = asyncio.create_task(editor.say(session, "go"))
        await until(lambda: (work_dir / "begun").exists() and sleeps())
        process.stdin.close()
        assert await process.wait() == 0
        assert await process.stderr.read() == b""
        turn.cancel()
    await asyncio.gather(turn, return_exceptions=True)
    assert not sleeps()
    editor = Editor()
    async with spawned(editor, peer_config(tmp_path, "text: back again")) as (agent, _):
        await agent.initialize(protocol_version=1)
        await agent.load_session(cwd=str(work_dir), session_id=session, mcp_servers=[])
        assert editor.text("user_message_chunk") == "go"
        assert editor.calls()[0]["status"] == "failed"
        assert (await editor.say(session, "go on")).stop_reason == "end_turn"
        assert editor.text().endswith("back again")  # where there is no sandbox, that is told before


async def test_an_editor_that_names_kimi_clis_option_is_served(tmp_path):
    editor = Editor()
    argv = [sys.executable, "-m", "kimi_tui", "--config-file", str(peer_config(tmp_path, "text: here")), "--acp"]
    async with spawn_agent_process(editor, *argv, env=dict(os.environ), use_unstable_protocol=True) as (agent, _):
        await agent.initialize(protocol_version=1)
        session = (await agent.new_session(cwd=str(tmp_path), mcp_servers=[])).session_id
        assert (await editor.say(session, "go")).stop_reason == "end_turn"
        assert editor.text() == "here"


async def test_garbage_is_answered_and_passed_over(tmp_path):
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "kimi_tui", "--config-file", str(peer_config(tmp_path)), "acp"],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=1 << 24,
    )
    lines = [b"nonsense", b"[]", b"[" * 100_000, b'{"id": {}, "result": 1}', b"{}", b"x" * (50 << 20)]
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}
    bad = {"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": {"cwd": 5}}
    unknown = {"jsonrpc": "2.0", "id": 3, "method": "session/fly", "params": {}}
    lines += [json.dumps(message).encode() for message in (hello, bad, unknown)]
    out, errors = await process.communicate(b"\n".join(lines) + b'\n{"jsonrpc": "2.0", "id": 4, "met')
    assert process.returncode == 0
    assert errors == b""
    answers = [json.loads(line) for line in out.splitlines()]
    codes = [answer["error"]["code"] for answer in answers if answer["id"] is None]
    assert codes == [-32700, -32600, -32700, -32600, -32600, -32700, -32700]
    named = {answer["id"]: answer for answer in answers if answer["id"] is not None}
    assert named[1]["result"]["protocolVersion"] == 1
    assert named[2]["error"]["code"] == -32602
    assert named[3]["error"]["code"] == -32601
