"""Collects nodes and edges during parsing, in the order of their first mention."""

from collections.abc import Iterable

from kimi_tui.flow.model.graph import (
    Chart,
    ChartEdge,
    ChartGroup,
    ChartNode,
    ChartNote,
    ChartSource,
    Direction,
    Heads,
)
from kimi_tui.flow.model.settings import WrittenSetting
from kimi_tui.flow.parsing.source_position import SourcePositions
from kimi_tui.i18n import tr

MAX_EDGES = 100_000


class _Node:
    __slots__ = ("inside", "label", "labelled_at", "seen_at", "settings", "shape")

    def __init__(self, seen_at: int) -> None:
        self.seen_at = seen_at
        self.labelled_at: int | None = None
        self.label: str | None = None
        self.shape = "rect"
        self.inside = False
        self.settings: list[tuple[str, str | None, int]] = []


class ChartBuilder:
    """A chart under construction. Places are offsets into the text until `chart` resolves them."""

    def __init__(self, positions: SourcePositions) -> None:
        self._positions = positions
        self.nodes: dict[str, _Node] = {}
        self.edges: list[tuple[str, str, str | None, int, Heads]] = []
        self.notes: list[tuple[str, int]] = []
        self.groups: dict[str, tuple[list[str], int]] = {}
        self.direction: Direction = "TB"

    def mention(self, node_id: str, offset: int) -> None:
        if node_id not in self.nodes:
            self.nodes[node_id] = _Node(offset)

    def label(self, node_id: str, label: str, offset: int, *, inside: bool = False) -> None:
        """Set the label of a mentioned node; the last label wins."""
        node = self.nodes[node_id]
        node.label, node.labelled_at, node.inside = label, offset, inside

    def note_other_label(self, node_id: str, label: str, offset: int) -> None:
        """Warn if a node that has a label gets another one."""
        if self.nodes[node_id].label not in (None, label):
            self.note_replaced_label(node_id, offset)

    def note_replaced_label(self, node_id: str, offset: int) -> None:
        self.note(tr("`{node}` gets another text here; only the last one counts", node=node_id), offset)

    def has_id_as_label(self, node_id: str) -> bool:
        return self.nodes[node_id].label in (None, node_id)

    def shape(self, node_id: str, shape: str) -> None:
        self.nodes[node_id].shape = shape

    def setting(self, node_id: str, key: str, value: str | None, offset: int) -> None:
        """Add a setting of a mentioned node; `value` is None for a key without a value."""
        self.nodes[node_id].settings.append((key, value, offset))

    def edge(self, src: str, dst: str, label: str | None, *, offset: int, heads: Heads = "forward") -> None:
        if len(self.edges) == MAX_EDGES:
            raise self._positions.error(tr("this chart has more than {count} edges", count=MAX_EDGES), offset)
        self.edges.append((src, dst, label, offset, heads))

    def group(self, group_id: str, members: Iterable[str], *, offset: int) -> None:
        """Add members to a group; creates the group if necessary."""
        self.groups.setdefault(group_id, ([], offset))[0].extend(members)

    def note(self, text: str, offset: int) -> None:
        self.notes.append((text, offset))

    def chart(self, source: ChartSource) -> Chart:
        nodes: list[ChartNode] = []
        for node_id, node in self.nodes.items():
            line, column = self._positions.line_column(node.seen_at if node.labelled_at is None else node.labelled_at)
            label = node_id if node.label is None else node.label
            settings = tuple(
                WrittenSetting(key, value, *self._positions.line_column(offset)) for key, value, offset in node.settings
            )
            nodes.append(ChartNode(node_id, label, line, column, node.shape, node.inside, settings))
        edges: list[ChartEdge] = []
        for src, dst, text, offset, heads in self.edges:
            line, column = self._positions.line_column(offset)
            edges.append(ChartEdge(src, dst, text, line, column, heads))
        notes = tuple(
            ChartNote(text, *self._positions.line_column(offset))
            for text, offset in sorted(self.notes, key=lambda n: n[1])
        )
        groups = tuple(
            ChartGroup(group_id, tuple(members), *self._positions.line_column(offset))
            for group_id, (members, offset) in self.groups.items()
        )
        return Chart(source, tuple(nodes), tuple(edges), self.direction, notes, groups)
