"""The working graph between a chart and its drawing: layers of items, and for each edge the chain of its items.

Axes are abstract: *depth* runs along the flow, *breadth* across it; top-down drawing maps depth to rows, left-right
drawing maps it to columns. A layer has nodes and the passing points of longer edges; between two layers of nodes there
may be one of labels. A loop's edge is stored reversed, from its upper end to its lower one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from kimi_tui.errors import ChartTooLargeError
from kimi_tui.flow.layout.crossing_reduction import count_crossings, order_layers
from kimi_tui.flow.layout.edge_rerouting import reroute_long_edges
from kimi_tui.flow.layout.ranking import Edge, back_edges, ranks
from kimi_tui.i18n import tr


@dataclass(slots=True)
class Vertex:
    """An item of a layer: `size_before` and `size_after` are cells on each side of its line.

    `node` is -1 for a passing line; `host` is the node that a loop's line is beside, on `side` -1 or 1; `label` is the
    edge whose label is here. `turns` marks a self-loop; `shared` marks a line that other lines to the same node join.
    """

    node: int = -1
    host: int = -1
    side: int = 0
    label: int = -1
    turns: bool = False
    shared: bool = False
    size_before: int = 0
    size_after: int = 0
    depth: int = 0


@dataclass(slots=True)
class EdgeChain:
    """An edge's items from top to bottom; `back` edges run the other way.

    `top_side` and `bottom_side` mean that the first and last item are beside the node, not the node itself. A self-loop
    has one item, beside its node.
    """

    edge: int
    back: bool
    items: list[int]
    top: int
    bottom: int
    top_side: int = 0
    bottom_side: int = 0


@dataclass(slots=True)
class LayeredGraph:
    """The layers, items and chains; `rank[i]` is the layer of item i; the first items are the nodes."""

    items: list[Vertex]
    layers: list[list[int]]
    chains: list[EdgeChain]
    rank: list[int] = field(default_factory=list[int])
    label_layers: set[int] = field(default_factory=set[int])

    def positions(self) -> dict[int, int]:
        return {item: index for layer in self.layers for index, item in enumerate(layer)}

    def links(self) -> tuple[list[list[int]], list[list[int]]]:
        """Each item's neighbours above and below, one entry for each chain."""
        up: list[list[int]] = [[] for _ in self.items]
        down: list[list[int]] = [[] for _ in self.items]
        for chain in self.chains:
            for a, b in zip(chain.items, chain.items[1:], strict=False):
                down[a].append(b)
                up[b].append(a)
        return up, down


_SMALL = 160
"""Up to this many items, other assignments of layers are tried if lines still cross."""
MAX_ITEMS, MAX_WORK = 40_000, 2_000_000_000
"""The limits of a layout: nodes and passing lines, and the sum of cubed line counts of the gaps, the cost of routing.
"""
_LOOP_WEIGHT = 4
"""A self-loop takes as long to route as this many lines."""
_LARGE = 12_000
"""With more items, the first order found is used."""


def build_skeleton(count: int, edges: Sequence[Edge], labelled: Sequence[bool], root: int) -> LayeredGraph:
    """Build layers with few crossings, loops beside their nodes if that crosses nothing, and layers for labels.

    Raises ChartTooLargeError before any work that would take long.
    """
    if count + len(edges) > MAX_ITEMS:
        raise too_large(count, len(edges))
    skeleton, fewest = _ordered(count, edges, root, reverse=False, late=False)
    for reverse, late in ((False, True), (True, False), (True, True)):
        if not fewest or sum(len(layer) for layer in skeleton.layers) > _SMALL:
            break
        mirrored, crossings = _ordered(count, edges, root, reverse=reverse, late=late)
        if crossings < fewest:
            skeleton, fewest = mirrored, crossings
    _stand_loops_beside(skeleton, {source for source, target in edges if source == target})
    _add_self_loops(skeleton, edges)
    _add_label_layers(skeleton, labelled)
    _merge_lines(skeleton)
    return skeleton


def _ordered(count: int, edges: Sequence[Edge], root: int, *, reverse: bool, late: bool) -> tuple[LayeredGraph, int]:
    """Ordered layers and the number of crossings; `reverse` and `late` select the method of ranking the nodes."""
    backward = back_edges(count, edges, [root], reverse=reverse)
    forward = [
        (target, source) if index in backward else (source, target)
        for index, (source, target) in enumerate(edges)
        if source != target
    ]
    if late:
        lifted = ranks(count, [(target, source) for source, target in forward])
        rank = [max(lifted, default=0) - value for value in lifted]
    else:
        rank = ranks(count, forward)
    _check_size(count, edges, rank)
    skeleton = _layered(count, edges, backward, rank)
    up, down = skeleton.links()
    size = sum(len(layer) for layer in skeleton.layers)
    effort = min(12 if reverse or late else 40, 6000 // (size + 1))
    if size > _LARGE:
        skeleton.layers = order_layers(skeleton.layers, up, down, effort=1, turns=3)
    else:
        skeleton.layers = order_layers(skeleton.layers, up, down, effort=max(6, effort))
    _keep_parts_apart(skeleton, up, down, root)
    if size <= _LARGE:
        chains = [(chain.items, chain.back) for chain in skeleton.chains]
        reroute_long_edges(skeleton.layers, chains, down, effort=60_000)
    return skeleton, count_crossings(skeleton.layers, down)


def _check_size(count: int, edges: Sequence[Edge], rank: Sequence[int]) -> None:
    starts = [0] * (max(rank, default=0) + 2)
    for source, target in edges:
        weight = _LOOP_WEIGHT if source == target else 1
        starts[min(rank[source], rank[target])] += weight
        starts[max(rank[source], rank[target]) + (source == target)] -= weight  # defence: bound-loops
    lines = list(accumulate(starts))
    if count + sum(lines) > MAX_ITEMS or sum(line**3 for line in lines) > MAX_WORK:
        raise too_large(count, len(edges))


def too_large(count: int, edges: int) -> ChartTooLargeError:
    """The error for a chart of so many nodes and edges."""
    return ChartTooLargeError(
        tr("this chart is too large to draw: {nodes} nodes, {edges} edges", nodes=count, edges=edges)
    )


def _layered(count: int, edges: Sequence[Edge], backward: set[int], rank: list[int]) -> LayeredGraph:
    items = [Vertex(node=node) for node in range(count)]
    layers: list[list[int]] = [[] for _ in range(max(rank, default=0) + 1)]
    for node in range(count):
        layers[rank[node]].append(node)
    chains: list[EdgeChain] = []
    ranked = list(rank)
    for index, (source, target) in enumerate(edges):
        if source == target:
            continue
        back = index in backward
        top, bottom = (target, source) if back else (source, target)
        virtual: list[int] = []
        for layer in range(rank[top] + 1, rank[bottom]):
            virtual.append(len(items))
            layers[layer].append(len(items))
            ranked.append(layer)
            items.append(Vertex())
        chains.append(EdgeChain(index, back, [top, *virtual, bottom], top, bottom))
    return LayeredGraph(items, layers, chains, ranked)


def _keep_parts_apart(skeleton: LayeredGraph, up: list[list[int]], down: list[list[int]], root: int) -> None:
    """Put disconnected parts side by side, the part with `root` first; that never adds a crossing."""
    part: dict[int, int] = {}
    for number, start in enumerate((root, *range(len(skeleton.items)))):
        if start in part:
            continue
        part[start] = number
        todo = [start]
        while todo:
            item = todo.pop()
            for neighbour in (*up[item], *down[item]):
                if neighbour not in part:
                    part[neighbour] = number
                    todo.append(neighbour)
    for layer in skeleton.layers:
        layer.sort(key=lambda item: part[item])


def _insert(skeleton: LayeredGraph, item: Vertex, layer: int, index: int) -> int:
    number = len(skeleton.items)
    skeleton.items.append(item)
    skeleton.rank.append(layer)
    skeleton.layers[layer].insert(index, number)
    return number


def _stand_loops_beside(skeleton: LayeredGraph, looping: set[int]) -> None:
    """Let a loop's edge leave and enter at the side of its nodes if it is the outermost line there.

    A line right beside its node crosses the same lines as before, so the number of crossings stays. A side can have one
    leaving edge, or any number of entering ones; a node with a self-loop reserves a side for it.
    """
    used: dict[tuple[int, int], str] = {}
    touching: dict[int, list[EdgeChain]] = {}
    for chain in skeleton.chains:
        for node in {chain.top, chain.bottom}:
            touching.setdefault(node, []).append(chain)
    for side in (1, -1):
        for end in ("top", "bottom"):
            for chain in sorted((c for c in skeleton.chains if c.back), key=lambda c: -side * len(c.items)):
                node = chain.top if end == "top" else chain.bottom
                if end == "top" or node not in looping or used.get((node, -side)) != "out":
                    _try_side(skeleton, chain, end, side, used, touching[node])


def _try_side(
    skeleton: LayeredGraph,
    chain: EdgeChain,
    end: str,
    side: int,
    used: dict[tuple[int, int], str],
    touching: Sequence[EdgeChain],
) -> None:
    if (chain.top_side if end == "top" else chain.bottom_side) != 0:
        return
    node = chain.top if end == "top" else chain.bottom
    owner = used.get((node, side))
    if owner and not (owner == "in" and end == "top"):
        return
    layer = skeleton.rank[node]
    neighbour, neighbour_layer = (chain.items[1], layer + 1) if end == "top" else (chain.items[-2], layer - 1)
    positions: dict[int, int] | None = None
    for other_chain in touching:
        if other_chain is chain or (other_chain.items[0] if end == "top" else other_chain.items[-1]) != node:
            continue
        if positions is None:
            positions = {item: index for index, item in enumerate(skeleton.layers[neighbour_layer])}
        if (
            positions[other_chain.items[1] if end == "top" else other_chain.items[-2]] - positions[neighbour]
        ) * side > 0:
            return
    index = skeleton.layers[layer].index(node)
    number = _insert(skeleton, Vertex(host=node, side=side), layer, index + 1 if side > 0 else index)
    used[node, side] = "in" if end == "top" else "out"
    if end == "top":
        chain.items[0], chain.top_side = number, side
    else:
        chain.items[-1], chain.bottom_side = number, side


def _add_self_loops(skeleton: LayeredGraph, edges: Sequence[Edge]) -> None:
    """Put self-loops right beside their nodes, on the side with fewer lines."""
    leaving = {(chain.bottom, chain.bottom_side) for chain in skeleton.chains}
    entering = Counter((chain.top, chain.top_side) for chain in skeleton.chains)
    for index, (source, target) in enumerate(edges):
        if source != target:
            continue
        side = min((1, -1), key=lambda side: ((source, side) in leaving, entering[source, side]))
        layer = skeleton.rank[source]
        at = skeleton.layers[layer].index(source)
        item = Vertex(host=source, side=side, turns=True, shared=entering[source, side] > 0)
        number = _insert(skeleton, item, layer, at + 1 if side > 0 else at)
        skeleton.chains.append(EdgeChain(index, True, [number], source, source, top_side=side))
        entering[source, side] += 1


def _add_label_layers(skeleton: LayeredGraph, labelled: Sequence[bool]) -> None:
    """Add a layer of labels below each layer that labelled edges leave; other lines pass through it."""
    gaps: dict[int, set[int]] = {}
    for number, chain in enumerate(skeleton.chains):
        if not labelled[chain.edge]:
            continue
        if chain.bottom_side or len(chain.items) == 1:
            skeleton.items[chain.items[-1]].label = chain.edge
            continue
        gap = skeleton.rank[chain.bottom] - 1 if chain.back else skeleton.rank[chain.top]
        gaps.setdefault(gap, set()).add(number)
    if not gaps:
        return
    positions = skeleton.positions()
    extra: dict[int, list[tuple[tuple[int, int, int], int]]] = {gap: [] for gap in gaps}
    for number, chain in enumerate(skeleton.chains):
        longer: list[int] = chain.items[:1]
        for a, b in zip(chain.items, chain.items[1:], strict=False):
            gap = skeleton.rank[a]
            if gap in gaps:
                item = len(skeleton.items)
                skeleton.items.append(Vertex(label=chain.edge if number in gaps[gap] else -1))
                skeleton.rank.append(gap)  # corrected below
                extra[gap].append(((positions[a], positions[b], number), item))
                longer.append(item)
            longer.append(b)
        chain.items = longer
    layers: list[list[int]] = []
    for gap, layer in enumerate(skeleton.layers):
        layers.append(layer)
        if gap in extra:
            skeleton.label_layers.add(len(layers))
            layers.append([item for _, item in sorted(extra[gap])])
    skeleton.layers = layers
    for index, layer in enumerate(layers):
        for item in layer:
            skeleton.rank[item] = index


def _merge_lines(skeleton: LayeredGraph) -> None:
    """Merge neighbouring lines to the same node, from the point where they meet."""
    chains_of: dict[int, list[EdgeChain]] = {}
    for chain in skeleton.chains:
        for item in chain.items:
            chains_of.setdefault(item, []).append(chain)
    for back, span in ((False, reversed(range(len(skeleton.layers)))), (True, iter(range(len(skeleton.layers))))):
        for index in span:
            kept: list[int] = []
            for item in skeleton.layers[index]:
                if kept and _same_goal(skeleton, chains_of, kept[-1], item, back=back):
                    for chain in chains_of[item]:
                        chain.items[_layer_index(skeleton, chain, item)] = kept[-1]
                    chains_of[kept[-1]].extend(chains_of.pop(item))
                else:
                    kept.append(item)
            skeleton.layers[index] = kept


def _same_goal(skeleton: LayeredGraph, chains_of: dict[int, list[EdgeChain]], a: int, b: int, *, back: bool) -> bool:
    first, second = skeleton.items[a], skeleton.items[b]
    if first.node >= 0 or second.node >= 0 or first.label >= 0 or second.label >= 0:
        return False
    first_chains, second_chains = chains_of[a], chains_of[b]
    if any(chain.back is not back for chain in (*first_chains, *second_chains)):
        return False
    if first.host != second.host or first.side != second.side:
        return False
    if any((chain.items[-1] in (a, b)) and chain.bottom_side for chain in (*first_chains, *second_chains)):
        return False
    if not back:
        return (
            first_chains[0].items[_layer_index(skeleton, first_chains[0], a) + 1]
            == second_chains[0].items[_layer_index(skeleton, second_chains[0], b) + 1]
        )
    if first.host >= 0:
        return len(first_chains[0].items) > 1 and len(second_chains[0].items) > 1
    return (
        first_chains[0].items[_layer_index(skeleton, first_chains[0], a) - 1]
        == second_chains[0].items[_layer_index(skeleton, second_chains[0], b) - 1]
    )


def _layer_index(skeleton: LayeredGraph, chain: EdgeChain, item: int) -> int:
    """The index of an item in its chain, which has one item in each layer."""
    return skeleton.rank[item] - skeleton.rank[chain.items[0]]


def lines_touching(skeleton: LayeredGraph, count: int, *, share: bool = False) -> list[int]:
    """For each of `count` nodes, the number of lines that may need separate ports on one of its two long edges.

    With `share`, lines that all run forward may leave, and may enter, by one port.
    """
    low: list[set[int]] = [set() for _ in range(count)]
    high: list[set[int]] = [set() for _ in range(count)]
    entering = [0] * count
    loops = {chain.top for chain in skeleton.chains if chain.back or len(chain.items) == 1}
    pairs = Counter((chain.top, chain.bottom) for chain in skeleton.chains)
    separate = loops | {node for pair, number in pairs.items() if number > 1 for node in pair}
    for chain in skeleton.chains:
        if not chain.top_side or len(chain.items) == 1:
            low[chain.top].add(chain.edge)
        if not chain.bottom_side and len(chain.items) > 1:
            if chain.back:
                high[chain.bottom].add(chain.edge)
            else:
                entering[chain.bottom] += 1
    both = [
        entering[node] + len(high[node])
        if high[node]
        else min(1 if share and node not in separate else 3, entering[node])  # sides share an arrow
        for node in range(count)
    ]
    leaving = [1 if share and node not in separate else len(low[node]) for node in range(count)]
    return [max(1, leaving[node], both[node]) for node in range(count)]
