"""Assigns positions across the flow: straight lines first, then short ones, then balance.

Items that should be on one straight line form a block; blocks keep their order and distance, and springs draw them
towards the middle of their neighbours.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise

Pair = tuple[int, int]

_ROUNDS, _MANY_LINKS = 24, 12_000
_MOST_CHECKS = 4_000_000
"""After so many checked distances, no further round improves the positions."""


def align_blocks(layers: Sequence[Sequence[int]], preferences: Sequence[tuple[int, int, int]], count: int) -> list[int]:
    """Return the block of each item: `preferences` are `(priority, upper, lower)` pairs to put on one straight line.

    Preferences are applied by priority; one is skipped if it would cross an applied one, or give an item two straight
    lines on one side.
    """
    position = [0] * count
    level = [0] * count
    for depth, layer in enumerate(layers):
        for index, item in enumerate(layer):
            position[item], level[item] = index, depth
    below, above = [-1] * count, [-1] * count
    granted: list[list[Pair]] = [[] for _ in layers]  # by place; none cross, so checking neighbours suffices
    for _, a, b in sorted(preferences, key=lambda preference: -preference[0]):
        if below[a] >= 0 or above[b] >= 0:
            continue
        pairs, pair = granted[level[a]], (position[a], position[b])
        insert_at = bisect_left(pairs, pair)
        if (insert_at and pairs[insert_at - 1][1] > pair[1]) or (
            insert_at < len(pairs) and pairs[insert_at][1] < pair[1]
        ):
            continue
        pairs.insert(insert_at, pair)
        below[a], above[b] = b, a
    block = [-1] * count
    number = 0
    for layer in layers:
        for item in layer:
            if above[item] < 0:
                member = item
                while member >= 0:
                    block[member] = number
                    member = below[member]
                number += 1
    return block


class _Group:
    """Blocks that touch and move as one; `offset` is each block's distance from the group's position.

    `bounds` are `(member, block to its left, distance)` for the blocks that are not in the group.
    """

    __slots__ = ("bounds", "members", "weight", "x")

    def __init__(self, member: int, x: float, weight: float, bounds: list[tuple[int, int, int]]) -> None:
        self.members, self.x, self.weight, self.bounds = [member], x, weight, bounds


def assign_positions(
    layers: Sequence[Sequence[int]],
    links: Sequence[tuple[int, int, float]],
    block: Sequence[int],
    distance: Callable[[int, int], int],
) -> list[int]:
    """An integer position for each item, from 0 up, with neighbours in a layer at least `distance` apart.

    `links` are `(item, item, weight)`; links within a block are ignored.
    """
    count = len(block)
    rounds = _ROUNDS if count <= _MANY_LINKS else max(4, _ROUNDS * _MANY_LINKS // count)
    blocks = max(block, default=-1) + 1
    gaps: dict[Pair, int] = {}
    for layer in layers:
        for a, b in pairwise(layer):
            pair = (block[a], block[b])
            gaps[pair] = max(gaps.get(pair, 0), distance(a, b))
    lefts: list[list[Pair]] = [[] for _ in range(blocks)]
    rights: list[list[int]] = [[] for _ in range(blocks)]
    for (a, b), gap in gaps.items():
        lefts[b].append((a, gap))
        rights[a].append(b)
    order = _left_to_right(lefts, rights)
    pulls: list[list[tuple[int, float]]] = [[] for _ in range(blocks)]
    for a, b, weight in links:
        if block[a] != block[b]:
            pulls[block[a]].append((block[b], weight))
            pulls[block[b]].append((block[a], weight))
    weights = [sum(weight for _, weight in pull) or 0.01 for pull in pulls]
    x = [0.0] * blocks
    for index in order:
        x[index] = max((x[neighbour] + gap for neighbour, gap in lefts[index]), default=0.0)
    checks = 0
    for _ in range(rounds):
        if checks > _MOST_CHECKS:  # defence: bound-position-rounds
            break
        targets = list(x)
        for index, pull in enumerate(pulls):
            if pull:
                targets[index] = (
                    x[index] + sum(x[neighbour] * weight for neighbour, weight in pull) / weights[index]
                ) / 2
        x, checked = _nearest(order, lefts, targets, weights)
        checks += checked
    rounded = [int(value // 1) if value % 1 < 0.5 else int(value // 1) + 1 for value in x]
    minimum = min(rounded, default=0)
    return [rounded[block[item]] - minimum if block[item] >= 0 else 0 for item in range(count)]


def _left_to_right(lefts: list[list[Pair]], rights: list[list[int]]) -> list[int]:
    missing = [len(left) for left in lefts]
    order = [index for index in range(len(lefts)) if not missing[index]]
    for index in order:
        for neighbour in rights[index]:
            missing[neighbour] -= 1
            if not missing[neighbour]:
                order.append(neighbour)
    return order


def _nearest(
    order: list[int], lefts: list[list[Pair]], targets: list[float], weights: list[float]
) -> tuple[list[float], int]:
    """Positions near the preferred ones that keep every distance: blocks that would overlap share a weighted mean.

    Also returns how many distances were checked.
    """
    offset = [0.0] * len(order)
    checks = 0
    group_of: list[_Group | None] = [None] * len(order)
    for index in order:
        group = _Group(
            index, targets[index], weights[index], [(index, neighbour, gap) for neighbour, gap in lefts[index]]
        )
        group_of[index] = group
        while True:
            worst, pick, need = 1e-9, -1, 0.0
            checks += len(group.bounds)
            group.bounds = [bound for bound in group.bounds if group_of[bound[1]] is not group]
            for member, neighbour, gap in group.bounds:
                neighbour_group = group_of[neighbour]
                if neighbour_group is None:
                    continue
                lack = neighbour_group.x + offset[neighbour] + gap - (group.x + offset[member])
                if lack > worst:
                    worst, pick = lack, neighbour
                    need = offset[neighbour] + gap - offset[member]
            if pick < 0:
                break
            other_group = group_of[pick]
            assert other_group is not None
            total = other_group.weight + group.weight
            other_group.x = (other_group.x * other_group.weight + (group.x - need) * group.weight) / total
            other_group.weight = total
            for member in group.members:
                offset[member] += need
                group_of[member] = other_group
            other_group.members.extend(group.members)
            other_group.bounds.extend(group.bounds)
            group = other_group
    found = [(group.x if (group := group_of[index]) else 0.0) + offset[index] for index in range(len(order))]
    return found, checks
