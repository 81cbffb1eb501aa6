"""Orders the items within layers to minimise crossings of lines between neighbouring layers.

Items are numbers. `up[item]` and `down[item]` are its neighbours one layer above and below; a pair joined by several
edges appears several times. Invariant: the same input gives the same result; nothing here is random.
"""

from bisect import bisect_right, insort
from collections.abc import Callable, Sequence

Layers = list[list[int]]
Links = Sequence[Sequence[int]]


def count_crossings(layers: Sequence[Sequence[int]], down: Links) -> int:
    """The number of crossing pairs of links, over all gaps."""
    position = _layer_positions(layers)
    return sum(_gap_crossings(layer, down, position) for layer in layers[:-1])


def _layer_positions(layers: Sequence[Sequence[int]]) -> dict[int, int]:
    return {item: index for layer in layers for index, item in enumerate(layer)}


def _gap_crossings(layer: Sequence[int], down: Links, position: dict[int, int]) -> int:
    if len(layer) < 2:
        return 0
    ends: list[int] = []
    crossings = 0
    for item in layer:
        targets = [position[target] for target in down[item]]
        if len(targets) > 1:
            targets.sort()
        for target in targets:
            crossings += len(ends) - bisect_right(ends, target)
        for target in targets:
            insort(ends, target)
    return crossings


def order_layers(layers: Layers, up: Links, down: Links, *, effort: int, turns: int = 24) -> Layers:
    """The best order found, from the given order and several others, within about `effort` sweeps.

    Each start gets at most `turns` sweeps.
    """
    best, fewest = [list(layer) for layer in layers], count_crossings(layers, down)
    starts: list[Callable[[], Layers]] = [
        lambda: [list(layer) for layer in layers],
        lambda: _walk_order(layers, down, up, downwards=True),
        lambda: [list(reversed(layer)) for layer in layers],
        lambda: _walk_order(layers, up, down, downwards=False),
    ]
    starts.extend((lambda seed=seed: _shuffled(layers, seed)) for seed in range(1, 40))
    for make in starts:
        if not fewest or effort <= 0:
            break
        candidate, crossings, used = _sweep(make(), up, down, fewest, patience=5 if effort > 20 else 3, turns=turns)
        effort -= used
        if crossings < fewest:
            best, fewest = candidate, crossings
    return best


def _shuffled(layers: Layers, seed: int) -> Layers:
    """Another order of each layer, by a small linear congruential generator over item numbers."""

    def mixed(item: int) -> int:
        return (item * 2654435761 * (2 * seed + 1) + seed * 40503) % 65521

    return [sorted(layer, key=mixed) for layer in layers]


def _walk_order(layers: Layers, ahead: Links, behind: Links, *, downwards: bool) -> Layers:
    """Items in the order of a breadth-first search from the first (or last) layers."""
    level = {item: index for index, layer in enumerate(layers) for item in layer}
    ordered: Layers = [[] for _ in layers]
    visited: set[int] = set()
    flat = [item for layer in (layers if downwards else reversed(layers)) for item in layer]
    for start in sorted(flat, key=lambda item: len(behind[item]) > 0):
        if start in visited:
            continue
        visited.add(start)
        queue = [start]
        for item in queue:
            ordered[level[item]].append(item)
            for neighbour in (*ahead[item], *behind[item]):
                if neighbour not in visited:
                    visited.add(neighbour)
                    queue.append(neighbour)
    return ordered


def _sweep(
    layers: Layers, up: Links, down: Links, max_crossings: int, *, patience: int, turns: int
) -> tuple[Layers, int, int]:
    position = _layer_positions(layers)
    best, fewest = [list(layer) for layer in layers], count_crossings(layers, down)
    idle = used = 0
    for turn in range(turns):
        used += 1
        downwards = turn % 2 == 0
        mean = turn % 4 >= 2
        span = range(1, len(layers)) if downwards else range(len(layers) - 2, -1, -1)
        for index in span:
            _reorder(layers[index], up if downwards else down, position, mean=mean, last_first=turn % 8 >= 4)
        _transpose(layers, up, down, position, equal=turn % 4 == 1)
        crossings = count_crossings(layers, down)
        if crossings < fewest:
            best, fewest, idle = [list(layer) for layer in layers], crossings, 0
        else:
            idle += 1
        if not fewest or idle > patience or (idle > 2 and fewest > 2 * max_crossings + 4):
            break
    return best, fewest, used


def _reorder(layer: list[int], fixed: Links, position: dict[int, int], *, mean: bool, last_first: bool) -> None:
    """Sort the items by the median or mean of their neighbours in the fixed layer; items without neighbours stay."""
    if len(layer) < 2:
        return
    keyed: list[tuple[float, int]] = []
    slots: list[int] = []
    source = range(len(layer) - 1, -1, -1) if last_first else range(len(layer))
    for index in source:
        positions = [position[item] for item in fixed[layer[index]]]
        if positions:
            keyed.append((sum(positions) / len(positions) if mean else _median(positions), layer[index]))
            slots.append(index)
    keyed.sort(key=lambda pair: pair[0])
    slots.sort()
    for slot, (_, item) in zip(slots, keyed, strict=True):
        layer[slot] = item
    for index, item in enumerate(layer):
        position[item] = index


def _median(positions: list[int]) -> float:
    positions.sort()
    size = len(positions)
    middle = size // 2
    if size % 2:
        return positions[middle]
    if size == 2:
        return (positions[0] + positions[1]) / 2
    left, right = positions[middle - 1] - positions[0], positions[-1] - positions[middle]
    if left + right == 0:
        return positions[middle]
    return (positions[middle - 1] * right + positions[middle] * left) / (left + right)


def pair_crossings(first: list[int], second: list[int]) -> int:
    """Crossings between the links of two neighbours, the first one on the left; both lists are sorted."""
    crossings = index = 0
    size = len(second)
    for end in first:
        while index < size and second[index] < end:
            index += 1
        crossings += index
    return crossings


def _saved(left: list[int], right: list[int]) -> int:
    """The crossings that swapping two neighbours saves on one side."""
    if not left or not right:
        return 0
    if len(left) == 1 == len(right):
        return (left[0] > right[0]) - (left[0] < right[0])
    return pair_crossings(left, right) - pair_crossings(right, left)


def _transpose(layers: Layers, up: Links, down: Links, position: dict[int, int], *, equal: bool) -> None:
    """Swap neighbours while that saves crossings; with `equal`, also swap pairs, once, if that adds none."""
    dirty = set(range(len(layers)))
    for turn in range(10):
        rescan: set[int] = set()
        for index in sorted(dirty):
            layer = layers[index]
            if len(layer) < 2:
                continue
            above = [sorted(position[item] for item in up[member]) for member in layer]
            below = [sorted(position[item] for item in down[member]) for member in layer]
            for left in range(len(layer) - 1):
                right = left + 1
                saved = _saved(above[left], above[right]) + _saved(below[left], below[right])
                if saved > 0 or (equal and turn == 0 and saved == 0):
                    for row in (layer, above, below):
                        row[left], row[right] = row[right], row[left]  # type: ignore[index]
                    position[layer[left]], position[layer[right]] = left, right
                    if saved > 0:
                        rescan.update((index - 1, index, index + 1))
        dirty = {index for index in rescan if 0 <= index < len(layers)}
        if not dirty:
            return
