"""What an editor is told of a flow."""

from itertools import count

from kimi_tui.ui.acp.flow_calls import FlowCalls
from kimi_tui.wire.flow_events import (
    FlowBegin,
    FlowEdgeShape,
    FlowNodeBegin,
    FlowNodeEnd,
    FlowNodeShape,
    FlowPaused,
    FlowSpending,
)

BEGIN = FlowBegin(
    run_id="r", name="mail", source="mermaid", begin_id="B", end_id="E", max_moves=9,
    nodes=(FlowNodeShape(id="send", label="Send it?", kind="decision"),),
    edges=(FlowEdgeShape(src="send", dst="E", label="yes"), FlowEdgeShape(src="send", dst="B", label="no")),
)  # fmt: skip


def told(paused: FlowPaused | FlowSpending) -> str:
    ids = count()
    calls = FlowCalls(lambda: f"c{next(ids)}")
    calls.of(BEGIN)
    return calls.of(paused)[0].model_dump_json()


def test_a_decision_that_waits_for_the_user_says_how_to_choose() -> None:
    text = told(FlowPaused(run_id="r", node_id="send", reason="choice"))
    assert "Paused at Send it?: choose yes, no with /flow choose BRANCH" in text


def test_another_pause_says_why() -> None:
    assert "Paused at Send it?: out of luck" in told(
        FlowPaused(run_id="r", node_id="send", reason="failed", detail="out of luck")
    )


def test_the_typed_result_of_a_node_is_in_its_call() -> None:
    calls = FlowCalls(lambda: "c")
    calls.of(BEGIN)
    calls.of(FlowNodeBegin(run_id="r", node_id="send", move=1))
    ended = FlowNodeEnd(run_id="r", node_id="send", move=1, status="done", duration_s=1.0, result={"why": "late"})
    assert "why: late" in calls.of(ended)[0].model_dump_json()


def test_a_run_held_at_its_budget_says_how_to_raise_it() -> None:
    text = told(FlowSpending(run_id="r", tokens=100, max_tokens=100, held=True))
    assert "Held: the budget is used up. Raise it with /flow budget CAPS, or stop it with /flow stop" in text
