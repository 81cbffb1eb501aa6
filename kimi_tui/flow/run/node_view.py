"""The parts of a run's view: its nodes with their figures, its edges, its decisions."""

from dataclasses import dataclass, field
from typing import Literal

from kimi_tui.flow.run.journal_records import By
from kimi_tui.wire.parts import JsonObject, TokenUsage

NodeState = Literal["waiting", "running", "paused", "done", "failed", "cancelled", "rejected"]
Kind = Literal["begin", "end", "task", "decision"]


@dataclass(slots=True)
class NodeView:
    """A node and its history. `attempts` counts turns; the live figures are of the current turn.

    `exit_status` is that of the node's last command, `result` its last typed result.
    """

    id: str
    label: str
    kind: Kind = "task"
    state: NodeState = "waiting"
    visits: int = 0
    attempts: int = 0
    attempt: int = 0
    duration_s: float = 0.0
    steps: int = 0
    usage: TokenUsage = field(default_factory=TokenUsage)
    started_at: float | None = None
    held_at: float | None = None
    live_s: float = 0.0
    live_steps: int = 0
    live_usage: TokenUsage = field(default_factory=TokenUsage)
    choices: dict[str, int] = field(default_factory=dict[str, int])
    settings: dict[str, str] = field(default_factory=dict[str, str])
    exit_status: int | None = None
    result: JsonObject | None = None

    def elapsed(self, now: float) -> float:
        """Seconds of work at this node over all visits, including the current one; without waits for the user."""
        return self.work_s + self.turn_s(now)

    @property
    def work_s(self) -> float:
        """Seconds of work in all turns that are over."""
        return self.duration_s + self.live_s

    def turn_s(self, now: float) -> float:
        """Seconds of work in the current turn."""
        if self.started_at is None:
            return 0.0
        return max(0.0, (now if self.held_at is None else self.held_at) - self.started_at)

    def hold(self, at: float) -> None:
        """Stop the node's clock: a request of the current turn waits for the user."""
        if self.held_at is None and self.started_at is not None:
            self.held_at = at

    def release(self, at: float) -> None:
        """Start the node's clock again: no request is pending. The time spent waiting is not counted."""
        if self.held_at is not None and self.started_at is not None:
            self.started_at += max(0.0, at - self.held_at)
        self.held_at = None

    def end_turn(self, at: float) -> None:
        """End the turn but not the visit: the node gets another turn, or the run pauses here."""
        self.live_s += self.turn_s(at)
        self.started_at = self.held_at = None

    def clear_live(self) -> None:
        """Discard the live figures that are not in the node's totals yet."""
        self.started_at = self.held_at = None
        self.live_s, self.live_steps, self.live_usage = 0.0, 0, TokenUsage()

    @property
    def tokens(self) -> int:
        return self.usage.total + self.live_usage.total


@dataclass(slots=True)
class EdgeView:
    src: str
    dst: str
    label: str | None = None
    taken: int = 0


@dataclass(frozen=True, slots=True)
class DecisionView:
    """One decision."""

    node_id: str
    choice: str
    dst: str
    by: By
    move: int
