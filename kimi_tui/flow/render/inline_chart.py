"""Draws a Mermaid or D2 chart inside a text: in an answer, a plan, or a skill's preview."""

from functools import lru_cache

from kimi_tui.errors import ChartTooLargeError, FlowError
from kimi_tui.flow.layout.fitting import fitting_layout
from kimi_tui.flow.model.graph import Chart, ChartSource, Flow, FlowEdge, FlowNode, NodeKind
from kimi_tui.flow.model.validation import build_flow
from kimi_tui.flow.parsing.groups import resolve_groups
from kimi_tui.flow.parsing.reader import read_chart
from kimi_tui.flow.render.chart_canvas import ChartCanvas, StyledSpan
from kimi_tui.flow.render.chart_style import PLAIN_CHART

_MAX_CHARACTERS = 20_000
_MAX_NODES = 60
_MAX_EDGES = 120
_KINDS = {
    "diamond": NodeKind.DECISION,
    **dict.fromkeys(("stadium", "round", "circle", "doublecircle", "oval"), NodeKind.BEGIN),
}
"""The kind that a node of a chart that could not run is drawn as, by its shape: BEGIN has round corners."""


@lru_cache(maxsize=64)
def inline_chart(text: str, source: ChartSource, width: int) -> tuple[tuple[StyledSpan, ...], ...] | None:
    """The chart's rows, at most `width` cells wide; None if it is not a chart, or too large or wide to draw."""
    if len(text) > _MAX_CHARACTERS:
        return None
    try:
        chart = read_chart(text, source)
        if not 1 < len(chart.nodes) <= _MAX_NODES or not 0 < len(chart.edges) <= _MAX_EDGES:
            return None
        laid = fitting_layout(_drawable(chart), width)
    except (FlowError, ChartTooLargeError):
        return None
    if laid is None:
        return None
    canvas = ChartCanvas(laid)
    return tuple(tuple(canvas.row(y, PLAIN_CHART)) for y in range(canvas.height))


def _drawable(chart: Chart) -> Flow:
    """The chart as a flow; one that could not run is drawn too, from its first node to its last."""
    try:
        return build_flow(chart)
    except FlowError:
        plain = resolve_groups(chart).chart
    edges = [FlowEdge(edge.src, edge.dst, edge.label) for edge in plain.edges if edge.heads != "hidden"]
    nodes = {node.id: FlowNode(node.id, node.label, _KINDS.get(node.shape, NodeKind.TASK)) for node in plain.nodes}
    outgoing = {node: tuple(edge for edge in edges if edge.src == node) for node in nodes}
    first, *_, last = nodes
    return Flow(nodes, outgoing, first, last, chart.source, chart.direction, chart)
