"""A run as an SVG image: the layout of its chart, with the path marked by more than colour."""

from collections.abc import Iterable
from html import escape

from kimi_tui.flow.layout.box_sizes import whole_lines
from kimi_tui.flow.layout.cell_text import cell_width, clean_label
from kimi_tui.flow.layout.free_rows import use_free_rows
from kimi_tui.flow.layout.layout import Layout, PlacedEdge, PlacedNode, Point, layout, own_direction
from kimi_tui.flow.model.graph import Flow, NodeKind
from kimi_tui.flow.render.node_signs import SIGNS
from kimi_tui.flow.render.run_export import headline, times
from kimi_tui.flow.run.node_view import NodeView
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.formats import duration

_CELL_X, _CELL_Y, _MARGIN, _FONT, _CAPTION, _HEAD = 8.4, 18.0, 16.0, 14, 26.0, 9.0
_STYLE = """
  svg { background: #ffffff; font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
  text { fill: #1f2328; } .caption { font-weight: bold; } .visits, .figures { font-size: 11px; fill: #59636e; }
  .node { fill: #f6f8fa; stroke: #818b98; stroke-width: 1.2; }
  .done { stroke: #1a7f37; stroke-width: 2.2; } .now { stroke: #0969da; stroke-width: 3; }
  .failed, .rejected, .cancelled { stroke: #d1242f; stroke-width: 2.2; stroke-dasharray: 6 3; }
  .edge { fill: none; stroke: #818b98; stroke-width: 1.2; } .taken { stroke: #1a7f37; stroke-width: 2.6; }
  .head { fill: #818b98; } .takenhead { fill: #1a7f37; } .label { font-size: 12px; }
  .ground { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117; } .ground { fill: #0d1117; } text { fill: #f0f6fc; } .node { fill: #151b23; }
    .visits, .figures { fill: #9198a1; }
  }
"""


def to_svg(flow: Flow, picture: RunView | None = None) -> str:
    """The chart as a standalone SVG; with a view of a run, also each node's state and figures and the taken edges."""
    direction = own_direction(flow)
    placed = use_free_rows(layout(flow, direction=direction, lines=whole_lines(direction)), flow, None)
    caption = headline(picture) if picture is not None else ""
    width = max(placed.width * _CELL_X, cell_width(caption) * _CELL_X) + 2 * _MARGIN
    top = _MARGIN + (_CAPTION if caption else 0.0)
    height = placed.height * _CELL_Y + top + _MARGIN
    taken_edges = frozenset(picture.taken_edges) if picture is not None else frozenset[int]()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
        f"<title>{_plain(caption or 'flow')}</title>",
        f"<style>{_STYLE}</style>",
    ]
    if caption:
        parts.append(f'<text class="caption" x="{_MARGIN}" y="{_MARGIN + 8}">{_plain(caption)}</text>')
    parts.append(f'<g transform="translate({_MARGIN} {top})">')
    # Taken edges are drawn last, so that they are visible where lines share a track.
    for edge in sorted(placed.edges, key=lambda edge: edge.index in taken_edges):
        parts += _edge(edge, placed, is_taken=edge.index in taken_edges)
    for edge in placed.edges:
        parts += _edge_label(edge)
    for node in placed.nodes.values():
        parts += _node(node, picture)
    parts += ["</g>", "</svg>"]
    return "\n".join(parts) + "\n"


def _node(node: PlacedNode, picture: RunView | None) -> Iterable[str]:
    node_view = picture.nodes.get(node.id) if picture is not None else None
    state = picture.node_state(node.id) if picture is not None else "waiting"
    now = picture is not None and picture.node_id == node.id and picture.status != "finished"
    x, y = node.x * _CELL_X, node.y * _CELL_Y
    width, height = node.width * _CELL_X, node.height * _CELL_Y
    inset = _CELL_Y / 3
    top, bottom, middle = y + inset, y + height - inset, y + height / 2
    classes = f"node {state}" + (" now" if now else "")
    yield f"<g><title>{_plain(_figures(node_view)) if node_view else _plain(node.id)}</title>"
    if node.kind is NodeKind.DECISION:
        tip = min(12.0, width / 6)
        points = [(x, middle), (x + tip, top), (x + width - tip, top), (x + width, middle)]
        points += [(x + width - tip, bottom), (x + tip, bottom)]
        yield f'<polygon class="{classes}" points="{_points(points)}"/>'
    else:
        radius = (bottom - top) / 2 if node.kind in (NodeKind.BEGIN, NodeKind.END) else 3
        yield (
            f'<rect class="{classes}" x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" height="{bottom - top:.1f}" '
            f'rx="{radius:.1f}"/>'
        )
    first = middle - (len(node.lines) - 1) * _CELL_Y / 2 + _FONT * 0.35
    for number, line in enumerate(node.lines):
        attributes = f'x="{x + width / 2:.1f}" y="{first + number * _CELL_Y:.1f}"'
        yield f'<text {attributes} text-anchor="middle">{_plain(line)}</text>'
    glyph = SIGNS[state] + (f" ×{node_view.visits}" if node_view is not None and node_view.visits > 1 else "")
    if glyph.strip():
        yield f'<text class="visits" x="{x + width - 4:.1f}" y="{top - 2:.1f}" text-anchor="end">{glyph.strip()}</text>'
    yield "</g>"


def _edge(edge: PlacedEdge, placed: Layout, *, is_taken: bool) -> Iterable[str]:
    points = [_centre(point) for point in edge.path]
    tip = _tip(edge.path[-1], placed.nodes[edge.dst])
    line = [_tip(edge.path[0], placed.nodes[edge.src]), *points, tip]
    yield f'<polyline class="edge{" taken" if is_taken else ""}" points="{_points(line)}"/>'
    back_x, back_y = points[-1]
    length = max(abs(tip[0] - back_x), abs(tip[1] - back_y), 1.0)
    along_x, along_y = (tip[0] - back_x) / length, (tip[1] - back_y) / length
    base_x, base_y = tip[0] - along_x * _HEAD, tip[1] - along_y * _HEAD
    across_x, across_y = along_y * _HEAD / 2, along_x * _HEAD / 2
    corners = [tip, (base_x - across_x, base_y + across_y), (base_x + across_x, base_y - across_y)]
    yield f'<polygon class="{"takenhead" if is_taken else "head"}" points="{_points(corners)}"/>'


def _edge_label(edge: PlacedEdge) -> Iterable[str]:
    if edge.label_at is None:
        return
    x, y = edge.label_at[0] * _CELL_X, edge.label_at[1] * _CELL_Y
    for number, line in enumerate(edge.label_lines):
        row = y + number * _CELL_Y
        size = f'width="{cell_width(line) * _CELL_X:.1f}" height="{_CELL_Y - 2:.1f}"'
        yield f'<rect class="ground" x="{x:.1f}" y="{row + 1:.1f}" {size}/>'
        yield f'<text class="label" x="{x:.1f}" y="{row + _FONT:.1f}">{_plain(line)}</text>'


def _tip(point: Point, node: PlacedNode) -> tuple[float, float]:
    """The point where a line that ends in the cell `point` meets the box of `node`."""
    x, y = _centre(point)
    inset = _CELL_Y / 3
    top, bottom = node.y * _CELL_Y + inset, (node.y + node.height) * _CELL_Y - inset
    if point[1] < node.y:
        return x, top
    if point[1] >= node.y + node.height:
        return x, bottom
    side = node.x * _CELL_X if point[0] < node.x else (node.x + node.width) * _CELL_X
    return side, y


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _centre(point: Point) -> tuple[float, float]:
    return (point[0] + 0.5) * _CELL_X, (point[1] + 0.5) * _CELL_Y


def _figures(node: NodeView) -> str:
    if not node.visits:
        return f"{node.id}: {node.label}"
    return f"{node.id}: {node.label}\n{node.state}, {times(node.visits)}, {duration(node.work_s)}, {node.tokens} tokens"


def _plain(text: str) -> str:
    return escape(clean_label(text))
