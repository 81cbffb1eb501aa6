"""Enlarges boxes whose text is cut into the free cells beside them, and above and below them if the flow runs to the
right. Lines, labels and the other boxes stay in place.
"""

from dataclasses import replace

from kimi_tui.flow.layout.box_sizes import FRAME_CELLS, WIDEST_TEXT, box_lines
from kimi_tui.flow.layout.cell_text import ELLIPSIS, cell_width
from kimi_tui.flow.layout.geometry import GLYPH_CELLS, Layout, PlacedEdge, PlacedNode, Point
from kimi_tui.flow.model.graph import Flow, NodeKind

_LEFT, _RIGHT = -1, 1
_WIDEST_LINE = 100
"""The maximum width of the text of a box that has a single line."""
_PASSES = 3
"""The widening of a box may move the drawing, so that another box has room."""
_TALLEST = 24
"""The maximum lines of a box that has grown."""


def use_free_cells(layout: Layout, flow: Flow, width: int) -> Layout:
    """The layout with larger boxes where their text was cut, in a drawing of at most `width` columns."""
    for _ in range(_PASSES):
        cut = [node.id for node in layout.nodes.values() if _is_cut(node.lines)]
        if not cut or layout.width > width:
            break
        before, layout = layout, _BoxWidener(layout, flow, width).run(cut)
        if layout == before:
            return before
    return layout


def _is_cut(lines: tuple[str, ...]) -> bool:
    return any(ELLIPSIS in line for line in lines)


class _BoxWidener:
    def __init__(self, layout: Layout, flow: Flow, width: int) -> None:
        self._layout, self._flow = layout, flow
        spare = width - layout.width
        self._first, self._last = -(spare // 2), layout.width + spare - spare // 2 - 1
        self._nodes = dict(layout.nodes)
        self._edges = list(layout.edges)
        self._rows: list[dict[int, str | int]] = [{} for _ in range(layout.height)]
        """What is in the cells of each row: a node's id, or the index of an edge, -1 for a label or several edges."""
        for edge in layout.edges:
            for x, y in edge.cells:
                self._rows[y][x] = edge.index if self._rows[y].get(x, edge.index) == edge.index else -1
            if edge.label_at is not None:
                for number, line in enumerate(edge.label_lines):
                    for x in range(edge.label_at[0], edge.label_at[0] + cell_width(line)):
                        self._rows[edge.label_at[1] + number][x] = -1
        for node in layout.nodes.values():
            self._fill(node)

    def run(self, cut: list[str]) -> Layout:
        for is_fair in (True, False):
            for node_id in cut:
                if _is_cut(self._nodes[node_id].lines):
                    self._widen(self._nodes[node_id], is_fair=is_fair)
        if self._layout.direction == "LR" and self._layout.mode == "full":
            for node_id in cut:
                if _is_cut(self._nodes[node_id].lines):
                    self._heighten(self._nodes[node_id])
        return self._moved()

    def _fill(self, node: PlacedNode) -> None:
        for y in range(node.y, node.y + node.height):
            self._rows[y].update(dict.fromkeys(range(node.x, node.x + node.width), node.id))

    def _widen(self, node: PlacedNode, *, is_fair: bool) -> None:
        before, after = self._room(node, _LEFT, is_fair=is_fair), self._room(node, _RIGHT, is_fair=is_fair)
        lines = self._lines(node, before + after)
        frame = FRAME_CELLS + _sign_cells(node)
        wider = max(cell_width(line) for line in lines) + frame - node.width
        if lines == node.lines or wider <= 0:
            if lines != node.lines:
                self._nodes[node.id] = replace(node, lines=lines)
            return
        left = min(before, wider // 2)
        right = min(after, wider - left)
        left = wider - right
        moved = replace(node, x=node.x - left, width=node.width + wider, lines=lines)
        self._nodes[node.id] = moved
        for edge in self._edges:
            self._edges[edge.index] = _reattached(edge, node, moved)
        self._fill(moved)

    def _lines(self, node: PlacedNode, more: int) -> tuple[str, ...]:
        """The text in a box that is up to `more` cells wider: whole in the least width, or as much as there is room."""
        most = node.height - (0 if node.bare else 2)
        now = node.width - FRAME_CELLS - _sign_cells(node)

        more = min(more, max(WIDEST_TEXT if most > 1 else _WIDEST_LINE, now) - now)

        def lines(extra: int) -> tuple[str, ...]:
            mode = "compact" if node.bare and most == 1 else "full"
            return box_lines(self._flow.nodes[node.id], now + extra, mode, most)

        low, high = 0, more
        if _is_cut(lines(high)):
            return lines(high)
        while low < high:
            middle = (low + high) // 2
            if _is_cut(lines(middle)):
                low = middle + 1
            else:
                high = middle
        return lines(high)

    def _heighten(self, node: PlacedNode) -> None:
        """Grow up and down into free rows. Lines stay attached: where one arrives at a side, the box does not grow."""
        above, below = self._rows_free(node, -1), self._rows_free(node, 1)
        text, flow_node = node.width - FRAME_CELLS, self._flow.nodes[node.id]
        most = min(_TALLEST, node.height - 2 + above + below)
        lines = box_lines(flow_node, text, self._layout.mode, most)
        taller = len(lines) + 2 - node.height
        if taller <= 0:
            return
        up = min(above, max(taller // 2, taller - below))
        grown = replace(node, y=node.y - up, height=node.height + taller, lines=lines)
        self._nodes[node.id] = grown
        self._fill(grown)

    def _rows_free(self, node: PlacedNode, side: int) -> int:
        """The free rows above (-1) or below a box, without one that stays blank between it and something else."""
        columns = range(node.x - 1, node.x + node.width + 1)
        free, y = 0, node.y - 1 if side < 0 else node.y + node.height
        while 0 <= y < len(self._rows):
            if any(x in self._rows[y] for x in columns):
                return max(0, free - 1)
            free, y = free + 1, y + side
        return free

    def _room(self, node: PlacedNode, side: int, *, is_fair: bool) -> int:
        """The free columns beside a box, without one that stays blank, and half of them if the next box needs them."""
        start = node.x + node.width if side == _RIGHT else node.x - 1
        attached = {edge.index: turn for edge in self._edges if (turn := _turn(edge, node, start)) is not None}
        room = (self._last - start + 1) if side == _RIGHT else (start - self._first + 1)
        for index, turn in attached.items():
            room = min(room, abs(turn - start) - 1)
            if (label := _columns_of_label(self._edges[index])) and (label[0] >= start) is (side == _RIGHT):
                room = min(room, abs((label[0] if side == _RIGHT else label[-1]) - start))
        for y in range(node.y, node.y + node.height):
            row = self._rows[y]
            for step in range(room + 1):
                found = row.get(start + step * side)
                if found is None or found in attached:
                    continue
                free = step - 1
                if is_fair and isinstance(found, str) and _is_cut(self._nodes[found].lines):
                    free //= 2
                room = min(room, free)
                break
        return max(0, room)

    def _moved(self) -> Layout:
        """The layout, moved so that it begins at column 0."""
        first = min(0, min(node.x for node in self._nodes.values()))
        last = max(node.x + node.width for node in self._nodes.values())
        nodes = {node.id: replace(node, x=node.x - first) for node in self._nodes.values()}
        edges = tuple(_shifted(edge, -first) for edge in self._edges)
        return replace(self._layout, width=max(self._layout.width, last) - first, nodes=nodes, edges=edges)


def _sign_cells(node: PlacedNode) -> int:
    return GLYPH_CELLS if node.bare and node.kind not in (NodeKind.BEGIN, NodeKind.END) else 0


def _columns_of_label(edge: PlacedEdge) -> range:
    first = edge.label_at[0] if edge.label_at is not None else 0
    return range(first, first + max((cell_width(line) for line in edge.label_lines), default=0))


def _turn(edge: PlacedEdge, node: PlacedNode, column: int) -> int | None:
    """The column where a line that touches the box in `column`, beside it, turns; None for any other line."""
    for owner, (x, y), (turn, _) in (
        (edge.src, edge.path[0], edge.path[min(1, len(edge.path) - 1)]),
        (edge.dst, edge.path[-1], edge.path[max(-2, -len(edge.path))]),
    ):
        if owner == node.id and x == column and node.y <= y < node.y + node.height:
            return turn
    return None


def _reattached(edge: PlacedEdge, old: PlacedNode, new: PlacedNode) -> PlacedEdge:
    """The line with its ends beside the wider box."""
    path = list(edge.path)
    for owner, at in ((edge.src, 0), (edge.dst, -1)):
        x, y = path[at]
        if owner == old.id and old.y <= y < old.y + old.height:
            path[at] = (new.x - 1 if x < old.x else new.x + new.width, y)
    return edge if tuple(path) == edge.path else replace(edge, path=tuple(path))


def _shifted(edge: PlacedEdge, by: int) -> PlacedEdge:
    if not by:
        return edge
    label_at: Point | None = (edge.label_at[0] + by, edge.label_at[1]) if edge.label_at is not None else None
    return replace(edge, path=tuple((x + by, y) for x, y in edge.path), label_at=label_at)
