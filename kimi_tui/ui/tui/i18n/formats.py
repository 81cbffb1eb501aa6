"""Compact number and time formats."""


def tokens(count: int) -> str:
    """A count in at most four characters: 950, 4.2k, 256k, 1.1M."""
    if count < 1000:
        return str(count)
    if count < 9_950:
        return f"{count / 1000:.1f}k"
    if count < 999_500:
        return f"{count / 1000:.0f}k"
    return f"{count / 1_000_000:.1f}M"


def elapsed(seconds: float) -> str:
    """m:ss, or h:mm:ss."""
    whole = max(0, int(seconds))
    hours, minutes, secs = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{secs:02d}" if hours else f"{minutes}:{secs:02d}"
