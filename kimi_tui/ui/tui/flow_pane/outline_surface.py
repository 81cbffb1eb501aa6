"""A flow as a list of steps with their branches: the surface for panes too narrow for a drawing."""

from collections.abc import Collection

from textual.geometry import Region

from kimi_tui.flow.layout.cell_text import cell_width, clean_label
from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.model.outline import OutlineLine, outline
from kimi_tui.flow.render.chart_canvas import StyledSpan
from kimi_tui.flow.render.chart_style import ChartStyle
from kimi_tui.flow.render.node_signs import ASCII_KIND_SIGNS, KIND_SIGNS
from kimi_tui.ui.tui.flow_pane.keyboard_navigation import Way
from kimi_tui.ui.tui.i18n.translate import translate_lines
from kimi_tui.ui.tui.text.styled_line import cut


class OutlineSurface:
    """The outline of a chart: one row per step or branch, as wide as the pane; `notice` is shown above them."""

    def __init__(self, flow: Flow, width: int, *, ascii: bool = False, notice: str = "") -> None:  # noqa: A002
        self._flow = flow
        self._ascii = ascii
        before = (OutlineLine(0, translate_lines(notice)),) if notice else ()
        self._lines: tuple[OutlineLine, ...] = (*before, *outline(flow))
        self.width = max(4, width)
        self._row_of = {line.node: y for y, line in enumerate(self._lines) if line.node is not None}
        self._order = [line.node for line in self._lines if line.node is not None]
        self._edge_row = {line.edge: y for y, line in enumerate(self._lines) if line.edge is not None}

    @property
    def height(self) -> int:
        return len(self._lines)

    def position_of(self, node_id: str) -> Region | None:
        row = self._row_of.get(node_id)
        return None if row is None else Region(0, row, self.width, 1)

    def free_cells_beside(self, node_id: str) -> int:
        """None: a row is as wide as the pane."""
        return 0

    def rows_covered(self, nodes: Collection[str], edges: Collection[int]) -> set[int]:
        rows = {self._row_of[node] for node in nodes if node in self._row_of}
        return rows | {self._edge_row[edge] for edge in edges if edge in self._edge_row}

    def step(self, node_id: str, way: Way) -> str:
        """Up and down move in the list; left goes to its first step, right to its last."""
        if node_id not in self._row_of:
            return self._order[0] if self._order else node_id
        at = self._order.index(node_id)
        by = {"up": -1, "down": 1, "left": -at, "right": len(self._order)}[way]
        return self._order[max(0, min(at + by, len(self._order) - 1))]

    def row(self, y: int, style: ChartStyle) -> list[StyledSpan]:
        line = self._lines[y]
        pad = "  " * min(line.indent, max(0, self.width // 2 - 8) // 2) + "  "
        pieces = [StyledSpan(pad)]
        if line.node is None and line.edge is None:
            pieces = [StyledSpan(cut(line.text, self.width), "warning")]
        elif line.node is not None:
            pieces = self._step(line, style, pad)
        else:
            pieces += self._branch(line, style, len(pad))
        used = sum(cell_width(piece.text) for piece in pieces)
        if used < self.width:
            pieces.append(StyledSpan(" " * (self.width - used)))
        return pieces

    def _step(self, line: OutlineLine, style: ChartStyle, pad: str) -> list[StyledSpan]:
        """A node's row; the cursor of every list is at the selected one."""
        assert line.node is not None
        node, node_style = self._flow.nodes[line.node], style.node(line.node)
        kinds = ASCII_KIND_SIGNS if self._ascii else KIND_SIGNS
        has_sign = node_style.sign != " "
        sign = node_style.sign if has_sign else kinds[node.kind]
        room = self.width - len(pad) - 2
        tail = ""
        if node_style.visits > 1:
            tail += f" {'x' if self._ascii else '×'}{node_style.visits}"
        for word in node_style.words:
            if room - cell_width(tail) - cell_width(word) - 1 >= min(12, cell_width(line.text)):
                tail += f" {word}"
                break
        text = cut(line.text, max(1, room - cell_width(tail)))
        bold = node_style.bold or node_style.current or node_style.selected
        cursor = (">" if self._ascii else "›") if node_style.selected else " "
        return [
            StyledSpan(pad[:-2]),
            StyledSpan(f"{cursor} ", "accent", bold, node=node.id),
            StyledSpan(f"{sign} ", node_style.sign_role if has_sign else node_style.role, bold, node=node.id),
            StyledSpan(text, node_style.role, bold, node=node.id),
            StyledSpan(tail, "muted", node=node.id),
        ]

    def _branch(self, line: OutlineLine, style: ChartStyle, indent: int) -> list[StyledSpan]:
        edge = line.edge if line.edge is not None else -1
        edge_style = style.edge(edge)
        back, onward, branch = ("<-", "->", "`-") if self._ascii else ("↑", "→", "╰")
        if edge_style.line in ("heavy", "double"):
            heavy = edge_style.line == "heavy"
            branch = ("=" if heavy else "~") if self._ascii else ("┗" if heavy else "╚")
        room = self.width - indent - cell_width(branch) - 1
        goal = ""
        if line.goes_to is not None:
            name = clean_label(self._flow.nodes[line.goes_to].title).replace("\n", " ") or line.goes_to
            goal = f"{back if line.back else onward} {name}"
        label = line.text + ("" if line.goes_to is not None or not line.text else ":")
        text = cut(label, max(1, room)) if label else ""
        count = f" {edge_style.count}"[not text :] if edge_style.count else ""
        count = count if cell_width(text) + cell_width(count) <= room else ""
        left = room - cell_width(text) - cell_width(count)
        goal = f" {goal}" if goal and (text or count) else goal
        return [
            StyledSpan(f"{branch} ", edge_style.role, edge_style.bold, edge=edge),
            StyledSpan(text, edge_style.label_role, edge_style.bold, edge_style.marked, edge=edge),
            StyledSpan(count, edge_style.role, edge=edge),
            StyledSpan(cut(goal, left) if left > 3 else "", "muted", edge=edge),
        ]
