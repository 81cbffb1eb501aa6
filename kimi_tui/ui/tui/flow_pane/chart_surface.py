"""What a chart widget shows: rows of styled spans, each with its node or edge. Drawings and
outlines are both surfaces."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from textual.geometry import Region

from kimi_tui.ui.tui.flow_pane.keyboard_navigation import Way
from kimi_tui.ui.tui.flow_pane.style_model import ChartStyle, Role


@dataclass(frozen=True, slots=True)
class StyledSpan:
    """Adjacent cells with one style. `node` or `edge` (-1: none) is the click target."""

    text: str
    role: Role = "plain"
    bold: bool = False
    marked: bool = False
    node: str = ""
    edge: int = -1
    body: bool = False
    """Whether the span shows its node's selection."""


class ChartSurface(Protocol):
    """Invariant: positions never depend on styles; a style change affects some rows and moves nothing."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    def row(self, y: int, faces: ChartStyle) -> list[StyledSpan]: ...
    def rows_of(self, nodes: Collection[str], edges: Collection[int]) -> set[int]:
        """The rows that these nodes and edges occupy."""
        ...

    def position_of(self, node_id: str) -> Region | None: ...
    def step(self, node_id: str, way: Way) -> str:
        """The node above, below, to the left or to the right (`up`, `down`, `left`, `right`); the same node if there is
        none."""
        ...
