"""Flows in a session, with a scripted model."""

import asyncio
import logging

import pytest

from kimi_tui.errors import MaxStepsReachedError, UsageError
from kimi_tui.soul.engine import TurnRunningError
from kimi_tui.wire.events import Notification, TurnBegin
from kimi_tui.wire.flow_events import FlowBegin, FlowDecision, FlowEnd, FlowNodeBegin, FlowPaused
from tests.soul.release_flow import CHOICES, FLOW, skills, write_skill  # noqa: F401 - a fixture
from tests.soul.scripted_engine import engine_on, plan, tool_call
from tests.soul.test_soul import until


@pytest.mark.usefixtures("skills")
async def test_a_flow_goes_its_way_with_a_turn_a_node(tmp_path):
    async with engine_on(plan(tmp_path, *CHOICES)) as (engine, received):
        result = await engine.prompt("/flow:release now please")
        assert result.stop == "finished"
    assert [(event.choice, event.dst) for event in received.of(FlowDecision)] == [("no", "Fix"), ("yes", "E")]
    assert [event.node_id for event in received.of(FlowNodeBegin)] == ["Fix", "Green", "Fix", "Green"]
    assert received.of(FlowEnd)[0].status == "finished"
    assert received.names[:2] == ["TurnBegin", "FlowBegin"]
    assert received.names[-2:] == ["FlowEnd", "TurnEnd"]
    assert "now please" in engine.context.history[0].text
    assert received.of(TurnBegin)[0].user_input == "/flow:release now please"


@pytest.mark.usefixtures("skills")
async def test_a_broken_flow_says_where_and_why(tmp_path):
    async with engine_on(plan(tmp_path)) as (engine, received):
        with pytest.raises(UsageError, match=r"SKILL.md.*"):
            await engine.prompt("/flow:broken")
        assert received.of(Notification)


@pytest.mark.usefixtures("skills")
async def test_an_unknown_flow_is_named_beside_those_there_are(tmp_path):
    async with engine_on(plan(tmp_path)) as (engine, _):
        with pytest.raises(UsageError, match=r"no flow named 'rel'. Available: .*release"):
            await engine.prompt("/flow:rel")


@pytest.mark.usefixtures("skills")
async def test_a_rejected_tool_pauses_the_flow_and_the_person_may_choose_the_branch(tmp_path):
    replies = (tool_call("Shell", command="make"), "text: done")
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: engine.approvals.pending)
        engine.approvals.settle(engine.approvals.pending[0].id, "reject")
        await until(lambda: received.of(FlowPaused))
        assert received.of(FlowPaused)[0].reason == "rejected"
        await engine.prompt("/flow skip")
        await engine.prompt("/flow choose yes at Green")
        assert (await run).stop == "finished"
        assert received.of(FlowDecision)[-1].by == "user"


@pytest.mark.usefixtures("skills")
async def test_esc_pauses_a_flow_a_message_can_be_sent_meanwhile_and_the_flow_goes_on(tmp_path):
    replies = ("text: wait\ndelay: 1000", "text: answer", *CHOICES)
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: "StepBegin" in received.names)
        engine.cancel()
        await until(lambda: received.of(FlowPaused))
        assert (await engine.prompt("a question")).message == "answer"
        await engine.prompt("/flow continue")
        assert (await run).stop == "finished"


@pytest.mark.usefixtures("skills")
async def test_the_stop_of_a_paused_flow_leaves_the_turn_of_a_message_alone(tmp_path):
    async with engine_on(plan(tmp_path, "text: ans\ndelay: 0.2\ntext: wer")) as (engine, received):
        await engine.prompt("/flow break Fix")
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: received.of(FlowPaused))
        turn = asyncio.create_task(engine.prompt("a question"))
        await until(lambda: "StepBegin" in received.names)
        await engine.prompt("/flow stop")
        assert (await run).stop == "failed"
        assert (await turn).message == "answer"


@pytest.mark.usefixtures("skills")
async def test_a_choice_in_advance_names_its_node(tmp_path):
    async with engine_on(plan(tmp_path)) as (engine, _):
        with pytest.raises(UsageError, match="/flow choose needs one"):
            await engine.prompt("/flow choose yes")
        await engine.prompt("/flow choose yes at Green")


@pytest.mark.usefixtures("skills")
async def test_two_flows_never_run_at_once(tmp_path):
    async with engine_on(plan(tmp_path, "text: x\ndelay: 1000")) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: "StepBegin" in received.names)
        with pytest.raises(TurnRunningError):
            await engine.prompt("/flow:release")
        with pytest.raises(TurnRunningError):
            await engine.prompt("hello")
        await engine.prompt("/flow stop enough")
        assert (await run).stop == "failed"
        assert received.of(FlowEnd)[0].status == "stopped"


@pytest.mark.usefixtures("skills")
async def test_a_flow_that_was_cut_off_goes_on_at_its_node_in_a_later_session(tmp_path):
    made = plan(tmp_path, CHOICES[0], CHOICES[1], "text: x\ndelay: 1000")
    async with engine_on(made) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: len(received.of(FlowNodeBegin)) == 3)
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
        session_id = engine.session_id
    async with engine_on(plan(tmp_path, *CHOICES[2:], session_id=session_id)) as (engine, received):
        (interrupted,) = engine.flows.open_runs()
        assert interrupted.node_id == "Fix"
        with pytest.raises(UsageError, match="no open run"):
            await engine.prompt(f"/flow-resume {interrupted.run_id[:8]}x")
        await engine.prompt(f"/flow-resume {interrupted.run_id[:8]}")  # as `flow runs` shows it
        assert [event.node_id for event in received.of(FlowNodeBegin)] == ["Fix", "Green"]
        assert engine.flows.open_runs() == []


@pytest.mark.usefixtures("skills")
async def test_a_flow_that_was_cut_off_goes_on_with_its_own_chart_or_with_that_of_now(tmp_path):
    made = plan(tmp_path, CHOICES[0], CHOICES[1], "text: x\ndelay: 1000")
    async with engine_on(made) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: len(received.of(FlowNodeBegin)) == 3)
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
        session_id = engine.session_id
    file = next((tmp_path / "work").rglob("release/SKILL.md"))
    text = file.read_text("utf-8")
    file.write_text(text.replace("Fix[Fix it]", "Mend[Fix it]").replace("| Fix", "| Mend"), "utf-8")
    async with engine_on(plan(tmp_path, *CHOICES[2:], session_id=session_id)) as (engine, received):
        now = engine.flows.chart_now(engine.flows.open_runs()[0])
        assert now is not None
        assert (now.flow, now.trouble) == (None, "it has no node Fix any more")
        with pytest.raises(UsageError, match="has no node Fix any more"):
            await engine.prompt(f"/flow-resume {engine.flows.open_runs()[0].run_id} new")
    file.write_text(text.replace("Green?", "Is it green?"), "utf-8")
    async with engine_on(plan(tmp_path, *CHOICES[2:], session_id=session_id)) as (engine, received):
        now = engine.flows.chart_now(engine.flows.open_runs()[0])
        assert now is not None
        assert now.flow is not None
        await engine.prompt(f"/flow-resume {engine.flows.open_runs()[0].run_id} new")
        assert received.of(FlowBegin)[0].resumed_at == "Fix"
        assert engine.flows.open_runs() == []


async def test_ralph_asks_again_until_the_model_says_stop(tmp_path):
    replies = ("text: did a part", "text: <choice>CONTINUE</choice>", "text: <choice>STOP</choice>")
    async with engine_on(plan(tmp_path, *replies, loop={"max_ralph_iterations": 5})) as (engine, received):
        await engine.prompt("do it all")
    assert received.of(FlowEnd)[0].status == "finished"
    assert len(received.of(FlowNodeBegin)) == 3


async def test_ralph_that_is_not_done_in_time_says_so(tmp_path):
    replies = ("text: did a part", *["text: <choice>CONTINUE</choice>"] * 3)
    async with engine_on(plan(tmp_path, *replies, loop={"max_ralph_iterations": 2})) as (engine, received):
        with pytest.raises(MaxStepsReachedError):
            await engine.prompt("do it all")
    assert received.of(FlowEnd)[0].status == "max_moves"


async def test_a_flow_may_have_a_chinese_name(tmp_path):
    write_skill(tmp_path / "work", "发布", FLOW.replace("name: release", "name: 发布"))
    async with engine_on(plan(tmp_path, *CHOICES)) as (engine, received):
        assert (await engine.prompt("/flow:发布 现在")).stop == "finished"
        assert received.of(FlowEnd)[0].status == "finished"


@pytest.mark.usefixtures("skills")
async def test_flows_their_nodes_and_a_broken_chart_are_logged(tmp_path, caplog):
    caplog.set_level(logging.DEBUG, "kimi_tui")
    async with engine_on(plan(tmp_path, *CHOICES)) as (engine, _):
        await engine.prompt("/flow:release")
    told = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert any(level == "INFO" and "flow release started" in text for level, text in told)
    assert any(level == "DEBUG" and "node Fix, move 1, attempt 1" in text for level, text in told)
    assert any(level == "DEBUG" and "Green: no by the model, to Fix" in text for level, text in told)
    assert any(level == "INFO" and "flow: finished after" in text for level, text in told)
    assert any(level == "WARNING" and "broken" in text and "SKILL.md" in text for level, text in told)


async def test_a_session_without_the_prompt_flow_of_a_run_knows_no_other_chart_of_it(tmp_path):
    file = tmp_path / "release.mmd"
    file.write_text("flowchart TD\n  B([BEGIN]) --> Fix[Fix it] --> E([END])\n", "utf-8")
    async with engine_on(plan(tmp_path, "text: x\ndelay: 1000", prompt_flow=file)) as (engine, received):
        run = asyncio.create_task(engine.prompt("/begin"))
        await until(lambda: len(received.of(FlowNodeBegin)) == 1)
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
        session_id = engine.session_id
    async with engine_on(plan(tmp_path, "text: fixed", session_id=session_id)) as (engine, received):
        (interrupted,) = engine.flows.open_runs()
        assert engine.flows.chart_now(interrupted) is None
        await engine.prompt(f"/flow-resume {interrupted.run_id}")
        assert received.of(FlowEnd)[0].status == "finished"
    file.write_text(file.read_text("utf-8").replace("Fix it", "Mend it"), "utf-8")
    async with engine_on(plan(tmp_path, session_id=session_id, prompt_flow=file)) as (engine, _):
        assert engine.flows.chart_now(interrupted) is not None
