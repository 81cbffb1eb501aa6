"""Finds the back edges of a chart and assigns each node a layer.

Nodes and edges are plain numbers here; an edge is `(source, target)`. No recursion: charts may be deep.
"""

from collections.abc import Sequence

Edge = tuple[int, int]


def back_edges(count: int, edges: Sequence[Edge], roots: Sequence[int], *, reverse: bool = False) -> set[int]:
    """Indexes of the edges that close a loop in a depth-first search from `roots`, then from unreached nodes.

    `reverse` follows each node's last edge first, which may close loops elsewhere.
    """
    leaving: list[list[int]] = [[] for _ in range(count)]
    entered = [0] * count
    for index, (source, target) in enumerate(edges):
        if source != target:
            leaving[source].append(index)
            entered[target] += 1
    if reverse:
        for edges_out in leaving:
            edges_out.reverse()
    back: set[int] = set()
    state = bytearray(count)  # 0 unseen, 1 on the walk's path, 2 done
    for start in (*roots, *sorted(range(count), key=lambda node: entered[node] > 0)):
        if state[start]:
            continue
        state[start] = 1
        path = [(start, iter(leaving[start]))]
        while path:
            node, successors = path[-1]
            index = next(successors, None)
            if index is None:
                state[node] = 2
                path.pop()
                continue
            target = edges[index][1]
            if state[target] == 1:
                back.add(index)
            elif state[target] == 0:
                state[target] = 1
                path.append((target, iter(leaving[target])))
    return back


def ranks(count: int, edges: Sequence[Edge]) -> list[int]:
    """A layer for each node, from 0, so that each edge of the acyclic `edges` points down and edges are short."""
    down: list[list[int]] = [[] for _ in range(count)]
    up: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        down[source].append(target)
        up[target].append(source)
    order = _topological(count, down, up)
    rank = [0] * count
    for node in order:
        for target in down[node]:
            rank[target] = max(rank[target], rank[node] + 1)
    _shorten(rank, order, down, up)
    lowest = min(rank, default=0)
    return [value - lowest for value in rank]


def _topological(count: int, down: list[list[int]], up: list[list[int]]) -> list[int]:
    missing = [len(above) for above in up]
    order = [node for node in range(count) if not missing[node]]
    for node in order:
        for target in down[node]:
            missing[target] -= 1
            if not missing[target]:
                order.append(target)
    return order


def _shorten(rank: list[int], order: list[int], down: list[list[int]], up: list[list[int]]) -> None:
    """Move nodes, alone or with their subtree of tight edges, to the layer with the least total edge length."""
    for _ in range(4):
        moved = False
        for node in reversed(order):
            if not down[node] or len(up[node]) >= len(down[node]):
                continue
            slack = min(rank[target] for target in down[node]) - 1
            if slack > rank[node]:
                rank[node], moved = slack, True
        for node in reversed(order):
            moved = _pull_group(node, rank, down, up) or moved
        if not moved:
            return


def _pull_group(node: int, rank: list[int], down: list[list[int]], up: list[list[int]]) -> bool:
    """Lower `node` together with the nodes above it if nothing blocks them and that shortens edges."""
    if not down[node]:
        return False
    slack = min(rank[target] for target in down[node]) - rank[node] - 1
    if slack <= 0:
        return False
    group, todo = {node}, [node]
    while todo:
        for above in up[todo.pop()]:
            if above not in group:
                group.add(above)
                todo.append(above)
    leaving = [(a, b) for a in group for b in down[a] if b not in group]
    room = min((rank[b] - rank[a] - 1 for a, b in leaving), default=0)
    if room <= 0:
        return False
    for member in group:
        rank[member] += room
    return True
