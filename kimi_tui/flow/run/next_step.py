"""Determines where a run goes after a turn of the model or a command."""

from dataclasses import dataclass

from kimi_tui.flow.model.graph import Flow, FlowNode, NodeKind
from kimi_tui.flow.model.status_branches import FAILED
from kimi_tui.flow.run.branch_choice import match_choice, parse_choice
from kimi_tui.flow.run.command_step import edge_for_status
from kimi_tui.flow.run.journal_records import By
from kimi_tui.flow.run.node_result import CHOICE
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.turn_protocol import CommandEnd, TurnResult

_ABOUT_FAILURES = frozenset({"retries", "out", "timeout"})
"""The settings with which a failed turn takes the branch `failed` of a model's decision."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """Where a turn leads: `choice` without `to` needs confirmation; with neither, the run stays on the node."""

    to: str | None = None
    choice: str | None = None
    by: By = "model"
    passed: bool = False


def step_after_turn(
    flow: Flow, state: RunState, node: FlowNode, result: TurnResult, end: CommandEnd | None, *, interactive: bool
) -> NextStep:
    """Return the next step: the user's choice in advance, else that of the chart or the model. `end`: how a command
    ended.
    """
    outgoing = flow.outgoing[node.id]
    if result.stop in ("failed", "max_steps"):
        if state.failures < node.settings.retries:  # defence: retry-before-failed
            return NextStep()
        if end is None and node.kind is NodeKind.DECISION and not _ABOUT_FAILURES.isdisjoint(node.settings.written):
            edge = next((edge for edge in outgoing if edge.label == FAILED), None)
            return NextStep() if edge is None else NextStep(edge.dst, edge.label)
    if end is not None:
        return _step_after_command(flow, state, node, end)
    if result.stop != "finished" or not outgoing:
        return NextStep()
    if node.settings.out is not None and result.result is None:  # defence: result-before-next-node
        return NextStep()
    if node.kind is not NodeKind.DECISION:
        return NextStep(outgoing[0].dst)
    if (preset := state.chosen.get(node.id)) is not None:  # defence: branch-of-the-user
        return NextStep(flow.target(node.id, preset), preset, "user")
    labels = flow.branch_labels(node.id)
    if result.result is not None:
        choice = next((label for label in labels if label == result.result.get(CHOICE)), None)
    else:
        reply_choice = parse_choice(result.message)
        choice = None if reply_choice is None else match_choice(reply_choice, labels)
    if choice is None or (interactive and state.asks_at(node.id)):
        return NextStep(None, choice)
    return NextStep(flow.target(node.id, choice), choice)


def _step_after_command(flow: Flow, state: RunState, node: FlowNode, end: CommandEnd) -> NextStep:
    """The next step after a command: by the user's choice in advance, else by its status."""
    preset = state.chosen.get(node.id)
    if preset is not None and end.stop in ("finished", "failed"):
        return NextStep(flow.target(node.id, preset), preset, "user")
    edge = edge_for_status(end, flow.outgoing[node.id])
    if edge is None:
        return NextStep()
    return NextStep(edge.dst, edge.label if node.kind is NodeKind.DECISION else None)
