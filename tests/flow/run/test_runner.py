"""FLOWS.md 4, rule by rule."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from kimi_tui.errors import FlowControlError, MaxStepsReachedError, ProviderConnectionError
from kimi_tui.flow.model.graph import Flow, FlowEdge, FlowNode, NodeKind
from kimi_tui.flow.run.node_prompts import shown_label
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.wire.flow_events import FlowBegin, FlowEnd, FlowNodeEnd, FlowPaused
from kimi_tui.wire.parts import TokenUsage
from tests.flow.runner_harness import LOOP, RunnerHarness, flow_of

YES, NO = "<choice>yes</choice>", "<choice>no</choice>"


async def test_a_run_goes_from_begin_to_end_and_says_each_step() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", NO, "ok", YES])
    outcome = await harness.run()
    assert (outcome.status, outcome.moves, outcome.steps) == ("finished", 4, 4)
    assert harness.told == [
        "begin", "> A 1.1", "< A 1 done", "> D 2.1", "D=no -> A by model", "< D 2 done", "> A 3.1", "< A 3 done",
        "> D 4.1", "D=yes -> END by model", "< D 4 done", "end finished 4",
    ]  # fmt: skip


async def test_begin_and_end_take_no_turn_and_no_move() -> None:
    harness = RunnerHarness(flow_of("BEGIN -> END"))
    outcome = await harness.run()
    assert (outcome.status, outcome.moves, harness.script.prompts) == ("finished", 0, [])


async def test_a_task_says_its_label_and_a_decision_its_branches_in_order() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", YES])
    await harness.run()
    task, decision = harness.script.prompts
    assert task == "Do A"
    assert isinstance(decision, str)
    assert decision.startswith("Do D\n\n")
    assert "- yes\n- no" in decision
    assert "<choice>BRANCH</choice>" in decision


async def test_the_last_choice_of_the_reply_counts() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", f"first {NO} then {YES}"])
    assert (await harness.run()).moves == 2


async def test_a_near_miss_in_case_or_punctuation_is_taken() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", "<choice> “Yes.” </choice>"])
    assert (await harness.run()).status == "finished"
    assert harness.told[-3] == "D=yes -> END by model"


async def test_a_reply_without_a_choice_is_asked_again_with_a_reminder_and_is_no_move() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", "hm", "<choice>maybe</choice>", YES])
    outcome = await harness.run()
    assert harness.way == ["A", "D", "D#2", "D#3"]
    assert outcome.moves == 2
    first, second = harness.script.prompts[1:3]
    assert isinstance(second, str)
    assert isinstance(first, str)
    assert second.startswith(first)
    assert "named no branch" in second
    end = [message for message in harness.sent if isinstance(message, FlowNodeEnd)][-1]
    assert (end.steps, len([m for m in harness.sent if isinstance(m, FlowNodeEnd)])) == (3, 2)


async def test_a_model_that_never_chooses_brings_the_person_in() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", "hm"])
    await harness.until_paused()
    assert harness.way == ["A", "D", "D#2", "D#3", "D#4", "D#5", "D#6"]
    assert harness.told[-1] == "paused at D: choice"
    assert harness.runner.branches == ("yes", "no")
    harness.runner.choose("yes")
    assert (await harness.outcome()).status == "finished"
    assert harness.told[-4:] == ["resumed at D", "D=yes -> END by user", "< D 2 done", "end finished 2"]


async def test_going_on_after_the_retries_asks_the_model_as_often_again() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", *["hm"] * 6, "hm", YES])
    await harness.until_paused()
    harness.runner.continue_run()
    assert (await harness.outcome()).status == "finished"
    assert harness.way[-2:] == ["D#7", "D#8"]


async def test_with_nobody_there_a_model_that_never_chooses_fails_the_run() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", "hm"], interactive=False)
    outcome = await harness.run()
    assert outcome.status == "failed"
    assert "no valid choice at D in 6 replies" in str(outcome.reason)
    assert harness.told[-2:] == ["< D 2 failed", "end failed 2"]


async def test_reaching_the_moves_ends_the_run_exactly_there() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", NO, "ok", NO, "ok", NO], max_moves=5)
    outcome = await harness.run()
    assert (outcome.status, outcome.moves, len(harness.script.prompts)) == ("max_moves", 5, 5)
    assert isinstance(outcome.error, MaxStepsReachedError)


async def test_the_end_may_be_reached_with_the_last_move() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", YES], max_moves=2)
    assert (await harness.run()).status == "finished"


async def test_a_run_out_of_moves_goes_on_where_it_was_with_more(tmp_path: Path) -> None:
    flow, path = flow_of(*LOOP), tmp_path / "flow.jsonl"
    await RunnerHarness(flow, ["ok", NO, "ok"], path=path, max_moves=3).run()
    again = RunnerHarness(flow, [YES], path=path, resume=RunnerHarness(flow, path=path).journalled(), max_moves=10)
    outcome = await again.run()
    assert (again.way, outcome.status, outcome.moves) == (["D"], "finished", 4)
    assert again.told[0] == "begin at D"


async def test_a_dead_end_stops_the_run_with_the_reason() -> None:
    harness = RunnerHarness(flow_of("BEGIN -> D", "D -> END: yes", "D -> X: no"), [NO, "ok"])
    outcome = await harness.run()
    assert (outcome.status, outcome.reason) == ("stopped", "X has no outgoing edge and is not END")
    assert harness.told[-2:] == ["< X 2 done", "end stopped 2"]


async def test_a_begin_that_leads_to_itself_ends_the_run() -> None:
    outgoing = {"B": (FlowEdge("B", "B", "a"), FlowEdge("B", "E", "b")), "E": ()}
    nodes = {"B": FlowNode("B", "BEGIN", NodeKind.BEGIN), "E": FlowNode("E", "END", NodeKind.END)}
    outcome = await RunnerHarness(Flow(nodes, outgoing, "B", "E")).run()
    assert outcome.status == "failed"


async def test_a_way_back_to_begin_starts_over() -> None:
    harness = RunnerHarness(
        flow_of("BEGIN -> D", "D -> BEGIN: again", "D -> END: done"),
        ["<choice>again</choice>", "<choice>done</choice>"],
    )
    assert (await harness.run()).moves == 2


async def test_args_take_their_place_in_labels() -> None:
    flow = flow_of("BEGIN -> A", "A -> B", "B -> END")
    nodes = {**flow.nodes, "B": FlowNode("B", "Ship ${ARGS} now", NodeKind.TASK)}
    harness = RunnerHarness(Flow(nodes, flow.outgoing, "BEGIN", "END"), args="v1.2")
    await harness.run()
    assert harness.script.prompts == ["Do A", "Ship v1.2 now"]


def test_args_are_shown_on_one_line_and_not_at_length() -> None:
    assert shown_label("Ship ${ARGS} now", "v1\n and v2") == "Ship v1 and v2 now"
    assert shown_label("Ship ${ARGS} now", None) == "Ship … now"
    assert shown_label("Ship ${ARGS}", "x" * 80) == f"Ship {'x' * 47}…"
    assert shown_label("Ship it", None) == "Ship it"


async def test_the_first_message_tells_the_args_and_the_direction_of_the_chart() -> None:
    flow = flow_of("BEGIN -> A", "A -> END")
    for direction, told in (("TB", None), ("LR", "LR")):
        harness = RunnerHarness(replace(flow, direction=direction), args="v1.2")
        await harness.run()
        begin = harness.sent[0]
        assert isinstance(begin, FlowBegin)
        assert (begin.args, begin.direction) == ("v1.2", told)


async def test_args_without_a_place_go_to_the_first_turn_only() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", NO, "ok", YES], args="fix the parser")
    await harness.run()
    assert ["fix the parser" in str(prompt) for prompt in harness.script.prompts] == [True, False, False, False]
    assert str(harness.script.prompts[0]).endswith("\n\nDo A")


async def test_a_rejected_tool_pauses_and_the_node_can_be_run_again_as_the_same_move() -> None:
    harness = RunnerHarness(flow_of(*LOOP), [TurnResult("rejected"), "ok", YES])
    await harness.until_paused()
    assert harness.told[-2:] == ["< A 1 rejected", "paused at A: rejected"]
    harness.runner.continue_run()
    outcome = await harness.outcome()
    assert (outcome.status, outcome.moves, harness.way) == ("finished", 2, ["A", "A", "D"])


async def test_with_nobody_there_a_rejected_tool_stops_the_run() -> None:
    harness = RunnerHarness(flow_of(*LOOP), [TurnResult("rejected")], interactive=False)
    outcome = await harness.run()
    assert (outcome.status, outcome.reason) == ("stopped", "a tool was rejected at A")
    assert harness.told[-2:] == ["< A 1 rejected", "end stopped 1"]


async def test_a_cancelled_turn_pauses_and_another_branch_can_be_taken() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", TurnResult("cancelled"), "ok", YES])
    await harness.until_paused()
    assert harness.told[-1] == "paused at D: cancelled"
    harness.runner.choose("no")
    await harness.until_paused()
    assert harness.told[6:9] == ["resumed at D", "D=no -> A by user", "> A 3.1"]


async def test_a_failed_turn_pauses_with_its_cause_and_can_be_run_again() -> None:
    harness = RunnerHarness(flow_of(*LOOP), [ProviderConnectionError("no connection"), "ok", YES])
    await harness.until_paused()
    paused = harness.sent[-1]
    assert isinstance(paused, FlowPaused)
    assert (paused.reason, paused.detail) == ("failed", "no connection")
    harness.runner.run_again()
    assert (await harness.outcome()).status == "finished"


async def test_with_nobody_there_a_failed_turn_ends_the_run_with_its_error() -> None:
    error = ProviderConnectionError("no connection")
    outcome = await RunnerHarness(flow_of(*LOOP), [error], interactive=False).run()
    assert (outcome.status, outcome.error, outcome.reason) == ("failed", error, "A: no connection")


async def test_a_turn_that_took_all_its_steps_is_a_failed_one() -> None:
    outcome = await RunnerHarness(flow_of(*LOOP), [TurnResult("max_steps", steps=7)], interactive=False).run()
    assert outcome.status == "failed"
    assert isinstance(outcome.error, MaxStepsReachedError)


async def test_cancelling_the_run_tells_the_end_and_leaves_it_open(tmp_path: Path) -> None:
    flow, path = flow_of(*LOOP), tmp_path / "flow.jsonl"
    harness = RunnerHarness(flow, [asyncio.CancelledError()], path=path)
    with pytest.raises(asyncio.CancelledError):
        await harness.run()
    assert harness.told == ["begin", "> A 1.1", "< A 1 cancelled", "end cancelled 1"]
    assert harness.journalled().open
    again = RunnerHarness(flow, ["ok", YES], path=path, resume=harness.journalled())
    assert (await again.run()).moves == 2
    assert again.way == ["A", "D"]


async def test_cancelling_a_paused_run_tells_the_end() -> None:
    harness = RunnerHarness(flow_of(*LOOP), [TurnResult("rejected")])
    await harness.until_paused()
    await harness.cancel()
    assert harness.told[-1] == "end cancelled 1"


async def test_a_fault_of_the_program_still_tells_the_end() -> None:
    harness = RunnerHarness(flow_of(*LOOP), [ZeroDivisionError()])
    with pytest.raises(ZeroDivisionError):
        await harness.run()
    assert harness.told[-2:] == ["< A 1 failed", "end failed 1"]


async def test_figures_of_a_node_count_all_its_attempts() -> None:
    usage = TokenUsage(output=10)
    harness = RunnerHarness(
        flow_of(*LOOP), ["ok", TurnResult("finished", "hm", 2, usage), TurnResult("finished", YES, 3, usage)]
    )
    await harness.run()
    end = [message for message in harness.sent if isinstance(message, FlowNodeEnd)][-1]
    assert (end.steps, end.token_usage) == (5, TokenUsage(output=20))
    assert harness.runner.state.node_usage["D"].steps == 5


async def test_the_first_message_carries_the_whole_chart() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", YES])
    await harness.run()
    begin, end = harness.sent[0], harness.sent[-1]
    assert isinstance(begin, FlowBegin)
    assert [node.id for node in begin.nodes] == ["BEGIN", "A", "D", "END"]
    assert len(begin.edges) == 4
    assert isinstance(end, FlowEnd)
    assert end.run_id == begin.run_id == harness.runner.run_id


async def test_a_finished_run_cannot_be_resumed(tmp_path: Path) -> None:
    flow, path = flow_of(*LOOP), tmp_path / "flow.jsonl"
    harness = RunnerHarness(flow, ["ok", YES], path=path)
    await harness.run()
    assert not harness.journalled().open
    with pytest.raises(FlowControlError, match="cannot be resumed"):
        RunnerHarness(flow, resume=harness.journalled())


async def test_a_resume_with_a_chart_that_lost_the_node_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "flow.jsonl"
    harness = RunnerHarness(flow_of(*LOOP), [TurnResult("rejected")], path=path)
    await harness.until_paused()
    with pytest.raises(FlowControlError, match="no longer has the run's node 'A'"):
        RunnerHarness(flow_of("BEGIN -> B", "B -> END"), resume=harness.journalled())
    await harness.cancel()
