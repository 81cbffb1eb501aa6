"""Assigns ports, the places where lines touch a box: columns (or rows) of an edge, between `low` and `high`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Span:
    """The part of a box's edge for ports, its middle, and the preferred distance between two lines."""

    low: int
    high: int
    middle: int
    step: int

    def contains(self, position: int) -> bool:
        return self.low <= position <= self.high


@dataclass(frozen=True, slots=True)
class Line:
    """A line that touches the box: `place` is its other end, `key` its name.

    Lines that enter (`enters`) may share a port; lines with one key always do.
    """

    key: int
    place: int
    enters: bool


def leaving_ports(lines: Sequence[Line], span: Span) -> dict[int, int]:
    """A port for each key: in line with its target if the box is wide enough, else near the middle.

    With more lines than places, all leave by the middle.
    """
    ordered = sorted({line.key: line for line in lines}.values(), key=lambda line: line.place)
    if len(ordered) > span.high - span.low + 1:
        return {line.key: span.middle for line in ordered}
    preferred: list[int] = []
    for line in ordered:
        if span.contains(line.place):
            preferred.append(line.place)
        elif len(ordered) == 1:
            preferred.append(span.middle)
        else:
            nearest = (span.low + span.middle) // 2 if line.place < span.low else (span.high + span.middle + 1) // 2
            preferred.append(nearest)
    straight = [span.contains(line.place) for line in ordered]
    return {line.key: port for line, port in zip(ordered, spread(preferred, straight, span), strict=True)}


def entering_ports(lines: Sequence[Line], span: Span) -> dict[int, int]:
    """The port where each line enters: below its source, or one for all lines from the left and one for all from the
    right. Without a line from above, all enter in the middle.
    """
    ordered = sorted({line.key: line for line in lines}.values(), key=lambda line: line.place)
    if all(line.enters and not span.contains(line.place) for line in ordered):
        return {line.key: span.middle for line in ordered}
    groups: list[list[Line]] = []
    sides: list[int] = []
    for line in ordered:
        side = (line.place > span.high) - (line.place < span.low)
        is_near = groups and side == 0 == sides[-1] and line.place - groups[-1][-1].place < span.step
        if groups and line.enters and groups[-1][-1].enters and (is_near or (side != 0 and side == sides[-1])):
            groups[-1].append(line)
        else:
            groups.append([line])
            sides.append(side)
    _join_straight_lines(groups, sides)
    inner = [position for group, side in zip(groups, sides, strict=True) if side == 0 for position in (group[0].place,)]
    first, last = (inner[0], inner[-1]) if inner else (span.middle + span.step, span.middle)
    before, after = sides.count(-1), sides.count(1)
    preferred: list[int] = []
    for index, (group, side) in enumerate(zip(groups, sides, strict=True)):
        if side == 0:
            preferred.append(group[0].place)
        elif side < 0:
            preferred.append(max(span.low, first - span.step * (before - index)))
        else:
            preferred.append(min(span.high, last + span.step * (index - len(groups) + after + 1)))
    ports = spread(preferred, [side == 0 for side in sides], span)
    return {line.key: port for group, port in zip(groups, ports, strict=True) for line in group}


def _join_straight_lines(groups: list[list[Line]], sides: list[int]) -> None:
    """Let lines from one side enter with the outermost straight one, by its arrow."""
    if sides[:2] == [-1, 0] and groups[0][0].enters and groups[1][0].enters:
        groups[1].extend(groups.pop(0))
        sides.pop(0)
    if sides[-2:] == [0, 1] and groups[-1][0].enters and groups[-2][0].enters:
        groups[-2].extend(groups.pop())
        sides.pop()


def spread(preferred: Sequence[int], fixed: Sequence[bool], span: Span) -> list[int]:
    """Return places in the same order, near `preferred`, and at least `span.step` apart (or one, if that does not fit).

    `fixed` places do not move if there is room for the others around them.
    """
    for step in (span.step, 1):
        ports = list(preferred)
        for index in range(1, len(ports)):
            if not fixed[index]:
                ports[index] = max(ports[index], ports[index - 1] + step)
        for index in range(len(ports) - 2, -1, -1):
            if not fixed[index]:
                ports[index] = min(ports[index], ports[index + 1] - step)
        tidy = all(b - a >= (1 if fixed[i] and fixed[i + 1] else step) for i, (a, b) in enumerate(pairwise(ports)))
        if tidy and span.low <= ports[0] and ports[-1] <= span.high:
            return ports
    return _packed(preferred, span)


def _packed(preferred: Sequence[int], span: Span) -> list[int]:
    step = span.step if (len(preferred) - 1) * span.step <= span.high - span.low else 1
    ports: list[int] = []
    for position in preferred:
        ports.append(max(position, span.low, ports[-1] + step if ports else span.low))
    limit = span.high
    for index in range(len(ports) - 1, -1, -1):
        ports[index] = min(ports[index], limit)
        limit = ports[index] - step
    return ports
