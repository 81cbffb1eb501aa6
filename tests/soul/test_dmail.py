"""A D-Mail whose step is interrupted, rejected or compacted."""

import asyncio
from dataclasses import replace

from kimi_tui.permission.settings import PermissionSettings
from kimi_tui.soul.agent_spec import agent_file
from kimi_tui.wire.events import Notification
from kimi_tui.wire.parts import ToolResult
from kimi_tui.wire.requests import ApprovalRequest, QuestionRequest
from tests.soul.scripted_engine import engine_on, plan, tool_call
from tests.soul.test_soul import until
from tests.tools.harness import processes_with

SLEEP = "sleep 987.21"


def mail(checkpoint: int) -> str:
    return tool_call("SendDMail", "d", message="look in b", checkpoint_id=checkpoint)


def okabe(made):
    return replace(made, agent_file=agent_file("okabe"))


async def test_a_dmail_of_an_interrupted_step_is_not_delivered_later(tmp_path):
    replies = (
        "text: one",
        mail(0) + "\n" + tool_call("Shell", "s", command=SLEEP),
        tool_call("Glob", "g", pattern="*"),
        "text: three",
    )
    async with engine_on(okabe(plan(tmp_path, *replies, yolo=True))) as (engine, _):
        await engine.prompt("a")
        turn = asyncio.create_task(engine.prompt("b"))
        await until(lambda: processes_with(SLEEP))
        engine.cancel()
        await turn
        await engine.prompt("/clear")
        assert (await engine.prompt("c")).message == "three"
        assert not any("look in b" in message.text for message in engine.context.history)


async def test_a_dmail_of_a_step_whose_request_was_compacted_goes_to_a_checkpoint_that_is_there(tmp_path):
    overflow = "error: 400 maximum context length exceeded"
    replies = ("text: one", "text: two", overflow, "text: NOTES", mail(5), "text: three")
    async with engine_on(okabe(plan(tmp_path, *replies))) as (engine, _):
        await engine.prompt("a")
        await engine.prompt("b")
        assert engine.context.checkpoints >= 4
        assert (await engine.prompt("c")).message == "three"
        assert "NOTES" in engine.context.history[0].text


async def test_what_the_user_said_to_a_call_outlives_the_dmail_that_takes_the_call_back(tmp_path):
    shell = tool_call("Shell", "s", command="touch x")
    question = {
        "question": "Which?",
        "header": "h",
        "options": [{"label": "A", "description": ""}, {"label": "B", "description": ""}],
    }
    replies = (
        shell,
        tool_call("AskUserQuestion", "q", questions=[question]),
        mail(1) + "\n" + tool_call("Shell", "s2", command="touch y"),
        mail(1),
        "text: done",
    )
    made = okabe(plan(tmp_path, *replies, permissions=PermissionSettings(trusted=True)))
    async with engine_on(made) as (engine, received):
        turn = asyncio.create_task(engine.prompt("a"))
        await until(lambda: received.of(ApprovalRequest))
        engine.approvals.settle(received.of(ApprovalRequest)[0].id, "reject", "never touch prod")
        await until(lambda: received.of(QuestionRequest))
        engine.questions.settle(received.of(QuestionRequest)[0].id, {"Which?": "words of my own"})
        await until(lambda: len(received.of(ApprovalRequest)) == 2)
        engine.approvals.settle(received.of(ApprovalRequest)[1].id, "approve", "only this once")
        assert (await turn).message == "done"
        remembered = [message.text for message in engine.context.history if message.role == "user"]
        for words in ("never touch prod", "words of my own", "only this once"):
            assert sum(words in text for text in remembered) == 1


async def test_a_rejected_call_ends_the_turn_though_a_dmail_was_sent_beside_it(tmp_path):
    replies = (mail(0) + "\n" + tool_call("Shell", "s", command="touch x"), "text: on without the user")
    made = okabe(plan(tmp_path, *replies, permissions=PermissionSettings(trusted=True)))
    async with engine_on(made) as (engine, received):
        turn = asyncio.create_task(engine.prompt("a"))
        await until(lambda: received.of(ApprovalRequest))
        engine.approvals.settle(received.of(ApprovalRequest)[0].id, "reject")
        result = await turn
        assert result.stop == "rejected"
        assert any("reject" in message.text for message in engine.context.history if message.role == "tool")


async def test_a_dmail_does_not_take_away_the_notes_of_a_compaction(tmp_path):
    replies = ("text: one", "text: two", "text: NOTES", mail(0), "text: three", "text: four")
    async with engine_on(okabe(plan(tmp_path, *replies))) as (engine, received):
        await engine.prompt("a")
        await engine.prompt("b")
        await engine.prompt("/compact")
        assert (await engine.prompt("c")).message == "three"
        assert "NOTES" in engine.context.history[0].text
        (refused,) = received.of(ToolResult)
        assert "no checkpoint 0; they go from 1 to 2" in refused.return_value.message


async def test_that_a_background_task_has_ended_is_known_after_a_dmail_that_takes_the_notice_back(tmp_path):
    begin = tool_call("Shell", "s", command="true", run_in_background=True, description="build")
    replies = (begin, "text: one", mail(2), "text: two")
    async with engine_on(okabe(plan(tmp_path, *replies, yolo=True))) as (engine, received):
        await engine.prompt("a")
        await until(lambda: received.of(Notification))
        assert (await engine.prompt("b")).message == "two"
        notices = [message for message in engine.context.history if "A background task has ended" in message.text]
        assert len(notices) == 1
        assert engine.context.history.index(notices[0]) > 3


async def test_what_the_user_asked_in_earlier_turns_outlives_a_dmail(tmp_path):
    replies = ("text: one", mail(2), "text: two", mail(0), "text: three")
    async with engine_on(okabe(plan(tmp_path, *replies))) as (engine, _):
        for asked in ("never touch prod", "b", "c"):
            await engine.prompt(asked)
        texts = [message.text for message in engine.context.history if message.role == "user"]
        kept = [text for text in texts if "CHECKPOINT" not in text]
        assert kept[:3] == ["never touch prod", "b", "c"]
        assert sum("look in b" in text for text in kept) == 1
        assert [message.text for message in engine.context.history if message.role == "assistant"] == ["three"]
        assert engine.context.checkpoints == 2
        session_id, history = engine.session_id, list(engine.context.history)
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
        assert list(engine.context.history) == history
        assert engine.context.checkpoints == 2
