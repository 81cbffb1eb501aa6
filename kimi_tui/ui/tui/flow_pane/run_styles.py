"""Derives chart styles from a run: node status and taken edges."""

from collections.abc import Collection
from dataclasses import dataclass

from kimi_tui.flow.model.graph import Flow, FlowEdge, FlowNode, NodeKind
from kimi_tui.flow.render.chart_style import ChartStyle, EdgeStyle, NodeStyle, Role
from kimi_tui.flow.render.node_signs import ASCII_SIGNS, SIGNS, NodeStatus
from kimi_tui.flow.run.node_prompts import shown_label
from kimi_tui.flow.run.node_view import NodeState, NodeView
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.formats import clock, token_count
from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.wire.flow_events import FlowBegin

CLOSED_WORDS: dict[NodeStatus, str] = {
    "waiting": N_("not run yet"),
    "running": N_("running"),
    "approval": N_("waiting for your approval"),
    "answer": N_("waiting for your answer"),
    "choice": N_("waiting for your choice"),
    "retrying": N_("retrying"),
    "paused": N_("paused"),
    "breakpoint": N_("breakpoint"),
    "done": N_("done"),
    "failed": N_("failed"),
    "cancelled": N_("interrupted"),
    "stopped": N_("stopped"),
    "rejected": N_("rejected"),
    "skipped": N_("skipped"),
}
_SHORT: dict[NodeStatus, tuple[str, ...]] = {
    "approval": (N_("your approval?"), N_("approve?"), N_("you?")),
    "answer": (N_("your answer?"), N_("answer?"), N_("you?")),
    "choice": (N_("your choice?"), N_("choose?"), N_("you?")),
    "breakpoint": (N_("breakpoint"), N_("break")),
}
_ROLES: dict[NodeStatus, Role] = {
    "waiting": "muted",
    "running": "accent",
    "approval": "warning",
    "answer": "warning",
    "choice": "warning",
    "retrying": "warning",
    "paused": "warning",
    "breakpoint": "error",
    "done": "success",
    "failed": "error",
    "cancelled": "warning",
    "stopped": "warning",
    "rejected": "warning",
    "skipped": "muted",
}


_UNTAKEN = EdgeStyle()


@dataclass(frozen=True, slots=True)
class LiveContext:
    """Live data of the current node that the run view lacks. Times are on the clock of the messages."""

    now: float = 0.0
    approval: bool = False
    answer: bool = False
    retry_until: float | None = None


def recorded_chart(begin: FlowBegin) -> Flow:
    """The chart stored in a run; for a damaged record, its readable part."""
    nodes = {
        node.id: FlowNode(node.id, shown_label(node.label, begin.args), NodeKind(node.kind)) for node in begin.nodes
    }
    for node_id, kind in ((begin.begin_id, NodeKind.BEGIN), (begin.end_id, NodeKind.END)):
        nodes.setdefault(node_id, FlowNode(node_id, node_id, kind))
    outgoing: dict[str, list[FlowEdge]] = {node_id: [] for node_id in nodes}
    for edge in begin.edges:
        if edge.src in nodes and edge.dst in nodes:
            outgoing[edge.src].append(FlowEdge(edge.src, edge.dst, edge.label))
    ways = {node_id: tuple(edges) for node_id, edges in outgoing.items()}
    return Flow(nodes, ways, begin.begin_id, begin.end_id, begin.source, begin.direction or "TB")


def node_status(picture: RunView, node_id: str, now: LiveContext) -> NodeStatus:
    """Return a node's status: its own state, or what blocks it."""
    state: NodeState = picture.node_state(node_id)
    match state:
        case "running":
            if now.approval:
                return "approval"
            if now.answer:
                return "answer"
            return "retrying" if now.retry_until is not None else "running"
        case "paused":
            pause = picture.paused
            if pause is not None and pause.reason == "choice":
                return "choice"
            return "breakpoint" if pause is not None and pause.reason == "breakpoint" else "paused"
        case "cancelled" if picture.status == "stopped":
            return "stopped"
        case "waiting" if picture.status == "finished":  # any other run ended before it
            node = picture.nodes.get(node_id)
            return "waiting" if node is not None and node.kind in ("begin", "end") else "skipped"
        case "waiting" if node_id in picture.breakpoints:
            return "breakpoint"
        case _:
            return state


def chart_style(
    picture: RunView,
    flow: Flow,
    now: LiveContext,
    *,
    ascii: bool = False,  # noqa: A002
    only: Collection[str] | None = None,
) -> ChartStyle:
    """The style of every node and edge of a run's chart; with `only`, of these nodes and the edges between them."""
    wanted = picture.nodes if only is None else only
    nodes = {
        node.id: _node_style(picture, node, now, ascii=ascii) for node in picture.nodes.values() if node.id in wanted
    }
    taken = {(edge.src, edge.dst, edge.label): edge.taken for edge in picture.edges}
    by_hand = {(done.node_id, done.choice) for done in picture.decisions if done.by == "user"}
    edges = tuple(
        _edge_style(picture, edge, taken.get((edge.src, edge.dst, edge.label), 0), by_hand, ascii=ascii)
        if edge.src in wanted and edge.dst in wanted
        else _UNTAKEN
        for edge in flow.edges
    )
    return ChartStyle(nodes, edges)


def status_labels(standing: NodeStatus, node: NodeView, now: LiveContext) -> tuple[str, ...]:
    """Labels of a node's status, longest first; empty if the glyph is enough."""
    match standing:
        case "waiting" | "done":
            return ()
        case "running":
            spent = clock(_under_way(node, now))
            return (_("running {time}", time=spent), spent, _("running"))
        case "retrying":
            left = clock((now.retry_until or 0.0) - now.now + 0.999)
            return (_("retrying in {time}", time=left), _("retry {time}", time=left), _("retry"), left)
        case _:
            return tuple(_(word) for word in _SHORT.get(standing, (CLOSED_WORDS[standing],)))


def _under_way(node: NodeView, now: LiveContext) -> float:
    return node.turn_s(now.now)


def _node_style(picture: RunView, node: NodeView, now: LiveContext, *, ascii: bool) -> NodeStyle:  # noqa: A002
    standing = node_status(picture, node.id, now)
    current = node.id == picture.node_id and picture.status is None
    if standing == "waiting" and not current:
        asks = node.kind == "decision" and (picture.ask == "always" or node.id in picture.ask)
        return NodeStyle(words=(_("asks you"), _("you?")) if asks else (), role="muted", sign_role="muted")
    role, sign_role = _ROLES[standing], _ROLES[standing]
    if standing == "breakpoint":
        role = "warning" if current else "muted"
    times = "x" if ascii else "×"
    visits = f"{times}{node.visits} " if node.visits > 99 else ""
    notes: tuple[str, ...] = ()
    if node.visits and standing not in ("running", "retrying"):
        spent = visits + clock(node.elapsed(now.now))
        notes = (f"{spent} {'-' if ascii else '·'} {token_count(node.tokens)}", spent) if node.tokens else (spent,)
    elif node.tokens:
        notes = (_("{count} tokens", count=token_count(node.tokens)), token_count(node.tokens))
    words = status_labels(standing, node, now)
    if (
        standing == "paused"
        and picture.paused is not None
        and picture.paused.reason in ("failed", "cancelled", "rejected")
    ):
        words = (_(CLOSED_WORDS[picture.paused.reason]), *words)  # the header says that the flow is paused
    signs = ASCII_SIGNS if ascii else SIGNS
    if node.id in picture.breakpoints and standing == "done":
        words = (_("breakpoint"), _("break"))
    if standing == "failed" and node.exit_status is not None:
        words = (_("status {code}", code=node.exit_status), str(node.exit_status))
    if node.id in picture.edited:
        words = (*(_("{state}, edited", state=word) for word in words[:1]), *words) or (_("edited"),)
    return NodeStyle(
        sign=signs[standing],
        words=words,
        notes=notes,
        visits=node.visits,
        current=current,
        role="plain" if standing == "done" and node.kind not in ("begin", "end") else role,
        sign_role=sign_role,
        bold=current,
    )


def _edge_style(
    picture: RunView,
    edge: FlowEdge,
    taken: int,
    by_hand: set[tuple[str, str]],
    *,
    ascii: bool,  # noqa: A002
) -> EdgeStyle:
    if not taken and edge.src != picture.node_id and edge.src not in picture.chosen:
        return _UNTAKEN
    here = picture.current
    ways = sum(1 for one in picture.edges if one.src == edge.src) if here is not None and here.id == edge.src else 0
    open_here = picture.status is None and ways > 1 and here is not None and here.state != "waiting"
    waits = picture.paused is not None and picture.paused.reason == "choice"
    in_advance = edge.label is not None and picture.chosen.get(edge.src) == edge.label
    approval_call = (open_here or in_advance) and picture.status is None
    suggested = open_here and picture.paused is not None and picture.paused.suggested == edge.label
    ask: Role = "warning" if waits or in_advance else "plain"
    if taken:
        hand = edge.label is not None and (edge.src, edge.label) in by_hand
        last = picture.last_decision
        was_last = last is not None and (last.node_id, last.choice) == (edge.src, edge.label)
        return EdgeStyle(
            line="double" if hand else "heavy",
            role="secondary" if hand else "accent",
            label_role=ask if approval_call else "accent",
            count=f"{'x' if ascii else '×'}{taken}" if taken > 1 else "",
            bold=was_last or approval_call,
            marked=suggested or in_advance or hand,
        )
    if approval_call:
        return EdgeStyle("dashed", ask, ask, marked=suggested or in_advance)
    return _UNTAKEN
