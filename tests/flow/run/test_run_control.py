"""FLOWS.md 5 and the races of FAULTS.md 46: what a person asks of a run."""

from pathlib import Path

import pytest

from kimi_tui.errors import FlowControlError
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.flow_events import FlowControls, FlowDecision, FlowNodeBegin, FlowNodeEnd, FlowPaused
from tests.flow.turns import LOOP, Stage, flow_of

YES, NO = "<choice>yes</choice>", "<choice>no</choice>"
LINE = ("BEGIN -> A", "A -> B", "B -> C", "C -> END")


def during(stage_method: str, *args: object, node_id: str = "A", **named: object):  # type: ignore[no-untyped-def]
    """A listener that calls a method of the runner when the node's first turn begins."""

    def listen(stage: Stage, message: WireMessage) -> None:
        if isinstance(message, FlowNodeBegin) and message.node_id == node_id and stage.way.count(node_id) == 1:
            getattr(stage.runner, stage_method)(*args, **named)

    return listen


async def test_a_pause_during_a_turn_holds_before_the_next_node() -> None:
    stage = Stage(flow_of(*LINE), on_message=during("pause"))
    await stage.until_paused()
    assert stage.told == ["begin", "> A 1.1", "controls", "< A 1 done", "controls", "paused at B: user"]
    stage.runner.go_on()
    assert (await stage.outcome()).status == "finished"


async def test_a_pause_is_taken_back_by_going_on() -> None:
    stage = Stage(flow_of(*LINE), on_message=during("pause"))

    def listen(_stage: Stage, message: WireMessage) -> None:
        if isinstance(message, FlowControls) and message.pausing:
            stage.runner.go_on()

    original, stage._on_message = stage._on_message, None
    assert original is not None

    def both(which: Stage, message: WireMessage) -> None:
        original(which, message)
        listen(which, message)

    stage._on_message = both
    assert (await stage.run()).status == "finished"


async def test_a_pause_during_a_choice_holds_before_the_model_is_asked_again() -> None:
    stage = Stage(flow_of(*LOOP), ["ok", "hm", YES], on_message=during("pause", node_id="D"))
    await stage.until_paused()
    assert stage.told[-1] == "paused at D: user"
    assert stage.way == ["A", "D"]
    stage.runner.go_on()
    await stage.outcome()
    assert stage.way == ["A", "D", "D#2"]


async def test_one_step_runs_one_node() -> None:
    stage = Stage(flow_of(*LINE), on_message=during("pause"))
    await stage.until_paused()
    stage.runner.step()
    await stage.until_paused()
    assert (stage.way, stage.told[-1]) == (["A", "B"], "paused at C: step")
    stage.runner.step()
    assert (await stage.outcome()).status == "finished"


async def test_a_breakpoint_holds_before_each_visit_and_going_on_does_not_hit_it_again() -> None:
    stage = Stage(flow_of(*LOOP), ["ok", NO, "ok", YES])
    assert stage.runner.toggle_breakpoint("A")
    await stage.until_paused()
    assert (stage.way, stage.told[-1]) == ([], "paused at A: breakpoint")
    stage.runner.go_on()
    await stage.until_paused()
    assert (stage.way, stage.told[-1]) == (["A", "D"], "paused at A: breakpoint")
    assert not stage.runner.toggle_breakpoint("A")
    stage.runner.go_on()
    assert (await stage.outcome()).moves == 4


async def test_a_breakpoint_does_not_hold_a_node_that_is_run_again_after_a_failure() -> None:
    stage = Stage(flow_of(*LINE), [TurnResult("failed", "no"), "ok"])
    stage.runner.toggle_breakpoint("A")
    await stage.until_paused()
    stage.runner.go_on()
    await stage.until_paused()
    assert stage.told[-1] == "paused at A: failed"
    stage.runner.go_on()
    assert (await stage.outcome()).status == "finished"


async def test_breakpoints_on_the_two_ends_hold_too() -> None:
    stage = Stage(flow_of(*LINE))
    stage.runner.toggle_breakpoint("BEGIN")
    stage.runner.toggle_breakpoint("END")
    await stage.until_paused()
    assert stage.told[-1] == "paused at BEGIN: breakpoint"
    stage.runner.go_on()
    await stage.until_paused()
    assert stage.told[-1] == "paused at END: breakpoint"
    stage.runner.go_on()
    assert (await stage.outcome()).status == "finished"


async def test_a_branch_taken_in_advance_is_by_the_user_and_the_model_is_not_asked() -> None:
    stage = Stage(flow_of(*LOOP), ["ok", YES])
    stage.runner.choose("no", node_id="D")
    await stage.run()
    assert stage.script.prompts[1] == "Do D"
    decisions = [(m.choice, m.by) for m in stage.sent if isinstance(m, FlowDecision)]
    assert decisions == [("no", "user"), ("yes", "model")]


async def test_a_branch_chosen_in_advance_can_be_taken_back() -> None:
    stage = Stage(flow_of(*LOOP), ["ok", YES])
    stage.runner.choose("no", node_id="D")
    stage.runner.choose(None, node_id="D")
    assert (await stage.run()).moves == 2


async def test_a_branch_taken_while_the_model_thinks_wins_over_its_answer() -> None:
    stage = Stage(flow_of(*LOOP), ["ok", YES, "ok", YES], on_message=during("choose", "no", node_id="D"))
    await stage.run()
    assert [(m.choice, m.by) for m in stage.sent if isinstance(m, FlowDecision)] == [("no", "user"), ("yes", "model")]


async def test_a_branch_taken_in_the_tick_of_the_answer_wins_once(tmp_path: Path) -> None:
    stage = Stage(flow_of(*LOOP), path=tmp_path / "flow.jsonl")

    def answer() -> str:
        stage.runner.choose("no")
        return YES

    stage.script.replies = ["ok", answer, "ok", YES]
    await stage.run()
    assert [(d.choice, d.by) for d in stage.journalled().decisions] == [("no", "user"), ("yes", "model")]


async def test_a_jump_in_the_tick_of_the_answer_leaves_it_nothing_to_decide(tmp_path: Path) -> None:
    stage = Stage(flow_of(*LOOP), path=tmp_path / "flow.jsonl")

    def answer() -> str:
        stage.runner.jump("A")
        return YES

    stage.script.replies = ["ok", answer, "ok", YES]
    assert (await stage.run()).moves == 4
    assert [(d.choice, d.by) for d in stage.journalled().decisions] == [("yes", "model")]


async def test_a_branch_taken_after_the_answer_is_refused() -> None:
    refused: list[str] = []

    def late(stage: Stage, message: WireMessage) -> None:
        if isinstance(message, FlowDecision) and not refused:
            with pytest.raises(FlowControlError) as error:
                stage.runner.choose("yes")
            refused.append(str(error.value))

    stage = Stage(flow_of(*LOOP), ["ok", NO, "ok", YES], on_message=late)
    assert (await stage.run()).moves == 4
    assert refused == ["A is no decision: there is nothing to choose"]


async def test_of_two_orders_in_one_pause_the_first_counts() -> None:
    stage = Stage(flow_of(*LOOP), ["ok", TurnResult("cancelled"), "ok", YES])
    await stage.until_paused()
    stage.runner.choose("no")
    with pytest.raises(FlowControlError, match="going on already"):
        stage.runner.choose("yes")
    await stage.outcome()
    assert [(m.choice, m.by) for m in stage.sent if isinstance(m, FlowDecision)] == [("no", "user"), ("yes", "model")]


async def test_a_stop_wins_over_an_order_of_the_same_tick() -> None:
    stage = Stage(flow_of(*LOOP), [TurnResult("cancelled"), "ok", YES])
    await stage.until_paused()
    stage.runner.go_on()
    stage.runner.stop("enough")
    outcome = await stage.outcome()
    assert (outcome.status, outcome.reason, stage.way) == ("stopped", "enough", ["A"])


async def test_a_stop_during_a_turn_ends_the_run_when_the_turn_is_over() -> None:
    stage = Stage(flow_of(*LINE), on_message=during("stop"))
    outcome = await stage.run()
    assert (outcome.status, stage.told[-2:]) == ("stopped", ["< A 1 done", "end stopped 1"])


async def test_asked_at_every_decision_the_person_confirms_what_the_model_named() -> None:
    stage = Stage(flow_of(*LOOP), ["ok", NO, "ok", YES])
    stage.runner.ask_at_decisions("always")
    await stage.until_paused()
    paused = stage.sent[-1]
    assert isinstance(paused, FlowPaused)
    assert (paused.node_id, paused.reason, paused.suggested) == ("D", "choice", "no")
    stage.runner.go_on()
    await stage.until_paused()
    stage.runner.choose("yes")
    await stage.outcome()
    assert [(m.choice, m.by) for m in stage.sent if isinstance(m, FlowDecision)] == [("no", "model"), ("yes", "user")]
    assert stage.way == ["A", "D", "A", "D"]


async def test_asked_at_one_node_only_that_one_waits() -> None:
    stage = Stage(
        flow_of("BEGIN -> D", "D -> E: yes", "D -> E2: no", "E -> END: yes", "E -> D: no", "E2 -> END"), [YES]
    )
    stage.runner.ask_at_decisions(frozenset({"E"}))
    await stage.until_paused()
    assert stage.told[-1] == "paused at E: choice"
    stage.runner.go_on()
    assert (await stage.outcome()).status == "finished"


async def test_an_edited_prompt_is_what_the_node_says_and_can_be_put_back() -> None:
    stage = Stage(flow_of(*LOOP), [TurnResult("rejected"), TurnResult("rejected"), "ok", YES])
    stage.runner.edit_prompt("A", "Do A gently")
    await stage.until_paused()
    stage.runner.edit_prompt("A", None)
    stage.runner.run_again("A")
    await stage.until_paused()
    stage.runner.edit_prompt("D", "Are you sure?")
    stage.runner.go_on()
    await stage.outcome()
    assert stage.script.prompts[:3] == ["Do A gently", "Do A", "Do A"]
    assert str(stage.script.prompts[3]).startswith("Are you sure?\n\nAvailable branches:")


async def test_a_finished_node_is_run_again_as_a_new_move() -> None:
    stage = Stage(flow_of(*LINE), on_message=during("run_again"))
    assert (await stage.run()).moves == 4
    assert stage.way == ["A", "A", "B", "C"]


async def test_a_cancelled_node_that_is_to_run_again_goes_on_at_once_with_the_same_move() -> None:
    stage = Stage(flow_of(*LINE), [TurnResult("cancelled"), "ok"], on_message=during("run_again"))
    assert (await stage.run()).moves == 3
    assert stage.told[:5] == ["begin", "> A 1.1", "< A 1 cancelled", "> A 1.1", "< A 1 done"]


async def test_another_node_is_run_again_from_a_pause() -> None:
    stage = Stage(flow_of(*LINE), ["ok", TurnResult("rejected"), "ok"])
    await stage.until_paused()
    stage.runner.run_again("A")
    await stage.outcome()
    assert stage.way == ["A", "B", "A", "B", "C"]


async def test_a_jump_goes_anywhere_and_passes_the_breakpoint_there() -> None:
    stage = Stage(flow_of(*LINE), on_message=during("jump", "C"))
    stage.runner.toggle_breakpoint("C")
    await stage.run()
    assert stage.way == ["A", "C"]


async def test_skipping_leaves_a_node_by_its_only_way_and_stops_at_a_breakpoint() -> None:
    stage = Stage(flow_of(*LINE))
    for node_id in "AB":
        stage.runner.toggle_breakpoint(node_id)
    await stage.until_paused()
    stage.runner.skip()
    await stage.until_paused()
    assert (stage.way, stage.told[-1]) == ([], "paused at B: breakpoint")
    stage.runner.go_on()
    assert (await stage.outcome()).moves == 2


async def test_a_decision_is_not_skipped_but_chosen() -> None:
    stage = Stage(flow_of(*LOOP))
    stage.runner.toggle_breakpoint("D")
    await stage.until_paused()
    with pytest.raises(FlowControlError, match="choose one"):
        stage.runner.skip()
    stage.runner.choose("YES")
    outcome = await stage.outcome()
    assert (outcome.moves, stage.way) == (1, ["A"])
    assert stage.told[-3:] == ["resumed at D", "D=yes -> END by user", "end finished 1"]


async def test_what_makes_no_sense_is_refused_with_the_reason() -> None:
    stage = Stage(flow_of(*LOOP), ["ok", YES])
    with pytest.raises(FlowControlError, match="no branch 'maybe'; it has: yes, no"):
        stage.runner.choose("maybe", node_id="D")
    with pytest.raises(FlowControlError, match="no node 'X'"):
        stage.runner.toggle_breakpoint("X")
    with pytest.raises(FlowControlError, match="END has no prompt"):
        stage.runner.edit_prompt("END", "x")
    with pytest.raises(FlowControlError, match="not paused"):
        stage.runner.go_on()
    await stage.run()
    with pytest.raises(FlowControlError, match="over"):
        stage.runner.pause()


async def test_with_nobody_there_nothing_pauses() -> None:
    stage = Stage(flow_of(*LOOP), ["ok", YES], interactive=False)
    with pytest.raises(FlowControlError, match="nobody"):
        stage.runner.pause()
    with pytest.raises(FlowControlError, match="nobody"):
        stage.runner.toggle_breakpoint("A")
    assert (await stage.run()).status == "finished"


async def test_what_was_set_before_the_start_is_told_after_the_begin() -> None:
    stage = Stage(flow_of(*LOOP), ["ok", YES])
    stage.runner.toggle_breakpoint("D")
    await stage.until_paused()
    controls = stage.sent[1]
    assert isinstance(controls, FlowControls)
    assert controls.breakpoints == ("D",)
    await stage.cancel()


async def test_an_order_from_a_listener_to_the_pause_itself_is_heard() -> None:
    def at_once(stage: Stage, message: WireMessage) -> None:
        if isinstance(message, FlowPaused):
            stage.runner.go_on()

    stage = Stage(flow_of(*LOOP), [TurnResult("cancelled"), "ok", YES], on_message=at_once)
    assert (await stage.run()).status == "finished"


async def test_each_begin_of_a_node_has_its_one_end() -> None:
    stage = Stage(flow_of(*LOOP), ["ok", "hm"])
    await stage.until_paused()
    stage.runner.jump("A")
    await stage.until_paused()
    stage.runner.stop()
    await stage.outcome()
    ends = [(message.node_id, message.move) for message in stage.sent if isinstance(message, FlowNodeEnd)]
    assert ends == [("A", 1), ("D", 2), ("A", 3), ("D", 4)]
