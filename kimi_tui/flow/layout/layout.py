"""Lays out a flow as boxes and lines in terminal cells: geometry only, a pure function of flow, direction and width.

The layered layout is our own, because the available libraries place points, support neither ports nor labels nor cells,
and are slow or unmaintained. Steps: find and reverse loops (`ranking`), assign nodes to layers in an order with few
crossings (`layered_graph`, `crossing_reduction`), positions across the flow (`coordinate_assignment`), then ports and
tracks of lines (`coordinates`, `routing`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kimi_tui.flow.layout.box_sizes import (
    MAX_LINES,
    WIDEST_TEXT,
    Spacing,
    box_lines,
    box_size,
    candidates,
    label_lines,
    most_label_lines,
    word_cells,
)
from kimi_tui.flow.layout.cell_text import cell_width
from kimi_tui.flow.layout.coordinates import assign_coordinates
from kimi_tui.flow.layout.free_cells import use_free_cells
from kimi_tui.flow.layout.geometry import Layout, LayoutDirection, LayoutMode, PlacedEdge, PlacedNode, Point
from kimi_tui.flow.layout.layered_graph import LayeredGraph, build_skeleton, lines_touching
from kimi_tui.flow.layout.loop_labels import labels_inside, moved_to_top
from kimi_tui.flow.model.graph import Flow, NodeKind

_SOME_ITEMS = 500
"""With more items, only spacings that are the same in every layer are tried."""
_LOW_BOX_LINES = 4
"""Boxes of so many lines are not made lower."""
_WHOLE_WORDS = 1.1
"""A drawing that is scrolled may become so many times as wide if its boxes then divide no word."""
_MANY_ITEMS = 3_000
"""With more items, only the roomiest and the tightest spacing are tried."""

__all__ = ["Layout", "LayoutDirection", "LayoutMode", "PlacedEdge", "PlacedNode", "Point", "layout"]


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A spacing, and the widest lines of each box and of each labelled edge with it, in cells."""

    spacing: Spacing
    texts: list[int]
    labels: dict[int, int]


def own_direction(flow: Flow) -> LayoutDirection:
    """The direction that the chart itself asks for."""
    return "LR" if flow.direction in ("LR", "RL") else "TB"


def layout(
    flow: Flow,
    *,
    direction: LayoutDirection = "TB",
    width: int | None = None,
    mode: LayoutMode = "full",
    lines: int = MAX_LINES,
    low: bool = False,
) -> Layout:
    """Lay out `flow` with the roomiest spacing that fits `width` cells, or if none fits, that of the narrowest drawing.

    A box has at most `lines` lines of text; `low` saves rows: BEGIN and END without borders, boxes that are wider,
    labels beside arrowheads. The result has the actual width. Invariant: the same flow gives the same layout.

    Raises ChartTooLargeError.
    """
    result = _first_that_fits(flow, direction, width, mode, lines, low=low, must_fit=False)
    assert result is not None
    return result


def layout_within(
    flow: Flow, width: int, *, direction: LayoutDirection, mode: LayoutMode, lines: int = MAX_LINES
) -> Layout | None:
    """The layout of `flow` if it fits `width` cells, else None. Raises ChartTooLargeError."""
    return _first_that_fits(flow, direction, width, mode, lines, low=False, must_fit=True)


def _first_that_fits(
    flow: Flow,
    direction: LayoutDirection,
    width: int | None,
    mode: LayoutMode,
    lines: int,
    *,
    low: bool,
    must_fit: bool,
) -> Layout | None:
    number = {node: index for index, node in enumerate(flow.nodes)}
    edges = [(number[edge.src], number[edge.dst]) for edge in flow.edges]
    labelled = [bool(edge.label and edge.label.strip()) for edge in flow.edges]
    skeleton = build_skeleton(len(number), edges, labelled, number[flow.begin_id])
    main = _main_line(skeleton, number[flow.begin_id], number[flow.end_id])
    label_rows = most_label_lines(mode, lines)
    result: Layout | None = None
    chosen: _Attempt | None = None
    spacings = candidates(direction, mode, width, few=len(skeleton.items) > _SOME_ITEMS, low=low)
    if len(skeleton.items) > _MANY_ITEMS:
        spacings = (spacings[0], spacings[-1])
    attempts = _attempts(flow, skeleton, spacings, direction, width)
    last = next(spacing for spacing in reversed(spacings) if not spacing.to_fit)
    narrowest = next(attempt for attempt in reversed(attempts) if attempt.spacing is last)
    scrolled = next((attempt for attempt in attempts if attempt.spacing.readable), None)
    for attempt in attempts:
        spacing = attempt.spacing
        hopeful = width is None or (attempt is (scrolled or narrowest) and not must_fit)
        texts = _texts(flow, attempt, mode, lines)
        if not hopeful and _least_width(flow, skeleton, texts, spacing, direction, mode) > (width or 0):
            continue
        room = width if direction == "TB" and not spacing.straight and len(skeleton.items) <= _SOME_ITEMS else None
        candidate = _place(flow, skeleton, main, texts, attempt, direction, mode, label_rows, low=low, room=room)
        if width is not None and scrolled is not None and candidate.width > width and attempt is not scrolled:
            continue
        if result is None or (
            candidate.width < result.width and not (spacing.to_fit and candidate.width > (width or 0))
        ):
            result, chosen = candidate, attempt
        if width is None or result.width <= width:
            break
    if must_fit and (result is None or (width is not None and result.width > width)):
        return None
    assert result is not None
    if width is not None and result.width > width and chosen is not None:
        undivided = next(attempt for attempt in attempts if attempt.spacing is chosen.spacing)
        if undivided.texts != chosen.texts:
            attempt = _Attempt(chosen.spacing, undivided.texts, chosen.labels)
            texts = _texts(flow, attempt, mode, lines)
            whole = _place(flow, skeleton, main, texts, attempt, direction, mode, label_rows, low=low, room=None)
            result = min(result, whole, key=lambda laid: laid.width / (_WHOLE_WORDS if laid is whole else 1))
    if width is not None and result.width > width and any(one.share for one in spacings):
        return layout(flow, direction=direction, width=result.width, mode=mode, lines=lines, low=low)
    if width is None or len(skeleton.items) > _SOME_ITEMS:
        return result
    if direction == "LR" and mode == "full" and chosen is not None and result.width < width:
        texts = _texts_with_spare_cells(flow, skeleton, chosen.texts, lines, width - result.width)
        lower = _place(flow, skeleton, main, texts, chosen, direction, mode, label_rows, low=low, room=None)
        if lower.width <= width and lower.height < result.height:
            result = lower
    return use_free_cells(result, flow, max(width, result.width))


def _texts(flow: Flow, attempt: _Attempt, mode: LayoutMode, most: int) -> list[tuple[str, ...]]:
    """The lines of text in each box."""
    widths = zip(flow.nodes.values(), attempt.texts, strict=True)
    return [box_lines(node, width, mode, most) for node, width in widths]


def _attempts(
    flow: Flow, skeleton: LayeredGraph, spacings: Sequence[Spacing], direction: LayoutDirection, width: int | None
) -> list[_Attempt]:
    """All spacings with every word whole, then those that divide words."""
    words = [word_cells(node.title) for node in flow.nodes.values()]
    label_words = {i: word_cells(e.label) for i, e in enumerate(flow.edges) if e.label and e.label.strip()}
    whole: list[_Attempt] = []
    dividing: list[_Attempt] = []
    for spacing in spacings:
        texts = _text_widths(flow, skeleton, spacing, direction, width)
        label = spacing.label_cells(width)
        attempt = _Attempt(spacing, texts, dict.fromkeys(label_words, label))
        undivided = _Attempt(
            spacing, list(map(max, texts, words)), {edge: max(label, word) for edge, word in label_words.items()}
        )
        if len(skeleton.items) > _SOME_ITEMS:
            dividing.append(attempt)
            continue
        whole.append(undivided)
        if undivided != attempt:
            dividing.append(attempt)
    return [*whole, *dividing]


def _main_line(skeleton: LayeredGraph, begin: int, end: int) -> set[int]:
    """The edges of the main line: the longest path from BEGIN to END.

    If several paths are equally long, all are followed and none is preferred: that balances them.
    """
    leaving: dict[int, list[tuple[int, int]]] = {}
    for chain in skeleton.chains:
        if not chain.back:
            leaving.setdefault(chain.top, []).append((chain.bottom, chain.edge))
    longest: dict[int, int] = {end: 0}
    for node in sorted(leaving, key=lambda node: -skeleton.rank[node]):
        steps = [longest[target] + 1 for target, _ in leaving[node] if target in longest]
        if steps:
            longest[node] = max(max(steps), longest.get(node, 0))
    entering: dict[int, list[int]] = {}
    main: set[int] = set()
    visited, todo = {begin}, [begin]
    while todo:
        ways = leaving.get(todo.pop(), [])
        best = max((longest.get(target, -1) for target, _ in ways), default=-1)
        followed = [(target, edge) for target, edge in ways if best >= 0 and longest.get(target, -1) == best]
        for target, edge in followed:
            entering.setdefault(target, []).append(edge)
            if len(followed) == 1:
                main.add(edge)
            if target not in visited:
                visited.add(target)
                todo.append(target)
    return main - {edge for edges in entering.values() if len(edges) > 1 for edge in edges}


def _text_widths(
    flow: Flow, skeleton: LayeredGraph, spacing: Spacing, direction: LayoutDirection, width: int | None
) -> list[int]:
    """The maximum text width of each box: larger in a layer with few boxes."""
    widths = [spacing.text] * len(flow.nodes)
    if direction == "LR":
        return widths
    kinds = [node.kind for node in flow.nodes.values()]
    for layer in skeleton.layers:
        boxes = [item for item in layer if item < len(widths)]
        for item in boxes:
            if kinds[item] in (NodeKind.BEGIN, NodeKind.END) and len(layer) == 1 and not spacing.to_fit:
                widths[item] = spacing.terminal_cells(width)
            elif spacing.share:
                widths[item] = spacing.text_cells(width, len(boxes), len(layer) - len(boxes))
    return widths


def _texts_with_spare_cells(
    flow: Flow, skeleton: LayeredGraph, widths: Sequence[int], most: int, spare: int
) -> list[tuple[str, ...]]:
    """The text of each box of a flow to the right, where `spare` columns go to the layers with the tallest boxes."""
    nodes = list(flow.nodes.values())
    texts = [box_lines(node, width, "full", most) for node, width in zip(nodes, widths, strict=True)]
    layers = [[item for item in layer if item < len(nodes)] for layer in skeleton.layers]
    cells = [max((cell_width(line) for item in layer for line in texts[item]), default=0) for layer in layers]
    growing = {number for number, layer in enumerate(layers) if layer}
    while growing and spare > 0:
        number = max(growing, key=lambda one: max(len(texts[item]) for item in layers[one]))
        tallest = max(len(texts[item]) for item in layers[number])
        if tallest <= _LOW_BOX_LINES:
            break
        for width in range(cells[number] + 1, min(cells[number] + spare, WIDEST_TEXT) + 1):
            wider = {item: box_lines(nodes[item], width, "full", most) for item in layers[number]}
            if max(map(len, wider.values())) < tallest:
                break
        else:
            growing.remove(number)
            continue
        spare -= width - cells[number]
        cells[number] = width
        for item, lines in wider.items():
            texts[item] = lines
    return texts


def _least_width(
    flow: Flow,
    skeleton: LayeredGraph,
    lines: list[tuple[str, ...]],
    spacing: Spacing,
    direction: LayoutDirection,
    mode: LayoutMode,
) -> int:
    """The minimum size of the widest layer (the sum of all layers, if the flow runs to the right)."""
    widths = [box_size(text, node.kind, mode)[0] for text, node in zip(lines, flow.nodes.values(), strict=True)]
    count = len(widths)
    rows = [[item for item in layer if item < count] for layer in skeleton.layers]
    if direction == "LR":
        return sum(max((widths[item] for item in row), default=0) for row in rows)
    gap = min(spacing.between_boxes, spacing.beside_box, spacing.between_lines)
    return max(
        sum(widths[item] for item in row) + len(layer) - len(row) + (len(layer) - 1) * gap
        for row, layer in zip(rows, skeleton.layers, strict=True)
    )


def _place(
    flow: Flow,
    skeleton: LayeredGraph,
    main: set[int],
    lines: list[tuple[str, ...]],
    attempt: _Attempt,
    direction: LayoutDirection,
    mode: LayoutMode,
    label_rows: int,
    *,
    low: bool,
    room: int | None,
) -> Layout:
    across = direction == "LR"
    spacing = attempt.spacing
    kinds = [node.kind for node in flow.nodes.values()]
    edges = flow.edges
    labels = {i: label_lines(edges[i].label or "", widest, label_rows) for i, widest in attempt.labels.items()}
    sizes = [box_size(text, kind, mode, low=low) for text, kind in zip(lines, kinds, strict=True)]
    touching = lines_touching(skeleton, len(sizes), share=across)
    if across:
        frame = 2 if mode == "full" else 0
        needed = [need + (frame if need == 1 else 2) for need in touching]
        sizes = [(width, max(height, need)) for (width, height), need in zip(sizes, needed, strict=True)]
    else:
        sizes = [(max(width, 2 * need + 1), height) for (width, height), need in zip(sizes, touching, strict=True)]
    for node, (width, height) in enumerate(sizes):
        item, breadth = skeleton.items[node], height if across else width
        item.size_before = (breadth - 1) // 2
        item.size_after = breadth - 1 - item.size_before
        item.depth = width if across else height
    label_depths: dict[int, int] = {}
    for item in skeleton.items:
        if item.label < 0:
            continue
        widest, count = max(cell_width(line) for line in labels[item.label]), len(labels[item.label])
        label_depths[item.label] = widest if across else count
        if not across:
            item.size_after = widest + 1
            item.depth = 2 * count + 1 if item.turns and item.side < 0 else count
        elif item.host >= 0:
            item.size_before, item.size_after = (count, 0) if item.side < 0 else (0, count)
            item.depth = widest
        else:
            item.size_before, item.depth = count, widest + 2
        if item.shared:
            item.depth = 2 * label_depths[item.label] + 1
    depths = [item.depth for item in skeleton.items[: len(sizes)]]
    placed = assign_coordinates(
        skeleton,
        spacing,
        main=main,
        node_depths=depths,
        label_depths=label_depths,
        across=across,
        room=room,
        low=low,
    )

    def rotated(point: Point) -> Point:
        return (point[1], point[0]) if across else point

    nodes = {
        node.id: PlacedNode(node.id, *rotated(position), *size, text, node.kind, bare=size[1] == len(text))
        for node, position, size, text in zip(flow.nodes.values(), placed.node_at, sizes, lines, strict=True)
    }
    backward = {chain.edge for chain in skeleton.chains if chain.back}
    placed_edges = tuple(
        PlacedEdge(
            index,
            edge.src,
            edge.dst,
            edge.label,
            tuple(rotated(point) for point in placed.paths[index]),
            rotated(placed.label_at[index]) if index in labels else None,
            labels.get(index, ()),
            index in backward,
        )
        for index, edge in enumerate(edges)
    )
    if across and len(skeleton.items) <= _SOME_ITEMS:
        nodes, placed_edges = moved_to_top(nodes, labels_inside(nodes.values(), placed_edges))
    return _framed(nodes, placed_edges, direction, mode)


def _framed(
    nodes: dict[str, PlacedNode], edges: tuple[PlacedEdge, ...], direction: LayoutDirection, mode: LayoutMode
) -> Layout:
    """The layout with the total size of its parts."""
    width = max((node.x + node.width for node in nodes.values()), default=0)
    height = max((node.y + node.height for node in nodes.values()), default=0)
    for edge in edges:
        for x, y in edge.path:
            width, height = max(width, x + 1), max(height, y + 1)
        if edge.label_at:
            widest = max(cell_width(line) for line in edge.label_lines)
            width = max(width, edge.label_at[0] + widest)
            height = max(height, edge.label_at[1] + len(edge.label_lines))
    return Layout(width, height, nodes, edges, direction, mode)
