"""Renders a layout as rows of characters, in runs that know their owner.

Invariant: places never depend on state: a box reserves two cells for the glyph of its node's state, and visits are in
its upper border. So a change of state redraws one box's rows, with `draw_node`, and moves nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import itemgetter
from typing import Literal

from kimi_tui.flow.layout.cell_text import cell_width
from kimi_tui.flow.layout.geometry import GLYPH_CELLS, Layout, PlacedEdge, PlacedNode, Point
from kimi_tui.flow.model.graph import NodeKind

Part = Literal["node", "edge", "label"]


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of cells: a node (its id is `node`), or an edge or its label (its index is `edge`)."""

    part: Part
    node: str = ""
    edge: int = -1


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring cells of one owner; `owner` is None for blank cells. `glyph` marks a state's glyph."""

    text: str
    owner: Owner | None = None
    glyph: bool = False


@dataclass(frozen=True, slots=True)
class NodeLook:
    """The look of a node: the glyph before its text (one cell), the number of visits, whether it is current."""

    glyph: str = " "
    visits: int = 0
    current: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """The rendered rows; `rows[y]` fills the layout's whole width."""

    width: int
    height: int
    rows: tuple[tuple[Run, ...], ...]

    def __str__(self) -> str:
        return "\n".join("".join(run.text for run in row).rstrip() for row in self.rows)


@dataclass(frozen=True, slots=True)
class _Frame:
    """A border's characters: corners clockwise from the upper left, sides, and the exits of lines to N, E, S, W."""

    corners: str
    across: str
    upright: str
    leaving: str


_ROUND = _Frame("╭╮╯╰", "─", "│", "┴├┬┤")
_SQUARE = _Frame("┌┐┘└", "─", "│", "┴├┬┤")
_DECISION = _Frame("◆◆◆◆", "─", "│", "┴├┬┤")
_HEAVY = _Frame("┏┓┛┗", "━", "┃", "┷┠┯┨")
_HEAVY_DECISION = _Frame("◆◆◆◆", "━", "┃", "┷┠┯┨")
_ASCII = _Frame("++++", "-", "|", "++++")
_ASCII_ROUND = _Frame("....", "-", "|", "++++")
_ASCII_DECISION = _Frame("<>><", "-", "|", "++++")
_ASCII_HEAVY = _Frame("####", "=", "#", "++++")

_CAPS = {NodeKind.BEGIN: "()", NodeKind.END: "()", NodeKind.TASK: "[]", NodeKind.DECISION: "◆◆"}

NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8
_LINES = " ╵╶╰╷│╭├╴╯─┴╮┤┬┼"
_ASCII_LINES = " |-+||++-+-++++" + "+"
_ARROWS = {NORTH: "▲", EAST: "▶", SOUTH: "▼", WEST: "◀"}
_ASCII_ARROWS = {NORTH: "^", EAST: ">", SOUTH: "v", WEST: "<"}
_STEPS = {(0, -1): NORTH, (1, 0): EAST, (0, 1): SOUTH, (-1, 0): WEST}
_SIDES = (NORTH, EAST, SOUTH, WEST)
_OPPOSITE = {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}


Exits = Mapping[Point, int]
"""Exits of lines from a box: cells of its border, relative to its upper left one, and the direction."""


def render_text(
    layout: Layout,
    *,
    ascii: bool = False,  # noqa: A002 - the name of the option everywhere
    states: Mapping[str, NodeLook] | None = None,
    taken: Sequence[int] = (),
) -> Drawing:
    """Draw the whole layout. Without `states` the text is in the middle of its box.

    Cells that several lines share belong to the last edge in `taken` that uses them, else to the first edge.
    """
    canvas = _Canvas(layout.width, layout.height)
    masks, owners = line_cells(layout, taken)
    exits = exits_of(layout)
    signs = {cell: (_ASCII_LINES if ascii else _LINES)[mask] for cell, mask in masks.items()}
    for edge in layout.edges:
        signs[edge.path[-1]] = (_ASCII_ARROWS if ascii else _ARROWS)[_arrow(edge, layout.nodes[edge.dst])]
        if edge.label_at:
            label = Owner("label", edge=edge.index)
            for row, line in enumerate(edge.label_lines):
                canvas.put(edge.label_at[0], edge.label_at[1] + row, Run(_in_ascii(line) if ascii else line, label))
    lines = [Owner("edge", edge=edge.index) for edge in layout.edges]
    for (x, y), sign in signs.items():
        canvas.put(x, y, Run(sign, lines[owners[x, y]]))
    for node in layout.nodes.values():
        look = None if states is None else states.get(node.id, NodeLook())
        for row, runs in enumerate(draw_node(node, look, exits.get(node.id, {}), ascii=ascii)):
            x = node.x
            for run in runs:
                canvas.put(x, node.y + row, replace(run, text=_in_ascii(run.text)) if ascii else run)
                x += cell_width(run.text)
    return canvas.drawing()


def _in_ascii(text: str) -> str:
    """Our own symbols in ASCII, with the same width; words stay the same."""
    return text.replace("…", "~").replace("×", "x")


def line_cells(layout: Layout, taken: Sequence[int] = ()) -> tuple[dict[Point, int], dict[Point, int]]:
    """For each cell of a line: the connected directions (bits NORTH to WEST), and the edge that owns it."""
    masks: dict[Point, int] = {}
    owners: dict[Point, int] = {}
    for edge in layout.edges:
        path = edge.cells
        for cell in path:
            owners.setdefault(cell, edge.index)
        for (x, y), (to_x, to_y) in pairwise(path):
            step = _STEPS[to_x - x, to_y - y]
            masks[x, y] = masks.get((x, y), 0) | step
            masks[to_x, to_y] = masks.get((to_x, to_y), 0) | _OPPOSITE[step]
        masks[path[0]] = masks.get(path[0], 0) | _OPPOSITE[_side_of(layout.nodes[edge.src], path[0])]
    for index in taken:
        for cell in layout.edges[index].cells:
            owners[cell] = index
    return masks, owners


def _side_of(node: PlacedNode, point: Point) -> int:
    """The side of a box that an adjacent cell is on."""
    x, y = point
    if y < node.y:
        return NORTH
    if y >= node.y + node.height:
        return SOUTH
    return EAST if x >= node.x + node.width else WEST


def _arrow(edge: PlacedEdge, target: PlacedNode) -> int:
    return _OPPOSITE[_side_of(target, edge.path[-1])]


def exits_of(layout: Layout) -> dict[str, dict[Point, int]]:
    """For each node the exits of lines from its box."""
    found: dict[str, dict[Point, int]] = {}
    for edge in layout.edges:
        node = layout.nodes[edge.src]
        x, y = edge.path[0]
        side = _side_of(node, edge.path[0])
        step_x, step_y = {NORTH: (0, 1), EAST: (-1, 0), SOUTH: (0, -1), WEST: (1, 0)}[side]
        found.setdefault(node.id, {})[x + step_x - node.x, y + step_y - node.y] = side
    return found


def draw_node(node: PlacedNode, look: NodeLook | None, exits: Exits, *, ascii: bool = False) -> list[list[Run]]:  # noqa: A002
    """A box's rows, each exactly as wide as the box. Without a `look` the text is in the middle."""
    owner = Owner("node", node.id)
    if node.height == 1:
        left, right = _CAPS[node.kind] if not ascii else ("<>" if node.kind is NodeKind.DECISION else _CAPS[node.kind])
        return [[Run(left, owner), *_text_runs(node, 0, look, owner), Run(right, owner)]]
    frame = _frame(node.kind, current=look is not None and look.current, ascii=ascii)
    rows: list[list[Run]] = []
    last = node.height - 1
    offset = (node.height - 2 - len(node.lines)) // 2
    for row in range(node.height):
        if row in (0, last):
            first, second = (0, 1) if row == 0 else (3, 2)
            border = [frame.corners[first], *frame.across * (node.width - 2), frame.corners[second]]
            for (x, y), side in exits.items():
                if y == row and 0 < x < node.width - 1:
                    border[x] = frame.leaving[_SIDES.index(side)]
            if row == 0 and look is not None and look.visits > 1:
                _write_visits(border, f"{'x' if ascii else '×'}{look.visits}", frame.across)
            rows.append([Run("".join(border), owner)])
            continue
        sides = [frame.upright, frame.upright]
        for (_, y), side in exits.items():
            if y == row and side in (EAST, WEST):
                sides[side == EAST] = frame.leaving[_SIDES.index(side)]
        inner = _text_runs(node, row - 1 - offset, look, owner)
        rows.append([Run(sides[0], owner), *inner, Run(sides[1], owner)])
    return rows


def _text_runs(node: PlacedNode, index: int, look: NodeLook | None, owner: Owner) -> list[Run]:
    inner = node.width - 2
    text = node.lines[index] if 0 <= index < len(node.lines) else ""
    free = inner - cell_width(text)
    ends = node.kind in (NodeKind.BEGIN, NodeKind.END)
    if look is None or (ends and look.glyph == " "):
        left = free // 2
        return [Run(" " * left + text + " " * (free - left), owner)]
    slot = 0 if ends else GLYPH_CELLS
    widest = max(cell_width(line) for line in node.lines)
    left = max(1, (inner - slot - widest) // 2)
    if index != 0 or ends:
        return [Run(" " * (left + slot) + text + " " * (free - left - slot), owner)]
    pad = [Run(" " * (left - 1), owner)] if left > 1 else []
    return [
        Run(" ", owner),
        *pad,
        Run(look.glyph, owner, glyph=True),
        Run(" " + text + " " * (free - left - slot), owner),
    ]


def _write_visits(border: list[str], text: str, across: str) -> None:
    """Write the visits into the free part of an upper border, as far right as possible."""
    for start in range(len(border) - 2 - len(text), 0, -1):
        if all(border[start + i] == across for i in range(len(text))):
            border[start : start + len(text)] = text
            return


def _frame(kind: NodeKind, *, current: bool, ascii: bool) -> _Frame:  # noqa: A002
    decision, end = kind is NodeKind.DECISION, kind in (NodeKind.BEGIN, NodeKind.END)
    if ascii:
        return _ASCII_HEAVY if current else _ASCII_DECISION if decision else _ASCII_ROUND if end else _ASCII
    if current:
        return _HEAVY_DECISION if decision else _HEAVY
    return _DECISION if decision else _ROUND if end else _SQUARE


class _Canvas:
    """Collects pieces of text that do not overlap, in any order."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._rows: list[list[tuple[int, Run]]] = [[] for _ in range(height)]

    def put(self, x: int, y: int, run: Run) -> None:
        self._rows[y].append((x, run))

    def drawing(self) -> Drawing:
        """All rows, with blanks between the pieces; neighbouring pieces of one owner are merged."""
        rows: list[tuple[Run, ...]] = []
        for pieces in self._rows:
            pieces.sort(key=itemgetter(0))
            runs: list[Run] = []
            texts: list[str] = []
            owner, glyph, at = None, False, 0
            for x, run in pieces:
                if x > at:
                    runs += [Run("".join(texts), owner, glyph)] if texts else []
                    runs.append(Run(" " * (x - at)))
                    texts = []
                elif texts and (run.owner is not owner or run.glyph is not glyph):
                    runs.append(Run("".join(texts), owner, glyph))
                    texts = []
                owner, glyph = run.owner, run.glyph
                texts.append(run.text)
                at = x + cell_width(run.text)
            runs += [Run("".join(texts), owner, glyph)] if texts else []
            runs += [Run(" " * (self.width - at))] if at < self.width else []
            rows.append(tuple(runs))
        return Drawing(self.width, self.height, tuple(rows))
