"""What a chart widget shows: rows of pieces, each with what it belongs to. A drawing and an outline are both planes."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from textual.geometry import Region

from kimi_tui.ui.tui.flow_pane.keyboard_navigation import Way
from kimi_tui.ui.tui.flow_pane.style_model import ChartStyle, Role


@dataclass(frozen=True, slots=True)
class StyledSpan:
    """Neighbouring cells of one look. `node` or `edge` (-1: none) is what a click on them means."""

    text: str
    role: Role = "plain"
    bold: bool = False
    marked: bool = False
    node: str = ""
    edge: int = -1
    body: bool = False
    """Whether the piece shows that its node is selected."""


class ChartSurface(Protocol):
    """Places never depend on faces: another face changes some rows and moves nothing."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    def row(self, y: int, faces: ChartStyle) -> list[StyledSpan]: ...
    def rows_of(self, nodes: Collection[str], edges: Collection[int]) -> set[int]:
        """The rows that these nodes and edges have a part in."""
        ...

    def position_of(self, node_id: str) -> Region | None: ...
    def step(self, node_id: str, way: Way) -> str:
        """The node above, below, to the left or to the right (`up`, `down`, `left`, `right`), or the same one."""
        ...
