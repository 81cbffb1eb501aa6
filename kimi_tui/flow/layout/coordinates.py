"""Converts a layered graph and box sizes to cells: positions across the flow, ports, tracks, and the lines' paths.

All coordinates are (breadth, depth), see `layered_graph`; only `layout` maps them to x and y.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kimi_tui.flow.layout.box_sizes import Spacing
from kimi_tui.flow.layout.coordinate_assignment import Pair, align_blocks, assign_positions
from kimi_tui.flow.layout.geometry import Point
from kimi_tui.flow.layout.layered_graph import EdgeChain, LayeredGraph, Vertex
from kimi_tui.flow.layout.ports import Line, Span, entering_ports, leaving_ports
from kimi_tui.flow.layout.routing import Channel, route


@dataclass(slots=True)
class Coordinates:
    """The result, in (breadth, depth): the first cell of each node and label, and each edge's path in its direction."""

    node_at: list[Point]
    paths: dict[int, list[Point]]
    label_at: dict[int, Point]


_FAR = 1_000_000
_UNBENT = 20
"""The priority of keeping a passing line straight, which costs no room."""
_STRAIGHTENING_TRIES = 80
_LOOSE = 0.25
"""The pull of a loop's line on its nodes: low, so that the forward path is straight."""


@dataclass(slots=True)
class _Gap:
    """The lines between a layer and the next: wires as (chain, position in it), turning self-loops, arrow rows."""

    wires: list[tuple[EdgeChain, int]] = field(default_factory=list[tuple[EdgeChain, int]])
    turns: list[EdgeChain] = field(default_factory=list[EdgeChain])
    wire_of: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    arrow_up: bool = False
    arrow_down: bool = False
    start: int = 0
    channel: Channel = field(default_factory=lambda: Channel(0))


def assign_coordinates(
    skeleton: LayeredGraph,
    spacing: Spacing,
    *,
    main: set[int],
    node_depths: Sequence[int],
    label_depths: dict[int, int],
    across: bool,
    room: int | None = None,
    low: bool = False,
) -> Coordinates:
    """Assign cells to `skeleton`, whose items have sizes; `main` are the edges to straighten first.

    `across` means that the flow runs to the right: then labels are above their lines, else behind them. With a spacing
    that is not straight, as many lines are straight as fit a breadth of `room` cells. With `low`, labels are beside the
    arrowheads of lines that are straight below them.
    """
    return _Assembler(skeleton, spacing, main, node_depths, label_depths, across, room, low).run()


class _Assembler:
    def __init__(
        self,
        skeleton: LayeredGraph,
        spacing: Spacing,
        main: set[int],
        node_depths: Sequence[int],
        label_depths: dict[int, int],
        across: bool,
        room: int | None,
        low: bool,
    ) -> None:
        self.across, self.room, self.low = across, room, low
        self.skeleton, self.spacing, self.main = skeleton, spacing, main
        self.node_depths, self.label_depths = node_depths, label_depths
        self.items, self.layers, self.rank = skeleton.items, skeleton.layers, skeleton.rank
        self.gaps = [_Gap() for _ in self.layers]
        self.low_port: dict[tuple[int, int], int] = {}  # (node, key) -> port on the edge towards the end of the flow
        self.high_port: dict[tuple[int, int], int] = {}
        self.band = [0] * len(self.layers)
        self._in_loops: set[int] = set()
        self.band_depth = [max((self.items[item].depth for item in layer), default=0) for layer in self.layers]
        self.lift = [self._lift(layer) for layer in range(len(self.layers))]
        self.band_depth = [depth + lift for depth, lift in zip(self.band_depth, self.lift, strict=True)]

    def run(self) -> Coordinates:
        self.x = self._assign_positions()
        for chain in self.skeleton.chains:
            if len(chain.items) == 1:
                self.gaps[self.rank[chain.items[0]]].turns.append(chain)
            for position, item in enumerate(chain.items[:-1]):
                gap = self.gaps[self.rank[item]]
                gap.wire_of[chain.edge, position] = len(gap.wires)
                gap.wires.append((chain, position))
        self._choose_ports()
        depth = 0
        for index, gap in enumerate(self.gaps):
            self.band[index] = depth
            depth += self.band_depth[index]
            depth += self._route(gap, depth, index)
        count = len(self.node_depths)
        nodes = [(self.x[node] - self.items[node].size_before, self._node_start(node)) for node in range(count)]
        paths = {chain.edge: self._path(chain) for chain in self.skeleton.chains}
        labels = {item.label: self._label_place(number) for number, item in enumerate(self.items) if item.label >= 0}
        return Coordinates(nodes, paths, labels)

    def _assign_positions(self) -> list[int]:
        links: dict[Pair, float] = {}
        preferences: dict[Pair, int] = {}
        up, down = self.skeleton.links()
        self._index = self.skeleton.positions().__getitem__
        reversed_items = (item for chain in self.skeleton.chains if chain.back for item in chain.items)
        self._in_loops = {item for item in reversed_items if self.items[item].node < 0}
        for chain in self.skeleton.chains:
            for a, b in pairwise(chain.items):
                bends = (self.items[a].node < 0) + (self.items[b].node < 0)
                pull = _LOOSE if chain.back and bends < 2 else (1.0, 2.0, 8.0)[bends]
                links[a, b] = links.get((a, b), 0.0) + pull
                preference = self._wish(chain, a, b, bends, up, down)
                if preference:
                    preferences[a, b] = max(preference, preferences.get((a, b), 0))
        for number, item in enumerate(self.items):
            if item.host >= 0:
                links[item.host, number] = 0.5
        flat = [(a, b, weight) for (a, b), weight in links.items()]
        if self.spacing.straight:
            return self._positions(preferences, flat)
        kept = {pair: preference for pair, preference in preferences.items() if preference == _UNBENT}
        positions = self._positions(kept, flat)
        if self.room is None or self._breadth(positions) > self.room:
            return positions
        by_preference = sorted(preferences, key=lambda pair: (-preferences[pair], self.rank[pair[0]], pair))
        todo, tries = [[pair for pair in by_preference if pair not in kept]], _STRAIGHTENING_TRIES
        while todo and tries:
            group, tries = todo.pop(), tries - 1
            more = {**kept, **{pair: preferences[pair] for pair in group}}
            tried = self._positions(more, flat)
            if self._breadth(tried) <= self.room:
                kept, positions = more, tried
            elif len(group) > 1:
                half = len(group) // 2
                todo += [group[half:], group[:half]]
        return positions

    def _positions(self, preferences: dict[Pair, int], links: Sequence[tuple[int, int, float]]) -> list[int]:
        """The position of each item, from 0 up, with these links straight as far as they do not cross."""
        block = align_blocks(
            self.layers, [(preference, a, b) for (a, b), preference in preferences.items()], len(self.items)
        )
        positions = assign_positions(self.layers, links, block, self._distance)
        lowest = min(
            (positions[item] - self.items[item].size_before for layer in self.layers for item in layer), default=0
        )
        return [position - lowest for position in positions]

    def _breadth(self, positions: Sequence[int]) -> int:
        """The cells across the flow that these positions need, which begin at 0."""
        return max(
            (positions[layer[-1]] + self.items[layer[-1]].size_after + 1 for layer in self.layers if layer), default=0
        )

    def _wish(self, chain: EdgeChain, a: int, b: int, bends: int, up: list[list[int]], down: list[list[int]]) -> int:
        """The priority of keeping a link straight; 0 if it is only balanced."""
        if chain.edge in self.main:
            return 100
        if bends == 2:
            return _UNBENT
        if chain.back and self.items[b].node >= 0 and set(up[b]) - self._in_loops:
            return 0  # else the loop's line would push its node aside
        above = sorted(set(down[a]) - self._in_loops, key=self._index)
        below = sorted(set(up[b]) - self._in_loops, key=self._index)
        middle_above = len(above) % 2 == 1 and above[len(above) // 2] == b
        middle_below = len(below) % 2 == 1 and below[len(below) // 2] == a
        if bends == 1:
            if self.items[a].node >= 0:
                if len(below) > 1 and not middle_below:
                    return 0  # several lines merge here, best in their middle
                return 10 if middle_above else (4 if self.items[b].label >= 0 and len(above) == 1 else 0)
            return 10 if middle_below else 5 * (self.items[a].label >= 0)
        return 10 if middle_above and middle_below else 0

    def _distance(self, a: int, b: int) -> int:
        first, second = self.items[a], self.items[b]
        lines = (first.node < 0) + (second.node < 0)
        gap = (self.spacing.between_boxes, self.spacing.beside_box, self.spacing.between_lines)[lines]
        if first.label >= 0:
            gap = max(gap, self.spacing.between_lines)
        return first.size_after + gap + second.size_before + 1

    def _span(self, node: int) -> Span:
        item, position = self.items[node], self.x[node]
        corner = int(item.size_before + item.size_after > 0)
        return Span(
            position - item.size_before + corner, position + item.size_after - corner, position, self.spacing.port_step
        )

    def _choose_ports(self) -> None:
        low: dict[int, list[Line]] = {}
        high: dict[int, list[Line]] = {}
        for chain in self.skeleton.chains:
            first = chain.items[0]
            if len(chain.items) == 1:
                outward = chain.top_side * _FAR - self.x[first]  # the nearer a loop is, the farther out it starts
                low.setdefault(chain.top, []).append(Line(chain.edge, outward, False))
            elif self.items[first].node >= 0:
                key = -1 - chain.items[1] if chain.back else chain.edge
                low.setdefault(first, []).append(Line(key, self.x[chain.items[1]], False))
        for node, lines in low.items():
            for key, port in leaving_ports(lines, self._span(node)).items():
                self.low_port[node, key] = port
        for chain in self.skeleton.chains:
            last = chain.items[-1]
            if len(chain.items) == 1 or self.items[last].node < 0:
                continue
            previous = chain.items[-2]
            key = chain.edge if chain.back or self.items[previous].node >= 0 else -1 - previous
            high.setdefault(last, []).append(Line(key, self._low_end(chain, len(chain.items) - 2), not chain.back))
        for node, lines in high.items():
            for key, port in entering_ports(lines, self._span(node)).items():
                self.high_port[node, key] = port

    def _low_end(self, chain: EdgeChain, position: int) -> int:
        """The place where a chain leaves its item at `position` towards the next."""
        item = chain.items[position]
        if self.items[item].node < 0:
            return self.x[item]
        return self.low_port[item, -1 - chain.items[position + 1] if chain.back else chain.edge]

    def _high_end(self, chain: EdgeChain, position: int) -> int:
        """The place where a chain enters its item at `position` from the previous one."""
        item = chain.items[position]
        if self.items[item].node < 0:
            return self.x[item]
        previous = chain.items[position - 1]
        return self.high_port[item, chain.edge if chain.back or self.items[previous].node >= 0 else -1 - previous]

    def _route(self, gap: _Gap, depth: int, index: int) -> int:
        """Assign tracks to the gap; returns its depth."""
        wires = [(self._low_end(chain, segment), self._high_end(chain, segment + 1)) for chain, segment in gap.wires]
        turns = [(self.low_port[chain.top, chain.edge], self.x[chain.items[0]]) for chain in gap.turns]
        gap.channel = route(wires, turns)
        for chain, segment in gap.wires:
            gap.arrow_up |= chain.back and segment == 0 and chain.top_side == 0
            gap.arrow_down |= segment + 2 == len(chain.items) and chain.bottom_side == 0
        starts = [top for (top, _), (_, segment) in zip(wires, gap.wires, strict=True) if segment == 0]
        starts += [top for top, _ in turns]
        lead = int((self.across and bool(starts)) or gap.channel.crossed_at_once(starts))
        gap.start = depth + max(lead, gap.arrow_up)
        size = max(lead, gap.arrow_up) + gap.channel.tracks + gap.arrow_down
        if self.low and not self.across and index in self.skeleton.label_layers and size == int(gap.arrow_down):
            size = 0
        is_last = index == len(self.layers) - 1
        beside_labels = index in self.skeleton.label_layers or index + 1 in self.skeleton.label_layers
        return size if is_last or beside_labels else max(1, size)

    def _is_inside(self, item: Vertex) -> bool:
        """Whether a loop's label is drawn between the loop's line on the left and its box, above the line's end."""
        return item.label >= 0 and item.host >= 0 and item.side < 0 and not item.turns and not self.across

    def _lift(self, layer: int) -> int:
        """The rows before a layer's boxes that the labels of loops on the left need over the middle of their boxes."""
        needed = 0
        for item in (self.items[number] for number in self.layers[layer]):
            if self._is_inside(item):
                depth, node_depth = self.band_depth[layer], self.node_depths[item.host]
                middle = (depth - node_depth) // 2 + (node_depth - 1) // 2
                needed = max(needed, self.label_depths[item.label] - middle)
        return needed

    def _node_start(self, node: int) -> int:
        layer = self.rank[node]
        lift = self.lift[layer]
        return self.band[layer] + lift + (self.band_depth[layer] - lift - self.node_depths[node]) // 2

    def _middle(self, node: int) -> int:
        return self._node_start(node) + (self.node_depths[node] - 1) // 2

    def _side_end(self, node: int, side: int) -> Point:
        """The cell beside a node that a loop leaves or enters by."""
        item = self.items[node]
        return (
            self.x[node] + item.size_after + 1 if side > 0 else self.x[node] - item.size_before - 1,
            self._middle(node),
        )

    def _path(self, chain: EdgeChain) -> list[Point]:
        if len(chain.items) == 1:
            return self._self_loop(chain)
        points: list[Point] = []
        last = len(chain.items) - 1
        if chain.top_side:
            points += [
                self._side_end(chain.top, chain.top_side),
                (self.x[chain.items[0]], self._middle(chain.top)),
            ]
        else:
            below = self._node_start(chain.top) + self.node_depths[chain.top]
            points.append((self._low_end(chain, 0), below))
        for position in range(last):
            gap = self.gaps[self.rank[chain.items[position]]]
            wire = gap.wire_of[chain.edge, position]
            points += [(position, gap.start + track) for position, track in gap.channel.paths[wire]]
        if chain.bottom_side:
            points.append((self.x[chain.items[-1]], self._middle(chain.bottom)))
            points.append(self._side_end(chain.bottom, chain.bottom_side))
        else:
            points.append((self._high_end(chain, last), self._node_start(chain.bottom) - 1))
        if chain.back:
            points.reverse()
        return straighten(points)

    def _self_loop(self, chain: EdgeChain) -> list[Point]:
        gap = self.gaps[self.rank[chain.items[0]]]
        turn = gap.channel.paths[len(gap.wires) + gap.turns.index(chain)]
        start = (self.low_port[chain.top, chain.edge], self._node_start(chain.top) + self.node_depths[chain.top])
        points = [start, *((position, gap.start + track) for position, track in turn)]
        return straighten(
            [
                *points,
                (self.x[chain.items[0]], self._middle(chain.top)),
                self._side_end(chain.top, chain.top_side),
            ]
        )

    def _label_place(self, number: int) -> Point:
        item = self.items[number]
        layer = self.rank[number]
        start, end = self.band[layer], self.band[layer] + self.band_depth[layer] - self.label_depths[item.label]
        if item.shared or (item.turns and item.side < 0 and not self.across):
            start = self._middle(item.host) + 1
        elif self._is_inside(item):
            start = self._middle(item.host) - self.label_depths[item.label]
        elif item.host >= 0:
            back = (0 if item.turns else self.label_depths[item.label] - 1) if self.across else -1 if item.turns else 1
            start = min(max(self._middle(item.host) - back, start), end)
        elif self.across:
            start += 1
        return (
            self.x[number] - item.size_before if item.size_before else self.x[number] + (1 if self.across else 2),
            start,
        )


def straighten(points: Sequence[Point]) -> list[Point]:
    """Return the same path without repeated points and without points on a straight run."""
    straight: list[Point] = []
    for point in points:
        if straight and straight[-1] == point:
            continue
        if len(straight) > 1 and (
            straight[-2][0] == straight[-1][0] == point[0] or straight[-2][1] == straight[-1][1] == point[1]
        ):
            straight[-1] = point
        else:
            straight.append(point)
    return straight
