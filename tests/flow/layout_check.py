"""An independent look at a layout: it knows nothing of how one is made, only what a good one must not do."""

from itertools import combinations, pairwise

from wcwidth import wcswidth

from kimi_tui.flow.layout.cell_text import clean_label
from kimi_tui.flow.layout.geometry import Layout, PlacedEdge, PlacedNode, Point
from kimi_tui.flow.model.graph import Flow

Cells = set[Point]


WIDEST_EDGE_LABEL, WIDEST_BOX_TEXT, WIDEST_SINGLE_LINE = 40, 64, 100
LEAST_KEPT = 3
"""Cells that a label which is cut must still show."""


def violations(layout: Layout, flow: Flow) -> list[str]:
    """What is wrong with a layout of `flow`, one sentence each; an empty list if nothing is."""
    found = [*_missing(layout, flow), *_text_faults(layout, flow)]
    if any(edge.src not in layout.nodes or edge.dst not in layout.nodes for edge in layout.edges):
        return found
    boxes: dict[Point, str] = {}
    for node in layout.nodes.values():
        for cell in _box(node):
            if cell in boxes:
                found.append(f"boxes {boxes[cell]} and {node.id} overlap")
                break
            boxes[cell] = node.id
    for edge in layout.edges:
        found.extend(_path_faults(edge, layout, boxes))
    found.extend(_label_faults(layout, boxes))
    for first, second in combinations(layout.edges, 2):
        found.extend(_sharing_faults(first, second))
    found.extend(_fork_faults(layout))
    everything = [*boxes, *(cell for edge in layout.edges for cell in [*walk(edge), *_label(edge)])]
    if any(not (0 <= x < layout.width and 0 <= y < layout.height) for x, y in everything):
        found.append("something lies outside the drawing")
    return found


def _missing(layout: Layout, flow: Flow) -> list[str]:
    """Nodes and edges that the chart has and the layout has not, or the other way round."""
    found = [f"node {node} is missing" for node in flow.nodes if node not in layout.nodes]
    found += [f"node {node} is not of the chart" for node in layout.nodes if node not in flow.nodes]
    wanted = [(index, edge.src, edge.dst, edge.label) for index, edge in enumerate(flow.edges)]
    drawn = [(edge.index, edge.src, edge.dst, edge.label) for edge in layout.edges]
    found += [f"edge {index} {src} -> {dst} is missing" for index, src, dst, _ in set(wanted) - set(drawn)]
    found += [f"edge {index} {src} -> {dst} is not of the chart" for index, src, dst, _ in set(drawn) - set(wanted)]
    if len(drawn) != len(set(drawn)):
        found.append("an edge is there twice")
    return found


def _text_faults(layout: Layout, flow: Flow) -> list[str]:
    found: list[str] = []
    for node in layout.nodes.values():
        if node.id in flow.nodes:
            said = clean_label(flow.nodes[node.id].title) or node.id
            room = min(node.width - 4, WIDEST_BOX_TEXT if len(node.lines) > 1 and not node.bare else WIDEST_SINGLE_LINE)
            found += [f"node {node.id} {fault}" for fault in _faults_of_text(node.lines, said, room)]
    for edge in layout.edges:
        said = clean_label(edge.label or "")
        if said:
            faults = _faults_of_text(edge.label_lines, said, WIDEST_EDGE_LABEL)
            found += [f"the label of edge {edge.index} {fault}" for fault in faults]
    return found


def _faults_of_text(lines: tuple[str, ...], said: str, room: int) -> list[str]:
    shown, whole = ("".join("".join(text).split()) for text in (lines, said))
    found: list[str] = []
    if not shown:
        found.append("is empty")
    if any(wcswidth(line) > room for line in lines):
        found.append("is too wide")
    if shown == whole:
        return found
    kept = shown.removesuffix("…")
    if kept == shown or not whole.startswith(kept):
        found.append("says something else")
    elif wcswidth(kept) < LEAST_KEPT:
        found.append("is cut to next to nothing")
    return found


def crossings(layout: Layout) -> int:
    """How often two edges cross, counted for each pair of edges and each cell."""
    return sum(len(_crossing_cells(a, b)) for a, b in combinations(layout.edges, 2))


def walk(edge: PlacedEdge) -> list[Point]:
    cells = [edge.path[0]]
    for (x, y), (to_x, to_y) in pairwise(edge.path):
        assert x == to_x or y == to_y, "a line runs aslant"
        count = abs(to_x - x) + abs(to_y - y)
        cells.extend((x + (to_x - x) * i // count, y + (to_y - y) * i // count) for i in range(1, count + 1))
    return cells


def _box(node: PlacedNode) -> list[Point]:
    return [(node.x + i, node.y + j) for i in range(node.width) for j in range(node.height)]


def _label(edge: PlacedEdge) -> list[Point]:
    if edge.label_at is None:
        return []
    x, y = edge.label_at
    return [(x + i, y + j) for j, line in enumerate(edge.label_lines) for i in range(max(1, wcswidth(line)))]


def _touches(cell: Point, node: PlacedNode) -> bool:
    """Whether a cell lies beside a box, and not beside one of its corners only."""
    x, y = cell
    beside = x in (node.x - 1, node.x + node.width) and node.y <= y < node.y + node.height
    over = y in (node.y - 1, node.y + node.height) and node.x <= x < node.x + node.width
    return beside or over


def _path_faults(edge: PlacedEdge, layout: Layout, boxes: dict[Point, str]) -> list[str]:
    name = f"edge {edge.index} {edge.src} -> {edge.dst}"
    cells = walk(edge)
    found: list[str] = []
    if hit := {boxes[cell] for cell in cells if cell in boxes}:
        found.append(f"{name} runs through {sorted(hit)}")
    if len(set(cells)) != len(cells):
        found.append(f"{name} runs over itself")
    if not _touches(cells[0], layout.nodes[edge.src]):
        found.append(f"{name} does not begin at its node")
    if not _touches(cells[-1], layout.nodes[edge.dst]):
        found.append(f"{name} does not end at its node")
    if len(cells) > 1 and not _straight_into(cells, layout.nodes[edge.dst]):
        found.append(f"{name} has a bend in place of its arrowhead")
    return found


def _straight_into(cells: list[Point], node: PlacedNode) -> bool:
    (x, y), (end_x, end_y) = cells[-2:]
    beyond = (2 * end_x - x, 2 * end_y - y)
    return node.x <= beyond[0] < node.x + node.width and node.y <= beyond[1] < node.y + node.height


def _label_faults(layout: Layout, boxes: dict[Point, str]) -> list[str]:
    found: list[str] = []
    lines: dict[Point, int] = {}
    for edge in layout.edges:
        for cell in walk(edge):
            lines[cell] = edge.index
    taken: dict[Point, int] = {}
    for edge in layout.edges:
        own = set(walk(edge))
        cells = _label(edge)
        if bool(edge.label and edge.label.strip()) is not bool(cells):
            found.append(f"edge {edge.index} lacks its label or has one too many")
        for cell in cells:
            if cell in boxes or cell in lines or cell in taken:
                what = boxes.get(cell) or f"edge {lines.get(cell, taken.get(cell))}"
                found.append(f"the label of edge {edge.index} lies over {what}")
                break
        taken.update(dict.fromkeys(cells, edge.index))
        if cells and not any((x + i, y + j) in own for x, y in cells for i in (-2, -1, 0, 1, 2) for j in (-1, 0, 1)):
            found.append(f"the label of edge {edge.index} is not beside it")
    return found


def _passes(cells: list[Point], at: int) -> str | None:
    """`-` or `|` where a path runs straight through a cell, None where it begins, ends or turns."""
    if not 0 < at < len(cells) - 1:
        return None
    (x, y), (to_x, to_y) = cells[at - 1], cells[at + 1]
    return "-" if y == to_y else "|" if x == to_x else None


def _crossing_cells(first: PlacedEdge, second: PlacedEdge) -> Cells:
    a, b = walk(first), walk(second)
    shared = set(a) & set(b)
    return {cell for cell in shared if {_passes(a, a.index(cell)), _passes(b, b.index(cell))} == {"-", "|"}}


def _sharing_faults(first: PlacedEdge, second: PlacedEdge) -> list[str]:
    a, b = walk(first), walk(second)
    shared = set(a) & set(b)
    if not shared:
        return []
    if first.dst == second.dst:
        together = 0
        while together < min(len(a), len(b)) and a[-1 - together] == b[-1 - together]:
            together += 1
        shared -= set(a[len(a) - together :])
    if first.src == second.src and first.dst != second.dst:  # a fork
        together = 0
        while together < min(len(a), len(b)) and a[together] == b[together]:
            together += 1
        shared -= set(a[:together])
    bad = shared - _crossing_cells(first, second)
    if not bad:
        return []
    names = " and ".join(f"{edge.index} {edge.src} -> {edge.dst}" for edge in (first, second))
    return [f"edges {names} share {sorted(bad)[:4]}"]


def _fork_faults(layout: Layout) -> list[str]:
    """Where a fork may be read wrongly: a label beside the shared part alone, a turn in the crossing of others."""
    found: list[str] = []
    owners: dict[tuple[str, Point], set[str]] = {}
    straight: dict[Point, set[str | None]] = {}
    for edge in layout.edges:
        cells = walk(edge)
        for at, cell in enumerate(cells):
            owners.setdefault((edge.src, cell), set()).add(edge.dst)
            straight.setdefault(cell, set()).add(_passes(cells, at))
    for edge in layout.edges:
        cells = walk(edge)
        turns = [cell for at, cell in enumerate(cells[1:-1], 1) if _passes(cells, at) is None]
        if hidden := [cell for cell in turns if {"-", "|"} <= straight[cell]]:
            found.append(f"edge {edge.index} turns in the crossing of others at {hidden}")
        own = {cell for cell in cells if len(owners[edge.src, cell]) == 1} or set(cells)
        label = _label(edge)
        if label and not any((x + i, y + j) in own for x, y in label for i in (-2, -1, 0, 1, 2) for j in (-1, 0, 1)):
            found.append(f"the label of edge {edge.index} is beside a part that the other ways share")
    return found
