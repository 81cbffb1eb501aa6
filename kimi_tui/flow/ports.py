"""Where lines touch a box: on the columns (or rows) of one of its edges, between `low` and `high`."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """The part of a box's edge that lines may touch, its middle, and the wished distance between two lines."""

    low: int
    high: int
    middle: int
    step: int

    def holds(self, place: int) -> bool:
        return self.low <= place <= self.high


@dataclass(frozen=True, slots=True)
class Line:
    """A line that touches the box: `place` is where it comes from or goes to, `key` names it.

    Lines that enter (`enters`) may share a port; lines with one key always do.
    """

    key: int
    place: int
    enters: bool


def leaving_ports(lines: Sequence[Line], span: Span) -> dict[int, int]:
    """A port for each key: straight under what it goes to where the box is wide enough, else near the middle."""
    ordered = sorted({line.key: line for line in lines}.values(), key=lambda line: line.place)
    wished: list[int] = []
    for line in ordered:
        if span.holds(line.place):
            wished.append(line.place)
        elif len(ordered) == 1:
            wished.append(span.middle)
        else:
            near = (span.low + span.middle) // 2 if line.place < span.low else (span.high + span.middle + 1) // 2
            wished.append(near)
    return {line.key: port for line, port in zip(ordered, spread(wished, span), strict=True)}


def entering_ports(lines: Sequence[Line], span: Span) -> dict[int, int]:
    """A port for each key: straight below where it comes from, and one each for all from the left and the right.

    Where nothing comes from straight above, both sides meet in the middle.
    """
    ordered = sorted({line.key: line for line in lines}.values(), key=lambda line: line.place)
    left = [line for line in ordered if line.enters and line.place < span.low]
    right = [line for line in ordered if line.enters and line.place > span.high]
    own = [line for line in ordered if not line.enters or span.holds(line.place)]
    groups: list[list[Line]] = []
    wished: list[int] = []
    for line in own:
        place = min(max(line.place, span.low), span.high)
        if groups and line.enters and groups[-1][0].enters and place - wished[-1] < span.step:
            groups[-1].append(line)
            continue
        groups.append([line])
        wished.append(place)
    if not own:
        return {line.key: span.middle for line in ordered}
    if left:
        if wished[0] - span.low < span.step and groups[0][0].enters:
            groups[0].extend(left)
        else:
            groups.insert(0, left)
            wished.insert(0, max(span.low, wished[0] - span.step))
    if right:
        if span.high - wished[-1] < span.step and groups[-1][0].enters:
            groups[-1].extend(right)
        else:
            groups.append(right)
            wished.append(min(span.high, wished[-1] + span.step))
    ports = spread(wished, span)
    return {line.key: port for group, port in zip(groups, ports, strict=True) for line in group}


def spread(wished: Sequence[int], span: Span) -> list[int]:
    """Places in the same order, as near to the wished ones as a distance of `step` (or of one) allows."""
    count = len(wished)
    room = span.high - span.low
    step = span.step if (count - 1) * span.step <= room else 1
    ports: list[int] = []
    for place in wished:
        ports.append(max(place, span.low, ports[-1] + step if ports else span.low))
    limit = span.high
    for index in range(count - 1, -1, -1):
        ports[index] = min(ports[index], limit)
        limit = ports[index] - step
    return ports
