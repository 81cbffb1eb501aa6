"""The geometry of a layout: boxes, lines and labels, in terminal cells."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from kimi_tui.flow.model.graph import NodeKind

Point = tuple[int, int]
LayoutDirection = Literal["TB", "LR"]
LayoutMode = Literal["full", "compact"]

GLYPH_CELLS = 2
"""Cells before the text of a compact box that are reserved for the glyph of its state and a space."""


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """A box; `x`, `y` is its upper left cell, `width` and `height` include its border (none if `height` is 1)."""

    id: str
    x: int
    y: int
    width: int
    height: int
    lines: tuple[str, ...]
    kind: NodeKind
    bare: bool = False

    def contains(self, x: int, y: int) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


@dataclass(frozen=True)
class PlacedEdge:
    """A line from the cell beside `src` to the cell beside `dst`, where its arrowhead is.

    `index` is its position in `flow.edges`; `path` lists start, turns and end. Edges to the same node may share their
    last part. `back` edges close a loop.
    """

    index: int
    src: str
    dst: str
    label: str | None
    path: tuple[Point, ...]
    label_at: Point | None = None
    label_lines: tuple[str, ...] = ()
    back: bool = False

    @property
    def length(self) -> int:
        """The steps from the first to the last cell of the line."""
        return sum(abs(to_x - x) + abs(to_y - y) for (x, y), (to_x, to_y) in pairwise(self.path))

    @cached_property
    def cells(self) -> tuple[Point, ...]:
        """Every cell of the line, from `src` to `dst`."""
        cells = [self.path[0]]
        for (x, y), (to_x, to_y) in pairwise(self.path):
            step_x, step_y = (to_x > x) - (to_x < x), (to_y > y) - (to_y < y)
            while (x, y) != (to_x, to_y):
                x, y = x + step_x, y + step_y
                cells.append((x, y))
        return tuple(cells)


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of all parts; `width` and `height` are the size of the whole drawing."""

    width: int
    height: int
    nodes: Mapping[str, PlacedNode]
    edges: tuple[PlacedEdge, ...]
    direction: LayoutDirection
    mode: LayoutMode

    @property
    def line_cells(self) -> int:
        """The length of all lines together."""
        return sum(edge.length for edge in self.edges)
