"""Gives boxes and labels whose text is cut more lines, by inserting rows, and the free cells beside them."""

from collections.abc import Mapping
from dataclasses import replace

from kimi_tui.flow.layout.box_sizes import FRAME_CELLS, box_lines
from kimi_tui.flow.layout.cell_text import cell_width
from kimi_tui.flow.layout.coordinates import straighten
from kimi_tui.flow.layout.free_cells import use_free_cells
from kimi_tui.flow.layout.geometry import GLYPH_CELLS, Layout, LayoutDirection, PlacedEdge, PlacedNode, Point
from kimi_tui.flow.layout.label_room import longer_label, missing_label_lines, widen_labels
from kimi_tui.flow.model.graph import Flow, NodeKind

_NO_LIMIT = 1 << 20
_MAX_CUT_BOXES = 200
"""With more cut boxes, the chart stays as it is: it is too large to be read as a whole."""


def use_free_rows(layout: Layout, flow: Flow, rows: int | None, width: int = 0) -> Layout:
    """The layout with more lines in boxes and labels whose text is cut, in at most `rows` rows.

    None: as many rows as whole texts need. The text that needs the fewest lines gets them first. Before that, labels
    become wider, and after it boxes, if a drawing of `width` columns has free cells beside them.
    """
    free = _NO_LIMIT if rows is None else rows - layout.height
    layout = widen_labels(layout, width)
    layout, free = _with_whole_labels(layout, flow, free)
    missing = {node.id: count for node in layout.nodes.values() if (count := _missing_lines(node, flow))}
    if not missing or len(missing) > _MAX_CUT_BOXES:
        return layout
    roomy = {node: _filled(layout.nodes[node], flow, True) for node, count in missing.items() if count < 0}
    layout = replace(layout, nodes={**layout.nodes, **roomy})
    missing = {node: count for node, count in missing.items() if count > 0}
    while missing and free > 0:
        node_id = min(missing, key=lambda node: (missing[node], layout.nodes[node].y, layout.nodes[node].x))
        wanted = missing.pop(node_id)
        node, count = layout.nodes[node_id], min(wanted, free)
        last_line = node.y + node.height - (1 if node.bare else 2)
        layout = _with_rows(layout, flow, last_line, count, {node_id: wanted, **missing})
        free -= count
        missing = {
            other: lines for other in [*missing, node_id] if (lines := _missing_lines(layout.nodes[other], flow)) > 0
        }
    layout, _left = _with_whole_labels(layout, flow, free)
    return use_free_cells(layout, flow, max(width, layout.width))


def _with_whole_labels(layout: Layout, flow: Flow, free: int) -> tuple[Layout, int]:
    """The layout with more lines in labels that are cut, the shortest first, and the rows that are then free.

    A label that would be cut even then leaves the rows to boxes that are cut.
    """
    missing = {edge.index: count for edge in layout.edges if (count := missing_label_lines(edge))}
    if len(missing) > _MAX_CUT_BOXES:
        return layout, free
    boxes_are_cut = bool(missing) and any(_missing_lines(node, flow) > 0 for node in layout.nodes.values())
    for index in sorted(missing, key=lambda index: (missing[index], index)):
        count = min(missing[index], free)
        if count < missing[index] and boxes_are_cut:
            break
        edge = layout.edges[index]
        if count <= 0 or edge.label_at is None:
            continue
        longer = longer_label(edge, count)
        count = len(longer.label_lines) - len(edge.label_lines)
        stretched = _with_rows(layout, flow, edge.label_at[1] + len(edge.label_lines) - 1, count, {})
        edges = list(stretched.edges)
        edges[index] = replace(edges[index], label_at=edge.label_at, label_lines=longer.label_lines)
        layout, free = replace(stretched, edges=tuple(edges)), free - count
    return layout, free


def _text_width(node: PlacedNode) -> int:
    has_sign = node.bare and node.kind not in (NodeKind.BEGIN, NodeKind.END)
    return node.width - FRAME_CELLS - (GLYPH_CELLS if has_sign else 0)


def _lines(node: PlacedNode, flow: Flow, most: int) -> tuple[str, ...]:
    text = _text_width(node)
    if node.bare and most == 1:
        return box_lines(flow.nodes[node.id], text, "compact")
    return box_lines(flow.nodes[node.id], text, "full", most)


def _missing_lines(node: PlacedNode, flow: Flow) -> int:
    """The rows that a box must grow for its whole text: 0 if the text is whole, negative if the box has room for it."""
    whole = _lines(node, flow, _NO_LIMIT)
    if "".join("".join(whole).split()) == "".join("".join(node.lines).split()):
        return 0
    return len(whole) - (node.height - (0 if node.bare else 2)) or -1


def _with_rows(layout: Layout, flow: Flow, row: int, count: int, missing: dict[str, int]) -> Layout:
    """The layout with `count` rows inserted after `row`: what extends over both sides becomes taller."""
    nodes: dict[str, PlacedNode] = {}
    for node in layout.nodes.values():
        last = node.y + node.height - 1
        if node.y > row:
            nodes[node.id] = replace(node, y=node.y + count)
        elif row < last:
            nodes[node.id] = _filled(replace(node, height=node.height + count), flow, node.id in missing)
        elif row == last and node.bare and node.id in missing:
            more = min(count, missing[node.id])
            nodes[node.id] = _filled(replace(node, height=node.height + more), flow, True)
        else:
            nodes[node.id] = node
    edges = tuple(_stretched(edge, layout.nodes, nodes, layout.direction, row, count) for edge in layout.edges)
    return replace(layout, height=layout.height + count, nodes=nodes, edges=edges)


def _filled(node: PlacedNode, flow: Flow, is_cut: bool) -> PlacedNode:
    if not is_cut:
        return node
    return replace(node, lines=_lines(node, flow, node.height - (0 if node.bare else 2)))


def _stretched(
    edge: PlacedEdge,
    before: Mapping[str, PlacedNode],
    after: Mapping[str, PlacedNode],
    direction: LayoutDirection,
    row: int,
    count: int,
) -> PlacedEdge:
    def moved(point: Point) -> Point:
        return (point[0], point[1] + count) if point[1] > row else point

    path = [moved(point) for point in edge.path]
    first = _beside(edge.path[0], path[0], before[edge.src], after[edge.src])
    last = _beside(edge.path[-1], path[-1], before[edge.dst], after[edge.dst])
    label_at = edge.label_at
    if label_at is not None and _row_of_label(edge, direction) > row:
        label_at = (label_at[0], label_at[1] + count)
    return replace(edge, path=tuple(straighten([first, *path, last])), label_at=label_at)


def _row_of_label(edge: PlacedEdge, direction: LayoutDirection) -> int:
    """The row that a label moves with: its first one, or, from left to right, that of the line beside it."""
    assert edge.label_at is not None
    x, y = edge.label_at
    if direction == "TB":
        return y
    columns = range(x, x + max(cell_width(line) for line in edge.label_lines))
    rows = {row for column, row in edge.cells if column in columns}
    return next((row for row in (y + len(edge.label_lines), y - 1) if row in rows), y)


def _beside(point: Point, moved: Point, before: PlacedNode, after: PlacedNode) -> Point:
    """The end of a line, above or below its box again."""
    if point[1] < before.y:
        return (moved[0], after.y - 1)
    if point[1] >= before.y + before.height:
        return (moved[0], after.y + after.height)
    return moved
