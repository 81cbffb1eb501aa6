"""Where a run is: the fold of its journal's records, one after the other.

The runner changes its own state by the same fold, record by record as it writes them, so that what is read back
after a crash is what the runner had. A record is an object with `r`, its kind, and `run`, the run's id.
"""

import hashlib
from dataclasses import dataclass, field
from typing import Literal

from kimi_tui.wire.flow_events import FlowStatus, PauseReason

By = Literal["model", "user"]


def hash_of(text: str) -> str:
    """The fingerprint that tells whether a chart's text is still the one a run began with."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Decision:
    """A branch that was taken, at which move, and by whom."""

    node_id: str
    choice: str
    dst: str
    by: By
    move: int


@dataclass(frozen=True, slots=True)
class Pause:
    """What a run waits for. `suggested` is the branch that the model named, at a choice."""

    reason: PauseReason
    detail: str | None = None
    suggested: str | None = None


@dataclass(slots=True)
class RunState:
    """One run. `node_id` is where it is or goes on; `entered` whether that node's move is counted and not over yet.

    `spent_s`, `spent_steps` and `spent_usage` are what the node under way has cost so far, over all its attempts.
    """

    run_id: str
    name: str
    source: str
    text: str
    sha256: str
    args: str
    max_moves: int
    node_id: str
    started_at: float = 0.0
    entered: bool = False
    attempt: int = 0
    moves: int = 0
    steps: int = 0
    visits: dict[str, int] = field(default_factory=dict[str, int])
    decisions: list[Decision] = field(default_factory=list[Decision])
    paused: Pause | None = None
    status: FlowStatus | None = None
    reason: str | None = None
    breakpoints: frozenset[str] = frozenset()
    ask: Literal["never", "always"] | frozenset[str] = "never"
    chosen: dict[str, str] = field(default_factory=dict[str, str])
    prompts: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def open(self) -> bool:
        """Whether the run was broken off, by a crash, a quit or a cancel, and is to be offered again."""
        return self.status is None or self.status == "cancelled"

    @property
    def can_resume(self) -> bool:
        """Whether there is something left to go on with: also a run that failed or reached its moves."""
        return self.status != "finished"

    def chart_changed(self, text: str) -> bool:
        """Whether `text`, the chart as it is now, is not the one that the run follows."""
        return hash_of(text) != self.sha256
