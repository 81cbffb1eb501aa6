"""The data model of a flow: the chart as written, and the validated graph that a runner follows.

A `Chart` has the text's contents in source order; `build_flow` turns it into a `Flow` or raises an error with the
line. Invariant: everything here is immutable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from kimi_tui.flow.model.settings import FlowSettings, NodeSettings, WrittenSetting
from kimi_tui.i18n import UserText

if TYPE_CHECKING:
    from kimi_tui.wire.parts import ContentPart

ChartSource = Literal["mermaid", "d2"]
FlowSource = Literal["mermaid", "d2", "ralph"]
Direction = Literal["TB", "BT", "LR", "RL"]
Heads = Literal["forward", "none", "both", "hidden"]


@dataclass(frozen=True, slots=True)
class ChartNode:
    """A node as written: `label` is plain text with real line breaks. Lines and columns count from 1.

    `labelled_inside` marks a label in a D2 block (`A: {label: ..}`): it is the node's text, but it does not override
    the role of BEGIN or END that the node's id gives it.
    """

    id: str
    label: str
    line: int = 1
    column: int = 1
    shape: str = "rect"
    labelled_inside: bool = False
    settings: tuple[WrittenSetting, ...] = ()


@dataclass(frozen=True, slots=True)
class ChartEdge:
    """An edge as written; `label` is None if the text gives none.

    `heads`: an edge without a head, or with two, counts as forward; a hidden one (Mermaid's `~~~`) is for layout only
    and not part of a flow.
    """

    src: str
    dst: str
    label: str | None = None
    line: int = 1
    column: int = 1
    heads: Heads = "forward"


@dataclass(frozen=True, slots=True)
class ChartNote:
    """A warning about a place that can be parsed in several ways; never an error."""

    text: UserText
    line: int
    column: int = 1


@dataclass(frozen=True, slots=True)
class ChartGroup:
    """A subgraph (Mermaid) or a container (D2). `members` are ids of nodes and of other groups, each in one group."""

    id: str
    members: tuple[str, ...]
    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True)
class Chart:
    """Nodes and edges in the order of their first mention, not yet validated.

    A group is also a node if an edge names it (Mermaid), or always (D2).
    """

    source: ChartSource
    nodes: tuple[ChartNode, ...]
    edges: tuple[ChartEdge, ...]
    direction: Direction = "TB"
    notes: tuple[ChartNote, ...] = ()
    groups: tuple[ChartGroup, ...] = ()


class NodeKind(StrEnum):
    BEGIN = "begin"
    END = "end"
    TASK = "task"
    DECISION = "decision"


@dataclass(frozen=True, slots=True)
class FlowNode:
    """One turn of the conversation, or BEGIN or END. A list label is a prompt with images (Ralph)."""

    id: str
    label: str | tuple[ContentPart, ...]
    kind: NodeKind
    settings: NodeSettings = field(default_factory=NodeSettings)

    @property
    def title(self) -> str:
        """The label's text; parts other than text are omitted."""
        if isinstance(self.label, str):
            return self.label
        return " ".join(part.text for part in self.label if part.type == "text") or self.id


@dataclass(frozen=True, slots=True)
class FlowEdge:
    src: str
    dst: str
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Guidance:
    """Text beside the chart in a skill's file: `intro` for the whole flow, `sections` by node."""

    intro: str = ""
    sections: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Flow:
    """A validated flow. `outgoing` has a list, which may be empty, for every node, in the order written."""

    nodes: Mapping[str, FlowNode]
    outgoing: Mapping[str, tuple[FlowEdge, ...]]
    begin_id: str
    end_id: str
    source: FlowSource = "mermaid"
    direction: Direction = "TB"
    chart: Chart | None = field(default=None, compare=False, repr=False)
    guidance: Guidance = field(default_factory=Guidance, compare=False, repr=False)
    settings: FlowSettings = field(default_factory=FlowSettings)

    @property
    def edges(self) -> tuple[FlowEdge, ...]:
        return tuple(edge for edges in self.outgoing.values() for edge in edges)

    def branch_labels(self, node_id: str) -> tuple[str, ...]:
        """The labels of a decision's branches, in order; empty for other nodes."""
        if self.nodes[node_id].kind is not NodeKind.DECISION:
            return ()
        return tuple(edge.label or "" for edge in self.outgoing[node_id])

    def target(self, node_id: str, label: str) -> str:
        """The node that a decision's branch leads to."""
        return next(edge.dst for edge in self.outgoing[node_id] if edge.label == label)
