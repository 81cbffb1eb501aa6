"""A view of a run: the fold of its Wire messages, for the flow pane, the export and the lists of runs.

Missed or reordered events never raise; figures may then be too low.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from kimi_tui.config.budget import Budget
from kimi_tui.flow.model.graph import Direction
from kimi_tui.flow.run.journal_records import By
from kimi_tui.flow.run.node_prompts import task_prompt
from kimi_tui.flow.run.node_view import DecisionView, EdgeView, NodeState, NodeView
from kimi_tui.flow.run.run_state import Pause
from kimi_tui.flow.run.spending import Spent, reached
from kimi_tui.wire.codec import FlowEvent, WireMessage
from kimi_tui.wire.events import ApprovalResponse, StatusUpdate, StepBegin
from kimi_tui.wire.flow_events import (
    FlowBegin,
    FlowControls,
    FlowDecision,
    FlowEnd,
    FlowNodeBegin,
    FlowNodeEnd,
    FlowPaused,
    FlowResumed,
    FlowSpending,
    FlowStatus,
)
from kimi_tui.wire.parts import TokenUsage, ToolResult
from kimi_tui.wire.requests import ApprovalRequest, QuestionRequest


@dataclass(slots=True)
class RunView:
    """One run, or its chart alone before `apply`. `begin` is the last begin event.

    `node_id` is the current node; `status` is None while it runs or if its end was never reported. `cut_off`: the
    process ended within the run, which may be resumed. `spending` is what a run with a budget has used of it.
    """

    begin: FlowBegin
    run_id: str = ""
    name: str = ""
    source: Literal["mermaid", "d2", "ralph"] = "mermaid"
    direction: Direction = "TB"
    nodes: dict[str, NodeView] = field(default_factory=dict[str, NodeView])
    edges: list[EdgeView] = field(default_factory=list[EdgeView])
    begin_id: str = ""
    end_id: str = ""
    node_id: str = ""
    max_moves: int = 0
    moves: int = 0
    decisions: list[DecisionView] = field(default_factory=list[DecisionView])
    paused: Pause | None = None
    pausing: bool = False
    breakpoints: frozenset[str] = frozenset()
    ask: Literal["never", "always"] | frozenset[str] = "never"
    chosen: dict[str, str] = field(default_factory=dict[str, str])
    edited: frozenset[str] = frozenset()
    status: FlowStatus | None = None
    reason: str | None = None
    cut_off: bool = False
    started_at: float = 0.0
    spending: FlowSpending | None = None
    _active_since: float | None = None
    _before_s: float = 0.0
    _last_at: float = 0.0
    _move_of: dict[str, int] = field(default_factory=dict[str, int])
    _left_node: str | None = None
    _let_go: str | None = None
    _open: tuple[str, int] | None = None
    _resumed: bool = False
    _requests: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        self._take_chart(self.begin)

    @classmethod
    def from_begin(cls, begin: FlowBegin, timestamp: float = 0.0) -> "RunView":
        """The view of a run that starts, or whose first message is a resume."""
        view = cls(begin, started_at=timestamp)
        view._begin(begin, timestamp)
        return view

    @property
    def active(self) -> bool:
        return self.status is None

    @property
    def current(self) -> NodeView | None:
        return self.nodes.get(self.node_id)

    @property
    def last_decision(self) -> DecisionView | None:
        return self.decisions[-1] if self.decisions else None

    @property
    def taken_edges(self) -> tuple[int, ...]:
        """The indexes of the taken edges in the chart's list."""
        return tuple(index for index, edge in enumerate(self.edges) if edge.taken)

    @property
    def tokens(self) -> int:
        return sum(node.tokens for node in self.nodes.values())

    @property
    def steps(self) -> int:
        return sum(node.steps + node.live_steps for node in self.nodes.values())

    def elapsed(self, now: float) -> float:
        """Seconds of running time, including pauses, without the time between two processes."""
        return self._before_s + (max(0.0, now - self._active_since) if self._active_since is not None else 0.0)

    def work_s(self, now: float) -> float:
        """Seconds of work in the turns of all nodes, without pauses and waits for the user."""
        return sum(node.elapsed(now) for node in self.nodes.values())

    def waited_s(self, now: float) -> float:
        """Seconds of running time without work: pauses, approvals, questions."""
        return max(0.0, self.elapsed(now) - self.work_s(now))

    def spent(self, now: float) -> tuple[Spent, Budget]:
        """What the run has used, and its caps; both empty without a budget."""
        figures = self.spending
        if figures is None:
            return Spent(), Budget()
        usage = TokenUsage(input_other=figures.tokens)
        work_s = max(figures.work_s, self.work_s(now)) if self.active else figures.work_s
        spent = Spent(
            estimated=figures.estimated, usage=usage, cost=figures.cost or 0.0, at_most=figures.at_most, seconds=work_s
        )
        return spent, Budget(figures.max_cost, figures.max_tokens, figures.max_work_s)

    def waits_for_budget(self, now: float) -> bool:
        """Whether the run is held because its budget is used up."""
        if self.held:
            return True
        if not self.active or self.paused is None or self.paused.reason not in ("user", "step", "breakpoint"):
            return False
        node = self.current
        return node is not None and node.kind in ("task", "decision") and reached(*self.spent(now)) is not None

    def apply(self, message: WireMessage, timestamp: float = 0.0) -> bool:
        """Apply a message with time `timestamp`, in seconds; returns whether it changed the view."""
        if isinstance(message, StepBegin | StatusUpdate):
            return self._count_live(message)
        if isinstance(message, ApprovalRequest | QuestionRequest | ApprovalResponse | ToolResult):
            return self._follow_requests(message, timestamp)
        if not isinstance(message, FlowEvent) or message.run_id != self.run_id:
            return False
        self._last_at = max(self._last_at, timestamp)
        match message:
            case FlowBegin():
                self._take_chart(message)
                self._begin(message, timestamp)
            case FlowNodeBegin():
                self._begin_node(message, timestamp)
            case FlowNodeEnd():
                self._end_node(message)
            case FlowDecision():
                self._decide(message)
            case FlowPaused():
                self._arrive(message.node_id)
                self.paused = Pause(message.reason, message.detail, message.suggested, message.question)
                self.pausing = self._resumed = False
                self._node(message.node_id).end_turn(timestamp)
            case FlowSpending():
                self.spending = message
                self._hold_or_release(timestamp)
            case FlowResumed():
                self.paused = None
                self._let_go = message.node_id
            case FlowControls():
                self.breakpoints, self.edited = frozenset(message.breakpoints), frozenset(message.edited)
                self.ask = message.ask if isinstance(message.ask, str) else frozenset(message.ask)
                self.chosen, self.pausing = dict(message.chosen), message.pausing
            case FlowEnd():
                self._end(message, timestamp)
            case _:
                return False
        return True

    def take_branch(self, node_id: str, choice: str, dst: str, *, by: By, move: int) -> None:
        """Count a decision."""
        self.decisions.append(DecisionView(node_id, choice, dst, by, move))
        node = self._node(node_id)
        node.choices[choice] = node.choices.get(choice, 0) + 1
        for edge in self.edges:
            if edge.src == node_id and edge.label == choice:
                edge.taken += 1

    def node_state(self, node_id: str) -> NodeState:
        """The state of a node for display: `paused` for the node that the run is paused at."""
        if (self.paused is not None or self.held) and node_id == self.node_id and self.status is None:
            return "paused"
        node = self.nodes.get(node_id)
        return "waiting" if node is None else node.state

    def _node(self, node_id: str) -> NodeView:
        if node_id not in self.nodes:
            self.nodes[node_id] = NodeView(node_id, node_id)
        return self.nodes[node_id]

    def _take_chart(self, begin: FlowBegin) -> None:
        """Use the chart of a begin event; keeps the figures of an earlier chart."""
        old_nodes = self.nodes
        old_edges = {(edge.src, edge.dst, edge.label): edge.taken for edge in self.edges}
        self.begin, self.run_id, self.name = begin, begin.run_id, begin.name
        self.source, self.begin_id, self.end_id = begin.source, begin.begin_id, begin.end_id
        self.direction = begin.direction or "TB"
        self.nodes = {}
        for shape in begin.nodes:
            node = old_nodes.get(shape.id) or NodeView(shape.id, shape.label)
            node.label, node.kind = _node_label(shape.label, begin), shape.kind
            node.settings = shape.settings or {}
            self.nodes[shape.id] = node
        self.edges = [
            EdgeView(shape.src, shape.dst, shape.label, old_edges.get((shape.src, shape.dst, shape.label), 0))
            for shape in begin.edges
        ]

    def _begin(self, begin: FlowBegin, timestamp: float) -> None:
        if self._active_since is not None:  # the previous process ended without an end event
            self._before_s += max(0.0, self._last_at - self._active_since)
        self._active_since = self._last_at = timestamp
        self.max_moves = begin.max_moves
        self.status = self.reason = self.paused = None
        self.pausing = self.cut_off = False
        for node in self.nodes.values():
            node.clear_live()
            if node.state == "running":
                node.state = "waiting"
        self._resumed = begin.resumed_at is not None
        node_id = begin.resumed_at or begin.begin_id
        if node_id != self.node_id:
            self._arrive(node_id)
        if node_id == begin.begin_id:
            self._left_node = node_id
        if begin.resumed_at is None:
            self._node(node_id).state = "done"

    def _begin_node(self, message: FlowNodeBegin, timestamp: float) -> None:
        is_retry = self._move_of.get(message.node_id) == message.move
        if not is_retry:
            self._arrive(message.node_id)
        self._left_node = self._let_go = self.paused = None
        self.node_id = message.node_id
        self._open, self._resumed = (message.node_id, message.move), False
        node = self._node(message.node_id)
        node.visits += not is_retry
        node.attempts += 1
        before_s = node.elapsed(timestamp) - node.duration_s if is_retry else 0.0
        node.clear_live()
        node.attempt, node.state, node.started_at, node.live_s = message.attempt, "running", timestamp, before_s
        self._requests.clear()
        self._move_of[message.node_id] = message.move
        self.moves = max(self.moves, message.move)

    def _end_node(self, message: FlowNodeEnd) -> None:
        if self._resumed and self._open != (message.node_id, message.move):
            return  # the previous process has reported it
        self._open = None
        node = self._node(message.node_id)
        node.clear_live()
        node.state = message.status
        node.exit_status = message.exit_status
        node.result = message.result if message.result is not None else node.result
        node.duration_s += message.duration_s
        node.steps += message.steps
        node.usage += message.token_usage or TokenUsage()
        outgoing = [edge for edge in self.edges if edge.src == message.node_id]
        if message.status == "done" and len(outgoing) == 1 and (self.node_id == message.node_id or self._resumed):
            self._left_node = message.node_id

    def _decide(self, message: FlowDecision) -> None:
        last = self.last_decision
        is_known = last is not None and (last.node_id, last.choice, last.move) == (
            message.node_id, message.choice, self.moves,
        )  # fmt: skip
        if self._resumed and is_known:
            return
        self._resumed = False  # a branch that is new: the end of its node is new too
        self._arrive(message.node_id)
        by = "default" if message.by_default else message.by
        self.take_branch(message.node_id, message.choice, message.dst, by=by, move=self.moves)
        self.node_id, self.paused = message.dst, None
        self._left_node = self.begin_id if message.dst == self.begin_id else None

    def _arrive(self, node_id: str) -> None:
        """Move the run to this node: count the edges that lead here from the previous node, if any."""
        previous = self._left_node if self._let_go in (None, node_id) else self._let_go
        self.node_id, self._left_node, self._let_go = node_id, None, None
        if previous is None:
            return
        direct = self._first_edge(previous, node_id)
        if direct is not None:
            direct.taken += 1
            return
        through, start = self._first_edge(previous, self.begin_id), self._first_edge(self.begin_id, node_id)
        if through is not None and start is not None:
            through.taken += 1
            start.taken += 1

    def _first_edge(self, src: str, dst: str) -> EdgeView | None:
        return next((edge for edge in self.edges if edge.src == src and edge.dst == dst), None)

    def _count_live(self, message: StepBegin | StatusUpdate) -> bool:
        node = self.current
        if node is None or node.state != "running":
            return False
        if isinstance(message, StepBegin):
            node.live_steps += 1
            return True
        if message.token_usage is None:
            return False
        node.live_usage += message.token_usage
        return True

    def _follow_requests(
        self, message: ApprovalRequest | QuestionRequest | ApprovalResponse | ToolResult, timestamp: float
    ) -> bool:
        """Stop the current node's clock while a request waits for the user; returns whether that changed."""
        before = bool(self._requests)
        match message:
            case ApprovalRequest() | QuestionRequest():
                self._requests[message.id] = message.tool_call_id
            case ApprovalResponse():
                self._requests.pop(message.request_id, None)
            case ToolResult():
                for key in [key for key, call in self._requests.items() if call == message.tool_call_id]:
                    del self._requests[key]
        self._hold_or_release(timestamp)
        return before is not bool(self._requests)

    @property
    def held(self) -> bool:
        """Whether requests of the node's turn wait for a higher budget."""
        return self.active and self.spending is not None and self.spending.held

    def _hold_or_release(self, timestamp: float) -> None:
        if (node := self.current) is not None:
            (node.hold if self._requests or self.held else node.release)(timestamp)

    def _end(self, message: FlowEnd, timestamp: float) -> None:
        if message.status == "finished":
            end_id = message.node_id or self.end_id
            self._arrive(end_id)
            self._node(end_id).state = "done"
        self.status, self.reason, self.pausing, self.paused = message.status, message.reason, False, None
        self.moves = max(self.moves, message.moves)
        if self._active_since is not None:
            self._before_s += max(0.0, timestamp - self._active_since)
        self._active_since = None

    def cut(self, timestamp: float, reason: str) -> None:
        """End an interrupted run whose record stops early."""
        self.apply(FlowEnd(run_id=self.run_id, status="cancelled", moves=self.moves, reason=reason), timestamp)
        for node in self.nodes.values():
            if node.state == "running":
                node.state, node.started_at = "cancelled", None
        self.cut_off = True


def _node_label(label: str, begin: FlowBegin) -> str:
    """The node's prompt in this run, as far as it is known."""
    text = label if begin.args is None else task_prompt(label, begin.args)
    return text if isinstance(text, str) else label


def fold_run_views(messages: Iterable[tuple[float, WireMessage]]) -> list[RunView]:
    """The runs in a stream of timed messages, in the order of their starts."""
    runs: dict[str, RunView] = {}
    latest: RunView | None = None
    for timestamp, message in messages:
        if isinstance(message, FlowBegin) and message.run_id not in runs:
            latest = runs[message.run_id] = RunView.from_begin(message, timestamp)
            continue
        if isinstance(message, FlowEvent):
            latest = runs.get(message.run_id, latest)
        if latest is not None:
            latest.apply(message, timestamp)
    return list(runs.values())
