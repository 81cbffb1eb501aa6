"""Numbers, sizes and times in few characters."""


def token_count(count: int) -> str:
    """A count in at most four characters: 950, 4.2k, 256k, 1.1M."""
    if count < 1000:
        return str(count)
    if count < 9_950:
        return f"{count / 1000:.1f}k"
    if count < 999_500:
        return f"{count / 1000:.0f}k"
    return f"{count / 1_000_000:.1f}M"


def byte_count(size: int) -> str:
    """A size: 950 B, 12 kB, 3.1 MB."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.0f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def clock(seconds: float) -> str:
    """A running time: m:ss, or h:mm:ss."""
    whole = max(0, int(seconds))
    hours, minutes, secs = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{secs:02d}" if hours else f"{minutes}:{secs:02d}"


def duration(seconds: float) -> str:
    """The time that something took: `2.1s`, `42s`, `1:12`, `2:03:10`."""
    if seconds < 9.95:
        return f"{max(0.0, seconds):.1f}s"
    whole = round(seconds)
    return f"{whole}s" if whole < 60 else clock(whole)
