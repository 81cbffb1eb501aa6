"""The picture of a run is the fold of its messages."""

import random
from pathlib import Path

from kimi_tui.flow import build_flow, read_mermaid
from kimi_tui.flow.run.event_emitter import begin_event
from kimi_tui.flow.run.run_view import RunView, fold_run_views
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.wire.codec import WireMessage, decode, encode
from kimi_tui.wire.events import ApprovalResponse, StatusUpdate, StepBegin
from kimi_tui.wire.flow_events import (
    FlowBegin,
    FlowEdgeShape,
    FlowEnd,
    FlowNodeBegin,
    FlowNodeEnd,
    FlowNodeShape,
    FlowPaused,
    FlowResumed,
    FlowSpending,
)
from kimi_tui.wire.parts import TokenUsage
from kimi_tui.wire.requests import ApprovalRequest
from tests.flow.runner_harness import LOOP, RunnerHarness, flow_of

YES, NO = "<choice>yes</choice>", "<choice>no</choice>"


def picture_of(messages: list[WireMessage]) -> RunView:
    return fold_run_views((float(at), message) for at, message in enumerate(messages))[-1]


async def test_it_counts_visits_attempts_and_the_edges_gone() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", "hm", NO, "ok", YES])
    await harness.run()
    picture = picture_of(harness.sent)
    assert {node.id: (node.state, node.visits, node.attempts) for node in picture.nodes.values()} == {
        "BEGIN": ("done", 0, 0),
        "A": ("done", 2, 2),
        "D": ("done", 2, 3),
        "END": ("done", 0, 0),
    }
    assert [(edge.src, edge.dst, edge.taken) for edge in picture.edges] == [
        ("BEGIN", "A", 1), ("A", "D", 2), ("D", "END", 1), ("D", "A", 1),
    ]  # fmt: skip
    assert (picture.node_id, picture.status, picture.moves) == ("END", "finished", 4)
    assert [(taken.choice, taken.by) for taken in picture.decisions] == [("no", "model"), ("yes", "model")]


async def test_of_several_ends_the_one_that_the_run_came_to_is_done() -> None:
    flow = build_flow(read_mermaid("flowchart TD\nBEGIN --> A\nA -->|yes| E1[END]\nA -->|no| B\nB --> E2[END]\n"))
    for replies, gone, left in (([YES], "E1", "E2"), ([NO, "ok"], "E2", "E1")):
        harness = RunnerHarness(flow, replies)
        await harness.run()
        picture = picture_of(harness.sent)
        assert (picture.nodes[gone].state, picture.nodes[left].state, picture.node_id) == ("done", "waiting", gone)
        assert next(edge for edge in picture.edges if edge.dst == gone).taken == 1


async def test_it_shows_what_runs_and_since_when() -> None:
    harness = RunnerHarness(flow_of(*LOOP), [TurnResult("rejected")])
    await harness.until_paused()
    picture = RunView.from_begin(next(message for message in harness.sent if isinstance(message, FlowBegin)), 10.0)
    picture.apply(harness.sent[1], 12.0)
    assert (picture.node_state("A"), picture.nodes["A"].elapsed(15.0), picture.elapsed(15.0)) == ("running", 3.0, 5.0)
    for message in harness.sent[2:]:
        picture.apply(message, 16.0)
    assert (picture.node_state("A"), picture.nodes["A"].state, picture.node_id) == ("paused", "rejected", "A")
    assert picture.paused is not None
    await harness.cancel()


async def test_the_steps_and_tokens_of_the_turn_under_way_show_at_once() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", YES])
    await harness.run()
    picture = RunView.from_begin(next(message for message in harness.sent if isinstance(message, FlowBegin)))
    picture.apply(harness.sent[1])
    picture.apply(StepBegin(n=1))
    picture.apply(StatusUpdate(token_usage=TokenUsage(input_other=5, output=2)))
    assert (picture.steps, picture.tokens, picture.nodes["A"].steps) == (1, 7, 0)
    picture.apply(harness.sent[2])
    assert (picture.steps, picture.tokens) == (1, 0)


async def test_a_node_skipped_by_hand_and_a_jump_mark_no_edge_that_was_not_gone() -> None:
    harness = RunnerHarness(flow_of("BEGIN -> A", "A -> B", "B -> C", "C -> END"), [TurnResult("rejected"), "ok"])
    await harness.until_paused()
    harness.runner.jump("C")
    await harness.outcome()
    assert [edge.taken for edge in picture_of(harness.sent).edges] == [1, 0, 0, 1]


async def test_a_loop_on_one_node_is_counted_and_a_breakpoint_on_it_is_not() -> None:
    harness = RunnerHarness(flow_of("BEGIN -> D", "D -> D: no", "D -> END: yes"), [NO, NO, YES])
    harness.runner.toggle_breakpoint("D")
    for _ in range(3):
        await harness.until_paused()
        harness.runner.continue_run()
    await harness.outcome()
    picture = picture_of(harness.sent)
    assert [edge.taken for edge in picture.edges] == [1, 2, 1]
    assert picture.nodes["D"].visits == 3
    assert picture.breakpoints == {"D"}


async def test_a_way_through_begin_marks_both_edges() -> None:
    harness = RunnerHarness(flow_of("BEGIN -> D", "D -> BEGIN: no", "D -> END: yes"), [NO, YES])
    await harness.run()
    assert [edge.taken for edge in picture_of(harness.sent).edges] == [2, 1, 1]


async def test_a_run_in_two_processes_is_one_picture(tmp_path: Path) -> None:
    flow, path = flow_of(*LOOP), tmp_path / "flow.jsonl"
    first = RunnerHarness(flow, ["ok", NO, TurnResult("cancelled")], path=path)
    await first.until_paused()
    await first.cancel()
    second = RunnerHarness(flow, ["ok", YES], path=path, resume=first.journalled())
    await second.run()
    picture = picture_of(first.sent + second.sent)
    assert {node.id: node.visits for node in picture.nodes.values()} == {"BEGIN": 0, "A": 2, "D": 2, "END": 0}
    assert [edge.taken for edge in picture.edges] == [1, 2, 1, 1]
    assert picture.moves == 4


async def test_a_node_whose_branch_is_taken_as_the_run_resumes_is_done(tmp_path: Path) -> None:
    flow = build_flow(
        read_mermaid("flowchart TD\nBEGIN --> A\nA -->|yes| END\nA -->|no| B\nB --> END\nA@{ ask: human }\n")
    )
    first = RunnerHarness(flow, path=tmp_path / "flow.jsonl", interactive=False)
    await first.run()
    assert picture_of(first.sent).nodes["A"].state == "cancelled"
    second = RunnerHarness(flow, path=tmp_path / "flow.jsonl", interactive=False, resume=first.journalled())
    second.runner.choose("yes", node_id="A")
    await second.run()
    node = picture_of(first.sent + second.sent).nodes["A"]
    assert (node.state, node.visits, node.choices) == ("done", 1, {"yes": 1})


async def test_other_runs_and_other_messages_change_nothing() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", YES])
    await harness.run()
    picture = picture_of(harness.sent)
    assert not picture.apply(FlowNodeBegin(run_id="other", node_id="A", move=9))
    assert picture.moves == 2


async def test_messages_in_any_order_and_for_nodes_that_are_not_there_never_raise() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", "hm", NO, TurnResult("rejected"), YES])
    await harness.until_paused()
    harness.runner.continue_run()
    await harness.until_paused()
    begin = next(message for message in harness.sent if isinstance(message, FlowBegin))
    dice = random.Random(7)
    for _ in range(200):
        picture = RunView.from_begin(begin)
        for message in dice.sample(harness.sent, len(harness.sent)):
            picture.apply(message, dice.random() * 100)
        picture.apply(FlowNodeBegin(run_id=begin.run_id, node_id="ghost", move=1))
        assert picture.nodes["ghost"].visits == 1
    await harness.cancel()


async def test_it_is_the_same_from_messages_that_were_written_and_read() -> None:
    harness = RunnerHarness(flow_of(*LOOP), ["ok", NO, "ok", YES])
    await harness.run()
    read = [decode(encode(message)) for message in harness.sent]
    assert picture_of(read) == picture_of(harness.sent)  # type: ignore[arg-type]


def run_with_a_wait() -> tuple[RunView, list[tuple[float, WireMessage]]]:
    """A turn of 8 s, of which 5 wait for the user, then 100 s of pause, then the turn's retry of 2 s."""
    begin = FlowBegin(
        run_id="r", name="f", source="mermaid",
        nodes=(FlowNodeShape(id="B", label="B", kind="begin"), FlowNodeShape(id="A", label="A", kind="task")),
        edges=(FlowEdgeShape(src="B", dst="A"),), begin_id="B", end_id="E", max_moves=9,
    )  # fmt: skip
    messages: list[tuple[float, WireMessage]] = [
        (1, FlowNodeBegin(run_id="r", node_id="A", move=1)),
        (3, ApprovalRequest(id="q", tool_call_id="c", sender="Shell", action="run", description="ls")),
        (8, ApprovalResponse(request_id="q", response="approve")),
        (9, FlowPaused(run_id="r", node_id="A", reason="choice")),
        (109, FlowResumed(run_id="r", node_id="A", reason="choice")),
        (109, FlowNodeBegin(run_id="r", node_id="A", move=1, attempt=2)),
        (111, FlowNodeEnd(run_id="r", node_id="A", move=1, status="done", duration_s=5.0, steps=2)),
        (111, FlowEnd(run_id="r", status="finished", moves=1, node_id="A")),
    ]
    return RunView.from_begin(begin, 1.0), messages


def test_the_time_of_work_stands_still_in_every_wait_for_the_user_and_never_goes_back() -> None:
    view, messages = run_with_a_wait()
    figures: list[tuple[float, float]] = []
    for at, message in messages:
        view.apply(message, at)
        figures.append((at, view.work_s(at)))
    assert figures == [(1, 0), (3, 2), (8, 2), (9, 3), (109, 3), (109, 3), (111, 5), (111, 5)]
    assert view.waited_s(200.0) == 105
    assert view.nodes["A"].elapsed(200.0) == view.work_s(200.0)


def test_work_in_the_middle_of_a_wait_is_what_it_was_at_its_beginning() -> None:
    view, messages = run_with_a_wait()
    for at, message in messages[:2]:
        view.apply(message, at)
    assert (view.work_s(7.0), view.waited_s(7.0)) == (2, 4)
    for at, message in messages[2:4]:
        view.apply(message, at)
    assert (view.work_s(50.0), view.waited_s(50.0)) == (3, 46)


def test_the_clock_of_a_node_stands_while_its_requests_wait_for_a_higher_budget() -> None:
    begin = begin_event(flow_of("BEGIN -> A", "A -> END")).model_copy(update={"run_id": "r"})
    picture = RunView.from_begin(begin, 0.0)
    picture.apply(FlowNodeBegin(run_id="r", node_id="A", move=1), 1.0)
    picture.apply(FlowSpending(run_id="r", tokens=100, max_tokens=100, held=True), 3.0)
    assert picture.held
    assert picture.waits_for_budget(50.0)
    assert picture.node_state("A") == "paused"
    assert picture.work_s(50.0) == 2.0
    picture.apply(FlowSpending(run_id="r", tokens=100, max_tokens=200), 60.0)
    assert not picture.waits_for_budget(61.0)
    assert (picture.work_s(61.0), picture.node_state("A")) == (3.0, "running")
