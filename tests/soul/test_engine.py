import asyncio

import pytest

from kimi_tui.errors import ModelNotSetError, SessionLockedError, UsageError
from kimi_tui.soul.engine import TurnRunningError
from kimi_tui.wire.events import Notification, TurnBegin
from kimi_tui.wire.flow_events import FlowBegin, FlowDecision, FlowEnd, FlowNodeBegin, FlowPaused
from tests.soul.engines import engine_on, plan, tool_call
from tests.soul.test_soul import until

FLOW = """---
name: release
description: Makes a release.
type: flow
---
```mermaid
flowchart TD
  B([BEGIN]) --> Fix[Fix it] --> Green{Green?}
  Green -->|no| Fix
  Green -->|yes| E([END])
```
"""
BROKEN = FLOW.replace("name: release", "name: broken").replace("|yes|", "|no|")


@pytest.fixture
def skills(tmp_path):
    for name, text in (("release", FLOW), ("broken", BROKEN)):
        folder = tmp_path / "work" / ".kimi-tui" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(text)


CHOICES = ("text: fixed", "text: <choice>no</choice>", "text: fixed more", "text: <choice>yes</choice>")


@pytest.mark.usefixtures("skills")
async def test_a_flow_goes_its_way_with_a_turn_a_node(tmp_path):
    async with engine_on(plan(tmp_path, *CHOICES)) as (engine, heard):
        result = await engine.prompt("/flow:release now please")
        assert result.stop == "finished"
    assert [(event.choice, event.dst) for event in heard.of(FlowDecision)] == [("no", "Fix"), ("yes", "E")]
    assert [event.node_id for event in heard.of(FlowNodeBegin)] == ["Fix", "Green", "Fix", "Green"]
    assert heard.of(FlowEnd)[0].status == "finished"
    assert heard.names[:2] == ["TurnBegin", "FlowBegin"]
    assert heard.names[-2:] == ["FlowEnd", "TurnEnd"]
    assert "now please" in engine.context.history[0].text
    assert heard.of(TurnBegin)[0].user_input == "/flow:release now please"


@pytest.mark.usefixtures("skills")
async def test_a_broken_flow_says_where_and_why(tmp_path):
    async with engine_on(plan(tmp_path)) as (engine, heard):
        with pytest.raises(UsageError, match=r"SKILL.md.*"):
            await engine.prompt("/flow:broken")
        assert heard.of(Notification)


@pytest.mark.usefixtures("skills")
async def test_an_unknown_flow_is_named_beside_those_there_are(tmp_path):
    async with engine_on(plan(tmp_path)) as (engine, _):
        with pytest.raises(UsageError, match=r"there is no flow 'rel'; there are: .*release"):
            await engine.prompt("/flow:rel")


@pytest.mark.usefixtures("skills")
async def test_a_rejected_tool_pauses_the_flow_and_the_person_may_choose_the_branch(tmp_path):
    replies = (tool_call("Shell", command="make"), "text: done")
    async with engine_on(plan(tmp_path, *replies)) as (engine, heard):
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: engine.approvals.pending)
        engine.approvals.settle(engine.approvals.pending[0].id, "reject")
        await until(lambda: heard.of(FlowPaused))
        assert heard.of(FlowPaused)[0].reason == "rejected"
        await engine.prompt("/flow skip")
        await engine.prompt("/flow choose yes at Green")
        assert (await run).stop == "finished"
        assert heard.of(FlowDecision)[-1].by == "user"


@pytest.mark.usefixtures("skills")
async def test_esc_pauses_a_flow_a_message_can_be_sent_meanwhile_and_the_flow_goes_on(tmp_path):
    replies = ("text: wait\ndelay: 1000", "text: answer", *CHOICES)
    async with engine_on(plan(tmp_path, *replies)) as (engine, heard):
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: "StepBegin" in heard.names)
        engine.cancel()
        await until(lambda: heard.of(FlowPaused))
        assert (await engine.prompt("a question")).message == "answer"
        await engine.prompt("/flow continue")
        assert (await run).stop == "finished"


@pytest.mark.usefixtures("skills")
async def test_two_flows_never_run_at_once(tmp_path):
    async with engine_on(plan(tmp_path, "text: x\ndelay: 1000")) as (engine, heard):
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: "StepBegin" in heard.names)
        with pytest.raises(TurnRunningError):
            await engine.prompt("/flow:release")
        with pytest.raises(TurnRunningError):
            await engine.prompt("hello")
        await engine.prompt("/flow stop enough")
        assert (await run).stop == "failed"
        assert heard.of(FlowEnd)[0].status == "stopped"


@pytest.mark.usefixtures("skills")
async def test_a_flow_that_was_cut_off_goes_on_at_its_node_in_a_later_session(tmp_path):
    made = plan(tmp_path, CHOICES[0], CHOICES[1], "text: x\ndelay: 1000")
    async with engine_on(made) as (engine, heard):
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: len(heard.of(FlowNodeBegin)) == 3)
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
        session_id = engine.session_id
    async with engine_on(plan(tmp_path, *CHOICES[2:], session_id=session_id)) as (engine, heard):
        assert [run.node_id for run in engine.open_runs()] == ["Fix"]
        await engine.prompt("/flow-resume")
        assert [event.node_id for event in heard.of(FlowNodeBegin)] == ["Fix", "Green"]
        assert engine.open_runs() == []


@pytest.mark.usefixtures("skills")
async def test_a_flow_that_was_cut_off_goes_on_with_its_own_chart_or_with_that_of_now(tmp_path):
    made = plan(tmp_path, CHOICES[0], CHOICES[1], "text: x\ndelay: 1000")
    async with engine_on(made) as (engine, heard):
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: len(heard.of(FlowNodeBegin)) == 3)
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
        session_id = engine.session_id
    file = next((tmp_path / "work").rglob("release/SKILL.md"))
    text = file.read_text("utf-8")
    file.write_text(text.replace("Fix[Fix it]", "Mend[Fix it]").replace("| Fix", "| Mend"), "utf-8")
    async with engine_on(plan(tmp_path, *CHOICES[2:], session_id=session_id)) as (engine, heard):
        now = engine.chart_now(engine.open_runs()[0])
        assert now is not None
        assert (now.flow, now.trouble) == (None, "it has no node Fix any more")
        with pytest.raises(UsageError, match="has no node Fix any more"):
            await engine.prompt(f"/flow-resume {engine.open_runs()[0].run_id} new")
    file.write_text(text.replace("Green?", "Is it green?"), "utf-8")
    async with engine_on(plan(tmp_path, *CHOICES[2:], session_id=session_id)) as (engine, heard):
        now = engine.chart_now(engine.open_runs()[0])
        assert now is not None
        assert now.flow is not None
        await engine.prompt(f"/flow-resume {engine.open_runs()[0].run_id} new")
        assert heard.of(FlowBegin)[0].resumed_at == "Fix"
        assert engine.open_runs() == []


@pytest.mark.usefixtures("skills")
async def test_a_skill_is_sent_whole_with_the_request_after_it(tmp_path):
    async with engine_on(plan(tmp_path, "text: ok")) as (engine, heard):
        await engine.prompt("/skill:release for v2")
        assert engine.context.history[0].text.startswith("---\nname: release")
        assert engine.context.history[0].text.endswith("for v2")
        assert heard.of(TurnBegin)[0].user_input == "/skill:release for v2"


async def test_ralph_asks_again_until_the_model_says_stop(tmp_path):
    replies = ("text: did a part", "text: <choice>CONTINUE</choice>", "text: <choice>STOP</choice>")
    async with engine_on(plan(tmp_path, *replies, loop={"max_ralph_iterations": 5})) as (engine, heard):
        await engine.prompt("do it all")
    assert heard.of(FlowEnd)[0].status == "finished"
    assert len(heard.of(FlowNodeBegin)) == 3


async def test_a_session_goes_on_with_the_prompt_and_the_history_it_had(tmp_path):
    async with engine_on(plan(tmp_path, "text: one")) as (engine, _):
        await engine.prompt("first question")
        session_id, prompt = engine.session_id, engine.context.system_prompt
        assert engine.title == "first question"
    (tmp_path / "work" / "AGENTS.md").write_text("be brief")
    async with engine_on(plan(tmp_path, "text: two", session_id=session_id)) as (engine, _):
        assert engine.context.system_prompt == prompt
        assert [message.text for message in engine.context.history] == ["first question", "one"]
        assert next(recorded.message for recorded in engine.recorded()) == TurnBegin(user_input="first question")


async def test_a_session_that_is_open_elsewhere_is_refused(tmp_path):
    made = plan(tmp_path, session_id="shared")
    async with engine_on(made):
        with pytest.raises(SessionLockedError):
            async with engine_on(made):
                pass


async def test_without_a_model_the_screen_opens_and_the_first_prompt_says_what_to_do(tmp_path):
    from kimi_tui.config import Config

    made = plan(tmp_path, config=Config())
    async with engine_on(made) as (engine, heard):
        with pytest.raises(ModelNotSetError, match="KIMI_API_KEY"):
            await engine.prompt("hi")
        assert "KIMI_API_KEY" in heard.of(Notification)[0].body


async def test_clear_forgets_the_conversation_and_keeps_the_file(tmp_path):
    async with engine_on(plan(tmp_path, "text: one")) as (engine, _):
        await engine.prompt("hi")
        await engine.prompt("/clear")
        assert list(engine.context.history) == []
        assert (engine.session.dir / "context_1.jsonl").exists()


async def test_an_unknown_command_is_an_error_and_a_path_is_a_message(tmp_path):
    async with engine_on(plan(tmp_path, "text: a path")) as (engine, _):
        with pytest.raises(UsageError, match="there is no command /fly"):
            await engine.prompt("/fly me")
        assert (await engine.prompt("/usr/bin is where?")).message == "a path"


async def test_a_skill_that_is_saved_is_a_command_at_once_and_in_the_next_turns_prompt(tmp_path):
    async with engine_on(plan(tmp_path, "text: one")) as (engine, _):
        changed = asyncio.Event()
        engine.skills.listen(lambda _: changed.set())
        folder = tmp_path / "work" / ".kimi-tui" / "skills" / "release"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(FLOW)
        await changed.wait()
        assert any(command.name == "flow:release" for command in engine.commands())
        await engine.prompt("hi")
        assert "Makes a release." in engine.soul.agent.system_prompt
        assert engine.context.system_prompt == engine.soul.agent.system_prompt


async def test_a_flow_may_have_a_chinese_name(tmp_path):
    folder = tmp_path / "work" / ".kimi-tui" / "skills" / "发布"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(FLOW.replace("name: release", "name: 发布"))
    async with engine_on(plan(tmp_path, *CHOICES)) as (engine, heard):
        assert (await engine.prompt("/flow:发布 现在")).stop == "finished"
        assert heard.of(FlowEnd)[0].status == "finished"
