"""How nodes and edges of a chart look, whatever is told by it: a run, two runs compared, or how often a way was gone.

A sign, a word and a kind of line say it; a role gives it the theme's colour beside that. No widget here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rich.style import Style

from kimi_tui.ui.tui.themes.palette import Palette

Role = Literal["plain", "muted", "faint", "accent", "success", "warning", "error", "secondary"]
LineKind = Literal["light", "heavy", "double", "dashed"]
"""`light`: not gone; `heavy`: gone; `double`: gone because a person chose it; `dashed`: in question now."""


@dataclass(frozen=True, slots=True)
class NodeStyle:
    """`sign` is one cell before the text; of `words` and `notes`, longest first, the first that fits is shown.

    A word stands in the upper border, a note (time and tokens) in the lower one. `role` is the box's, `sign_role`
    the sign's. A current box has a heavy border.
    """

    sign: str = " "
    words: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    visits: int = 0
    current: bool = False
    role: Role = "plain"
    sign_role: Role = "plain"
    bold: bool = False


@dataclass(frozen=True, slots=True)
class EdgeStyle:
    """`count` stands behind the branch's label, where there is room. `marked`: the label is underlined."""

    line: LineKind = "light"
    role: Role = "faint"
    label_role: Role = "muted"
    count: str = ""
    bold: bool = False
    marked: bool = False


PLAIN_NODE = NodeStyle()
PLAIN_EDGE = EdgeStyle(role="muted")


@dataclass(frozen=True, slots=True)
class ChartStyle:
    """The face of each node by its id, and of each edge by its place in `flow.edges`; plain where one is missing."""

    nodes: Mapping[str, NodeStyle] = field(default_factory=dict[str, NodeStyle])
    edges: tuple[EdgeStyle, ...] = ()

    def node(self, node_id: str) -> NodeStyle:
        return self.nodes.get(node_id, PLAIN_NODE)

    def edge(self, index: int) -> EdgeStyle:
        return self.edges[index] if 0 <= index < len(self.edges) else PLAIN_EDGE

    def other_nodes(self, before: "ChartStyle") -> set[str]:
        """The nodes that look different."""
        return {node for node in self.nodes.keys() | before.nodes.keys() if self.node(node) != before.node(node)}

    def other_edges(self, before: "ChartStyle") -> set[int]:
        """The edges that look different."""
        count = max(len(self.edges), len(before.edges))
        return {index for index in range(count) if self.edge(index) != before.edge(index)}


def role_style(role: Role, palette: Palette) -> Style:
    """A role's style in this theme."""
    match role:
        case "plain":
            return palette.base
        case "muted":
            return palette.muted
        case "faint":
            return palette.faint
        case "accent":
            return palette.accent
        case "success":
            return palette.success
        case "warning":
            return palette.warning
        case "error":
            return palette.error
        case "secondary":
            return palette.secondary
