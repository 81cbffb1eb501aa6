"""The state of a run: the fold of its journal's records, one after the other.

The runner applies each record that it writes to its own state. Invariant: the state read back after a crash is the one
that the runner had.
"""

import hashlib
from dataclasses import dataclass, field, replace
from typing import Literal, assert_never

from kimi_tui.config.budget import Budget
from kimi_tui.flow.model.graph import Guidance
from kimi_tui.flow.run.journal_records import (
    Ask,
    BranchChosen,
    BudgetSet,
    By,
    CallsAnswered,
    ControlsChanged,
    GuidanceRecord,
    NodeEntered,
    NodeLeft,
    Record,
    ReplyReceived,
    RunContinued,
    RunEnded,
    RunImported,
    RunPaused,
    RunResumed,
    RunStarted,
    TurnFinished,
)
from kimi_tui.flow.run.spending import Spent, reached
from kimi_tui.flow.run.turn_protocol import TurnStop
from kimi_tui.wire.flow_events import FlowStatus, PauseReason
from kimi_tui.wire.parts import JsonObject, TokenUsage


def text_hash(text: str) -> str:
    """The hash that shows whether a chart's text has changed since a run started."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read_guidance(record: GuidanceRecord | None) -> Guidance:
    return Guidance() if record is None else Guidance(record.intro, record.sections)


@dataclass(frozen=True, slots=True)
class Decision:
    """A branch that was taken, with its move and who took it."""

    node_id: str
    choice: str
    dst: str
    by: By
    move: int


@dataclass(frozen=True, slots=True)
class Pause:
    """Why a run waits. `suggested` is the branch that the model named, at a choice; `question` what is shown there."""

    reason: PauseReason
    detail: str | None = None
    suggested: str | None = None
    question: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost of a node's turns, over all its visits."""

    duration_s: float = 0.0
    steps: int = 0
    usage: TokenUsage | None = None

    def __add__(self, other: "Usage") -> "Usage":
        usages = [usage for usage in (self.usage, other.usage) if usage is not None]
        usage = usages[0] + usages[1] if len(usages) == 2 else next(iter(usages), None)
        return Usage(self.duration_s + other.duration_s, self.steps + other.steps, usage)


@dataclass(slots=True)
class RunState:
    """One run. `node_id` is the current or next node; `entered` whether its move is counted and not over yet.

    Of the current node: `stop` is how its last turn ended, None during a turn; `invalid` counts the replies without a
    valid choice, `retries` those of them since the user last continued; `named_branch` is the branch that the user
    has to confirm; `failures` counts its failed turns since then, and `no_result` its replies without a typed result
    since the last of these. `passed` means that the node runs whatever would
    pause before it. `entered_at` is the wall clock of its visit's start. `values` are what variables refer to, by node
    and field; `results` are the last typed results, by node. `parked` are the calls of the current node that wait for
    an approval, and `answers` the user's answers to such calls, by key. `when_asked` is set if not all are approved.
    `imported`: the run started in a file that was imported, so that each command of its nodes needs an approval.

    `spent` is the sum of the run's replies and `budget` its caps; `over_budget`: the budget ended the current node's
    last turn. `work_s` is the working time of all finished turns, `turn_s` that of an unfinished one.

    For events that a crash may have lost: `last` is the last record, if it ended a node's visit; `unreported` is the
    cost of the visit's turns whose end may not have been reported.
    """

    run_id: str
    name: str
    source: Literal["mermaid", "d2", "ralph"]
    text: str
    sha256: str
    args: str
    max_moves: int
    node_id: str
    guidance: Guidance = field(default_factory=Guidance)
    started_at: float = 0.0
    updated_at: float = 0.0
    entered: bool = False
    passed: bool = False
    stop: TurnStop | None = None
    detail: str | None = None
    named_branch: str | None = None
    invalid: int = 0
    retries: int = 0
    failures: int = 0
    no_result: int = 0
    moves: int = 0
    visits: dict[str, int] = field(default_factory=dict[str, int])
    node_usage: dict[str, Usage] = field(default_factory=dict[str, Usage])
    decisions: list[Decision] = field(default_factory=list[Decision])
    paused: Pause | None = None
    status: FlowStatus | None = None
    reason: str | None = None
    breakpoints: frozenset[str] = frozenset()
    ask: Ask = "never"
    chosen: dict[str, str] = field(default_factory=dict[str, str])
    prompts: dict[str, str] = field(default_factory=dict[str, str])
    last: TurnFinished | BranchChosen | NodeLeft | None = None
    unreported: Usage = field(default_factory=Usage)
    entered_at: float = 0.0
    values: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    results: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    spent: Spent = field(default_factory=Spent)
    budget: Budget = field(default_factory=Budget)
    over_budget: bool = False
    work_s: float = 0.0
    turn_s: float = 0.0
    parked: dict[str, str] = field(default_factory=dict[str, str])
    answers: dict[str, bool] = field(default_factory=dict[str, bool])
    when_asked: Literal["refuse", "park"] | None = None
    imported: bool = False

    @classmethod
    def from_start(cls, record: RunStarted) -> "RunState":
        return cls(
            run_id=record.run,
            name=record.name,
            source=record.source,
            text=record.text,
            sha256=record.sha256,
            args=record.args,
            max_moves=record.max_moves,
            node_id=record.node,
            guidance=_read_guidance(record.guidance),
            started_at=record.at,
            updated_at=record.at,
            when_asked=record.when_asked,
        )

    @property
    def open(self) -> bool:
        """Whether a crash, a quit or a cancel interrupted the run, so that a resume is offered."""
        return self.status is None or self.status == "cancelled"

    @property
    def can_resume(self) -> bool:
        """Whether the run can be resumed: also after a failure or at its move limit."""
        return self.status != "finished"

    @property
    def steps(self) -> int:
        return sum(usage.steps for usage in self.node_usage.values())

    @property
    def is_over_budget(self) -> bool:
        """Whether a cap is used up, by the working time of the last record."""
        return reached(self.spent, self.budget) is not None

    def chart_changed(self, text: str) -> bool:
        """Whether `text`, the current chart, differs from the run's chart."""
        return text_hash(text) != self.sha256

    def asks_at(self, node_id: str) -> bool:
        """Whether the user has to confirm the model's choice at this decision."""
        return self.ask == "always" or (self.ask != "never" and node_id in self.ask)

    def apply(self, record: Record) -> None:
        """Apply a record. A record that does not fit (a previous one was lost) is applied as far as possible."""
        self.updated_at = max(self.updated_at, record.at)
        if not isinstance(record, RunResumed | ControlsChanged | CallsAnswered | ReplyReceived | BudgetSet):
            self.last = record if isinstance(record, TurnFinished | BranchChosen | NodeLeft) else None
        match record:
            case RunStarted():
                self.started_at = record.at
            case RunResumed():
                self._resume(record)
            case NodeEntered():
                self._enter(record)
            case TurnFinished():
                self._end_turn(record)
            case ReplyReceived():
                self._add_reply(record)
            case BudgetSet():
                self.budget = Budget(record.cost, record.tokens, record.seconds)
            case BranchChosen():
                self._decide(record.node, record.choice, record.to, record.by, record.move)
            case NodeLeft():
                self._arrive(record.to, passed=record.passed)
            case RunPaused():
                self.paused = Pause(record.reason, record.detail, record.suggested)
            case RunContinued():
                self.paused, self.passed = None, record.passed
                self.retries = self.failures = self.no_result = 0
            case ControlsChanged() | CallsAnswered() | RunImported():
                self._take_orders(record)
            case RunEnded():
                self.status, self.reason, self.unreported = record.status, record.reason, Usage()
            case _:
                assert_never(record)

    def _take_orders(self, record: ControlsChanged | CallsAnswered | RunImported) -> None:
        if isinstance(record, CallsAnswered):
            self.answers.update(dict.fromkeys(self.parked, record.approve))
            return
        if isinstance(record, RunImported):
            self._forget_answers()
            return
        self.breakpoints, self.ask = record.breakpoints, record.ask
        self.chosen, self.prompts = dict(record.chosen), dict(record.prompts)

    def _forget_answers(self) -> None:
        """Drop what a user of elsewhere approved, chose in advance or wrote for the run, and what waits for an
        approval: its text may be that of another call.
        """
        self.imported, self.passed, self.when_asked = True, False, None
        self.parked = {}  # defence: questions-of-an-imported-run
        self.answers, self.chosen, self.prompts = {}, {}, {}  # defence: answers-of-an-imported-run

    def _resume(self, record: RunResumed) -> None:
        """A resume acts like the user's "continue", except that a choice to confirm stays pending."""
        broken_off = self.entered and self.stop not in (None, "finished")
        if self.entered and self.stop is None and self.is_over_budget:  # the program ended while the turn was held
            self.over_budget = True
        self.passed = self.passed or broken_off or (self.paused is not None and not self.entered)
        if self.status is not None or self.paused is not None:
            self.failures = self.no_result = 0
        self.status = self.reason = self.paused = None
        self.max_moves = record.max_moves
        if record.fresh:
            self.retries = 0
        if record.text is not None and record.sha256 is not None:
            self.text, self.sha256 = record.text, record.sha256
            self.guidance = _read_guidance(record.guidance)
            self.named_branch = None
            if self.stop == "finished":
                self.stop = None

    def _enter(self, record: NodeEntered) -> None:
        if record.move > self.moves:
            self.moves, self.entered_at = record.move, record.at
            self.visits[record.node] = self.visits.get(record.node, 0) + 1
            self.invalid = self.retries = self.failures = self.no_result = 0
            self.unreported = Usage()
        elif self.stop not in (None, "finished"):
            self.unreported = Usage()
        self.node_id, self.entered, self.passed = record.node, True, False
        self.stop = self.detail = self.named_branch = None
        self.over_budget = False
        self.parked = {}
        self.work_s, self.turn_s = self.work_s + self.turn_s, 0.0
        self.spent = replace(self.spent, seconds=self.work_s)

    def _add_reply(self, record: ReplyReceived) -> None:
        self.spent = self.spent.add(
            record.model, record.usage, record.cost, at_most=record.at_most, estimated=record.estimated
        )
        self.turn_s = max(self.turn_s, record.turn_s)
        self.spent = replace(self.spent, seconds=self.work_s + self.turn_s)

    def _end_turn(self, record: TurnFinished) -> None:
        usage = Usage(record.duration_s, record.steps, record.usage)
        self.node_usage[record.node] = self.node_usage.get(record.node, Usage()) + usage
        self.unreported += usage
        self.work_s, self.turn_s = self.work_s + record.duration_s, 0.0
        self.spent = replace(self.spent, seconds=self.work_s)
        self.over_budget = bool(record.over_budget)
        self.parked = record.parked or {}
        if record.stop == "rejected" and not self.parked:
            self.answers = {}  # told; a resume asks again
        if record.values is not None:
            self.values[record.node] = {**self.values.get(record.node, {}), **record.values}
        if record.result is not None:
            self.results[record.node] = record.result
        if record.to is not None:
            if record.choice is not None:
                self._decide(record.node, record.choice, record.to, record.by, record.move)
            else:
                self._arrive(record.to, passed=record.passed)
            return
        self.stop, self.detail, self.named_branch = record.stop, record.detail, record.choice
        if record.stop in ("failed", "max_steps"):
            self.failures += 1
            self.no_result = 0
        if record.stop == "finished" and record.choice is None:
            self.invalid += 1
            self.retries += 1
            self.no_result += record.result is None

    def _decide(self, node_id: str, choice: str, dst: str, by: By, move: int) -> None:
        self.decisions.append(Decision(node_id, choice, dst, by, move))
        self.chosen.pop(node_id, None)
        self._arrive(dst)

    def _arrive(self, node_id: str, *, passed: bool = False) -> None:
        self.parked, self.answers = {}, {}
        self.node_id, self.entered, self.passed = node_id, False, passed
        self.stop = self.detail = self.named_branch = None
        self.over_budget = False
        self.invalid = self.retries = self.failures = self.no_result = 0
