"""Asks whether to resume an interrupted run, with its own or the current chart."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from kimi_tui.errors import KimiTuiError
from kimi_tui.flow.model.diff import FlowDifference, compare_flows
from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.ui.tui.dialogs.option_list import Option
from kimi_tui.ui.tui.engine_protocol import Engine, ResumableFlows
from kimi_tui.ui.tui.i18n.catalog import _, n_
from kimi_tui.ui.tui.text.call_summary import one_line

_NAMED = 3
"""Maximum changed nodes that are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class ResumePrompt:
    """The question and its answers: go (resume), new (with the current chart), see (show), later."""

    run_id: str
    text: str
    options: tuple[Option, ...]


def open_run(engine: Engine | None) -> RunState | None:
    """The session's latest interrupted run, if there is one."""
    flows = _flows_of(engine)
    states = flows.open_runs() if flows is not None else ()
    return states[0] if states else None


def resume_prompt(engine: Engine | None, run: RunState, place: str) -> ResumePrompt:
    """The prompt for this run; `place` is the name of the node where it stopped."""
    flows = _flows_of(engine)
    now = flows.chart_now(run) if flows is not None else None
    words = _(
        "The run of {flow} was interrupted {since} at “{place}” after {moves} moves.",
        flow=run.name,
        since=_relative_time(time.time() - run.updated_at),
        place=place,
        moves=run.moves,
    )
    see = Option("see", "s", _("Show its chart first"))
    later = Option("later", "l", _("Not now"), _("resume later with /flow-resume"))
    if now is None:
        return ResumePrompt(run.run_id, words, (Option("go", "g", _("Resume")), see, later))
    go = Option("go", "g", _("Resume with the original chart"))
    new = _("Resume with the current chart")
    if now.flow is None:
        words += "\n" + _("The chart has changed since; this run can only continue with its original chart.")
        return ResumePrompt(run.run_id, words, (go, Option("new", "n", new, now.trouble, disabled=True), see, later))
    words += "\n" + _("The chart has changed since: {what}.", what=describe_difference(_difference(run, now.flow)))
    return ResumePrompt(run.run_id, words, (go, Option("new", "n", new), see, later))


def _flows_of(engine: Engine | None) -> ResumableFlows | None:
    return engine.flows if engine is not None else None


def _difference(run: RunState, now: Flow) -> tuple[FlowDifference, Flow | None, Flow]:
    from kimi_tui.soul.flows.prompt_flow import flow_of_run

    try:
        before = flow_of_run(run)
    except KimiTuiError:
        return FlowDifference(), None, now
    return compare_flows(before, now), before, now


def describe_difference(found: tuple[FlowDifference, Flow | None, Flow]) -> str:
    """Describe the differences: `removed: “Lint”, new: “Docs”`, or `2 lines differ`."""
    difference, before, now = found
    changes: list[str] = []
    if before is not None and difference.only_first:
        changes.append(_("removed: {nodes}", nodes=node_names(difference.only_first, before)))
    if difference.only_second:
        changes.append(_("new: {nodes}", nodes=node_names(difference.only_second, now)))
    if difference.reworded:
        changes.append(_("reworded: {nodes}", nodes=node_names(difference.reworded, now)))
    if not changes and (lines := max(difference.ways_first, difference.ways_second)):
        changes.append(n_("{count} line differs", "{count} lines differ", lines))
    return ", ".join(changes) or _("formatting only")


def node_names(nodes: Sequence[str], flow: Flow) -> str:
    """List node names: `“Lint”, “Docs” and 2 more`."""
    shown = ", ".join(f"“{_short(flow, node)}”" for node in nodes[:_NAMED])
    more = len(nodes) - _NAMED
    return _("{nodes} and {count} more", nodes=shown, count=more) if more > 0 else shown


def _short(flow: Flow, node: str) -> str:
    title = one_line(flow.nodes[node].title) or node
    return title if len(title) <= 24 else title[:23] + "…"


def _relative_time(seconds: float) -> str:
    if seconds >= 86_400:
        return n_("{count} day ago", "{count} days ago", int(seconds // 86_400))
    if seconds >= 3_600:
        return n_("{count} hour ago", "{count} hours ago", int(seconds // 3_600))
    if seconds >= 60:
        return n_("{count} minute ago", "{count} minutes ago", int(seconds // 60))
    return _("just now")
