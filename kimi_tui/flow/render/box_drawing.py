"""Box-drawing characters with mixed weights, so that the taken path is visible without colour."""

from kimi_tui.ui.tui.flow_pane.style_model import LineKind

NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8
_SIDES = (NORTH, EAST, SOUTH, WEST)

# Index: the sum of each arm's weight (0 none, 1 light, 2 heavy) times 1 for north, 3 east, 9 south, 27 west.
_WEIGHTS = " ╵╹╶╰┖╺┕┗╷│╿╭├┞┍┝┡╻╽┃┎┟┠┏┢┣╴╯┚─┴┸╼┶┺╮┤┦┬┼╀┮┾╄┒┧┨┰╁╂┲╆╊╸┙┛╾┵┹━┷┻┑┥┩┭┽╃┯┿╇┓┪┫┱╅╉┳╈╋"
_DOUBLE = " ║═╚║║╔╠═╝═╩╗╣╦╬"
_DASHED = {NORTH: "┆", SOUTH: "┆", NORTH | SOUTH: "┆", EAST: "┄", WEST: "┄", EAST | WEST: "┄"}
_ASCII: dict[LineKind, tuple[str, str, str]] = {
    "light": ("|", "-", "+"),
    "heavy": ("!", "=", "#"),
    "double": ("H", "~", "@"),
    "dashed": (":", ".", "+"),
}
_ARROWS = {NORTH: "▲", EAST: "▶", SOUTH: "▼", WEST: "◀"}
_ASCII_ARROWS = {NORTH: "^", EAST: ">", SOUTH: "v", WEST: "<"}

_ORDER: tuple[LineKind, ...] = ("dashed", "light", "heavy", "double")
_THICK = frozenset({"heavy", "double"})


def line_char(arms: dict[int, LineKind], *, ascii: bool = False) -> str:  # noqa: A002 - the name of the option everywhere
    """The character of a cell with lines to these sides."""
    mask = sum(arms)
    kinds = set(arms.values())
    if ascii:
        return _ascii_sign(mask, kinds)
    if kinds == {"double"}:
        return _DOUBLE[mask]
    if kinds == {"dashed"} and mask in _DASHED:
        return _DASHED[mask]
    number, place = 0, 1
    for side in _SIDES:
        if side in arms:
            number += place * (2 if arms[side] in _THICK else 1)
        place *= 3
    return _WEIGHTS[number]


def arrow_char(side: int, *, ascii: bool = False) -> str:  # noqa: A002
    """The arrow head that points to this side."""
    return (_ASCII_ARROWS if ascii else _ARROWS)[side]


def _ascii_sign(mask: int, kinds: set[LineKind]) -> str:
    upright, across, other = _ASCII[max(kinds, key=_ORDER.index)]
    if mask & (NORTH | SOUTH) == mask:
        return upright
    return across if mask & (EAST | WEST) == mask else other
