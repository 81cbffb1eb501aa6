"""The content of a chart widget: rows of styled spans, each with its node or edge. Drawings and outlines are both
surfaces.
"""

from collections.abc import Collection
from typing import Protocol

from textual.geometry import Region

from kimi_tui.flow.render.chart_canvas import ChartCanvas, StyledSpan
from kimi_tui.flow.render.chart_style import ChartStyle
from kimi_tui.ui.tui.flow_pane.keyboard_navigation import Way, neighbour


class ChartSurface(Protocol):
    """A drawing or an outline. Invariant: positions never depend on styles, so a style change moves nothing."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    def row(self, y: int, style: ChartStyle) -> list[StyledSpan]: ...
    def rows_covered(self, nodes: Collection[str], edges: Collection[int]) -> set[int]:
        """The rows that these nodes and edges occupy."""
        ...

    def position_of(self, node_id: str) -> Region | None: ...
    def free_cells_beside(self, node_id: str) -> int:
        """The cells to the right of a node that its state may be told in."""
        ...

    def step(self, node_id: str, way: Way) -> str:
        """The node above, below, to the left or to the right (`up`, `down`, `left`, `right`); the same node if there is
        none."""
        ...


class DrawnSurface(ChartCanvas):
    """A drawn chart, with the data that a pane needs besides its rows."""

    def position_of(self, node_id: str) -> Region | None:
        node = self.layout.nodes.get(node_id)
        return None if node is None else Region(node.x, node.y, node.width, node.height)

    def step(self, node_id: str, way: Way) -> str:
        return neighbour(self.layout, node_id, way)
