"""Emits a run's Wire events. Invariant: each node's begin is followed by exactly one end."""

from collections.abc import Callable
from dataclasses import dataclass

from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.run.journal_records import By
from kimi_tui.flow.run.run_state import Pause, RunState, Usage
from kimi_tui.flow.run.spending import Spent
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.flow_events import (
    FlowBegin,
    FlowControls,
    FlowDecision,
    FlowEdgeShape,
    FlowEnd,
    FlowNodeBegin,
    FlowNodeEnd,
    FlowNodeShape,
    FlowPaused,
    FlowResumed,
    FlowSpending,
    FlowStatus,
    NodeStatus,
    PauseReason,
)
from kimi_tui.wire.parts import JsonObject


@dataclass(slots=True)
class _OpenNode:
    """A node whose begin was sent, but not yet its end."""

    node_id: str
    move: int
    usage: Usage


def begin_event(flow: Flow, state: RunState | None = None, *, resumed_at: str | None = None) -> FlowBegin:
    """Make the event that starts a run; without a state, the event of a chart that is only displayed."""
    nodes = (
        FlowNodeShape(id=node.id, label=node.title, kind=node.kind.value, settings=dict(node.settings.written) or None)
        for node in flow.nodes.values()
    )
    return FlowBegin(
        run_id=state.run_id if state is not None else "",
        name=state.name if state is not None else "",
        source=flow.source,
        nodes=tuple(nodes),
        edges=tuple(FlowEdgeShape(src=edge.src, dst=edge.dst, label=edge.label) for edge in flow.edges),
        begin_id=flow.begin_id,
        end_id=flow.end_id,
        max_moves=state.max_moves if state is not None else 0,
        resumed_at=resumed_at,
        direction=None if flow.direction == "TB" else flow.direction,
        args=state.args if state is not None and flow.source != "ralph" else None,
    )


def spending_event(state: RunState, spent: Spent, *, held: bool = False) -> FlowSpending:
    """Make the event that reports the usage of a run's budget."""
    return FlowSpending(
        run_id=state.run_id,
        tokens=spent.tokens,
        cost=None if spent.unpriced else round(spent.cost, 6),
        at_most=spent.at_most,
        estimated=spent.estimated,
        work_s=round(spent.seconds, 3),
        max_tokens=state.budget.tokens,
        max_cost=state.budget.cost,
        max_work_s=state.budget.seconds,
        held=held,
    )


class FlowEventEmitter:
    """Sends the flow events of one run."""

    def __init__(self, run_id: str, send: Callable[[WireMessage], None]) -> None:
        self._run_id = run_id
        self._send = send
        self._open: _OpenNode | None = None

    def begin(self, flow: Flow, state: RunState, *, resumed: bool) -> None:
        self._send(begin_event(flow, state, resumed_at=state.node_id if resumed else None))

    def node_begin(self, node_id: str, *, move: int, attempt: int) -> None:
        if self._open is None:
            self._open = _OpenNode(node_id, move, Usage())
        self._send(FlowNodeBegin(run_id=self._run_id, node_id=node_id, move=move, attempt=attempt))

    def reopen(self, node_id: str, *, move: int, usage: Usage) -> None:
        """Mark a node as open: another process has sent its begin."""
        self._open = _OpenNode(node_id, move, usage)

    def add_usage(self, usage: Usage) -> None:
        """Count the cost of a turn of the node; the node's end reports it."""
        if self._open is not None:
            self._open.usage += usage

    def node_end(self, status: NodeStatus, *, exit_status: int | None = None, result: JsonObject | None = None) -> None:
        """Send the end of the open node, if there is one."""
        node, self._open = self._open, None
        if node is not None:
            self._send(
                FlowNodeEnd(
                    run_id=self._run_id,
                    node_id=node.node_id,
                    move=node.move,
                    status=status,
                    duration_s=round(node.usage.duration_s, 3),
                    steps=node.usage.steps,
                    token_usage=node.usage.usage,
                    exit_status=exit_status,
                    result=result,
                )
            )

    def decision(self, node_id: str, choice: str, *, dst: str, by: By) -> None:
        self._send(
            FlowDecision(
                run_id=self._run_id,
                node_id=node_id,
                choice=choice,
                dst=dst,
                by="user" if by == "user" else "model",
                by_default=True if by == "default" else None,
            )
        )

    def paused(self, node_id: str, pause: Pause, question: str | None) -> None:
        self._send(
            FlowPaused(
                run_id=self._run_id,
                node_id=node_id,
                reason=pause.reason,
                detail=pause.detail,
                suggested=pause.suggested,
                question=question,
            )
        )

    def spending(self, figures: FlowSpending) -> None:
        self._send(figures)

    def resumed(self, node_id: str, reason: PauseReason) -> None:
        self._send(FlowResumed(run_id=self._run_id, node_id=node_id, reason=reason))

    def controls(self, state: RunState, *, pausing: bool) -> None:
        self._send(
            FlowControls(
                run_id=self._run_id,
                breakpoints=tuple(sorted(state.breakpoints)),
                ask=state.ask if isinstance(state.ask, str) else tuple(sorted(state.ask)),
                chosen=dict(state.chosen),
                edited=tuple(sorted(state.prompts)),
                pausing=pausing,
            )
        )

    def end(self, status: FlowStatus, *, moves: int, reason: str | None, node_id: str) -> None:
        self.node_end("failed" if status == "failed" else "cancelled")
        self._send(FlowEnd(run_id=self._run_id, status=status, moves=moves, reason=reason, node_id=node_id))
