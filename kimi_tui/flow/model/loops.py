"""Finds loops of a chart that a run never leaves. The time is linear in the chart's size."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set

from kimi_tui.flow.model.graph import ChartEdge

Outgoing = Mapping[str, Sequence[ChartEdge]]
_Links = Mapping[str, Sequence[str]]


def loops_without_decision(outgoing: Outgoing, among: Set[str]) -> Iterator[str]:
    """One node of each cycle whose nodes have one outgoing edge each."""
    only_way = {node_id: ways[0].dst for node_id, ways in outgoing.items() if len(ways) == 1 and node_id in among}
    walk_of: dict[str, str] = {}
    for node_id in outgoing:
        here = node_id
        while here in only_way and here not in walk_of:
            walk_of[here] = node_id
            here = only_way[here]
        if here in only_way and walk_of[here] == node_id:
            yield here
            walk_of[here] = ""


def loops_without_end(outgoing: Outgoing, among: Set[str], ends: Set[str]) -> Iterator[str]:
    """One decision of each group of connected loops that has a decision, but no path to END."""
    sources: dict[str, list[str]] = {node_id: [] for node_id in outgoing}
    for node_id, ways in outgoing.items():
        for edge in ways:
            sources[edge.dst].append(node_id)
    lost = set(among) - _linked_to(ends, sources)
    ahead = {node_id: [edge.dst for edge in outgoing[node_id] if edge.dst in lost] for node_id in lost}
    behind = {node_id: [src for src in sources[node_id] if src in lost] for node_id in lost}
    round_and_round = _between_circles(ahead, behind)
    near = {
        node_id: [other for other in (*ahead[node_id], *behind[node_id]) if other in round_and_round]
        for node_id in round_and_round
    }
    told: set[str] = set()
    for node_id in outgoing:
        if node_id in round_and_round and node_id not in told and len(outgoing[node_id]) > 1:
            yield node_id
            told |= _linked_to({node_id}, near)


def _linked_to(starts: Set[str], links: _Links) -> set[str]:
    found, waiting = set(starts), list(starts)
    while waiting:
        for node_id in links[waiting.pop()]:
            if node_id not in found:
                found.add(node_id)
                waiting.append(node_id)
    return found


def _between_circles(ahead: _Links, behind: _Links) -> set[str]:
    """The nodes that remain after repeatedly removing nodes without incoming or without outgoing edges."""
    left = set(ahead)
    for forward, backward in ((ahead, behind), (behind, ahead)):
        ways = Counter({node_id: sum(other in left for other in forward[node_id]) for node_id in left})
        loose = [node_id for node_id in left if not ways[node_id]]
        while loose:
            node_id = loose.pop()
            left.discard(node_id)
            for other in backward[node_id]:
                ways[other] -= 1
                if other in left and not ways[other]:
                    loose.append(other)
    return left
