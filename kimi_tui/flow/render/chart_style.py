"""Styles of a chart's nodes and edges: of a run, of two compared runs, of branch counts, or of the plain chart.

A glyph, a label and a line kind carry the meaning; a role adds the theme's colour.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Role = Literal["plain", "muted", "faint", "accent", "success", "warning", "error", "secondary"]
"""The meaning of a short text; the theme defines its style."""
LineKind = Literal["light", "heavy", "double", "dashed"]
"""`light`: not taken; `heavy`: taken; `double`: taken by the user's choice; `dashed`: being decided now."""


@dataclass(frozen=True, slots=True)
class NodeStyle:
    """The style of a node's box. `sign` is one cell or empty; it and the visit count are in the upper border. The first
    of `words` and of `notes`, longest first, that fits is shown.

    Words go into the upper border too, notes (time and tokens) into the lower one. `role` is the box's, `sign_role` the
    sign's. A current box has a heavy border, a selected one a double border, or twice the ends of one without a border.
    """

    sign: str = " "
    words: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    visits: int = 0
    current: bool = False
    selected: bool = False
    role: Role = "plain"
    sign_role: Role = "plain"
    bold: bool = False


@dataclass(frozen=True, slots=True)
class EdgeStyle:
    """The style of an edge.

    `count` is shown after the branch's label, if there is room. `marked`: the label is underlined.
    """

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
    """The style of each node by id (`other_node` if missing), and of each edge by its index in `flow.edges`."""

    nodes: Mapping[str, NodeStyle] = field(default_factory=dict[str, NodeStyle])
    edges: tuple[EdgeStyle, ...] = ()
    other_node: NodeStyle = PLAIN_NODE
    selected: str = ""
    """The node under the cursor."""

    def node(self, node_id: str) -> NodeStyle:
        style = self.nodes.get(node_id, self.other_node)
        return replace(style, selected=True) if node_id == self.selected else style

    def edge(self, index: int) -> EdgeStyle:
        return self.edges[index] if 0 <= index < len(self.edges) else PLAIN_EDGE

    def other_nodes(self, previous: "ChartStyle") -> set[str]:
        """The nodes whose style differs."""
        now, before = self.nodes, previous.nodes
        same = self.selected == previous.selected and now.keys() == before.keys()
        if same:
            return {node for node, style in now.items() if style != before[node]}
        return {node for node in now.keys() | before.keys() if self.node(node) != previous.node(node)}

    def other_edges(self, previous: "ChartStyle") -> set[int]:
        """The edges whose style differs."""
        if len(self.edges) == len(previous.edges):
            pairs = enumerate(zip(self.edges, previous.edges, strict=True))
            return {index for index, (now, before) in pairs if now is not before and now != before}
        count = max(len(self.edges), len(previous.edges))
        return {index for index in range(count) if self.edge(index) != previous.edge(index)}


PLAIN_CHART = ChartStyle(other_node=NodeStyle(sign=""))
"""A chart that is not about a run: no signs."""
