"""Exports a run: its chart in Mermaid with the path highlighted, a table in Markdown, all data as JSON."""

import re
from collections.abc import Callable
from copy import deepcopy
from itertools import count

from kimi_tui.flow.model.graph import Flow, FlowEdge, FlowNode, NodeKind
from kimi_tui.flow.parsing.mermaid.label_text import escaped
from kimi_tui.flow.parsing.mermaid.lexemes import CLOSED_WORDS
from kimi_tui.flow.render.settings_text import mermaid_settings
from kimi_tui.flow.run.event_emitter import begin_event, spending_event
from kimi_tui.flow.run.node_result import result_line
from kimi_tui.flow.run.node_view import NodeView
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.flow.run.spending import spending_text
from kimi_tui.formats import duration
from kimi_tui.wire.parts import JsonObject

_PLAIN_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
_SHAPES = {"begin": ("([", "])"), "end": ("([", "])"), "decision": ("{", "}"), "task": ("[", "]")}
_BY = {"user": " (by hand)", "default": " (no answer in time)"}
_CLASSES = {
    "done": "stroke:#2e7d32,stroke-width:3px",
    "current": "stroke:#1565c0,stroke-width:4px",
    "failed": "stroke:#c62828,stroke-width:3px,stroke-dasharray:5 3",
}
_TAKEN_STYLE = "stroke:#2e7d32,stroke-width:3px"


def view_of_state(state: RunState, flow: Flow) -> RunView:
    """The view of a run from its journal only: without attempts, and with branches as the only taken edges."""
    picture = RunView.from_begin(begin_event(flow, state), state.started_at)
    for node_id, visits in state.visits.items():
        if node_id in picture.nodes:
            node = picture.nodes[node_id]
            node.visits = node.attempts = visits
            node.state = "done"
    for node_id, usage in state.node_usage.items():
        if node_id in picture.nodes:
            node = picture.nodes[node_id]
            node.duration_s, node.steps, node.usage = usage.duration_s, usage.steps, usage.usage or node.usage
    for node_id, result in state.results.items():
        if node_id in picture.nodes:
            picture.nodes[node_id].result = result
    for decision in state.decisions:
        picture.take_branch(decision.node_id, decision.choice, decision.dst, by=decision.by, move=decision.move)
    picture.node_id, picture.moves = state.node_id, state.moves
    picture.status, picture.reason = state.status, state.reason
    picture.spending = spending_event(state, state.spent) if state.budget else None
    if state.status == "finished":
        picture.nodes[state.node_id if state.node_id in flow.nodes else flow.end_id].state = "done"
    return picture


def view_of_chart(flow: Flow) -> RunView:
    """The view of a chart without a run."""
    return RunView(begin_event(flow))


def flow_of_view(picture: RunView) -> Flow:
    """The chart of a view as a flow, for layout."""
    nodes = {node.id: FlowNode(node.id, node.label, NodeKind(node.kind)) for node in picture.nodes.values()}
    outgoing = {
        node_id: tuple(FlowEdge(edge.src, edge.dst, edge.label) for edge in picture.edges if edge.src == node_id)
        for node_id in nodes
    }
    return Flow(nodes, outgoing, picture.begin_id, picture.end_id, picture.source, picture.direction)


def without_secrets(picture: RunView, clean: Callable[[str], str]) -> RunView:
    """A copy of the view with cleaned labels, which contain the run's arguments; also where they are wrapped later."""
    cleaned = deepcopy(picture)
    for node in cleaned.nodes.values():
        node.label = clean(node.label)  # defence: secret-in-run-export
    for edge in cleaned.edges:
        edge.label = None if edge.label is None else clean(edge.label)
    return cleaned


def to_mermaid(picture: RunView) -> str:
    """The chart with the run's path marked; parsed again, it is the same chart."""
    names = _names(picture)
    lines = [f"flowchart {picture.direction}", f"    %% {_comment(headline(picture))}"]
    if budget := _budget_line(picture):
        lines.append(f"    %% {_comment(budget)}")
    for node in picture.nodes.values():
        opening, closing = _SHAPES[node.kind]
        lines.append(f'    {names[node.id]}{opening}"{escaped(node.label)}"{closing}')
        if node.settings:
            lines.append(f"    {names[node.id]}{mermaid_settings(node.settings)}")
        if node.visits:
            lines.append(f"    %% {names[node.id]}: {_comment(_figures(node))}")
    for edge in picture.edges:
        arrow = f'-->|"{escaped(edge.label)}"|' if edge.label else "-->"
        lines.append(f"    {names[edge.src]} {arrow} {names[edge.dst]}")
    lines += [f"    classDef {name} {style}" for name, style in _CLASSES.items()]
    for name in _CLASSES:
        members = [names[node.id] for node in picture.nodes.values() if _node_class(picture, node) == name]
        if members:
            lines.append(f"    class {','.join(members)} {name}")
    if picture.taken_edges:
        lines.append(f"    linkStyle {','.join(str(index) for index in picture.taken_edges)} {_TAKEN_STYLE}")
    return "\n".join(lines) + "\n"


def to_markdown(picture: RunView) -> str:
    """The run's history: a table of nodes, the decisions in order, and the chart."""
    rows = [
        "| node | visits | turns | time | steps | tokens | choices |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for node in picture.nodes.values():
        if node.kind in ("begin", "end") and not node.visits:
            continue
        choices = ", ".join(f"{_cell(label)} ×{count}" for label, count in node.choices.items())
        rows.append(
            f"| {_cell(node.id)} | {node.visits} | {node.attempts} | {duration(node.work_s)} | {node.steps} "
            f"| {node.tokens} | {choices} |"
        )
    total = duration(_work_s(picture))
    rows.append(f"| **all** | {picture.moves} | | {total} | {picture.steps} | {picture.tokens} | |")
    results = [(node.id, node.result) for node in picture.nodes.values() if node.result is not None]
    parts = [f"# Flow run: {_cell(picture.name)}", _cell(headline(picture)), "\n".join(rows)]
    if budget := _budget_line(picture):
        parts.append(budget)
    if picture.decisions:
        decided = (
            f"- move {decision.move}: {_cell(decision.node_id)} → **{_cell(decision.choice)}** → {_cell(decision.dst)}"
            + _BY.get(decision.by, "")
            for decision in picture.decisions
        )
        parts += ["## Decisions", "\n".join(decided)]
    if results:
        parts += ["## Results", "\n".join(f"- {_cell(name)}: {_cell(result_line(result))}" for name, result in results)]
    parts += ["## Chart", f"```mermaid\n{to_mermaid(picture)}```"]
    return "\n\n".join(parts) + "\n"


def _budget_line(picture: RunView) -> str:
    """What a run has used of its budget; empty without a budget."""
    spent, budget = picture.spent(0.0)
    return f"Budget: {spending_text(spent, budget)}" if budget else ""


def to_json(picture: RunView) -> JsonObject:
    """All data of a run; times in seconds, `started_at` since the epoch."""
    return {
        "run_id": picture.run_id,
        "name": picture.name,
        "source": picture.source,
        "status": picture.status,
        "reason": picture.reason,
        "node": picture.node_id,
        "moves": picture.moves,
        "max_moves": picture.max_moves,
        "started_at": picture.started_at,
        "steps": picture.steps,
        "tokens": picture.tokens,
        "work_s": round(_work_s(picture), 3),
        "waited_s": round(_waited_s(picture), 3),
        "spending": None if picture.spending is None else picture.spending.model_dump(mode="json", exclude={"run_id"}),
        "nodes": [
            {
                "id": node.id,
                "label": node.label,
                "kind": node.kind,
                "state": node.state,
                "visits": node.visits,
                "turns": node.attempts,
                "duration_s": round(node.work_s, 3),
                "steps": node.steps,
                "tokens": node.tokens,
                "token_usage": node.usage.model_dump(mode="json"),
                "choices": dict(node.choices),
                "settings": dict(node.settings),
                "exit_status": node.exit_status,
                "result": node.result,
            }
            for node in picture.nodes.values()
        ],
        "edges": [
            {"src": edge.src, "dst": edge.dst, "label": edge.label, "taken": edge.taken} for edge in picture.edges
        ],
        "decisions": [
            {
                "node": decision.node_id,
                "choice": decision.choice,
                "dst": decision.dst,
                "by": decision.by,
                "move": decision.move,
            }
            for decision in picture.decisions
        ],
    }


def headline(picture: RunView) -> str:
    """The run's status in one line, with its time of work and the time that it waited for the user."""
    status = picture.status or ("paused" if picture.paused else "not ended")
    location = "" if picture.status == "finished" else f" at {picture.node_id}"
    reason = f": {picture.reason}" if picture.reason else ""
    waited = f", waited {duration(_waited_s(picture))}" if _waited_s(picture) >= 1 else ""
    figures = f"{picture.moves} moves, {duration(_work_s(picture))} of work{waited}"
    return f"run {picture.run_id[:8]} of {picture.name}, {status}{location} after {figures}{reason}"


def _work_s(picture: RunView) -> float:
    return sum(node.work_s for node in picture.nodes.values())


def _waited_s(picture: RunView) -> float:
    """0 while the run is active, and where only its journal is known."""
    return 0.0 if picture.active else max(0.0, picture.elapsed(0.0) - _work_s(picture))


def times(visits: int) -> str:
    return "visited once" if visits == 1 else f"visited {visits} times"


def _figures(node: NodeView) -> str:
    turns = f", {node.attempts} turns" if node.attempts != node.visits else ""
    return f"{times(node.visits)}{turns}, {duration(node.work_s)}, {node.tokens} tokens"


def _node_class(picture: RunView, node: NodeView) -> str | None:
    if node.id == picture.node_id and picture.status != "finished":
        return "current"
    match node.state:
        case "done":
            return "done"
        case "failed" | "rejected" | "cancelled":
            return "failed"
        case "waiting" | "running" | "paused":
            return None


def _names(picture: RunView) -> dict[str, str]:
    """Ids that are valid in Mermaid: valid ones stay, others get a plain name."""
    if picture.source == "mermaid":
        return {node_id: node_id for node_id in picture.nodes}
    names: dict[str, str] = {}
    unused_ids = (f"n{number}" for number in count(1) if f"n{number}" not in picture.nodes)
    for node_id in picture.nodes:
        plain = _PLAIN_ID.fullmatch(node_id) and node_id not in CLOSED_WORDS
        names[node_id] = node_id if plain else next(unused_ids)
    return names


def _comment(text: str) -> str:
    return " ".join(text.replace("{", "(").replace("}", ")").split())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
