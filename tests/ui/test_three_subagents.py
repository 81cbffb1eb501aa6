"""Three subagents at once, one done, one stopped, one failed: the same in print, over the Wire and in the record."""

import asyncio
import json
import subprocess

from kimi_tui import paths
from kimi_tui.wire.codec import decode
from kimi_tui.wire.events import Notification, StepInterrupted, SubagentEvent, TurnEnd
from kimi_tui.wire.parts import ToolResult
from kimi_tui.wire.recorder import read_recorded
from tests.soul.scripted_engine import plan
from tests.soul.test_soul import until
from tests.ui.print.test_print import command
from tests.ui.three_subagents import ENDED, PROMPT, three_subagents
from tests.ui.wire_server.served_engine import served


def line(text):
    return json.dumps({"role": "user", "content": text}) + "\n"


async def test_in_print_the_outcome_the_messages_the_record_and_the_exit_code_are_right(tmp_path):
    replies, sleeps = three_subagents()
    argv = command(
        tmp_path, *replies, extra=("--input-format", "stream-json", "--output-format", "stream-json", "-S", "three")
    )
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        process.stdin.write(line(PROMPT))
        process.stdin.flush()
        work_dir = tmp_path / "work"
        await until(lambda: sleeps() and (work_dir / "made.txt").exists())
        said, _ = await asyncio.to_thread(process.communicate, line("/agents stop t2"))
    assert process.returncode == 0
    assert not sleeps()
    assert (work_dir / "made.txt").read_text() == "made\n"
    rows = [json.loads(row) for row in said.splitlines()]
    told = {row["tool_call_id"]: row["content"] for row in rows if row.get("role") == "tool"}
    assert "I made `made.txt`" in told["t1"]
    assert "The user stopped the subagent" in told["t2"]
    assert "the key was refused" in told["t3"]
    assert rows[-1] == {"role": "assistant", "content": ENDED}
    check_record(next(paths.home().glob("sessions/*/three/wire.jsonl")))


def check_record(file):
    recorded = [one.message for one in read_recorded(file)]
    inner = {"t1": [], "t2": [], "t3": []}
    for message in recorded:
        if isinstance(message, SubagentEvent):
            inner[message.parent_tool_call_id].append(decode(message.event))
    assert isinstance(inner["t1"][-1], TurnEnd)
    assert isinstance(inner["t2"][-1], StepInterrupted)
    assert isinstance(inner["t3"][-2], StepInterrupted)
    assert isinstance(inner["t3"][-1], Notification)
    assert inner["t3"][-1].body == "the key was refused"
    results = {message.tool_call_id: message.return_value for message in recorded if isinstance(message, ToolResult)}
    assert {call_id: value.is_error for call_id, value in results.items()} == {"t1": False, "t2": True, "t3": True}
    assert results["t2"].extras == {"interrupted": True}
    assert isinstance(recorded[-1], TurnEnd)


async def test_over_the_wire_the_file_is_made_after_a_yes_that_says_which_subagent_asks(tmp_path):
    replies, sleeps = three_subagents()
    async with served(plan(tmp_path, *replies)) as (client, engine):
        await client.initialize()
        turn = asyncio.create_task(client.call("prompt", user_input=PROMPT))
        asked = [await client.asked() for _ in range(2)]
        assert not (engine.work_dir / "made.txt").exists()
        by_tool = {payload["sender"]: (rpc_id, payload) for rpc_id, _, payload in asked}
        rpc_id, payload = by_tool["WriteFile"]
        assert (payload["subagent_type"], payload["source_description"]) == ("coder", "make the file")
        for rpc_id, payload in by_tool.values():
            client.answer(rpc_id, {"request_id": payload["id"], "response": "approve"})
        await until((engine.work_dir / "begun").exists)
        await client.call("prompt", user_input="/agents stop t2")
        assert await turn == {"status": "finished"}
        assert (engine.work_dir / "made.txt").read_text() == "made\n"
        assert not sleeps()
        check_record(engine.session.dir / "wire.jsonl")
