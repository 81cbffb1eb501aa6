"""How a run starts, or resumes in another process: its first record, and the events that are still unsent."""

from kimi_tui.errors import FlowControlError
from kimi_tui.flow.model.graph import Flow, Guidance
from kimi_tui.flow.run.event_emitter import FlowEventEmitter
from kimi_tui.flow.run.journal_records import (
    BranchChosen,
    GuidanceRecord,
    NodeLeft,
    RunResumed,
    RunStarted,
    TurnFinished,
)
from kimi_tui.flow.run.run_state import RunState, text_hash
from kimi_tui.flow.run.turn_protocol import NODE_STATUS
from kimi_tui.i18n import tr


def check_resumable(flow: Flow, state: RunState) -> None:
    """Raises FlowControlError if the run has ended, or is at a node that this chart does not have."""
    if not state.can_resume:
        raise FlowControlError(tr("this run has ended and cannot be resumed"))
    if state.node_id not in flow.nodes:
        raise FlowControlError(
            tr("the chart no longer has the run's node {node!r}: use the original chart", node=state.node_id)
        )


def started(flow: Flow, state: RunState) -> RunStarted:
    """Return the first record of a new run."""
    return RunStarted(
        run=state.run_id,
        name=state.name,
        source=state.source,
        text=state.text,
        sha256=state.sha256,
        args=state.args,
        max_moves=state.max_moves,
        node=state.node_id,
        guidance=_recorded(flow.guidance),
        when_asked=state.when_asked,
    )


def resumed(flow: Flow, state: RunState, *, text: str, max_moves: int, fresh: bool) -> RunResumed:
    """Return the first record of a resumed run; it has the chart `text` and the guidance if the text has changed."""
    changed = state.chart_changed(text)
    return RunResumed(
        run=state.run_id,
        node=state.node_id,
        max_moves=max_moves,
        fresh=fresh,
        text=text if changed else None,
        sha256=text_hash(text) if changed else None,
        guidance=_recorded(flow.guidance) if changed else None,
    )


def send_unsent(events: FlowEventEmitter, flow: Flow, state: RunState) -> None:
    """Send the events that another process journalled, but may not have sent before it died.

    Listeners can recognise the events that they already have.
    """
    last, unreported = state.last, state.unreported
    match last:
        case TurnFinished(choice=str(choice), to=str(to)) | BranchChosen(choice=choice, to=to):
            events.decision(last.node, choice, dst=to, by=last.by)
        case _:
            pass
    match last:
        case TurnFinished() if last.to is not None or last.stop != "finished":
            events.reopen(last.node, move=last.move, usage=unreported)
            events.node_end(NODE_STATUS[last.stop], exit_status=last.status, result=last.result)
        case BranchChosen() | NodeLeft() if last.node != flow.begin_id:
            events.reopen(last.node, move=state.moves, usage=unreported)
            events.node_end("done", result=state.results.get(last.node))
        case _ if state.entered and state.stop in (None, "finished"):
            events.reopen(state.node_id, move=state.moves, usage=unreported)
        case _:
            pass


def _recorded(guidance: Guidance) -> GuidanceRecord | None:
    if not guidance.intro and not guidance.sections:
        return None
    return GuidanceRecord(intro=guidance.intro, sections=dict(guidance.sections))
