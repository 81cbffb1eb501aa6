"""Compares two charts of one flow by the ids of their nodes, and merges them into one chart."""

from dataclasses import dataclass, replace

from kimi_tui.flow.model.graph import Flow, FlowEdge, NodeKind


@dataclass(frozen=True, slots=True)
class FlowDifference:
    """The differences; `reworded` nodes are in both charts with different labels; `ways_first` and `ways_second` are
    edges with labels.
    """

    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    reworded: tuple[str, ...] = ()
    ways_first: int = 0
    ways_second: int = 0

    def __bool__(self) -> bool:
        return bool(self.only_first or self.only_second or self.reworded or self.ways_first or self.ways_second)


NO_DIFFERENCE = FlowDifference()


def compare_flows(first: Flow, second: Flow) -> FlowDifference:
    """Compare two flows; BEGIN and END count as the same nodes, whatever their ids."""
    second = _with_shared_ends(first, second)
    edge_sets = [{(edge.src, edge.dst, edge.label) for edge in flow.edges} for flow in (first, second)]
    return FlowDifference(
        tuple(node for node in first.nodes if node not in second.nodes),
        tuple(node for node in second.nodes if node not in first.nodes),
        tuple(
            node.id
            for node in first.nodes.values()
            if node.kind in (NodeKind.TASK, NodeKind.DECISION)
            and node.id in second.nodes
            and second.nodes[node.id].label != node.label
        ),
        len(edge_sets[0] - edge_sets[1]),
        len(edge_sets[1] - edge_sets[0]),
    )


def merge_flows(first: Flow, second: Flow) -> Flow:
    """A chart to display, not to run: the first one, plus what only the second has."""
    second = _with_shared_ends(first, second)
    nodes = {**second.nodes, **first.nodes}
    ordered = {
        node_id: nodes[node_id] for node_id in (*first.nodes, *(added for added in nodes if added not in first.nodes))
    }
    outgoing: dict[str, tuple[FlowEdge, ...]] = {}
    for node_id in ordered:
        own_edges = first.outgoing.get(node_id, ())
        outgoing[node_id] = (*own_edges, *(edge for edge in second.outgoing.get(node_id, ()) if edge not in own_edges))
    return Flow(ordered, outgoing, first.begin_id, first.end_id, first.source, first.direction)


def _with_shared_ends(first: Flow, second: Flow) -> Flow:
    """`second` with the ids of BEGIN and END from `first`, if those are free."""
    names: dict[str, str] = {}
    for old, new in ((second.begin_id, first.begin_id), (second.end_id, first.end_id)):
        if old != new and new not in second.nodes:
            names[old] = new
    if not names:
        return second

    def renamed(node_id: str) -> str:
        return names.get(node_id, node_id)

    nodes = {renamed(node.id): replace(node, id=renamed(node.id)) for node in second.nodes.values()}
    outgoing = {
        renamed(node_id): tuple(replace(edge, src=renamed(edge.src), dst=renamed(edge.dst)) for edge in edges)
        for node_id, edges in second.outgoing.items()
    }
    return replace(
        second, nodes=nodes, outgoing=outgoing, begin_id=renamed(second.begin_id), end_id=renamed(second.end_id)
    )
