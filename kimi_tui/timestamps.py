"""Times: a clock whose differences are durations; times from files, limited to the range of a calendar; their text."""

import math
import time

LAST = 250_000_000_000.0  # in the year 9892; later times have no date in some time zones


def _ticks() -> float:
    """Seconds that pass whatever sets the system's clock; on Linux also while the machine is suspended."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


_epoch = time.time() - _ticks()


def steady_time() -> float:
    """Return seconds since the epoch by the system's clock as it was at the start of this process: what sets that clock
    later changes no duration.
    """
    return _epoch + _ticks()  # defence: durations-of-a-clock-that-jumps


def valid_timestamp(seconds: object) -> float:
    """Return seconds since the epoch, from 0 to LAST; 0 if not a number."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds != seconds:
        return 0.0
    return float(min(max(seconds, 0), LAST))


def valid_seconds(seconds: float) -> float:
    """Return a duration in seconds, from 0 to LAST; 0 for NaN."""
    return 0.0 if math.isnan(seconds) else min(max(seconds, 0.0), LAST)


def date_and_time(timestamp: float) -> str:
    """The local time of a timestamp in seconds since the epoch, as `2026-01-31 09:05`."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(timestamp))
