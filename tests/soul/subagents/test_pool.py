import asyncio
import json
from dataclasses import replace

from kimi_tui.regular_file import MAX_BYTES
from kimi_tui.session.state import read_state
from kimi_tui.soul.agent_spec import agent_file
from kimi_tui.soul.subagents.labor_market import MAX_CREATED
from kimi_tui.soul.subagents.pool import MAX_DEPTH
from kimi_tui.soul.subagents.running import MAX_RUNNING
from kimi_tui.tools.create_subagent import MAX_PROMPT
from kimi_tui.wire.codec import decode
from kimi_tui.wire.events import ApprovalResponse, Notification, StepInterrupted, SubagentEvent, TurnBegin
from kimi_tui.wire.parts import ToolResult
from kimi_tui.wire.requests import ApprovalRequest
from tests.soul.scripted_engine import engine_on, plan, tool_call
from tests.soul.test_soul import until

REPORT = "text: " + "I did it, and this is how I did it and how I checked that it was done. " * 4


def task(call_id, prompt, name="coder"):
    return tool_call("Task", call_id, description=f"do {call_id}", subagent_name=name, prompt=prompt)


async def test_a_subagent_works_in_a_memory_of_its_own_and_its_report_comes_back(tmp_path):
    async with engine_on(plan(tmp_path, task("t1", "find it"), REPORT, "text: done")) as (engine, received):
        await engine.prompt("go")
        events = received.of(SubagentEvent)
        assert {event.parent_tool_call_id for event in events} == {"t1"}
        assert decode(events[0].event) == TurnBegin(user_input="find it")
        assert events[0].subagent_type == "coder"
        assert len(engine.context.history) == 4
        assert "this is how I did it" in engine.context.history[2].text
        assert list((engine.session.dir / "subagents").iterdir())


async def test_a_short_report_is_asked_to_be_a_real_one_once(tmp_path):
    replies = (task("t1", "find it"), "text: ok", "text: still short", "text: done")
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        await engine.prompt("go")
        turns = [e for e in received.of(SubagentEvent) if e.event["type"] == "TurnBegin"]
        assert len(turns) == 2
        assert "still short" in engine.context.history[2].text


async def test_in_plan_mode_a_subagent_that_edits_nothing_looks_around_and_another_is_not_sent(tmp_path):
    looks = (tool_call("Shell", "s1", command="echo seen"), tool_call("Shell", "s2", command="touch made"))
    replies = (task("t1", "look", "explore"), *looks, REPORT, task("t2", "do it"), "text: done")
    async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, received):
        await engine.prompt("/plan on")
        await engine.prompt("go")
        results = [decode(one.event) for one in received.of(SubagentEvent) if one.event["type"] == "ToolResult"]
        assert [one.return_value.is_error for one in results if isinstance(one, ToolResult)] == [False, True]
        assert not (engine.work_dir / "made").exists()
        found = {result.tool_call_id: result.return_value for result in received.of(ToolResult)}
        assert "this is how I did it" in str(found["t1"].output)
        assert "known to change nothing" in found["t2"].message


async def test_several_tasks_of_one_step_run_side_by_side(tmp_path):
    """Each of the two shells waits for the file that the other subagent's makes."""
    wait = "touch {0}; for i in $(seq 500); do [ -e {1} ] && exit 0; sleep 0.02; done; exit 1"
    both = task("t1", "one") + "\n" + task("t2", "two")
    replies = (
        both,
        tool_call("Shell", "a", command=wait.format("x", "y")),
        tool_call("Shell", "b", command=wait.format("y", "x")),
        REPORT,
        REPORT,
        "text: done",
    )
    async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, received):
        await engine.prompt("go")
    inner = [decode(event.event) for event in received.of(SubagentEvent)]
    assert [m.return_value.is_error for m in inner if isinstance(m, ToolResult)] == [False, False]


async def test_approvals_of_a_subagent_come_to_the_root_and_a_rejection_does_not_end_its_turn(tmp_path):
    replies = (task("t1", "make it"), tool_call("Shell", "a", command="touch made"), REPORT, "text: done")
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: engine.approvals.pending)
        request = engine.approvals.pending[0]
        assert (request.subagent_type, request.source_description) == ("coder", "do t1")
        assert received.of(ApprovalRequest) == [request]
        engine.approvals.settle(request.id, "reject")
        assert (await turn).stop == "finished"
        assert not (engine.work_dir / "made").exists()


async def test_cancel_reaches_a_subagent_and_what_it_runs(tmp_path):
    replies = (task("t1", "wait"), tool_call("Shell", "a", command="touch began; sleep 1000"), "text: after")
    async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, received):
        turn = asyncio.create_task(engine.prompt("go"))
        await until((engine.work_dir / "began").exists)
        engine.cancel()
        assert (await turn).stop == "cancelled"
        inner = [decode(event.event) for event in received.of(SubagentEvent)]
        assert isinstance(inner[-1], StepInterrupted)
        assert (await engine.prompt("and?")).message == "after"


async def test_a_subagent_that_fails_is_an_error_to_the_agent_that_sent_it(tmp_path):
    replies = (task("t1", "x"), "error: 401 no", "text: I see")
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        assert (await engine.prompt("go")).message == "I see"
    result = received.of(ToolResult)[0]
    assert result.return_value.is_error
    assert "The subagent failed" in result.return_value.message


async def test_a_subagent_that_there_is_not_is_named_beside_those_there_are(tmp_path):
    async with engine_on(plan(tmp_path, task("t1", "x", "wizard"), "text: ok")) as (engine, received):
        await engine.prompt("go")
    assert "There are: coder, explore, plan" in received.of(ToolResult)[0].return_value.message


async def test_a_subagent_made_in_the_session_has_the_prompt_it_was_given_and_its_makers_tools(tmp_path):
    replies = (
        tool_call("CreateSubagent", "m", name="poet", system_prompt="You rhyme."),
        tool_call("CreateSubagent", "m2", name="poet", system_prompt="Again."),
        task("t1", "rhyme", "poet"),
        REPORT,
        "text: done",
    )
    made = plan(tmp_path, *replies, agent_file=agent_file("okabe"))
    async with engine_on(made) as (engine, received):
        await engine.prompt("go")
        results = received.of(ToolResult)
        assert [result.return_value.is_error for result in results] == [False, True, False]
        folder = next((engine.session.dir / "subagents").iterdir())
        first = json.loads((folder / "context.jsonl").read_text().splitlines()[0])
        assert first["content"] == "You rhyme."
        session_id = engine.session_id
    again = plan(tmp_path, task("t2", "once more", "poet"), REPORT, "text: ok", session_id=session_id)
    async with engine_on(replace(again, agent_file=agent_file("okabe"))) as (engine, received):
        await engine.prompt("go on")
        assert not received.of(ToolResult)[-1].return_value.is_error
        assert "poet" in engine.soul.agent.subagents.names()


async def test_a_dmail_goes_back_to_its_checkpoint_and_the_second_attempt_differs(tmp_path):
    replies = (
        tool_call("WriteFile", "w", path="big.txt", content="much\n"),
        tool_call("SendDMail", "d", message="big.txt holds nothing; look in small.txt", checkpoint_id=1),
        "text: looking in small.txt",
    )
    made = plan(tmp_path, *replies, agent_file=agent_file("okabe"), yolo=True)
    async with engine_on(made) as (engine, _):
        assert (await engine.prompt("find it")).message == "looking in small.txt"
        texts = [message.text for message in engine.context.history]
        assert texts[0] == "<system>CHECKPOINT 0</system>"
        assert texts[1] == "find it"
        assert not any("much" in text for text in texts)
        assert any("look in small.txt" in text for text in texts)
        recorded = [r.message for r in engine.recorded()]
        assert any(isinstance(m, ToolResult) and m.tool_call_id == "w" for m in recorded)
        session_id = engine.session_id
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
        assert [message.text for message in engine.context.history] == texts


async def test_a_dmail_to_a_checkpoint_that_there_is_not_is_refused(tmp_path):
    replies = (tool_call("SendDMail", "d", message="x", checkpoint_id=9), "text: ok")
    async with engine_on(plan(tmp_path, *replies, agent_file=agent_file("okabe"))) as (engine, received):
        await engine.prompt("go")
    assert "There is no checkpoint 9" in received.of(ToolResult)[0].return_value.message


async def test_of_three_subagents_one_makes_a_file_after_a_yes_one_is_stopped_and_one_fails(tmp_path):
    """They share one script: the order of the first two requests is that of the calls, and the third has none left."""
    calls = "\n".join((task("t1", "write it"), task("t2", "wait"), task("t3", "look")))
    wait = "until [ -e stop ]; do sleep 0.02; done"
    replies = (
        calls,
        tool_call("WriteFile", "w", path="made.txt", content="made\n"),
        tool_call("Shell", "s", command=wait),
        "error: 401 no key",
        REPORT,
        "text: one of three",
    )
    async with engine_on(plan(tmp_path, *replies)) as (engine, _):
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: len(engine.approvals.pending) == 2)
        for request in engine.approvals.pending:
            engine.approvals.settle(request.id, "approve")
        at_work = next(key for key, one in engine.running_subagents.agents.items() if one.description == "do t2")
        assert engine.running_subagents.stop(at_work)
        assert not engine.running_subagents.stop("nobody")
        assert (await turn).message == "one of three"
        assert (engine.work_dir / "made.txt").read_text() == "made\n"
        told = {message.tool_call_id: message.text for message in engine.context.history if message.role == "tool"}
        assert "this is how I did it" in told["t1"]
        assert "The user stopped the subagent" in told["t2"]
        assert "no key" in told["t3"]
        assert not engine.running_subagents.agents


async def test_a_dmail_leaves_a_seam_on_the_wire_and_in_the_record(tmp_path):
    replies = (tool_call("SendDMail", "d", message="do not", checkpoint_id=0), "text: I did not")
    async with engine_on(plan(tmp_path, *replies, agent_file=agent_file("okabe"))) as (engine, received):
        await engine.prompt("go")
        seam = next(message for message in received.of(Notification) if message.type == "dmail")
        assert (seam.body, seam.payload) == ("do not", {"checkpoint_id": 0})
        assert seam in [recorded.message for recorded in engine.recorded()]


NESTED = {
    "agent.yaml": "extend: default\nname: top\nsubagents: {middle: {path: middle.yaml, description: x}}",
    "middle.yaml": "extend: default\nname: middle\nsubagents: {leaf: {path: leaf.yaml, description: x}}",
    "leaf.yaml": "extend: default\nname: leaf\nexclude_tools: ['kimi_tui.tools.task:Task']\nsubagents: {}",
}


async def test_a_subagent_of_a_subagent_is_told_within_the_one_that_sent_it_and_asks_the_person(tmp_path):
    for name, text in NESTED.items():
        (tmp_path / name).write_text(text)
    replies = (
        task("t1", "go on", "middle"),
        task("t2", "make it", "leaf"),
        tool_call("Shell", "s", command="touch made") + "\nusage: input_other=5 output=2",
        REPORT,
        REPORT,
        "text: done",
    )
    async with engine_on(plan(tmp_path, *replies, agent_file=tmp_path / "agent.yaml")) as (engine, received):
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: engine.approvals.pending)
        request = engine.approvals.pending[0]
        assert (request.subagent_type, request.tool_call_id) == ("leaf", "s")
        engine.approvals.settle(request.id, "approve")
        assert (await turn).message == "done"
        assert (engine.work_dir / "made").exists()
        outer = received.of(SubagentEvent)
        assert {(event.parent_tool_call_id, event.subagent_type) for event in outer} == {("t1", "middle")}
        inner = [message for message in (decode(event.event) for event in outer) if isinstance(message, SubagentEvent)]
        assert {(event.parent_tool_call_id, event.subagent_type) for event in inner} == {("t2", "leaf")}
        assert engine.figures.usage.output == 2


async def test_what_a_subagent_asks_is_taken_back_when_a_person_stops_it(tmp_path):
    replies = (task("t1", "make it"), tool_call("Shell", "a", command="touch made"), "text: then not")
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: engine.approvals.pending)
        await engine.prompt("/agents stop t1")
        assert (await turn).message == "then not"
        assert engine.approvals.pending == ()
        assert [answer.response for answer in received.of(ApprovalResponse)] == ["reject"]
        assert received.of(ToolResult)[-1].return_value.extras == {"interrupted": True}
        assert not (engine.work_dir / "made").exists()


async def test_a_subagent_made_in_the_session_leaves_what_the_model_is_told_of_its_tools_as_it_was(tmp_path):
    made = plan(
        tmp_path,
        tool_call("CreateSubagent", "m", name="poet", system_prompt="You rhyme."),
        "text: done",
        agent_file=agent_file("okabe"),
    )
    async with engine_on(made) as (engine, received):
        before = engine.soul.agent.toolset.specs
        await engine.prompt("go")
        assert not received.of(ToolResult)[0].return_value.is_error
        assert engine.soul.agent.toolset.specs == before
        session_id = engine.session_id
    async with engine_on(replace(made, session_id=session_id)) as (engine, _):
        assert "poet" in engine.soul.agent.subagents.names()
        assert engine.soul.agent.toolset.specs == before


async def test_subagents_made_in_the_session_are_bounded_and_its_state_can_still_be_read(tmp_path):
    prompts = {"long": "x" * (MAX_PROMPT + 1)} | {f"w{number}": "You work." for number in range(MAX_CREATED + 1)}
    calls = [tool_call("CreateSubagent", name, name=name, system_prompt=text) for name, text in prompts.items()]
    made = plan(tmp_path, "\n".join(calls), "text: done", agent_file=agent_file("okabe"))
    async with engine_on(made) as (engine, received):
        await engine.prompt("go")
        refused = [result.tool_call_id for result in received.of(ToolResult) if result.return_value.is_error]
        assert refused == ["long", f"w{MAX_CREATED}"]
        state = read_state(engine.session.dir / "state.json")
        assert len(state.subagents) == MAX_CREATED
        assert sum(map(len, state.subagents.values())) < MAX_BYTES // 2


async def test_subagents_that_send_subagents_come_to_an_end(tmp_path):
    create = tool_call("CreateSubagent", "c", name="w", system_prompt="Send another one.")
    tasks = [task(f"t{depth}", f"level {depth}", "w") for depth in range(MAX_DEPTH + 1)]
    setup = plan(tmp_path, create, *tasks, *[REPORT] * MAX_DEPTH, "text: done")
    async with engine_on(replace(setup, agent_file=agent_file("okabe"))) as (engine, _):
        await engine.prompt("go")
        assert len(list((engine.session.dir / "subagents").iterdir())) == MAX_DEPTH
        assert engine.context.history[-1].text == "done"


async def test_one_step_sends_a_bounded_number_of_subagents(tmp_path):
    """Each subagent waits for the user, so none of them ends."""
    calls = [task(f"t{number}", f"work {number}") for number in range(MAX_RUNNING + 6)]
    asks = [tool_call("Shell", f"s{number}", command=f"touch made{number}") for number in range(MAX_RUNNING)]
    async with engine_on(plan(tmp_path, "\n".join(calls), *asks)) as (engine, received):
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: len(engine.approvals.pending) == MAX_RUNNING and len(received.of(ToolResult)) == 6)
        said = {str(result.return_value.message) for result in received.of(ToolResult)}
        assert len(said) == 1
        assert f"{MAX_RUNNING} subagents are at work already" in said.pop()
        turn.cancel()
        await asyncio.gather(turn, return_exceptions=True)
        assert not engine.running_subagents.agents
