"""FLOWS.md 5 and the races of FAULTS.md 46: what a user asks of a run."""

from pathlib import Path

import pytest

from kimi_tui.errors import FlowControlError
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.flow_events import FlowControls, FlowDecision, FlowNodeBegin, FlowNodeEnd, FlowPaused
from tests.flow.runner_harness import LOOP, RunnerHarness, flow_of

YES, NO = "<choice>yes</choice>", "<choice>no</choice>"
LINE = ("BEGIN -> A", "A -> B", "B -> C", "C -> END")


def during(stage_method: str, *args: object, node_id: str = "A", **named: object):  # type: ignore[no-untyped-def]
    """A listener that calls a method of the runner when the node's first turn begins."""

    def listen(harness: RunnerHarness, message: WireMessage) -> None:
        if isinstance(message, FlowNodeBegin) and message.node_id == node_id and harness.way.count(node_id) == 1:
            getattr(harness.runner, stage_method)(*args, **named)

    return listen


async def test_a_pause_during_a_turn_holds_before_the_next_node() -> None:
    harness = RunnerHarness(flow_of(*LINE), on_message=during("pause"))
    await harness.until_paused()
    assert harness.told == ["begin", "> A 1.1", "controls", "< A 1 done", "controls", "paused at B: user"]
    harness.runner.continue_run()
    assert (await harness.outcome()).status == "finished"


async def test_a_pause_is_taken_back_by_going_on() -> None:
    harness = RunnerHarness(flow_of(*LINE), on_message=during("pause"))

    def listen(_stage: RunnerHarness, message: WireMessage) -> None:
        if isinstance(message, FlowControls) and message.pausing:
            harness.runner.continue_run()

    original, harness.on_message = harness.on_message, None
    assert original is not None

    def both(which: RunnerHarness, message: WireMessage) -> None:
        original(which, message)
        listen(which, message)

    harness.on_message = both
    assert (await harness.run()).status == "finished"


async def test_a_pause_during_a_choice_holds_before_the_model_is_asked_again() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", "hm", YES], on_message=during("pause", node_id="D"))
    await harness.until_paused()
    assert harness.told[-1] == "paused at D: user"
    assert harness.way == ["A", "D"]
    harness.runner.continue_run()
    await harness.outcome()
    assert harness.way == ["A", "D", "D#2"]


async def test_one_step_runs_one_node() -> None:
    harness = RunnerHarness(flow_of(*LINE), on_message=during("pause"))
    await harness.until_paused()
    harness.runner.step()
    await harness.until_paused()
    assert (harness.way, harness.told[-1]) == (["A", "B"], "paused at C: step")
    harness.runner.step()
    assert (await harness.outcome()).status == "finished"


async def test_a_breakpoint_holds_before_each_visit_and_going_on_does_not_hit_it_again() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", NO, "ok", YES])
    assert harness.runner.toggle_breakpoint("A")
    await harness.until_paused()
    assert (harness.way, harness.told[-1]) == ([], "paused at A: breakpoint")
    harness.runner.continue_run()
    await harness.until_paused()
    assert (harness.way, harness.told[-1]) == (["A", "D"], "paused at A: breakpoint")
    assert not harness.runner.toggle_breakpoint("A")
    harness.runner.continue_run()
    assert (await harness.outcome()).moves == 4


async def test_a_breakpoint_does_not_hold_a_node_that_is_run_again_after_a_failure() -> None:
    harness = RunnerHarness(flow_of(*LINE), [TurnResult("failed", "no"), "ok"])
    harness.runner.toggle_breakpoint("A")
    await harness.until_paused()
    harness.runner.continue_run()
    await harness.until_paused()
    assert harness.told[-1] == "paused at A: failed"
    harness.runner.continue_run()
    assert (await harness.outcome()).status == "finished"


async def test_breakpoints_on_the_two_ends_hold_too() -> None:
    harness = RunnerHarness(flow_of(*LINE))
    harness.runner.toggle_breakpoint("BEGIN")
    harness.runner.toggle_breakpoint("END")
    await harness.until_paused()
    assert harness.told[-1] == "paused at BEGIN: breakpoint"
    harness.runner.continue_run()
    await harness.until_paused()
    assert harness.told[-1] == "paused at END: breakpoint"
    harness.runner.continue_run()
    assert (await harness.outcome()).status == "finished"


async def test_a_branch_taken_in_advance_is_by_the_user_and_the_model_is_not_asked() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", YES])
    harness.runner.choose("no", node_id="D")
    await harness.run()
    assert harness.script.prompts[1] == "Do D"
    decisions = [(m.choice, m.by) for m in harness.sent if isinstance(m, FlowDecision)]
    assert decisions == [("no", "user"), ("yes", "model")]


async def test_a_branch_chosen_in_advance_can_be_taken_back() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", YES])
    harness.runner.choose("no", node_id="D")
    harness.runner.choose(None, node_id="D")
    assert (await harness.run()).moves == 2


async def test_a_branch_taken_while_the_model_thinks_wins_over_its_answer() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", YES, "ok", YES], on_message=during("choose", "no", node_id="D"))
    await harness.run()
    assert [(m.choice, m.by) for m in harness.sent if isinstance(m, FlowDecision)] == [("no", "user"), ("yes", "model")]


async def test_a_branch_taken_in_the_tick_of_the_answer_wins_once(tmp_path: Path) -> None:
    harness = RunnerHarness(flow_of(*LOOP), path=tmp_path / "flow.jsonl")

    def answer() -> str:
        harness.runner.choose("no")
        return YES

    harness.script.replies = ["ok", answer, "ok", YES]
    await harness.run()
    assert [(d.choice, d.by) for d in harness.journalled().decisions] == [("no", "user"), ("yes", "model")]


async def test_a_jump_in_the_tick_of_the_answer_leaves_it_nothing_to_decide(tmp_path: Path) -> None:
    harness = RunnerHarness(flow_of(*LOOP), path=tmp_path / "flow.jsonl")

    def answer() -> str:
        harness.runner.jump("A")
        return YES

    harness.script.replies = ["ok", answer, "ok", YES]
    assert (await harness.run()).moves == 4
    assert [(d.choice, d.by) for d in harness.journalled().decisions] == [("yes", "model")]


async def test_a_branch_taken_after_the_answer_is_refused() -> None:
    refused: list[str] = []

    def late(harness: RunnerHarness, message: WireMessage) -> None:
        if isinstance(message, FlowDecision) and not refused:
            with pytest.raises(FlowControlError) as error:
                harness.runner.choose("yes")
            refused.append(str(error.value))

    harness = RunnerHarness(flow_of(*LOOP), ["ok", NO, "ok", YES], on_message=late)
    assert (await harness.run()).moves == 4
    assert refused == ["A is not a decision: there is nothing to choose"]


async def test_of_two_orders_in_one_pause_the_first_counts() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", TurnResult("cancelled"), "ok", YES])
    await harness.until_paused()
    harness.runner.choose("no")
    with pytest.raises(FlowControlError, match="already running"):
        harness.runner.choose("yes")
    await harness.outcome()
    assert [(m.choice, m.by) for m in harness.sent if isinstance(m, FlowDecision)] == [("no", "user"), ("yes", "model")]


async def test_a_stop_wins_over_an_order_of_the_same_tick() -> None:
    harness = RunnerHarness(flow_of(*LOOP), [TurnResult("cancelled"), "ok", YES])
    await harness.until_paused()
    harness.runner.continue_run()
    harness.runner.stop("enough")
    outcome = await harness.outcome()
    assert (outcome.status, outcome.reason, harness.way) == ("stopped", "enough", ["A"])


async def test_a_stop_during_a_turn_ends_the_run_when_the_turn_is_over() -> None:
    harness = RunnerHarness(flow_of(*LINE), on_message=during("stop"))
    outcome = await harness.run()
    assert (outcome.status, harness.told[-2:]) == ("stopped", ["< A 1 done", "end stopped 1"])


async def test_asked_at_every_decision_the_person_confirms_what_the_model_named() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", NO, "ok", YES])
    harness.runner.ask_at_decisions("always")
    await harness.until_paused()
    paused = harness.sent[-1]
    assert isinstance(paused, FlowPaused)
    assert (paused.node_id, paused.reason, paused.suggested) == ("D", "choice", "no")
    harness.runner.continue_run()
    await harness.until_paused()
    harness.runner.choose("yes")
    await harness.outcome()
    assert [(m.choice, m.by) for m in harness.sent if isinstance(m, FlowDecision)] == [("no", "model"), ("yes", "user")]
    assert harness.way == ["A", "D", "A", "D"]


async def test_asked_at_one_node_only_that_one_waits() -> None:
    harness = RunnerHarness(
        flow_of("BEGIN -> D", "D -> E: yes", "D -> E2: no", "E -> END: yes", "E -> D: no", "E2 -> END"), [YES]
    )
    harness.runner.ask_at_decisions(frozenset({"E"}))
    await harness.until_paused()
    assert harness.told[-1] == "paused at E: choice"
    harness.runner.continue_run()
    assert (await harness.outcome()).status == "finished"


async def test_an_edited_prompt_is_what_the_node_says_and_can_be_put_back() -> None:
    harness = RunnerHarness(flow_of(*LOOP), [TurnResult("rejected"), TurnResult("rejected"), "ok", YES])
    harness.runner.edit_prompt("A", "Do A gently")
    await harness.until_paused()
    harness.runner.edit_prompt("A", None)
    harness.runner.run_again("A")
    await harness.until_paused()
    harness.runner.edit_prompt("D", "Are you sure?")
    harness.runner.continue_run()
    await harness.outcome()
    assert harness.script.prompts[:3] == ["Do A gently", "Do A", "Do A"]
    assert str(harness.script.prompts[3]).startswith("Are you sure?\n\nAvailable branches:")


async def test_a_finished_node_is_run_again_as_a_new_move() -> None:
    harness = RunnerHarness(flow_of(*LINE), on_message=during("run_again"))
    assert (await harness.run()).moves == 4
    assert harness.way == ["A", "A", "B", "C"]


async def test_a_cancelled_node_that_is_to_run_again_goes_on_at_once_with_the_same_move() -> None:
    harness = RunnerHarness(flow_of(*LINE), [TurnResult("cancelled"), "ok"], on_message=during("run_again"))
    assert (await harness.run()).moves == 3
    assert harness.told[:5] == ["begin", "> A 1.1", "< A 1 cancelled", "> A 1.1", "< A 1 done"]


async def test_another_node_is_run_again_from_a_pause() -> None:
    harness = RunnerHarness(flow_of(*LINE), ["ok", TurnResult("rejected"), "ok"])
    await harness.until_paused()
    harness.runner.run_again("A")
    await harness.outcome()
    assert harness.way == ["A", "B", "A", "B", "C"]


async def test_a_jump_goes_anywhere_and_passes_the_breakpoint_there() -> None:
    harness = RunnerHarness(flow_of(*LINE), on_message=during("jump", "C"))
    harness.runner.toggle_breakpoint("C")
    await harness.run()
    assert harness.way == ["A", "C"]


async def test_skipping_leaves_a_node_by_its_only_way_and_stops_at_a_breakpoint() -> None:
    harness = RunnerHarness(flow_of(*LINE))
    for node_id in "AB":
        harness.runner.toggle_breakpoint(node_id)
    await harness.until_paused()
    harness.runner.skip()
    await harness.until_paused()
    assert (harness.way, harness.told[-1]) == ([], "paused at B: breakpoint")
    harness.runner.continue_run()
    assert (await harness.outcome()).moves == 2


async def test_a_decision_is_not_skipped_but_chosen() -> None:
    harness = RunnerHarness(flow_of(*LOOP))
    harness.runner.toggle_breakpoint("D")
    await harness.until_paused()
    with pytest.raises(FlowControlError, match="choose one"):
        harness.runner.skip()
    harness.runner.choose("YES")
    outcome = await harness.outcome()
    assert (outcome.moves, harness.way) == (1, ["A"])
    assert harness.told[-3:] == ["resumed at D", "D=yes -> END by user", "end finished 1"]


async def test_what_makes_no_sense_is_refused_with_the_reason() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", YES])
    with pytest.raises(FlowControlError, match="no branch 'maybe'; it has: yes, no"):
        harness.runner.choose("maybe", node_id="D")
    with pytest.raises(FlowControlError, match="no node 'X'"):
        harness.runner.toggle_breakpoint("X")
    with pytest.raises(FlowControlError, match="END has no prompt"):
        harness.runner.edit_prompt("END", "x")
    with pytest.raises(FlowControlError, match="not paused"):
        harness.runner.continue_run()
    await harness.run()
    with pytest.raises(FlowControlError, match="the flow run has ended"):
        harness.runner.pause()


async def test_with_nobody_there_nothing_pauses() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", YES], interactive=False)
    with pytest.raises(FlowControlError, match="no user is present"):
        harness.runner.pause()
    with pytest.raises(FlowControlError, match="no user is present"):
        harness.runner.toggle_breakpoint("A")
    assert (await harness.run()).status == "finished"


async def test_what_was_set_before_the_start_is_told_after_the_begin() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", YES])
    harness.runner.toggle_breakpoint("D")
    await harness.until_paused()
    controls = harness.sent[1]
    assert isinstance(controls, FlowControls)
    assert controls.breakpoints == ("D",)
    await harness.cancel()


async def test_an_order_from_a_listener_to_the_pause_itself_is_heard() -> None:
    def at_once(harness: RunnerHarness, message: WireMessage) -> None:
        if isinstance(message, FlowPaused):
            harness.runner.continue_run()

    harness = RunnerHarness(flow_of(*LOOP), [TurnResult("cancelled"), "ok", YES], on_message=at_once)
    assert (await harness.run()).status == "finished"


async def test_each_begin_of_a_node_has_its_one_end() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", "hm"])
    await harness.until_paused()
    harness.runner.jump("A")
    await harness.until_paused()
    harness.runner.stop()
    await harness.outcome()
    ends = [(message.node_id, message.move) for message in harness.sent if isinstance(message, FlowNodeEnd)]
    assert ends == [("A", 1), ("D", 2), ("A", 3), ("D", 4)]
