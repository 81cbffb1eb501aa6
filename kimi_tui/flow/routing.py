"""Lines through the gap between two layers: straight where they can be, else sideways on a track of their own.

A gap is a channel: pins on its upper and lower edge, nets that join them, tracks between. Two nets never share a
cell but where one crosses the other at a right angle; all pins of one net may share.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Net:
    tops: set[int]
    bottoms: set[int]
    track: int = -1

    @property
    def low(self) -> int:
        return min(self.tops | self.bottoms)

    @property
    def high(self) -> int:
        return max(self.tops | self.bottoms)

    @property
    def straight(self) -> bool:
        return self.low == self.high


@dataclass(slots=True)
class Channel:
    """The result for one gap: `paths[i]` lists `(breadth, track)` turns of wire i, from its upper to its lower end."""

    tracks: int
    paths: list[list[tuple[int, int]]] = field(default_factory=list[list[tuple[int, int]]])
    uppermost: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def crossed_at_once(self, pins: Sequence[int]) -> bool:
        """Whether a line that begins at one of these upper pins is crossed in its very first cell."""
        return any(low < pin < high for low, high in self.uppermost for pin in pins)


def route(wires: Sequence[tuple[int, int]], turns: Sequence[tuple[int, int]] = ()) -> Channel:
    """Routes `wires` (upper pin, lower pin) and `turns` (two upper pins, there and back) on few tracks."""
    nets, net_of = _nets(wires)
    turn_nets = [_Net({a, b}, set()) for a, b in turns]
    parts: dict[int, tuple[_Net, int]] = {}  # a net that had to be split: its second part, and where they join
    routed = [net for net in (*nets, *turn_nets) if not net.straight]
    pins = {pin for net in (*nets, *turn_nets) for pin in net.tops | net.bottoms}
    ordered = _order(routed, parts, pins)
    tracks = 0
    for index, net in enumerate(ordered):
        net.track = 0
        for earlier in ordered[:index]:
            if earlier.low <= net.high + 1 and net.low <= earlier.high + 1:
                net.track = max(net.track, earlier.track + 1)
        tracks = max(tracks, net.track + 1)
    channel = Channel(tracks, uppermost=[(net.low, net.high) for net in ordered if net.track == 0])
    for (top, bottom), index in zip(wires, net_of, strict=True):
        net = nets[index]
        if net.straight:
            channel.paths.append([])
        elif id(net) in parts:
            second, joint = parts[id(net)]
            channel.paths.append([(top, net.track), (joint, net.track), (joint, second.track), (bottom, second.track)])
        else:
            channel.paths.append([(top, net.track), (bottom, net.track)] if top != bottom else [])
    channel.paths.extend([(a, net.track), (b, net.track)] for (a, b), net in zip(turns, turn_nets, strict=True))
    return channel


def _nets(wires: Sequence[tuple[int, int]]) -> tuple[list[_Net], list[int]]:
    """Wires that share a pin are one net."""
    nets: list[_Net] = []
    net_of: list[int] = []
    by_pin: dict[tuple[bool, int], int] = {}
    merged: dict[int, int] = {}

    def final(index: int) -> int:
        while index in merged:
            index = merged[index]
        return index

    for top, bottom in wires:
        found = {final(by_pin[key]) for key in ((True, top), (False, bottom)) if key in by_pin}
        if not found:
            index = len(nets)
            nets.append(_Net(set(), set()))
        else:
            index = min(found)
            for other in found - {index}:
                merged[other] = index
                nets[index].tops |= nets[other].tops
                nets[index].bottoms |= nets[other].bottoms
        nets[index].tops.add(top)
        nets[index].bottoms.add(bottom)
        by_pin[True, top] = by_pin[False, bottom] = index
        net_of.append(index)
    live = sorted({final(index) for index in net_of})
    number = {index: position for position, index in enumerate(live)}
    return [nets[index] for index in live], [number[final(index)] for index in net_of]


def _cost(upper: _Net, lower: _Net) -> int:
    """Crossings of two nets, one's track above the other's."""
    falling = sum(lower.low < pin < lower.high for pin in upper.bottoms)
    return falling + sum(upper.low < pin < upper.high for pin in lower.tops)


def _order(nets: list[_Net], parts: dict[int, tuple[_Net, int]], pins: set[int]) -> list[_Net]:
    """Nets from the uppermost track down: a net with a pin above stands over one with a pin below in the same place."""
    waiting = sorted(nets, key=lambda net: net.low)
    blocked: dict[int, set[int]] = {id(net): set() for net in nets}
    wish: dict[tuple[int, int], int] = {}
    for a in waiting:
        for b in waiting:
            if a is b or a.low > b.high or b.low > a.high:
                continue
            if a.tops & b.bottoms:
                blocked[id(b)].add(id(a))
            wish[id(a), id(b)] = _cost(a, b) - _cost(b, a)
    placed: list[_Net] = []
    while waiting:
        free = [net for net in waiting if not blocked[id(net)]]
        if not free:
            net = min(waiting, key=lambda one: len(blocked[id(one)]))
            second = _split(net, pins)
            parts[id(net)] = (second, next(iter(second.tops)))
            blocked[id(second)] = blocked[id(net)] | {id(net)}
            blocked[id(net)] = set()
            for other in waiting:
                if other is not net:
                    wish[id(net), id(other)] = wish[id(second), id(other)] = 0
            waiting.append(second)
            free = [net]

        def regret(net: _Net) -> int:
            return sum(max(0, wish.get((id(net), id(other)), 0)) for other in waiting)

        best = min(free, key=regret)
        waiting.remove(best)
        placed.append(best)
        for rest in blocked.values():
            rest.discard(id(best))
    return placed


def _split(net: _Net, pins: set[int]) -> _Net:
    """Takes the lower pins from `net` and gives them to a second net; the two join where no pin is."""
    middle = (net.low + net.high) // 2
    joint = min(
        (place for place in range(max(0, net.low - 40), net.high + 40) if not {place} & pins),
        key=lambda place: abs(place - middle) + (0 if net.low < place < net.high else 4),
        default=max(pins) + 2,
    )
    pins.add(joint)
    second = _Net({joint}, net.bottoms)
    net.bottoms = {joint}
    return second
