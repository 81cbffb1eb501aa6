"""How a run's picture looks on its chart: a sign, a word and a style for each state. No widget here."""

from rich.style import Style

from kimi_tui.flow.draw import NodeLook
from kimi_tui.flow.graph import Flow, FlowEdge, FlowNode, NodeKind
from kimi_tui.flow.picture import FlowPicture, NodeState
from kimi_tui.ui.tui.text.palette import Palette
from kimi_tui.wire.flow_events import FlowBegin

SIGNS: dict[NodeState, str] = {
    "waiting": " ",
    "running": "▶",
    "paused": "‖",
    "done": "✓",
    "failed": "✗",
    "cancelled": "■",
    "rejected": "⊘",
}
WORDS: dict[NodeState, str] = {
    "waiting": "not yet",
    "running": "running",
    "paused": "paused",
    "done": "done",
    "failed": "failed",
    "cancelled": "interrupted",
    "rejected": "rejected",
}
BREAKPOINT = "●"


def flow_of(begin: FlowBegin) -> Flow:
    """The chart that a run carries."""
    nodes = {node.id: FlowNode(node.id, node.label, NodeKind(node.kind)) for node in begin.nodes}
    outgoing = {
        node_id: tuple(FlowEdge(edge.src, edge.dst, edge.label) for edge in begin.edges if edge.src == node_id)
        for node_id in nodes
    }
    return Flow(nodes, outgoing, begin.begin_id, begin.end_id, begin.source)


def edge_places(flow: Flow, begin: FlowBegin) -> tuple[int, ...]:
    """For each edge of the message, its place in `flow.edges` (which go node by node)."""
    places = {(edge.src, edge.dst, edge.label): index for index, edge in enumerate(flow.edges)}
    return tuple(places[edge.src, edge.dst, edge.label] for edge in begin.edges)


def looks_of(picture: FlowPicture, asking: str | None = None) -> dict[str, NodeLook]:
    """The look of every node; `asking` is a node whose turn waits for an approval."""
    looks: dict[str, NodeLook] = {}
    for node_id, node in picture.nodes.items():
        state = picture.state_of(node_id)
        sign = SIGNS[state]
        if node_id == asking and state == "running":
            sign = "?"
        elif node_id in picture.breakpoints and state in ("waiting", "done"):
            sign = BREAKPOINT
        ended = picture.status is not None
        current = node_id == picture.node_id and not ended
        looks[node_id] = NodeLook(sign, node.visits, current)
    return looks


def node_style(state: NodeState, palette: Palette, *, current: bool, selected: bool) -> Style:
    """The style of a box in that state."""
    match state:
        case "running":
            style = palette.accent + Style(bold=True)
        case "paused" | "cancelled" | "rejected":
            style = palette.warning + Style(bold=current)
        case "failed":
            style = palette.error
        case "done":
            style = palette.base
        case "waiting":
            style = palette.accent if current else palette.muted
    return style + Style(reverse=True) if selected else style


def sign_style(state: NodeState, palette: Palette) -> Style:
    match state:
        case "done":
            return palette.success
        case "failed":
            return palette.error
        case "running":
            return palette.accent + Style(bold=True)
        case "paused" | "cancelled" | "rejected":
            return palette.warning
        case "waiting":
            return palette.error
