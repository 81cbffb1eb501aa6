"""What a node sets for its turn, in a session: a scripted model, real tools."""

import json

from kimi_tui.errors import EXIT_OK
from kimi_tui.flow.run.journal import load_runs
from kimi_tui.ui.print.runner import Output, answer
from kimi_tui.wire.codec import decode, encode
from kimi_tui.wire.flow_events import FlowDecision, FlowNodeEnd
from kimi_tui.wire.parts import ToolResult
from tests.soul.engines import engine_on, plan, tool_call
from tests.soul.release_flow import write_skill

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
