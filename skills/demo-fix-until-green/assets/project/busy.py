"""Busy and free time of a day. Times are minutes since midnight."""

from typing import NamedTuple


class Slot(NamedTuple):
    """A stretch of time; `end` is the first minute that is no longer part of it."""

    start: int
    end: int

    @classmethod
    def parse(cls, text):
        """The slot of `09:00-10:30`."""
        start, _, end = text.partition("-")
        return cls(minutes(start), minutes(end))

    def __str__(self):
        return f"{clock(self.start)}-{clock(self.end)}"


def minutes(text):
    """Minutes since midnight of `HH:MM`."""
    hour, _, minute = text.strip().partition(":")
    return int(hour) * 60 + int(minute)


def clock(count):
    """`HH:MM` of minutes since midnight."""
    return f"{count // 60:02}:{count % 60:02}"


def merge(slots):
    """The same busy time in as few slots as possible, in order."""
    merged = []
    for slot in sorted(slots):
        if merged and slot.start < merged[-1].end:
            merged[-1] = Slot(merged[-1].start, slot.end)
        else:
            merged.append(slot)
    return merged


def free(slots, day):
    """What is left of `day` between the slots."""
    gaps = []
    start = day.start
    for slot in merge(slots):
        if slot.start > start:
            gaps.append(Slot(start, slot.start))
        start = max(start, slot.end)
    if start < day.end:
        gaps.append(Slot(start, day.end))
    return gaps
