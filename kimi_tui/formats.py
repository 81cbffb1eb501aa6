"""Formats numbers, sizes and times in few characters."""

import re

_TIME = re.compile(r"(?:\d{1,9}(?:\.\d{1,3})?\s*(?:ms|s|m|h|d)\s*)+\Z")
_AMOUNT = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def token_count(count: int) -> str:
    """Format a count in at most four characters: 950, 4.2k, 256k, 1.1M."""
    if count < 1000:
        return str(count)
    if count < 9_950:
        return f"{count / 1000:.1f}k"
    if count < 999_500:
        return f"{count / 1000:.0f}k"
    return f"{count / 1_000_000:.1f}M"


def byte_count(size: int) -> str:
    """Format a size: 950 B, 12 KiB, 3.1 MiB, 16 MiB."""
    if size < 1024:
        return f"{size} B"
    if size < 1 << 20:
        return f"{size / 1024:.0f} KiB"
    return f"{size / (1 << 20):.1f}".removesuffix(".0") + " MiB"


def clock(seconds: float) -> str:
    """Format a running time: m:ss, or h:mm:ss."""
    whole = max(0, int(seconds))
    hours, minutes, secs = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{secs:02d}" if hours else f"{minutes}:{secs:02d}"


def duration(seconds: float) -> str:
    """Format a duration: `2.1s`, `42s`, `1:12`, `2:03:10`."""
    if seconds < 9.95:
        return f"{max(0.0, seconds):.1f}s"
    whole = round(seconds)
    return f"{whole}s" if whole < 60 else clock(whole)


def parse_duration(text: str) -> float | None:
    """Parse a time such as `90s`, `10m` or `1h 30m` to seconds; None if it is invalid."""
    text = text.strip().lower()
    if not _TIME.match(text):
        return None
    return sum(float(amount) * _SECONDS[unit] for amount, unit in _AMOUNT.findall(text))
