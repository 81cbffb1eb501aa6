"""How long ago something was, in words that fit beside it."""

from datetime import datetime

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def ago(at: float, now: float) -> str:
    """`now`, `5 min`, `2 h`, `3 d`, then the date; both in seconds since the epoch."""
    seconds = max(0.0, now - at)
    if seconds < _MINUTE:
        return "now"
    if seconds < _HOUR:
        return f"{int(seconds // _MINUTE)} min"
    if seconds < _DAY:
        return f"{int(seconds // _HOUR)} h"
    if seconds < 14 * _DAY:
        return f"{int(seconds // _DAY)} d"
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d")


def day_of(at: float, now: float) -> str:
    """`today`, `yesterday`, `this week`, `this month`, `earlier`: what a list is grouped by."""
    days = (datetime.fromtimestamp(now).date() - datetime.fromtimestamp(at).date()).days
    for most, word in ((0, "today"), (1, "yesterday"), (6, "this week"), (30, "this month")):
        if days <= most:
            return word
    return "earlier"
