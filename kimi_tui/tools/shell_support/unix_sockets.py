"""Finds the Unix sockets that listen outside the sandbox: through each, a command could make another program act for
it.
"""

import os
import stat
from pathlib import Path

_LISTENING = 0x10000
_TABLE = Path("/proc/net/unix")


def listening_sockets() -> list[Path]:
    """Return the path sockets of this network namespace that are reachable, as real paths."""
    try:
        lines = _TABLE.read_bytes().splitlines()[1:]
    except OSError:
        return []
    found: dict[bytes, None] = {}
    for line in lines:
        fields = line.split(maxsplit=7)
        if len(fields) == 8 and fields[7].startswith(b"/") and _may_be_joined(fields):
            found[os.path.realpath(fields[7])] = None
    return [Path(os.fsdecode(name)) for name in found if _is_socket(name)]


def _may_be_joined(fields: list[bytes]) -> bool:
    """Whether the socket listens, or takes messages without a connection (type 2)."""
    return bool(int(fields[3], 16) & _LISTENING) or fields[4] == b"0002"


def _is_socket(name: bytes) -> bool:
    try:
        return stat.S_ISSOCK(os.lstat(name).st_mode)
    except OSError:
        return False
