"""Index of the runs stored by the sessions of a work dir, and their run views."""

from dataclasses import dataclass
from pathlib import Path

from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.render.run_export import view_of_state
from kimi_tui.flow.run.journal import load_runs
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.run_view import RunView, fold_run_views
from kimi_tui.session.session import sessions_dir
from kimi_tui.ui.tui.state.view_clock import Timed
from kimi_tui.wire.flow_events import FlowBegin
from kimi_tui.wire.recorder import read_recorded


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run and the session folder that stores it."""

    state: RunState
    folder: Path

    @property
    def id(self) -> str:
        return self.state.run_id

    @property
    def name(self) -> str:
        return self.state.name

    @property
    def duration_s(self) -> float:
        """The duration of its turns, without waits for the user."""
        return self.state.spent.seconds or sum(spent.duration_s for spent in self.state.node_usage.values())

    @property
    def tokens(self) -> int:
        if self.state.spent.replies:
            return self.state.spent.usage.total
        return sum(spent.usage.total for spent in self.state.node_usage.values() if spent.usage is not None)

    @property
    def path(self) -> str:
        """The choices in order: `no → no → yes`; the user's choices have a star."""
        return " → ".join(one.choice + ("*" if one.by == "user" else "") for one in self.state.decisions)


def stored_runs(work_dir: Path) -> list[PastRun]:
    """All runs of a work dir's sessions, latest first; unreadable journals are ignored."""
    found: list[PastRun] = []
    for journal in sessions_dir(work_dir).glob("*/flow.jsonl"):
        try:
            found += (PastRun(run, journal.parent) for run in load_runs(journal))
        except OSError:
            continue
    return sorted(found, key=lambda run: run.state.started_at, reverse=True)


def load_run_view(run: PastRun) -> RunView:
    """Return a run's view from the session's Wire recording, or else from the journal. Raises FlowError, OSError."""
    for picture in fold_run_views(load_messages(run)):
        if picture.run_id == run.id:
            return picture
    return view_of_state(run.state, load_chart(run))


def load_chart(run: PastRun) -> Flow:
    """The chart that a run followed last. Raises FlowError."""
    from kimi_tui.soul.flows.prompt_flow import flow_of_run

    return flow_of_run(run.state)


def load_messages(run: PastRun) -> list[Timed]:
    """All messages of the run's session."""
    return [(one.timestamp, one.message) for one in read_recorded(run.folder / "wire.jsonl")]


def begin_number(messages: list[Timed], run_id: str) -> int:
    """The number of messages before the run's start."""
    for number, (_, message) in enumerate(messages, 1):
        if isinstance(message, FlowBegin) and message.run_id == run_id:
            return number
    return 1
