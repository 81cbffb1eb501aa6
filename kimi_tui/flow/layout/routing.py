"""Routes lines through the gap between two layers: straight if possible, else sideways on a track of their own.

A gap is a channel: pins on its upper and lower edge, wires that join two of them, tracks between. Wires that share a
pin are a family and may share cells; those of a family that come from one side share a track, as one net. A wire that
shares both of its pins is a family of its own, so that a line which forks never runs along one that others join.
Invariant: wires that share no pin share a cell only at a right-angled crossing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

Wire = tuple[int, int]
"""The upper and the lower pin."""
_Family = tuple[int | None, int | None]
"""The upper and the lower pin that all its wires have."""


@dataclass(slots=True)
class _Net:
    family: _Family
    wires: list[Wire]
    turning: bool = False
    track: int = 0
    tops: set[int] = field(default_factory=set[int])
    bottoms: set[int] = field(default_factory=set[int])
    low: int = 0
    high: int = 0

    def settle(self) -> None:
        """Recompute the pins and the extent."""
        firsts, seconds = {wire[0] for wire in self.wires}, {wire[1] for wire in self.wires}
        self.tops, self.bottoms = (firsts | seconds, set[int]()) if self.turning else (firsts, seconds)
        self.low, self.high = min(firsts | seconds), max(firsts | seconds)


@dataclass(slots=True)
class Channel:
    """The result for one gap: `paths[i]` lists `(breadth, track)` turns of wire i, from its upper to its lower end."""

    tracks: int
    paths: list[list[tuple[int, int]]] = field(default_factory=list[list[tuple[int, int]]])
    uppermost: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def crossed_at_once(self, pins: Sequence[int]) -> bool:
        """Whether a line from one of these upper pins is crossed in its very first cell."""
        return any(low < pin < high for low, high in self.uppermost for pin in pins)


def route(wires: Sequence[Wire], turns: Sequence[tuple[int, int]] = ()) -> Channel:
    """Route `wires` (upper pin, lower pin) and `turns` (two upper pins, there and back) on few tracks.

    If the wires then cross more often than the order of their pins requires, each gets a track of its own instead.
    """
    plan = _Plan(wires, turns, separate=False)
    if plan.crossings > _least_crossings(wires):
        alternative = _Plan(wires, turns, separate=True)
        plan = alternative if alternative.crossings < plan.crossings else plan
    return plan.channel()


def _least_crossings(wires: Sequence[Wire]) -> int:
    ordered = sorted(wires)
    return sum(
        second[1] < first[1] and first[0] < second[0]
        for index, first in enumerate(ordered)
        for second in ordered[index + 1 :]
    )


class _Plan:
    """Nets with their tracks; `separate` gives each wire its own net."""

    def __init__(self, wires: Sequence[Wire], turns: Sequence[tuple[int, int]], *, separate: bool) -> None:
        self.wires, self.turns = wires, turns
        nets: dict[tuple[_Family, int], _Net] = {}
        self.net_of: list[_Net | None] = []
        for index, (wire, family) in enumerate(zip(wires, _families(wires), strict=True)):
            if wire[0] == wire[1]:
                self.net_of.append(None)
                continue
            net = nets.setdefault((family, index if separate else -1 - (wire[0] < wire[1])), _Net(family, []))
            net.wires.append(wire)
            self.net_of.append(net)
        self.turning = [_Net((-1 - index, None), [turn], turning=True) for index, turn in enumerate(turns)]
        for net in (*nets.values(), *self.turning):
            net.settle()
        pins = {pin for wire in (*wires, *turns) for pin in wire}
        self.splits: dict[int, tuple[_Net, int]] = {}
        self.ordered = _order([*nets.values(), *self.turning], self.splits, pins)
        self.tracks = _give_tracks(self.ordered)
        straight = [wire[0] for wire in wires if wire[0] == wire[1]]
        self.crossings = sum(
            _cost(upper, lower)
            for index, upper in enumerate(self.ordered)
            for lower in self.ordered[index + 1 :]
            if upper.track != lower.track
        ) + sum(min(wire) < pin < max(wire) for net in self.ordered for wire in net.wires for pin in straight)

    def channel(self) -> Channel:
        """The routes of the plan, for each wire and then for each turn."""
        channel = Channel(self.tracks)
        channel.uppermost = [(net.low, net.high) for net in self.ordered if net.track == 0]
        for (top, bottom), net in zip(self.wires, self.net_of, strict=True):
            if net is None:
                channel.paths.append([])
            elif id(net) in self.splits:
                low, joint = self.splits[id(net)]
                channel.paths.append([(top, net.track), (joint, net.track), (joint, low.track), (bottom, low.track)])
            else:
                channel.paths.append([(top, net.track), (bottom, net.track)])
        for (a, b), net in zip(self.turns, self.turning, strict=True):
            channel.paths.append([(a, net.track), (b, net.track)])
        return channel


def _families(wires: Sequence[Wire]) -> list[_Family]:
    """The family of each wire."""
    ends: dict[int, set[int]] = {}
    starts: dict[int, set[int]] = {}
    for top, bottom in wires:
        ends.setdefault(top, set()).add(bottom)
        starts.setdefault(bottom, set()).add(top)
    found: list[_Family] = []
    for top, bottom in wires:
        joins, forks = len(starts[bottom]) > 1, len(ends[top]) > 1
        found.append((top if forks or not joins else None, bottom if joins or not forks else None))
    return found


def _give_tracks(ordered: Sequence[_Net]) -> int:
    """Put each net on the uppermost free track below all nets that it must not cover; returns the number of tracks."""
    tracks = 0
    for index, net in enumerate(ordered):
        for earlier in ordered[:index]:
            if earlier.family != net.family and earlier.low <= net.high + 1 and net.low <= earlier.high + 1:
                net.track = max(net.track, earlier.track + 1)
        tracks = max(tracks, net.track + 1)
    return tracks


def _cost(upper: _Net, lower: _Net) -> int:
    """Crossings of the wires of two nets if the first one's track is above the other's."""
    crossings = 0
    for top, bottom in upper.wires:
        low, high = (top, bottom) if top < bottom else (bottom, top)
        for other_top, other_bottom in lower.wires:
            if low < other_top < high or (lower.turning and low < other_bottom < high):
                crossings += 1
            if not upper.turning and min(other_top, other_bottom) < bottom < max(other_top, other_bottom):
                crossings += 1
    return crossings


class _Relations:
    """The relations of pairs of nets: which one must be above the other, and the cost of each order."""

    def __init__(self, nets: Sequence[_Net]) -> None:
        self.above: dict[int, set[int]] = {id(net): set() for net in nets}
        self.regret: dict[tuple[int, int], int] = {}
        for a in nets:
            for b in nets:
                if a is b or a.low > b.high or b.low > a.high:
                    continue
                if a.family != b.family and a.tops & b.bottoms:
                    self.above[id(b)].add(id(a))
                if extra_cost := _cost(a, b) - _cost(b, a):
                    self.regret[id(a), id(b)] = extra_cost

    def price(self, upper: _Net, lower: _Net) -> int:
        return self.regret.get((id(upper), id(lower)), 0)

    def prices(self, pending: Sequence[_Net]) -> dict[int, int]:
        """The extra crossings of each net if all others that are pending are placed below it."""
        return {id(net): sum(max(0, self.price(net, other)) for other in pending) for net in pending}


def _order(nets: list[_Net], splits: dict[int, tuple[_Net, int]], pins: set[int]) -> list[_Net]:
    """Order nets from the uppermost track down: a net with an upper pin is above one with a lower pin in that place."""
    relations = _Relations(nets)
    pending = sorted(nets, key=lambda net: net.low)
    placed: list[_Net] = []
    missing = {key: set(above) for key, above in relations.above.items()}
    prices = relations.prices(pending)
    while pending:
        free = [net for net in pending if not missing[id(net)]]
        if not free:
            net = min(pending, key=lambda candidate: len(missing[id(candidate)]))
            second, joint = _split(net, pins)
            splits[id(net)] = (second, joint)
            known = relations.above
            relations = _Relations([*nets, second])
            nets = [*nets, second]
            relations.above[id(second)] = known[id(net)] | {id(net)}
            missing[id(second)] = missing[id(net)] | {id(net)}
            missing[id(net)] = set()
            pending.append(second)
            free = [net]
            prices = relations.prices(pending)
        best = min(free, key=lambda net: prices[id(net)])
        pending.remove(best)
        for net in pending:
            prices[id(net)] -= max(0, relations.price(net, best))  # defence: running-prices
        placed.append(best)
        for blockers in missing.values():
            blockers.discard(id(best))
    _improve(placed, relations)
    return placed


def _improve(placed: list[_Net], relations: _Relations) -> None:
    """Move single nets up or down while that saves crossings."""
    for _ in range(4):
        moved = False
        for net in list(placed):
            at = placed.index(net)
            best, gain = at, 0
            change = 0
            for to in range(at - 1, -1, -1):
                if id(placed[to]) in relations.above[id(net)]:
                    break
                change += relations.price(net, placed[to])
                if change < gain:
                    best, gain = to, change
            change = 0
            for to in range(at + 1, len(placed)):
                if id(net) in relations.above[id(placed[to])]:
                    break
                change += relations.price(placed[to], net)
                if change < gain:
                    best, gain = to, change
            if best != at:
                placed.insert(best, placed.pop(at))
                moved = True
        if not moved:
            return


def _split(net: _Net, pins: set[int]) -> tuple[_Net, int]:
    """Move the lower ends of `net` to a second net; the two join where there is no pin."""
    middle = (net.low + net.high) // 2
    joint = min(
        (track for track in range(max(0, net.low - 40), net.high + 40) if track not in pins),
        key=lambda track: abs(track - middle) + (0 if net.low < track < net.high else 4),
        default=max(pins) + 2,
    )
    pins.add(joint)
    second = _Net(net.family, [(joint, bottom) for bottom in sorted(net.bottoms)])
    net.wires = [(top, joint) for top in sorted(net.tops)]
    net.settle()
    second.settle()
    return second, joint
