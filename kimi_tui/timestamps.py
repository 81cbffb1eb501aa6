"""Times that come from files: kept to what a calendar can show."""

import math

LAST = 250_000_000_000.0  # in the year 9892; what is later has no date in some time zone


def valid_timestamp(seconds: object) -> float:
    """Seconds since the epoch, from 0 to LAST; 0 for what is no number."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds != seconds:
        return 0.0
    return float(min(max(seconds, 0), LAST))


def valid_seconds(seconds: float) -> float:
    """A duration, from 0 to LAST; 0 for NaN."""
    return 0.0 if math.isnan(seconds) else min(max(seconds, 0.0), LAST)
