"""Relative times in compact form."""

from datetime import datetime

from kimi_tui.ui.tui.i18n.catalog import _, p_

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def ago(at: float, now: float) -> str:
    """`now`, `5 min`, `2 h`, `3 d`, then the date; both arguments in seconds since the epoch."""
    seconds = max(0.0, now - at)
    if seconds < _MINUTE:
        return p_("age", "now")
    if seconds < _HOUR:
        return _("{count} min", count=int(seconds // _MINUTE))
    if seconds < _DAY:
        return _("{count} h", count=int(seconds // _HOUR))
    if seconds < 14 * _DAY:
        return _("{count} d", count=int(seconds // _DAY))
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d")


def day_heading(at: float, now: float) -> str:
    """The group heading in lists: `today`, `yesterday`, `this week`, `this month`, `earlier`."""
    days = (datetime.fromtimestamp(now).date() - datetime.fromtimestamp(at).date()).days
    for most, word in ((0, _("today")), (1, _("yesterday")), (6, _("this week")), (30, _("this month"))):
        if days <= most:
            return word
    return _("earlier")
