"""The characters of boxes, lines and arrows. Line weights make the taken path visible without colour."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kimi_tui.flow.layout.cell_text import cell_width
from kimi_tui.flow.layout.geometry import GLYPH_CELLS, PlacedNode, Point
from kimi_tui.flow.model.graph import NodeKind
from kimi_tui.flow.render.chart_style import LineKind, NodeStyle

NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8
SIDES = (NORTH, EAST, SOUTH, WEST)
STEPS = {(0, -1): NORTH, (1, 0): EAST, (0, 1): SOUTH, (-1, 0): WEST}
OPPOSITE = {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}

# Index: the sum of each arm's weight (0 none, 1 light, 2 heavy) times 1 for north, 3 east, 9 south, 27 west.
_WEIGHTS = " ╵╹╶╰┖╺┕┗╷│╿╭├┞┍┝┡╻╽┃┎┟┠┏┢┣╴╯┚─┴┸╼┶┺╮┤┦┬┼╀┮┾╄┒┧┨┰╁╂┲╆╊╸┙┛╾┵┹━┷┻┑┥┩┭┽╃┯┿╇┓┪┫┱╅╉┳╈╋"
_DOUBLE = " ║═╚║║╔╠═╝═╩╗╣╦╬"
_DASHED = {NORTH: "╏", SOUTH: "╏", NORTH | SOUTH: "╏", EAST: "╍", WEST: "╍", EAST | WEST: "╍"}
_ASCII: dict[LineKind, tuple[str, str]] = {
    "light": ("|", "-"),
    "heavy": ("!", "="),
    "double": ("H", "~"),
    "dashed": (":", "."),
}
_ARROWS = {NORTH: "▲", EAST: "▶", SOUTH: "▼", WEST: "◀"}
_OPEN_ARROWS = {NORTH: "△", EAST: "▷", SOUTH: "▽", WEST: "◁"}
"""Of a branch that may be taken now: the head is filled once it is taken."""
_ASCII_ARROWS = {NORTH: "^", EAST: ">", SOUTH: "v", WEST: "<"}

_ORDER: tuple[LineKind, ...] = ("dashed", "light", "heavy", "double")
_THICK = frozenset({"heavy", "double", "dashed"})


@dataclass(frozen=True, slots=True)
class _Frame:
    """A border's characters: corners clockwise from the upper left, sides, and the exits of lines to N, E, S, W."""

    corners: str
    across: str
    upright: str
    leaving: str


_ROUND = _Frame("╭╮╯╰", "─", "│", "┴├┬┤")
_SQUARE = _Frame("┌┐┘└", "─", "│", "┴├┬┤")
_DECISION = _Frame("╱╲╱╲", "─", "│", "┴├┬┤")
_HEAVY = _Frame("┏┓┛┗", "━", "┃", "┷┠┯┨")
_HEAVY_DECISION = _Frame("╱╲╱╲", "━", "┃", "┷┠┯┨")
_DOUBLE_FRAME = _Frame("╔╗╝╚", "═", "║", "╧╟╤╢")
_DOUBLE_DECISION = _Frame("╱╲╱╲", "═", "║", "╧╟╤╢")
_ASCII_SQUARE = _Frame("++++", "-", "|", "++++")
_ASCII_ROUND = _Frame("....", "-", "|", "++++")
_ASCII_DECISION = _Frame("/\\/\\", "-", "|", "++++")
_ASCII_HEAVY = _Frame("++++", "=", "!", "++++")
_ASCII_HEAVY_DECISION = _Frame("/\\/\\", "=", "!", "++++")
_ASCII_SELECTED = _Frame("++++", "~", "H", "++++")
_ASCII_SELECTED_DECISION = _Frame("/\\/\\", "~", "H", "++++")

_CAPS = {NodeKind.BEGIN: "()", NodeKind.END: "()", NodeKind.TASK: "[]", NodeKind.DECISION: "◆◆"}
_ASCII_CAPS = {**_CAPS, NodeKind.DECISION: "<>"}
"""The ends of a box without a border. A selected box has both twice, as one with a border has a double one."""

Exits = Mapping[Point, int]
"""Exits of lines from a box: cells of its border, relative to its upper left one, and the direction."""


@dataclass(frozen=True, slots=True)
class BoxText:
    """Adjacent cells of a box. `glyph` marks the sign before its text."""

    text: str
    glyph: bool = False


def line_char(arms: Mapping[int, LineKind], *, ascii: bool = False) -> str:  # noqa: A002 - the option's name everywhere
    """The character of a cell with lines to these sides."""
    mask = sum(arms)
    kinds = set(arms.values())
    if ascii:
        return _ascii_line(mask, kinds)
    if kinds == {"double"}:
        return _DOUBLE[mask]
    if kinds == {"dashed"} and mask in _DASHED:
        return _DASHED[mask]
    number, place_value = 0, 1
    for side in SIDES:
        if side in arms:
            number += place_value * (2 if arms[side] in _THICK else 1)
        place_value *= 3
    return _WEIGHTS[number]


def arrow_char(side: int, kind: LineKind = "light", *, ascii: bool = False) -> str:  # noqa: A002
    """The head, pointing to this side, of a line of this kind."""
    if ascii:
        return _ASCII_ARROWS[side]
    return (_OPEN_ARROWS if kind == "dashed" else _ARROWS)[side]


def line_sample(kind: LineKind, *, ascii: bool = False) -> str:  # noqa: A002
    """A piece of a line of this kind with its head, for a legend."""
    return line_char({EAST: kind, WEST: kind}, ascii=ascii) + arrow_char(EAST, kind, ascii=ascii)


def ascii_text(text: str) -> str:
    """Replace the symbols that kimi-tui adds, such as `…` and `×`, with ASCII of the same width."""
    return text.replace("…", "~").replace("×", "x")


def box_side(node: PlacedNode, point: Point) -> int:
    """The side of a box that an adjacent cell is on."""
    x, y = point
    if y < node.y:
        return NORTH
    if y >= node.y + node.height:
        return SOUTH
    return EAST if x >= node.x + node.width else WEST


def draw_box(
    node: PlacedNode,
    style: NodeStyle,
    exits: Exits,
    *,
    ascii: bool = False,  # noqa: A002 - the option's name everywhere
    sign: str = "",
) -> list[list[BoxText]]:
    """A box's rows, each exactly as wide as the box; a compact one has `sign` before its text."""
    if node.bare:
        rows = [
            _capped(left, _text_with_sign(node, sign if row == 0 else "", row), right)
            for row, (left, right) in enumerate(_caps(node, style, ascii=ascii))
        ]
    else:
        rows = _draw_frame(node, exits, _frame(node.kind, style, ascii=ascii))
    return [[BoxText(ascii_text(cells.text), cells.glyph) for cells in row] for row in rows] if ascii else rows


def _draw_frame(node: PlacedNode, exits: Exits, frame: _Frame) -> list[list[BoxText]]:
    rows: list[list[BoxText]] = []
    last = node.height - 1
    offset = (node.height - 2 - len(node.lines)) // 2
    for row in range(node.height):
        if row in (0, last):
            first, second = (0, 1) if row == 0 else (3, 2)
            border = [frame.corners[first], *frame.across * (node.width - 2), frame.corners[second]]
            for (x, y), side in exits.items():
                if y == row and 0 < x < node.width - 1:
                    border[x] = frame.leaving[SIDES.index(side)]
            rows.append([BoxText("".join(border))])
            continue
        sides = [frame.upright, frame.upright]
        for (_, y), side in exits.items():
            if y == row and side in (EAST, WEST):
                sides[side == EAST] = frame.leaving[SIDES.index(side)]
        rows.append([BoxText(sides[0]), BoxText(_centred(node, row - 1 - offset)), BoxText(sides[1])])
    return rows


def _centred(node: PlacedNode, index: int) -> str:
    text = node.lines[index] if 0 <= index < len(node.lines) else ""
    free = node.width - 2 - cell_width(text)
    return " " * (free // 2) + text + " " * (free - free // 2)


def _caps(node: PlacedNode, style: NodeStyle, *, ascii: bool) -> list[tuple[str, str]]:  # noqa: A002
    """The left and right end of each row of a box without a border: several rows have the corners of a frame."""
    times = 2 if style.selected else 1
    if node.height == 1:
        left, right = (_ASCII_CAPS if ascii else _CAPS)[node.kind]
        return [(left * times, right * times)]
    if style.selected and not ascii and node.kind is not NodeKind.DECISION:
        times = 1  # it has double corners
    else:
        style = replace(style, selected=False)
    frame = _frame(node.kind, style, ascii=ascii)
    upper, lower = frame.corners[:2], frame.corners[:1:-1]
    rows = [upper, *[frame.upright * 2] * (node.height - 2), lower]
    return [(left * times, right * times) for left, right in rows]


def _capped(left: str, cells: Sequence[BoxText], right: str) -> list[BoxText]:
    """A row with its ends; what they have more than a cell covers the blanks beside the text."""
    inside = list(cells)
    for at, extra in ((0, len(left) - 1), (-1, len(right) - 1)):
        text = inside[at].text
        inside[at] = BoxText(text[extra:] if at == 0 else text[: len(text) - extra], inside[at].glyph)
    return [BoxText(left), *inside, BoxText(right)]


def _text_with_sign(node: PlacedNode, sign: str, row: int) -> list[BoxText]:
    """A row of the inside of a compact box, which has no border for the sign."""
    if not sign.strip():
        return [BoxText(_centred(node, row - (node.height - len(node.lines)) // 2))]
    text = node.lines[0] if len(node.lines) == node.height else ""
    slot = 0 if node.kind in (NodeKind.BEGIN, NodeKind.END) else 1 + cell_width(sign)
    left = max(int(slot == GLYPH_CELLS), (node.width - 2 - slot - cell_width(text)) // 2) if slot else 0
    tail = " " * (node.width - 3 - cell_width(sign) - left - cell_width(text))
    lead = [BoxText(" " * left)] if left else []
    return [*lead, BoxText(sign, glyph=True), BoxText(" " + text + tail)]


def free_cells_inside(node: PlacedNode, style: NodeStyle) -> int:
    """The cells for the sign of a compact box, and what is told beside it, in the first row."""
    text = node.lines[0] if len(node.lines) == node.height else ""
    return node.width - (5 if style.selected else 3) - cell_width(text)


def _frame(kind: NodeKind, style: NodeStyle, *, ascii: bool) -> _Frame:  # noqa: A002
    decision, end = kind is NodeKind.DECISION, kind in (NodeKind.BEGIN, NodeKind.END)
    if style.selected:
        if ascii:
            return _ASCII_SELECTED_DECISION if decision else _ASCII_SELECTED
        return _DOUBLE_DECISION if decision else _DOUBLE_FRAME
    if style.current:
        if ascii:
            return _ASCII_HEAVY_DECISION if decision else _ASCII_HEAVY
        return _HEAVY_DECISION if decision else _HEAVY
    if ascii:
        return _ASCII_DECISION if decision else _ASCII_ROUND if end else _ASCII_SQUARE
    return _DECISION if decision else _ROUND if end else _SQUARE


def _ascii_line(mask: int, kinds: set[LineKind]) -> str:
    upright, across = _ASCII[max(kinds, key=_ORDER.index)]
    if mask & (NORTH | SOUTH) == mask:
        return upright
    return across if mask & (EAST | WEST) == mask else "+"
