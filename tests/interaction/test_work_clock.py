"""The clock of work stands still while anything waits for the user."""

import asyncio

from kimi_tui.interaction.approvals import Approvals, ProposedAction
from kimi_tui.interaction.questions import Questions
from kimi_tui.interaction.work_clock import WorkClock
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.requests import Question, QuestionOption


class _Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_waits_for_the_user_are_no_work_and_waits_at_once_count_once() -> None:
    clock, wire = _Clock(), Wire()
    work = WorkClock(clock)
    approvals, questions = Approvals(wire, work_clock=work), Questions(wire, work_clock=work)
    began = work()
    clock.now += 3
    options = (QuestionOption(label="a"), QuestionOption(label="b"))
    asked = asyncio.create_task(questions.ask((Question(question="which?", options=options),), tool_call_id="q"))
    await asyncio.sleep(0)
    clock.now += 10
    approval = asyncio.create_task(
        approvals.ask(
            ProposedAction(
                sender="Shell",
                action="run",
                description="ls",
            ),
            tool_call_id="c",
        )
    )
    await asyncio.sleep(0)
    clock.now += 10
    assert work() - began == 3
    questions.settle(questions.pending[0].id, {"which?": "a"})
    await asked
    clock.now += 10
    assert work() - began == 3
    approvals.settle(approvals.pending[0].id, "reject")
    await approval
    clock.now += 2
    assert work() - began == 5


async def test_a_wait_that_is_cancelled_ends() -> None:
    clock = _Clock()
    work = WorkClock(clock)
    asked = asyncio.create_task(
        Approvals(Wire(), work_clock=work).ask(
            ProposedAction(sender="Shell", action="run", description="ls"), tool_call_id="c"
        )
    )
    await asyncio.sleep(0)
    clock.now += 10
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    clock.now += 1
    assert work() == 101
