"""In a flow that runs to the right, moves the labels of loops into their loops where the cells are free."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from kimi_tui.flow.layout.cell_text import cell_width
from kimi_tui.flow.layout.geometry import PlacedEdge, PlacedNode, Point


def labels_inside(nodes: Iterable[PlacedNode], edges: Iterable[PlacedEdge]) -> tuple[PlacedEdge, ...]:
    """Move the labels of back edges inside their loops where cells are free; boxes and lines stay in place."""
    placed = list(edges)
    taken = {
        (x, y)
        for node in nodes
        for y in range(node.y, node.y + node.height)
        for x in range(node.x, node.x + node.width)
    }
    for edge in placed:
        taken.update(edge.cells)
        taken.update(_label_cells(edge))
    for index, edge in enumerate(placed):
        if edge.back and edge.label_at is not None:
            taken.difference_update(_label_cells(edge))
            if (inside := _place_inside(edge, edge.label_at, taken)) is not None:
                edge = placed[index] = replace(edge, label_at=inside)
            taken.update(_label_cells(edge))
    return tuple(placed)


def moved_to_top(
    nodes: dict[str, PlacedNode], edges: tuple[PlacedEdge, ...]
) -> tuple[dict[str, PlacedNode], tuple[PlacedEdge, ...]]:
    """Move the drawing up, so that it begins in the first row."""
    rows = {node.y for node in nodes.values()} | {y for edge in edges for _, y in edge.path}
    top = min(rows | {edge.label_at[1] for edge in edges if edge.label_at is not None}, default=0)
    if not top:
        return nodes, edges
    return {key: replace(node, y=node.y - top) for key, node in nodes.items()}, tuple(_raised(e, top) for e in edges)


def _raised(edge: PlacedEdge, by: int) -> PlacedEdge:
    at = edge.label_at
    label_at = (at[0], at[1] - by) if at is not None else None
    return replace(edge, path=tuple((x, y - by) for x, y in edge.path), label_at=label_at)


def _label_cells(edge: PlacedEdge) -> Iterable[Point]:
    if edge.label_at is not None:
        x, y = edge.label_at
        for number, line in enumerate(edge.label_lines):
            yield from ((x + step, y + number) for step in range(cell_width(line)))


def _place_inside(edge: PlacedEdge, at: Point, taken: set[Point]) -> Point | None:
    """The place on the other side of the line, with a free cell on each side; None if something is there."""
    count, wide = len(edge.label_lines), max(map(cell_width, edge.label_lines))
    for (x, y), (to_x, to_y) in pairwise(edge.path):
        first, last = sorted((x, to_x))
        if y != to_y or not first <= at[0] <= last:
            continue
        if y == at[1] - 1:
            row = y - count
        elif y == at[1] + count:
            row = y + 1
        else:
            continue
        middle = (first + last + 1 - wide) // 2
        for start in (middle, at[0]):
            around = ((start + step, row + line) for line in range(count) for step in range(-1, wide + 1))
            if row >= 0 and first < start and start + wide <= last and not taken.intersection(around):
                return start, row
    return None
