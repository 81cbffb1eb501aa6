"""Times from files, limited to the range of a calendar, and their text."""

import math
import time

LAST = 250_000_000_000.0  # in the year 9892; later times have no date in some time zones


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
