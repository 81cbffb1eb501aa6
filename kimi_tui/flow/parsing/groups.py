"""Edges to and from groups (subgraphs, containers): they enter a group at its first node and leave at its last.

The first node is the only one without edges from other nodes of the group, the last the only one without edges to them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kimi_tui.errors import FlowValidationError
from kimi_tui.flow.model.graph import Chart, ChartEdge
from kimi_tui.i18n import tr

DEEPEST = 100
_MAX_NAMED = 8


@dataclass(frozen=True, slots=True)
class UngroupedChart:
    """A chart whose edges all join nodes, and the errors of edges that had to be left out."""

    chart: Chart
    flaws: tuple[FlowValidationError, ...] = ()


def resolve_groups(chart: Chart) -> UngroupedChart:
    """Resolve edges to and from groups to nodes; the result has no groups among its nodes."""
    node_ids = {node.id for node in chart.nodes}
    unresolved = {group.id: group.members for group in chart.groups}
    groups: dict[str, list[str]] = {}
    for group_id, members in unresolved.items():
        inner = [member for member in members if member in node_ids or unresolved.get(member)]
        if inner:
            groups[group_id] = inner
    return _Groups(chart, groups).resolve() if groups else UngroupedChart(chart)


class _Groups:
    """The tree of groups. The nodes of a group are a slice of all nodes in the order of a walk over the tree."""

    def __init__(self, chart: Chart, groups: Mapping[str, Sequence[str]]) -> None:
        self.chart, self.groups = chart, groups
        self.is_end = {node.id for node in chart.nodes if node.label.strip().casefold() == "end"}
        self.order: list[str] = []
        self.inside: dict[str, tuple[int, int]] = {}
        self.depth: dict[str, int] = {}
        self.first: dict[str, list[str]] = {}
        self.last: dict[str, list[str]] = {}
        self._walk(_parents(groups))

    def resolve(self) -> UngroupedChart:
        """Resolve inner groups first: their edges determine the first and last nodes of the outer ones."""
        edges = [edge for edge in self.chart.edges if edge.heads != "hidden"]
        touched: dict[str, list[ChartEdge]] = {}
        sources: dict[str, list[str]] = {}
        targets: dict[str, list[str]] = {}

        def join(edge: ChartEdge) -> None:
            src, dst = self._node(edge.src, self.last), self._node(edge.dst, self.first)
            if src is not None and dst is not None and src != dst:
                sources.setdefault(dst, []).append(src)
                targets.setdefault(src, []).append(dst)

        for edge in edges:
            ends = [end for end in (edge.src, edge.dst) if end in self.groups]
            for end in ends:
                touched.setdefault(end, []).append(edge)
            if not ends:
                join(edge)
        for group_id in sorted(touched, key=lambda group_id: -self.depth[group_id]):
            if self.depth[group_id] <= DEEPEST:
                self.first[group_id] = self._without_neighbours(group_id, sources)
                last = self._without_neighbours(group_id, targets)
                self.last[group_id] = [node_id for node_id in last if node_id not in self.is_end] or last
                for edge in touched[group_id]:
                    if all(end not in self.groups or end in self.first for end in (edge.src, edge.dst)):
                        join(edge)
        flaws = tuple(flaw for edge in edges for flaw in self._flaws(edge))
        return UngroupedChart(self._chart(), flaws)

    def _chart(self) -> Chart:
        edges: list[ChartEdge] = []
        for edge in self.chart.edges:
            src, dst = self._node(edge.src, self.last), self._node(edge.dst, self.first)
            if src is not None and dst is not None and not self._within(edge):
                edges.append(edge if (src, dst) == (edge.src, edge.dst) else replace(edge, src=src, dst=dst))
        nodes = tuple(node for node in self.chart.nodes if node.id not in self.groups)
        return replace(self.chart, nodes=nodes, edges=tuple(edges), groups=())

    def _node(self, end: str, members: Mapping[str, Sequence[str]]) -> str | None:
        if end not in self.groups:
            return end
        nodes = members.get(end, ())
        return nodes[0] if len(nodes) == 1 else None

    def _within(self, edge: ChartEdge) -> bool:
        """Whether an edge joins a group with one of its members."""
        if edge.src == edge.dst:
            return False
        return self._contains(edge.src, edge.dst) or self._contains(edge.dst, edge.src)

    def _contains(self, group_id: str, other: str) -> bool:
        if group_id not in self.groups or other not in self.inside:
            return False
        (start, stop), (inner_start, end) = self.inside[group_id], self.inside[other]
        return start <= inner_start and end <= stop and self.depth[group_id] < self.depth[other]

    def _without_neighbours(self, group_id: str, neighbours: Mapping[str, Sequence[str]]) -> list[str]:
        start, stop = self.inside[group_id]

        def is_inside(node_id: str) -> bool:
            return node_id in self.inside and start <= self.inside[node_id][0] < stop

        return [node_id for node_id in self.order[start:stop] if not any(map(is_inside, neighbours.get(node_id, ())))]

    def _flaws(self, edge: ChartEdge) -> Iterator[FlowValidationError]:
        if self._within(edge):
            group_id, other = (edge.src, edge.dst) if self._contains(edge.src, edge.dst) else (edge.dst, edge.src)
            cause = tr(
                "this edge links the group `{group}` to its own node `{node}`; link to the intended node",
                group=group_id,
                node=other,
            )
            yield FlowValidationError(cause, line=edge.line, column=edge.column)
            return
        for end, found, cause in (
            (edge.src, self.last, _last_unclear),
            (edge.dst, self.first, _first_unclear),
        ):
            if end in self.groups and len(found.get(end, ())) != 1:
                start, stop = self.inside[end]
                yield FlowValidationError(
                    cause(end, found.get(end) or self.order[start:stop]), line=edge.line, column=edge.column
                )

    def _walk(self, parents: Mapping[str, str]) -> None:
        inner: dict[str, list[str]] = {}
        for member, group_id in parents.items():
            inner.setdefault(group_id, []).append(member)
        todo = [(group_id, 0, False) for group_id in self.groups if group_id not in parents]
        while todo:
            name, depth, expanded = todo.pop()
            if expanded:
                self.inside[name] = (self.inside[name][0], len(self.order))
                continue
            self.depth[name] = depth
            self.inside[name] = (len(self.order), len(self.order) + 1)
            if name not in self.groups:
                self.order.append(name)
                continue
            todo.append((name, depth, True))
            todo.extend((member, depth + 1, False) for member in reversed(inner.get(name, ())))


def _parents(groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The group of each member; a group that would contain itself counts as the outer one."""
    parents: dict[str, str] = {}
    for group_id, members in groups.items():
        for member in members:
            if member in parents or (member in groups and _is_above(member, group_id, parents)):
                continue
            parents[member] = group_id
    return parents


def _is_above(member: str, group_id: str, parents: Mapping[str, str]) -> bool:
    ancestor: str | None = group_id
    while ancestor is not None:
        if ancestor == member:
            return True
        ancestor = parents.get(ancestor)
    return False


def _first_unclear(group_id: str, nodes: Sequence[str]) -> str:
    return tr(
        "the group `{group}` has no single first node; link to the intended one: {nodes}",
        group=group_id,
        nodes=_name_list(nodes),
    )


def _last_unclear(group_id: str, nodes: Sequence[str]) -> str:
    return tr(
        "the group `{group}` has no single last node; link from the intended one: {nodes}",
        group=group_id,
        nodes=_name_list(nodes),
    )


def _name_list(nodes: Sequence[str]) -> str:
    suffix = ", .." if len(nodes) > _MAX_NAMED else ""
    return ", ".join(f"`{node_id}`" for node_id in nodes[:_MAX_NAMED]) + suffix
