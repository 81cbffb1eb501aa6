"""Finds loops of a chart that a run never leaves. The time is linear in the chart's size."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set

from kimi_tui.flow.model.graph import ChartEdge

Outgoing = Mapping[str, Sequence[ChartEdge]]
_Links = Mapping[str, Sequence[str]]


def loops_without_decision(outgoing: Outgoing, candidates: Set[str]) -> Iterator[str]:
    """One node of each cycle whose nodes have one outgoing edge each."""
    only_way = {
        node_id: edges[0].dst for node_id, edges in outgoing.items() if len(edges) == 1 and node_id in candidates
    }
    walk_of: dict[str, str] = {}
    for node_id in outgoing:
        current = node_id
        while current in only_way and current not in walk_of:
            walk_of[current] = node_id
            current = only_way[current]
        if current in only_way and walk_of[current] == node_id:
            yield current
            walk_of[current] = ""


def loops_without_end(outgoing: Outgoing, candidates: Set[str], end_ids: Set[str]) -> Iterator[str]:
    """One decision of each group of connected loops that has a decision, but no path to END."""
    sources: dict[str, list[str]] = {node_id: [] for node_id in outgoing}
    for node_id, edges in outgoing.items():
        for edge in edges:
            sources[edge.dst].append(node_id)
    trapped = set(candidates) - _linked_to(end_ids, sources)
    ahead = {node_id: [edge.dst for edge in outgoing[node_id] if edge.dst in trapped] for node_id in trapped}
    behind = {node_id: [src for src in sources[node_id] if src in trapped] for node_id in trapped}
    cyclic = _in_cycles(ahead, behind)
    neighbours = {
        node_id: [neighbour for neighbour in (*ahead[node_id], *behind[node_id]) if neighbour in cyclic]
        for node_id in cyclic
    }
    reported: set[str] = set()
    for node_id in outgoing:
        if node_id in cyclic and node_id not in reported and len(outgoing[node_id]) > 1:
            yield node_id
            reported |= _linked_to({node_id}, neighbours)


def _linked_to(starts: Set[str], links: _Links) -> set[str]:
    reached, pending = set(starts), list(starts)
    while pending:
        for node_id in links[pending.pop()]:
            if node_id not in reached:
                reached.add(node_id)
                pending.append(node_id)
    return reached


def _in_cycles(ahead: _Links, behind: _Links) -> set[str]:
    """The nodes that remain after repeatedly removing nodes without incoming or without outgoing edges."""
    remaining = set(ahead)
    for forward, backward in ((ahead, behind), (behind, ahead)):
        degree = Counter(
            {node_id: sum(neighbour in remaining for neighbour in forward[node_id]) for node_id in remaining}
        )
        loose = [node_id for node_id in remaining if not degree[node_id]]
        while loose:
            node_id = loose.pop()
            remaining.discard(node_id)
            for neighbour in backward[node_id]:
                degree[neighbour] -= 1
                if neighbour in remaining and not degree[neighbour]:
                    loose.append(neighbour)
    return remaining
