"""Makes labels of branches whole that were cut: wider into the free cells beside them, then longer."""

from dataclasses import replace

from kimi_tui.flow.layout.box_sizes import WIDEST_LABEL, label_lines
from kimi_tui.flow.layout.cell_text import ELLIPSIS, cell_width
from kimi_tui.flow.layout.geometry import Layout, LayoutDirection, PlacedEdge, Point

_NO_LIMIT = 1 << 20


def missing_label_lines(edge: PlacedEdge) -> int:
    """The lines that a label lacks for its whole text, in its width: 0 if it is whole."""
    if edge.label_at is None or ELLIPSIS not in edge.label_lines[-1]:
        return 0
    return len(label_lines(edge.label or "", _cells(edge), _NO_LIMIT)) - len(edge.label_lines)


def longer_label(edge: PlacedEdge, more: int) -> PlacedEdge:
    """The edge with up to `more` further lines of its label."""
    return replace(edge, label_lines=label_lines(edge.label or "", _cells(edge), len(edge.label_lines) + more))


def widen_labels(layout: Layout, width: int) -> Layout:
    """The layout with wider labels where they were cut, in a drawing of at most `width` columns; the rest stays."""
    cut = [edge for edge in layout.edges if missing_label_lines(edge) > 0]
    if not cut:
        return layout
    taken = _taken(layout)
    edges = list(layout.edges)
    for edge in cut:
        wider = _wider(edge, _cells(edge) + _free_columns(edge, layout.direction, taken, max(width, layout.width)))
        edges[edge.index] = wider
        taken.update(_label_cells(wider))
    last = max(x for edge in edges for x, _ in _label_cells(edge))
    return replace(layout, edges=tuple(edges), width=max(layout.width, last + 1))


def _cells(edge: PlacedEdge) -> int:
    return max(map(cell_width, edge.label_lines))


def _label_cells(edge: PlacedEdge) -> set[Point]:
    if edge.label_at is None:
        return set()
    x, y = edge.label_at
    return {(x + step, y + row) for row, line in enumerate(edge.label_lines) for step in range(cell_width(line))}


def _taken(layout: Layout) -> set[Point]:
    taken = {
        (x, y)
        for node in layout.nodes.values()
        for y in range(node.y, node.y + node.height)
        for x in range(node.x, node.x + node.width)
    }
    for edge in layout.edges:
        taken.update(edge.cells, _label_cells(edge))
    return taken


def _free_columns(edge: PlacedEdge, direction: LayoutDirection, taken: set[Point], width: int) -> int:
    """The free columns right of a label, without one that stays blank before something else.

    In a flow to the right the label stays beside its line.
    """
    assert edge.label_at is not None
    x, y = edge.label_at
    start, rows = x + _cells(edge), range(y, y + len(edge.label_lines))
    limit = min(x + WIDEST_LABEL, width)
    if direction == "LR":
        beside = [column for column, row in edge.cells if row in (rows[0] - 1, rows[-1] + 1)]
        limit = min(limit, max(beside, default=start) + 1)
    for column in range(start, limit):
        if any((column, row) in taken for row in rows):
            return max(0, column - start - 1)
    return max(0, limit - start)


def _wider(edge: PlacedEdge, most: int) -> PlacedEdge:
    """The edge with its label in the least width where the text is whole, else in the largest one."""
    count = len(edge.label_lines)
    widths = range(_cells(edge), most + 1)
    lines = (label_lines(edge.label or "", width, count) for width in widths)
    whole = next((text for text in lines if ELLIPSIS not in text[-1]), None)
    return replace(edge, label_lines=whole or label_lines(edge.label or "", most, count))
