"""Decisions of the user in a session: with a user, and printed without one."""

import asyncio
import json

import pytest

from kimi_tui.errors import EXIT_OK, EXIT_WAITING, UsageError
from kimi_tui.flow.run.journal import load_runs
from kimi_tui.soul.flows.user_questions import pending_question
from kimi_tui.ui.print.runner import Output, answer
from kimi_tui.wire.events import Notification
from kimi_tui.wire.flow_events import FlowDecision, FlowPaused
from kimi_tui.wire.parts import ToolCall
from tests.soul.release_flow import write_skill
from tests.soul.scripted_engine import engine_on, plan, tool_call
from tests.soul.test_soul import until

FLOW = """---
name: mail
description: Writes an e-mail.
type: flow
---
```mermaid
flowchart TD
  B([BEGIN]) --> draft[Draft it.]
  draft --> send{Send this to ${ARGS}?}
  send -->|yes| done[Say that it is sent.] --> E([END])
  send -->|no| draft
  send@{ ask: human }
```
"""


def planned(tmp_path, *replies, **fields):
    made = plan(tmp_path, *replies, **fields)
    write_skill(tmp_path / "work", "mail", FLOW)
    return made


async def test_the_answer_of_the_user_enters_the_conversation(tmp_path):
    async with engine_on(planned(tmp_path, "text: Dear Ann", "text: Sent.")) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:mail Ann"))
        await until(lambda: received.of(FlowPaused))
        assert received.of(FlowPaused)[0].reason == "choice"
        await engine.prompt("/flow choose yes")
        assert (await run).stop == "finished"
        told = [message.text for message in engine.context.history]
        assert any("Send this to Ann?\n\nThe user answered: yes" in text for text in told)
    assert [(one.choice, one.by) for one in received.of(FlowDecision)] == [("yes", "user")]


async def test_an_answer_during_a_turn_of_the_user_stays_out_between_a_call_and_its_result(tmp_path):
    call = tool_call("Shell", command="sleep 60")
    async with engine_on(planned(tmp_path, "text: Dear Ann", call, "text: Sent.")) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:mail Ann"))
        await until(lambda: received.of(FlowPaused))
        talk = asyncio.create_task(engine.prompt("Look first."))
        await until(lambda: received.of(ToolCall))
        await engine.prompt("/flow choose yes")
        await until(lambda: received.of(FlowDecision))
        engine.cancel()
        await talk
        assert (await run).stop == "finished"
        roles = [message.role for message in engine.context.history]
        texts = [message.text for message in engine.context.history]
    assert roles[roles.index("tool") - 1] == "assistant"
    answered = next(index for index, text in enumerate(texts) if "The user answered: yes" in text)
    assert texts[answered + 1 :] == ["Say that it is sent.", "Sent."]


@pytest.mark.parametrize("choice", ["look at it", "Look at it at send"])
async def test_a_branch_whose_label_has_an_at_can_be_chosen(tmp_path, choice):
    made = planned(tmp_path, "text: Dear Ann", "text: Sent.")
    (tmp_path / "work/.kimi-tui/skills/mail/SKILL.md").write_text(FLOW.replace("|yes|", "|look at it|"))
    async with engine_on(made) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:mail Ann"))
        await until(lambda: received.of(FlowPaused))
        await engine.prompt(f"/flow choose {choice}")
        assert (await run).stop == "finished"
    assert [one.choice for one in received.of(FlowDecision)] == ["look at it"]


@pytest.mark.parametrize("as_json", [True, False])
async def test_a_printed_run_ends_with_its_question_and_a_status_of_its_own(tmp_path, capsys, as_json):
    async with engine_on(planned(tmp_path, "text: Dear Ann", "text: Sent.", interactive=False)) as (engine, _):
        assert await answer(engine, "/flow:mail Ann", Output(json=as_json)) == EXIT_WAITING
        out, err = capsys.readouterr()
        (state,) = load_runs(engine.session.dir / "flow.jsonl")
        asked = pending_question(state)
        assert asked is not None
        assert (asked.node_id, asked.question, asked.choices) == ("send", "Send this to Ann?", ("yes", "no"))
        assert f"kimi-tui flow resume {state.run_id[:8]} --choose send=yes" in err
        if as_json:
            assert json.loads(out.splitlines()[-1]) == {
                "type": "waiting",
                "questions": [
                    {"run": state.run_id, "node": "send", "question": "Send this to Ann?", "choices": ["yes", "no"]}
                ],
            }
        assert await answer(engine, f"/flow-resume {state.run_id} send=yes", Output()) == EXIT_OK
        assert "Sent." in capsys.readouterr().out
        (state,) = load_runs(engine.session.dir / "flow.jsonl")
        assert (state.status, pending_question(state)) == ("finished", None)


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        ("sent=yes", "the flow has no node 'sent'"),
        ("send=perhaps", "send has no branch 'perhaps'; it has: yes, no"),
        ("draft=yes", "draft is not a decision"),
    ],
)
async def test_a_resume_with_a_choice_that_the_chart_lacks_runs_nothing(tmp_path, choice, why):
    async with engine_on(planned(tmp_path, "text: Dear Ann", "text: Sent.", interactive=False)) as (engine, received):
        await engine.prompt("/flow:mail Ann")
        (before,) = load_runs(engine.session.dir / "flow.jsonl")
        with pytest.raises(UsageError, match=why):
            await engine.prompt(f"/flow-resume {before.run_id} send=yes {choice}")
        assert load_runs(engine.session.dir / "flow.jsonl") == [before]
        await engine.prompt(f"/flow-resume {before.run_id}")
        assert received.of(FlowDecision) == []


async def test_a_client_that_cannot_steer_is_told_how_to_answer(tmp_path):
    async with engine_on(planned(tmp_path, "text: Dear Ann", "text: Sent.", interactive=False)) as (engine, received):
        assert await answer(engine, "/flow:mail Ann", Output()) == EXIT_WAITING
        (told,) = [one for one in received if isinstance(one, Notification)]
        question, found, command = told.body.partition(" Answer with ")
        assert (question, found) == ("Send this to Ann? (yes, no)", " Answer with ")
        assert await answer(engine, command, Output()) == EXIT_OK
