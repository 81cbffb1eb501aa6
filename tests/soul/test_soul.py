import asyncio

import pytest

from kimi_tui.errors import MaxStepsReachedError, ProviderError, ProviderStatusError, RepeatedCallError
from kimi_tui.soul.soul import MAX_CALLS_AT_A_TIME
from kimi_tui.wire.events import ApprovalResponse, Notification, StatusUpdate, SteerInput, StepRetry
from kimi_tui.wire.parts import TextPart, ToolResult
from kimi_tui.wire.requests import ApprovalRequest
from tests.soul.scripted_engine import engine_on, plan, tool_call
from tests.tools.harness import processes_with


async def until(condition):
    """Let the loop run until something is true; a test's own timeout ends what never is."""
    while not condition():
        await asyncio.sleep(0)


def roles(engine):
    return [message.role for message in engine.context.history]


async def test_a_turn_without_tools_is_one_step(tmp_path):
    async with engine_on(plan(tmp_path, "text: Hello.\nusage: input_other=10 output=2")) as (engine, received):
        result = await engine.prompt("hi")
    assert (result.stop, result.message, result.steps) == ("finished", "Hello.", 1)
    assert received.names == ["TurnBegin", "StepBegin", "ContentPart", "StatusUpdate", "TurnEnd"]
    assert received.of(StatusUpdate)[0].context_tokens == 12
    assert roles(engine) == ["user", "assistant"]


async def test_tools_run_and_their_results_go_back_to_the_model(tmp_path):
    replies = (
        "\n".join(
            [
                "text: I look.",
                tool_call("WriteFile", "a", path="a.txt", content="one\n"),
                tool_call("Glob", "b", pattern="*.md"),
            ]
        ),
        "text: Done.",
    )
    async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, received):
        result = await engine.prompt("go")
        assert (engine.work_dir / "a.txt").read_text() == "one\n"
    assert result.steps == 2
    assert roles(engine) == ["user", "assistant", "tool", "tool", "assistant"]
    assert [message.tool_call_id for message in engine.context.history if message.role == "tool"] == ["a", "b"]
    assert len(received.of(ToolResult)) == 2


async def test_calls_of_one_step_run_side_by_side(tmp_path):
    """Each of the two commands waits for the file that the other makes."""
    wait = "touch {0}; for i in $(seq 400); do [ -e {1} ] && exit 0; sleep 0.02; done; exit 1"
    calls = [
        tool_call("Shell", "a", command=wait.format("x", "y")),
        tool_call("Shell", "b", command=wait.format("y", "x")),
    ]
    async with engine_on(plan(tmp_path, "\n".join(calls), "text: ok", yolo=True)) as (engine, received):
        await engine.prompt("go")
    assert [result.return_value.is_error for result in received.of(ToolResult)] == [False, False]


async def test_a_rejection_without_feedback_ends_the_turn(tmp_path):
    async with engine_on(plan(tmp_path, tool_call("Shell", command="touch made"), "text: never")) as (engine, received):
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: engine.approvals.pending)
        engine.approvals.settle(engine.approvals.pending[0].id, "reject")
        result = await turn
        assert not (engine.work_dir / "made").exists()
    assert (result.stop, result.steps) == ("rejected", 1)
    assert received.names[-1] == "TurnEnd"
    assert roles(engine)[-1] == "tool"


async def test_a_rejection_with_feedback_goes_back_to_the_model(tmp_path):
    async with engine_on(plan(tmp_path, tool_call("Shell", command="make"), "text: I use npm.")) as (engine, _):
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: engine.approvals.pending)
        engine.approvals.settle(engine.approvals.pending[0].id, "reject", "use npm")
        result = await turn
    assert (result.stop, result.steps) == ("finished", 2)
    assert "use npm" in engine.context.history[2].text


async def test_an_approval_for_the_session_is_not_asked_for_again_and_is_kept(tmp_path):
    replies = (tool_call("Shell", "a", command="mkdir m1"), tool_call("Shell", "b", command="echo 2"), "text: done")
    made = plan(tmp_path, *replies)
    async with engine_on(made) as (engine, received):
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: engine.approvals.pending)
        engine.approvals.settle(engine.approvals.pending[0].id, "approve_for_session")
        await turn
        assert len(received.of(ApprovalRequest)) == len(received.of(ApprovalResponse)) == 1
        session_id = engine.session_id
        assert engine.session.state.approval.auto_approve_actions
    again = plan(tmp_path, tool_call("Shell", "c", command="mkdir m3"), "text: done", session_id=session_id)
    async with engine_on(again) as (engine, received):
        await engine.prompt("go on")
        assert received.of(ApprovalRequest) == []


async def test_a_yes_for_the_session_in_the_moment_of_an_interruption_runs_and_grants_nothing(tmp_path):
    async with engine_on(plan(tmp_path, tool_call("Shell", command="mkdir made"), "text: next")) as (engine, received):
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: engine.approvals.pending)
        request_id = engine.approvals.pending[0].id
        engine.cancel()
        assert not engine.approvals.settle(request_id, "approve_for_session")
        assert (await turn).stop == "cancelled"
        assert [response.response for response in received.of(ApprovalResponse)] == ["reject"]
        assert engine.approvals.granted == frozenset()
        assert not (engine.work_dir / "made").exists()
        assert roles(engine) == ["user", "assistant", "tool"]


async def test_cancel_while_a_tool_runs_leaves_a_valid_context_and_no_process(tmp_path):
    command = "echo > begun; sleep 1000.371 & sleep 1000.371"
    async with engine_on(plan(tmp_path, tool_call("Shell", command=command), "text: next", yolo=True)) as (
        engine,
        received,
    ):
        turn = asyncio.create_task(engine.prompt("go"))
        await until((engine.work_dir / "begun").exists)
        engine.cancel()
        result = await turn
        assert result.stop == "cancelled"
        assert received.names[-1] == "StepInterrupted"
        assert roles(engine) == ["user", "assistant", "tool"]
        assert "Interrupted" in engine.context.history[-1].text
        assert processes_with("sleep 1000.371") == []
        assert (await engine.prompt("and now?")).message == "next"


async def test_cancel_while_the_model_speaks_keeps_what_it_has_said(tmp_path):
    reply = "text: The answer is\ndelay: 1000\ntext: not this."
    async with engine_on(plan(tmp_path, reply, "text: ok")) as (engine, _):
        raw = []
        engine.wire.listen(raw.append)
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: any(isinstance(m, TextPart) and m.text.rstrip().endswith("is") for m in raw))
        engine.cancel()
        assert (await turn).stop == "cancelled"
        assert engine.context.history[-1].text.strip() == "The answer is"


async def test_a_turn_stops_at_its_last_step(tmp_path):
    replies = [tool_call("Glob", f"c{n}", pattern=f"{n}.md") for n in range(5)]
    async with engine_on(plan(tmp_path, *replies, loop={"max_steps_per_turn": 2})) as (engine, received):
        with pytest.raises(MaxStepsReachedError, match="step limit reached"):
            await engine.prompt("go")
        assert received.names.count("StepBegin") == 2
        assert received.names[-2:] == ["TurnEnd", "Notification"]
        assert received.of(Notification)[-1].severity == "error"


async def test_a_failure_that_may_pass_is_retried_and_told(tmp_path):
    made = plan(tmp_path, "text: half\nerror: 429 slow down", "text: whole")
    async with engine_on(made) as (engine, received):
        result = await engine.prompt("go")
    assert result.message == "whole"
    retry = received.of(StepRetry)[0]
    assert (retry.n, retry.next_attempt, retry.max_attempts, retry.status_code) == (1, 2, 3, 429)
    assert engine.context.history[-1].text == "whole"


async def test_a_failure_that_will_not_pass_ends_the_turn_with_its_cause(tmp_path):
    async with engine_on(plan(tmp_path, "error: 401 bad key", "text: again")) as (engine, received):
        with pytest.raises(ProviderStatusError, match="bad key"):
            await engine.prompt("go")
        assert received.names[-2:] == ["StepInterrupted", "Notification"]
        assert received.of(Notification)[0].body
        assert (await engine.prompt("go")).message == "again"


async def test_running_out_of_script_is_an_error_and_not_a_hang(tmp_path):
    async with engine_on(plan(tmp_path)) as (engine, _):
        with pytest.raises(ProviderError):
            await engine.prompt("go")


async def test_steering_goes_into_the_context_before_the_next_step(tmp_path):
    replies = (tool_call("Shell", command="until [ -e go ]; do sleep 0.02; done"), "text: both")
    async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, received):
        turn = asyncio.create_task(engine.prompt("one"))
        await until(lambda: "ToolCall" in received.names)
        assert engine.steer("two")
        (engine.work_dir / "go").touch()
        await turn
    assert roles(engine) == ["user", "assistant", "tool", "user", "assistant"]
    assert received.of(SteerInput)[0].user_input == "two"


async def test_what_is_steered_at_the_end_of_a_turn_makes_it_go_on(tmp_path):
    async with engine_on(plan(tmp_path, "text: one\ndelay: 0.05", "text: two")) as (engine, received):
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: "StepBegin" in received.names)
        engine.steer("more")
        assert (await turn).message == "two"


async def test_without_a_turn_there_is_nothing_to_steer_and_nothing_to_cancel(tmp_path):
    async with engine_on(plan(tmp_path)) as (engine, _):
        assert not engine.steer("x")
        engine.cancel()


async def test_the_same_call_again_and_again_ends_the_turn(tmp_path):
    replies = [tool_call("Glob", f"c{n}", pattern="*.md") for n in range(20)]
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        with pytest.raises(RepeatedCallError, match="the same Glob call in 12 steps"):
            await engine.prompt("go")
        assert received.of(Notification)[-1].title == "The turn was stopped"
    assert received.names.count("StepBegin") == 12
    assert received.names[-2:] == ["TurnEnd", "Notification"]


async def test_an_unknown_tool_and_broken_arguments_are_told_to_the_model(tmp_path):
    broken = 'tool_call: {"id": "b", "name": "Glob", "arguments": "{nonsense"}'
    async with engine_on(plan(tmp_path, tool_call("Fly", "a") + "\n" + broken, "text: sorry")) as (engine, received):
        assert (await engine.prompt("go")).message == "sorry"
    assert all(result.return_value.is_error for result in received.of(ToolResult))


@pytest.mark.parametrize("refusal", ["error: 400 the content is not allowed", "error: 422 no such thing"])
async def test_a_message_that_the_service_refuses_is_taken_back_and_the_next_one_is_answered(tmp_path, refusal):
    replies = ("text: one", refusal, "text: two")
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        await engine.prompt("first")
        engine.soul.add_system_note("a note that must not be lost")
        with pytest.raises(ProviderError) as refused:
            await engine.prompt("refused")
        assert refused.value.taken_back
        assert "The message was removed" in received.of(Notification)[-1].body
        await engine.prompt("next")
        texts = [message.text for message in engine.context.history]
    assert texts == ["first", "one", "a note that must not be lost", "next", "two"]


@pytest.mark.parametrize("failure", ["error: 401 bad key", "error: connection gone"])
async def test_a_message_that_failed_for_another_reason_stays(tmp_path, failure):
    async with engine_on(plan(tmp_path, failure, "text: two", loop={"max_retries_per_step": 1})) as (engine, _):
        with pytest.raises(ProviderError) as failed:
            await engine.prompt("first")
        assert not failed.value.taken_back
        assert engine.context.history[0].text == "first"


async def test_what_was_done_before_a_refusal_stays(tmp_path):
    call = tool_call("Think", thought="hm")
    async with engine_on(plan(tmp_path, call, "error: 400 not allowed")) as (engine, _):
        with pytest.raises(ProviderError) as refused:
            await engine.prompt("first")
        assert not refused.value.taken_back
        assert roles(engine) == ["user", "assistant", "tool"]


async def test_a_note_stands_before_what_the_user_says_next(tmp_path):
    replies = ("text: one", tool_call("Glob", pattern="*.md"), "text: two")
    async with engine_on(plan(tmp_path, *replies)) as (engine, _):
        engine.soul.add_system_note("a task has ended")
        await engine.prompt("first")

        def steer(message: object) -> None:
            if isinstance(message, ToolResult):
                engine.soul.add_system_note("another has ended")
                engine.steer("steered")

        engine.wire.listen(steer)
        await engine.prompt("second")
        said = [message.text for message in engine.context.history if message.role == "user"]
    assert said == ["a task has ended", "first", "second", "another has ended", "steered"]


async def test_many_calls_of_a_step_run_in_turn(tmp_path):
    calls = [
        tool_call("Shell", f"s{number}", command=f"touch made{number}") for number in range(MAX_CALLS_AT_A_TIME + 6)
    ]
    async with engine_on(plan(tmp_path, "\n".join(calls), "text: done")) as (engine, received):
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: len(engine.approvals.pending) >= MAX_CALLS_AT_A_TIME)
        for _ in range(200):
            await asyncio.sleep(0)
        assert len(engine.approvals.pending) == MAX_CALLS_AT_A_TIME
        while not turn.done():
            for request in engine.approvals.pending:
                engine.approvals.settle(request.id, "approve")
            await asyncio.sleep(0)
        await turn
        assert [one.return_value.is_error for one in received.of(ToolResult)] == [False] * len(calls)
        assert (engine.work_dir / f"made{len(calls) - 1}").exists()
