"""A layout as rows of styled spans. A change redraws only the rows of the changed nodes and edges.

Positions do not depend on styles: the sign, labels and notes go into a box's borders if they fit (a compact box
reserves room for its sign), and a line changes its weight, not its route.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kimi_tui.flow.layout.cell_text import cell_width
from kimi_tui.flow.layout.geometry import Layout, PlacedEdge, PlacedNode, Point
from kimi_tui.flow.layout.layered_graph import too_large
from kimi_tui.flow.model.graph import NodeKind
from kimi_tui.flow.render.box_drawing import (
    OPPOSITE,
    SIDES,
    STEPS,
    arrow_char,
    ascii_text,
    box_side,
    draw_box,
    free_cells_inside,
    line_char,
)
from kimi_tui.flow.render.chart_style import ChartStyle, EdgeStyle, LineKind, NodeStyle, Role

_INTO = {OPPOSITE[side]: step for step, side in STEPS.items()}
"""From a cell beside a box into it, by the side of the box that the cell is on."""
_MOST_LINE_CELLS = 250_000
"""A drawing of so many cells of lines takes over 100 MB and is many screens wide, so that nobody can follow its lines.
A chart of 800 nodes with two or three ways out each has as many.
"""
_STRENGTH: dict[LineKind, int] = {"light": 0, "dashed": 1, "heavy": 2, "double": 3}
_ACROSS = frozenset("─━═-=~")


@dataclass(frozen=True, slots=True)
class StyledSpan:
    """Adjacent cells with one style. `node` or `edge` (-1: none) is the click target."""

    text: str
    role: Role = "plain"
    bold: bool = False
    marked: bool = False
    node: str = ""
    edge: int = -1
    tinted: bool = False
    """Whether the span is inside a decision, which has its own background."""


class ChartCanvas:
    """Draws a layout, a row at a time. Raises ChartTooLargeError if its lines are too long in total."""

    def __init__(self, layout: Layout, *, ascii: bool = False) -> None:  # noqa: A002 - the name of the option everywhere
        if layout.line_cells > _MOST_LINE_CELLS:  # defence: bound-line-cells
            raise too_large(len(layout.nodes), len(layout.edges))
        self.layout = layout
        self._ascii = ascii
        self._exits: dict[str, dict[Point, int]] = {}
        self._arms: dict[Point, list[tuple[int, int]]] = {}
        self._heads: dict[Point, int] = {}
        self._nodes_of: list[list[PlacedNode]] = [[] for _ in range(layout.height)]
        self._lines_of: list[list[int]] = [[] for _ in range(layout.height)]
        self._labels_of: list[list[tuple[int, PlacedEdge, int]]] = [[] for _ in range(layout.height)]
        self._node_cache: dict[str, tuple[NodeStyle, list[list[StyledSpan]]]] = {}
        for node in layout.nodes.values():
            for y in range(node.y, node.y + node.height):
                self._nodes_of[y].append(node)
        for edge in layout.edges:
            self._take_line(edge)
            if edge.label_at is not None:
                for number in range(len(edge.label_lines)):
                    self._labels_of[edge.label_at[1] + number].append((edge.label_at[0], edge, number))
        for x, y in self._arms:
            self._lines_of[y].append(x)
        self._free_cells = {node.id: self._count_free_cells(node) for node in layout.nodes.values() if node.bare}

    @property
    def width(self) -> int:
        return self.layout.width

    @property
    def height(self) -> int:
        return self.layout.height

    def _take_line(self, edge: PlacedEdge) -> None:
        path = edge.cells
        masks = dict.fromkeys(path, 0)
        for (x, y), (to_x, to_y) in pairwise(path):
            side = STEPS[to_x - x, to_y - y]
            masks[x, y] |= side
            masks[to_x, to_y] |= OPPOSITE[side]
        source = self.layout.nodes[edge.src]
        leaving = box_side(source, path[0])
        masks[path[0]] |= OPPOSITE[leaving]
        step_x, step_y = _INTO[leaving]
        exits = self._exits.setdefault(source.id, {})
        exits[path[0][0] + step_x - source.x, path[0][1] + step_y - source.y] = leaving
        for cell, mask in masks.items():
            self._arms.setdefault(cell, []).append((edge.index, mask))
        self._heads[path[-1]] = OPPOSITE[box_side(self.layout.nodes[edge.dst], path[-1])]

    def rows_covered(self, nodes: Collection[str], edges: Collection[int]) -> set[int]:
        rows: set[int] = set()
        for node_id in nodes:
            if (node := self.layout.nodes.get(node_id)) is not None:
                rows.update(range(node.y, node.y + node.height))
        for index in edges:
            if 0 <= index < len(self.layout.edges):
                edge = self.layout.edges[index]
                rows.update(y for _, y in edge.cells)
                if edge.label_at is not None:
                    rows.update(range(edge.label_at[1], edge.label_at[1] + len(edge.label_lines)))
        return rows

    def row(self, y: int, style: ChartStyle) -> list[StyledSpan]:
        placed: list[tuple[int, int, list[StyledSpan]]] = []
        for node in self._nodes_of[y]:
            node_style = style.node(node.id)
            placed.append((node.x, node.width, self._node_rows(node, node_style)[y - node.y]))
            if node.bare and y == node.y and (beside := self._caption_beside(node, node_style)):
                size = sum(cell_width(span.text) for span in beside)
                placed.append((node.x + node.width, size, beside))
        for x, edge, number in self._labels_of[y]:
            text, edge_style = edge.label_lines[number], style.edge(edge.index)
            text = ascii_text(text) if self._ascii else text
            label = StyledSpan(text, edge_style.label_role, edge_style.bold, edge_style.marked, edge=edge.index)
            placed.append((x, cell_width(text), [label]))
        for x in self._lines_of[y]:
            placed.append((x, 1, [self._line(x, y, style)]))
        placed.sort(key=lambda entry: entry[0])
        self._count(y, placed, style)
        return _joined(placed, self.width)

    def _count(self, y: int, placed: list[tuple[int, int, list[StyledSpan]]], style: ChartStyle) -> None:
        """After a branch's label, draw how often the branch was taken, if the cells are free."""
        for index in range(len(placed) - 1, -1, -1):
            x, width, spans = placed[index]
            span = spans[0]
            if span.edge < 0 or len(spans) != 1 or (x, y) in self._arms:
                continue
            edge_style = style.edge(span.edge)
            edge = self.layout.edges[span.edge]
            last = edge.label_at is not None and y == edge.label_at[1] + len(edge.label_lines) - 1
            end = placed[index + 1][0] if index + 1 < len(placed) else self.width
            text = f" {edge_style.count}"
            if edge_style.count and last and x + width + cell_width(text) < end:
                count = StyledSpan(text, edge_style.role, edge=span.edge)
                placed.insert(index + 1, (x + width, cell_width(text), [count]))

    def _line(self, x: int, y: int, style: ChartStyle) -> StyledSpan:
        arms: dict[int, LineKind] = {}
        owner, edge_style = -1, EdgeStyle()
        for index, mask in self._arms[x, y]:
            this = style.edge(index)
            if owner < 0 or _STRENGTH[this.line] > _STRENGTH[edge_style.line]:
                owner, edge_style = index, this
            for side in SIDES:
                if mask & side and (side not in arms or _STRENGTH[this.line] > _STRENGTH[arms[side]]):
                    arms[side] = this.line
        head, kind = self._heads.get((x, y)), edge_style.line
        char = line_char(arms, ascii=self._ascii) if head is None else arrow_char(head, kind, ascii=self._ascii)
        return StyledSpan(char, edge_style.role, edge_style.bold, edge=owner)

    def _count_free_cells(self, node: PlacedNode) -> int:
        """The free cells to the right of a compact box in its first row, without the one before what follows."""
        y, end = node.y, node.x + node.width
        starts = (
            [other.x for other in self._nodes_of[y]] + [label[0] for label in self._labels_of[y]] + self._lines_of[y]
        )
        following = [start for start in starts if start >= end]
        return min(following) - end - 1 if following else self.width - end

    def free_cells_beside(self, node_id: str) -> int:
        """The cells to the right of a node's box that its state may be told in."""
        return max(0, self._free_cells.get(node_id, 0))

    def _captions(self, node: PlacedNode, node_style: NodeStyle) -> tuple[str, str]:
        """The sign inside a compact box, with the visits if only there is room, and the text beside the box.

        The text beside it is the visits and the first of the words and notes that fits.
        """
        if node.kind in (NodeKind.BEGIN, NodeKind.END):
            return "" if node_style.selected else node_style.sign.strip(), ""
        sign = node_style.sign.strip()
        visits = f"{'x' if self._ascii else '×'}{node_style.visits}" if node_style.visits > 1 else ""
        free = self.free_cells_beside(node.id)
        texts = (*node_style.words, *node_style.notes, "")
        if visits and sign and cell_width(sign + visits) <= free_cells_inside(node, node_style):
            text = next(text for text in texts if cell_width(text) < free or not text)
            return sign + visits, text
        for text in texts:
            together = " ".join(part for part in (visits, text) if part)
            if cell_width(together) < free:
                return sign, together
        return sign, next((text for text in texts if cell_width(text) < free), "")

    def _caption_beside(self, node: PlacedNode, node_style: NodeStyle) -> list[StyledSpan]:
        text = self._captions(node, node_style)[1]
        role = node_style.sign_role if node_style.current else "muted"
        return [StyledSpan(f" {text}", role, node=node.id)] if text else []

    def _node_rows(self, node: PlacedNode, node_style: NodeStyle) -> list[list[StyledSpan]]:
        cached = self._node_cache.get(node.id)
        if cached is None or cached[0] != node_style:
            cached = self._node_cache[node.id] = (node_style, self._draw_node(node, node_style))
        return cached[1]

    def _draw_node(self, node: PlacedNode, node_style: NodeStyle) -> list[list[StyledSpan]]:
        sign = self._captions(node, node_style)[0] if node.bare else ""
        rows = draw_box(node, node_style, self._exits.get(node.id, {}), ascii=self._ascii, sign=sign)
        out: list[list[StyledSpan]] = []
        for number, cells in enumerate(rows):
            ends = (0, len(cells) - 1) if node.bare and node_style.selected else ()
            spans = [
                StyledSpan(
                    part.text,
                    # The ends of a selected box without a border have the colour of the cursor in lists.
                    "accent" if index in ends else node_style.sign_role if part.glyph else node_style.role,
                    node_style.bold or node_style.selected,
                    node=node.id,
                    tinted=node.kind is NodeKind.DECISION and 0 < index < len(cells) - 1,
                )
                for index, part in enumerate(cells)
            ]
            if not node.bare and number == 0:
                spans = self._with_state(spans[0], node_style, node)
            elif not node.bare and number == node.height - 1:
                spans = self._with_notes(spans[0], node_style.notes, node)
            out.append(spans)
        return out

    def _with_state(self, border: StyledSpan, node_style: NodeStyle, node: PlacedNode) -> list[StyledSpan]:
        """An upper border with the sign, the visits and the first of the words that fits."""
        is_terminal = node.kind in (NodeKind.BEGIN, NodeKind.END)
        sign = node_style.sign.strip()
        times = "x" if self._ascii else "×"
        visits = f"{times}{node_style.visits}" if node_style.visits > 1 and not is_terminal else ""
        words = (*node_style.words, "") if not is_terminal else ("",)
        captions = [" ".join(part for part in (sign, visits, word) if part) for word in words]
        captions = [caption for caption in captions if caption]
        tight = [f"{sign}{visits}", sign, visits]
        for caption in (*(f" {caption} " for caption in captions), *captions, *(one for one in tight if one)):
            size = cell_width(caption)
            starts = range(1, len(border.text) - size)
            start = next((at for at in starts if _is_free(border.text, at, size)), None)
            if start is None:
                continue
            before, after = _part(border, border.text[:start]), _part(border, border.text[start + size :])
            if not sign or sign not in caption:
                return [before, _part(border, caption), after]
            lead, rest = caption.split(sign, 1)
            glyph = replace(_part(border, sign), role=node_style.sign_role)
            return [_part(border, before.text + lead), glyph, _part(border, rest + after.text)]
        return [border]

    def _with_notes(self, border: StyledSpan, notes: Sequence[str], node: PlacedNode) -> list[StyledSpan]:
        """A lower border with the first of the notes that fits, at its end."""
        if node.kind in (NodeKind.BEGIN, NodeKind.END):
            return [border]
        text = border.text
        for caption in (*(f" {note} " for note in notes), *notes):
            size = cell_width(caption)
            starts = range(len(text) - size - 1, 0, -1)
            start = next((at for at in starts if _is_free(text, at, size)), None)
            if start is not None:
                return [_part(border, text[:start]), _part(border, caption), _part(border, text[start + size :])]
        return [border]


def _is_free(text: str, start: int, size: int) -> bool:
    return all(char in _ACROSS for char in text[start : start + size])


def _part(border: StyledSpan, text: str) -> StyledSpan:
    return StyledSpan(text, border.role, border.bold, border.marked, border.node, border.edge)


def _joined(placed: Sequence[tuple[int, int, list[StyledSpan]]], width: int) -> list[StyledSpan]:
    """All spans of a row with the spaces between them; adjacent spans with one style are merged."""
    merged: list[StyledSpan] = []
    end_x = 0
    for x, size, spans in placed:
        if x > end_x:
            merged.append(StyledSpan(" " * (x - end_x)))
        for span in spans:
            last = merged[-1] if merged else None
            if last is not None and span.edge >= 0 and _same_look(last, span):
                merged[-1] = StyledSpan(last.text + span.text, span.role, span.bold, span.marked, edge=span.edge)
            else:
                merged.append(span)
        end_x = x + size
    if end_x < width:
        merged.append(StyledSpan(" " * (width - end_x)))
    return merged


def _same_look(entry: StyledSpan, second: StyledSpan) -> bool:
    return (entry.edge, entry.role, entry.bold, entry.marked) == (second.edge, second.role, second.bold, second.marked)
