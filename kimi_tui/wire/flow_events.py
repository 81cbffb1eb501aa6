"""Events of a flow run: our extension of the Wire, sent only to clients that request them."""

from typing import Literal

from pydantic import Field

from kimi_tui.wire.parts import JsonObject, TokenUsage, WireModel

NodeStatus = Literal["done", "failed", "cancelled", "rejected"]
PauseReason = Literal["user", "breakpoint", "step", "choice", "rejected", "cancelled", "failed"]
FlowStatus = Literal["finished", "stopped", "cancelled", "failed", "max_moves"]
STOPPED_BY_USER = "stopped by the user"
"""The reason of a run that the user ended."""


class FlowNodeShape(WireModel):
    id: str
    label: str
    kind: Literal["begin", "end", "task", "decision"]
    settings: dict[str, str] | None = None


class FlowEdgeShape(WireModel):
    src: str
    dst: str
    label: str | None = None


class FlowRunEvent(WireModel):
    """Base of all events of a flow run."""

    run_id: str


class FlowBegin(FlowRunEvent):
    """A run starts, or resumes at `resumed_at`; has the whole chart so that any listener can draw it.

    Labels and settings are as in the chart; `args` replaces `${ARGS}` in labels, None if it is not known. `direction`
    is the one set in the chart, None for downwards.
    """

    name: str
    source: Literal["mermaid", "d2", "ralph"]
    nodes: tuple[FlowNodeShape, ...]
    edges: tuple[FlowEdgeShape, ...]
    begin_id: str
    end_id: str
    max_moves: int
    resumed_at: str | None = None
    args: str | None = None
    direction: Literal["LR", "RL", "BT"] | None = None


class FlowNodeBegin(FlowRunEvent):
    """A node's turn starts; `attempt` > 1: the previous reply had no valid choice, or the previous turn failed."""

    node_id: str
    move: int = Field(ge=1)
    attempt: int = Field(default=1, ge=1)


class FlowDecision(FlowRunEvent):
    """A branch was taken. `by_default`: nobody answered in time, so the chart's default counts."""

    node_id: str
    choice: str
    dst: str
    by: Literal["model", "user"] = "model"
    by_default: bool | None = None


class FlowNodeEnd(FlowRunEvent):
    """A node's turn ended; `exit_status` is that of its command, if it has one and the command exited.

    `result` is the node's typed result, shortened if it is very long.
    """

    node_id: str
    move: int
    status: NodeStatus
    duration_s: float
    steps: int = 0
    token_usage: TokenUsage | None = None
    exit_status: int | None = None
    result: JsonObject | None = None


class FlowPaused(FlowRunEvent):
    """The run waits for the user at `node_id`.

    `detail` explains the reason, if there is more to say than the reason itself. At a choice, `suggested` is the branch
    that the model named; the run takes it if the user just continues. `question` is the label with the values of its
    variables, if it has some.
    """

    node_id: str
    reason: PauseReason = "user"
    detail: str | None = None
    suggested: str | None = None
    question: str | None = None


class FlowResumed(FlowRunEvent):
    node_id: str
    reason: PauseReason = "user"


class FlowControls(FlowRunEvent):
    """The user's settings for the rest of the run; each change sends all of them.

    `ask` is when the user confirms a decision: never, always, or at these nodes. `chosen` has branches chosen in
    advance, by node id; `edited` the nodes whose prompt was rewritten; `pausing` means that the run will pause after
    the node's turn.
    """

    breakpoints: tuple[str, ...] = ()
    ask: Literal["never", "always"] | tuple[str, ...] = "never"
    chosen: dict[str, str] = Field(default_factory=dict)
    edited: tuple[str, ...] = ()
    pausing: bool = False


class FlowEnd(FlowRunEvent):
    """The run ended at `node_id`: with several END nodes, the one it reached."""

    status: FlowStatus
    moves: int
    reason: str | None = None
    node_id: str | None = None


class FlowSpending(FlowRunEvent):
    """The budget usage of a run, sent after each reply and each change of the budget.

    `tokens` are input without cache reads, and output. Costs are in US dollars, `cost` is None if a model has no
    prices; `at_most`: it may be lower, because the price of cache reads is not known. `work_s` is working time in
    seconds. `estimated` counts the replies whose usage the service did not report. A cap is None if there is none.
    `held`: requests of the node's turn wait for a higher budget.
    """

    tokens: int = 0
    cost: float | None = None
    at_most: bool = False
    estimated: int = 0
    work_s: float = 0.0
    max_tokens: int | None = None
    max_cost: float | None = None
    max_work_s: float | None = None
    held: bool = False
