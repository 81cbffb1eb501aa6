"""Finds a better path for one long edge at a time, through layers whose other items stay in place.

Sweeps over layers cannot do this: moving a line to the other side of an item saves no crossing until its last piece has
moved. It also moves loops to the outside, where they can enter and leave their nodes sideways.
"""

from collections.abc import Sequence
from itertools import pairwise

Layers = list[list[int]]
Links = Sequence[list[int]]

_CROSSING, _INSIDE_COST = 1000, 40


def reroute_long_edges(layers: Layers, chains: Sequence[tuple[list[int], bool]], down: Links, *, effort: int) -> None:
    """Move the inner items of `chains` (items from top to bottom, whether it closes a loop) to their best places.

    `effort` limits the work: the number of pairs of places to evaluate.
    """
    rank = {item: index for index, layer in enumerate(layers) for item in layer}
    for _ in range(3):
        moved = False
        for items, back in chains:
            if len(items) < 3 or effort <= 0:
                continue
            route = _Route(layers, items, rank, down, back=back)
            if route.needs_work():
                effort -= sum((len(layers[rank[a]]) + 1) * (len(layers[rank[b]]) + 1) for a, b in pairwise(items))
                moved = route.move() or moved
        if not moved:
            return


class _Route:
    """One edge's path through the layers."""

    def __init__(self, layers: Layers, items: list[int], rank: dict[int, int], down: Links, *, back: bool) -> None:
        self.layers, self.items, self.rank, self.back = layers, items, rank, back
        self.inner = items[1:-1]
        self.gaps = [_Gap(layers[rank[a]], layers[rank[b]], down, (a, b), self.inner) for a, b in pairwise(items)]
        self.old = [gap.at_upper for gap in self.gaps[1:]]
        self.start, self.end = self.gaps[0].at_upper, self.gaps[-1].at_lower

    def needs_work(self) -> bool:
        """Whether the line crosses anything, or is a loop with something outside of it."""
        if any(gap.crossed() for gap in self.gaps):
            return True
        return self.back and bool(self._below_start(self.old[0]) + self._above_end(self.old[-1]))

    def move(self) -> bool:
        """Move the line to its cheapest path; True if that is cheaper than the current one."""
        first, last = self.gaps[0], self.gaps[-1]
        row = first.costs_from_node()
        costs = [row[b] + _bend(self.start, b) + self._below_start(b) for b in range(first.width + 1)]
        steps: list[list[int]] = []
        for gap in self.gaps[1:-1]:
            table = gap.costs()
            picks: list[int] = []
            totals: list[int] = []
            for b in range(gap.width + 1):
                options = [cost + table[a][b] + _bend(a, b) for a, cost in enumerate(costs)]
                totals.append(min(options))
                picks.append(options.index(totals[-1]))
            costs = totals
            steps.append(picks)
        finish = last.costs_to_node()
        totals = [cost + finish[a] + _bend(a, self.end) + self._above_end(a) for a, cost in enumerate(costs)]
        best, paid = min(totals), self._paid()
        if best >= paid or not (self.back or best // _CROSSING < paid // _CROSSING):
            return False
        new = [totals.index(best)]
        for picks in reversed(steps):
            new.append(picks[new[-1]])
        new.reverse()
        for item, slot in zip(self.inner, new, strict=True):
            layer = self.layers[self.rank[item]]
            layer.remove(item)
            layer.insert(slot, item)
        return True

    def _paid(self) -> int:
        slots = [self.start, *self.old, self.end]
        total = sum(_CROSSING * gap.crossed() for gap in self.gaps) + sum(_bend(a, b) for a, b in pairwise(slots))
        return total + self._below_start(self.old[0]) + self._above_end(self.old[-1])

    def _below_start(self, slot: int) -> int:
        """The cost of a loop's line that is not the outermost one below its upper node."""
        gap = self.gaps[0]
        ends = gap.ends[gap.at_upper]
        return _INSIDE_COST if self.back and ends and ends[0] < slot <= ends[-1] else 0

    def _above_end(self, slot: int) -> int:
        """The cost of a loop's line that is not the outermost one above its lower node."""
        gap = self.gaps[-1]
        starts = [index for index, ends in enumerate(gap.ends) if gap.at_lower in ends]
        return _INSIDE_COST if self.back and starts and starts[0] < slot <= starts[-1] else 0


def _bend(previous: int, slot: int) -> int:
    return min(abs(slot - previous), 9)


class _Gap:
    """The links between two layers except for the line itself, which runs from `at_upper` to `at_lower`.

    `ends[i]` are the places below that item i of the upper layer is joined to. The line's own inner items are not among
    the items: their places are slots before an item.
    """

    def __init__(
        self, upper: list[int], lower: list[int], down: Links, ends_of: tuple[int, int], inner: list[int]
    ) -> None:
        a, b = ends_of
        self.at_upper, self.at_lower = upper.index(a), lower.index(b)
        self.from_slot, self.to_slot = a in inner, b in inner
        remaining = [item for item in lower if item != b] if self.to_slot else lower
        index_of = {item: index for index, item in enumerate(remaining)}
        self.width = len(remaining)
        self.ends = [
            sorted(index_of[target] for target in down[item] if target in index_of)
            for item in upper
            if item != a or not self.from_slot
        ]

    def crossed(self) -> int:
        """The number of links that the line crosses at its current place."""
        a, b = self.at_upper, self.at_lower
        next_index = b if self.to_slot else b + 1
        crossings = 0
        for index, ends in enumerate(self.ends):
            if index < a:
                crossings += sum(end >= next_index for end in ends)
            elif index > a or self.from_slot:
                crossings += sum(end < b for end in ends)
        return crossings

    def costs_from_node(self) -> list[int]:
        """The cost of crossings from the line's upper node to each slot below."""
        row = [0] * (self.width + 1)
        for index, ends in enumerate(self.ends):
            if index != self.at_upper:
                for end in ends:
                    for b in range(end + 1) if index < self.at_upper else range(end + 1, self.width + 1):
                        row[b] += _CROSSING
        return row

    def costs(self) -> list[list[int]]:
        """The cost of crossings from each slot above to each slot below."""
        row = [0] * (self.width + 1)
        for ends in self.ends:
            for end in ends:
                for b in range(end + 1, self.width + 1):
                    row[b] += _CROSSING
        table = [row]
        for ends in self.ends:
            row = list(row)
            for end in ends:
                for b in range(self.width + 1):
                    row[b] += _CROSSING if b <= end else -_CROSSING
            table.append(row)
        return table

    def costs_to_node(self) -> list[int]:
        """The cost of crossings from each slot above to the line's lower node."""
        price = _CROSSING * sum(end < self.at_lower for ends in self.ends for end in ends)
        column = [price]
        for ends in self.ends:
            price += _CROSSING * sum((end > self.at_lower) - (end < self.at_lower) for end in ends)
            column.append(price)
        return column
