"""What a node sets for its turn, in a session: a scripted model, real tools."""

import asyncio
import json

import pytest

from kimi_tui.errors import EXIT_OK, UsageError
from kimi_tui.flow.run.journal import load_runs
from kimi_tui.flow.run.turn_protocol import TurnResult, TurnRules
from kimi_tui.soul.flows.turn_rules import take_under_rules
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.ui.print.runner import Output, answer
from kimi_tui.wire.codec import decode, encode
from kimi_tui.wire.events import SubagentEvent
from kimi_tui.wire.flow_events import FlowDecision, FlowNodeEnd
from kimi_tui.wire.parts import ToolResult
from tests.soul.release_flow import write_skill
from tests.soul.scripted_engine import engine_on, plan, tool_call

FLOW = """---
name: review
description: Reviews a file.
type: flow
---
```mermaid
flowchart TD
  B([BEGIN]) --> look{Look at it.}
  look -->|fix| fix[Fix ${look.severity}: ${look.files}] --> E([END])
  look -->|done| E
  look@{ out: "severity: low | high, files: [text]" }
```
"""


def submit(call_id="c1", **result):
    return tool_call("SubmitResult", call_id, **result)


def planned(tmp_path, *replies, flow=FLOW, **fields):
    made = plan(tmp_path, *replies, **fields)
    write_skill(tmp_path / "work", "review", flow)
    return made


async def test_a_result_ends_the_turn_and_takes_the_branch(tmp_path):
    replies = (submit(severity="high", files=["a.py"], choice="fix"), "text: Fixed.")
    async with engine_on(planned(tmp_path, *replies)) as (engine, received):
        await engine.prompt("/flow:review")
        prompts = [message.text for message in engine.context.history if message.role == "user"]
        assert prompts[-1] == 'Fix high: ["a.py"]'
        assert "SubmitResult" not in engine.soul.agent.toolset.names
    (ended, *_) = received.of(FlowNodeEnd)
    assert ended.result == {"severity": "high", "files": ["a.py"], "choice": "fix"}
    assert decode(json.loads(json.dumps(encode(ended)))) == ended
    assert [one.choice for one in received.of(FlowDecision)] == ["fix"]
    assert ended.steps == 1


async def test_a_result_of_the_wrong_type_is_an_error_of_the_call_that_the_model_can_mend(tmp_path):
    replies = (
        submit(severity="huge", files=[], choice="fix"),
        submit("c2", severity="low", files=[], choice="done"),
    )
    async with engine_on(planned(tmp_path, *replies)) as (engine, received):
        await engine.prompt("/flow:review")
    wrong, right = received.of(ToolResult)
    assert wrong.return_value.is_error
    assert "severity" in wrong.return_value.message
    assert not right.return_value.is_error
    assert [one.choice for one in received.of(FlowDecision)] == ["done"]


async def test_a_printed_run_records_its_result(tmp_path, capsys):
    replies = (
        "text: It is bad. <choice>done</choice>",
        submit(severity="high", files=["a.py"], choice="fix"),
        "text: Fixed.",
    )
    async with engine_on(planned(tmp_path, *replies, interactive=False)) as (engine, _):
        assert await answer(engine, "/flow:review", Output()) == EXIT_OK
        (state,) = load_runs(engine.session.dir / "flow.jsonl")
    assert state.results == {"look": {"severity": "high", "files": ["a.py"], "choice": "fix"}}
    assert "Fixed." in capsys.readouterr().out


async def test_plan_mode_does_not_keep_a_node_from_giving_its_result(tmp_path):
    async with engine_on(planned(tmp_path, submit(severity="low", files=[], choice="done"))) as (engine, received):
        engine.services.plan_mode.on = True
        await engine.prompt("/flow:review")
    assert [one.choice for one in received.of(FlowDecision)] == ["done"]


NARROW = """---
name: look
description: Looks.
type: flow
---
```mermaid
flowchart TD
  B([BEGIN]) --> look[Look at it.] --> change[Change it.] --> E([END])
  look@{ tools: "TOOLS" }
```
"""


def narrowed(tmp_path, tools, *replies, **fields):
    made = plan(tmp_path, *replies, **fields)
    write_skill(tmp_path / "work", "look", NARROW.replace("TOOLS", tools))
    return made


async def test_a_node_refuses_other_tools_and_offers_the_same_ones(tmp_path):
    write = tool_call("WriteFile", "c1", path="a", content="x")
    replies = (write, "text: Not allowed.", write.replace("c1", "c2"), "text: Done.")
    async with engine_on(narrowed(tmp_path, "ReadFile, Grep", *replies, yolo=True)) as (engine, received):
        specs = engine.soul.agent.toolset.specs
        await engine.prompt("/flow:look")
        assert engine.soul.agent.toolset.specs == specs
    refused, done = received.of(ToolResult)
    assert refused.return_value.is_error
    assert "may use: Grep, ReadFile" in refused.return_value.message
    assert not done.return_value.is_error


async def test_a_subagent_of_a_node_has_no_more_tools_than_the_node(tmp_path):
    task = tool_call("Task", "c1", description="look", subagent_name="coder", prompt="Write a file.")
    write = tool_call("WriteFile", "c2", path="a", content="x")
    replies = (task, write, "text: " + "I could not write it. " * 20, "text: Seen.", "text: Done.")
    async with engine_on(narrowed(tmp_path, "Task", *replies, yolo=True)) as (engine, received):
        await engine.prompt("/flow:look")
    results = [decode(message.event) for message in received.of(SubagentEvent)]
    (refused,) = [message for message in results if isinstance(message, ToolResult)]
    assert "may not use WriteFile" in refused.return_value.message
    assert not (tmp_path / "work" / "a").exists()


async def test_a_flow_that_names_an_unknown_tool_does_not_start(tmp_path):
    async with engine_on(narrowed(tmp_path, "ReadFile Gerp", "text: x")) as (engine, received):
        with pytest.raises(UsageError, match="`look` names the tool Gerp"):
            await engine.prompt("/flow:look")
        assert not received.of(FlowNodeEnd)


async def test_an_unknown_tool_of_a_server_fails_its_node(tmp_path):
    made = narrowed(tmp_path, "mcp__none__find", "text: x", interactive=False)
    async with engine_on(made) as (engine, _):
        with pytest.raises(UsageError, match="the agent has no tool mcp__none__find"):
            await engine.prompt("/flow:look")


SLOW = FLOW.replace("|done|", "|failed|").replace(" ${look.severity}: ${look.files}", "")
SLOW = SLOW.replace('out: "severity: low | high, files: [text]"', "timeout: 100ms")


async def test_a_turn_that_works_too_long_has_failed_and_takes_that_branch(tmp_path):
    made = planned(tmp_path, tool_call("Shell", command="sleep 60"), flow=SLOW, yolo=True)
    async with engine_on(made) as (engine, received):
        await engine.prompt("/flow:review")
        (state,) = load_runs(engine.session.dir / "flow.jsonl")
    assert [one.choice for one in received.of(FlowDecision)] == ["failed"]
    assert received.of(FlowNodeEnd)[0].status == "failed"
    assert state.status == "finished"


async def test_the_time_that_a_request_waits_for_the_user_does_not_count():
    now, looks, stopped, released = 0.0, [], [], asyncio.Event()

    def clock():
        looks.append(now)
        if len(looks) > 3:
            released.set()
        return now

    async def turn():
        await released.wait()
        return TurnResult("finished", "done")

    rules = TurnRules(seconds=0.001)
    result = await take_under_rules(rules, Toolset(), turn, clock=clock, stop=lambda: stopped.append(True))
    assert (result.message, stopped) == ("done", [])
