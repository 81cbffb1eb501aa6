"""Reads the names in the index of a Git repository: the tracked files. Bounded; a malformed index gives no result."""

import os
import struct
from functools import lru_cache
from pathlib import Path

from kimi_tui.regular_file import read_bytes, read_start
from kimi_tui.tools.file_support.git_dirs import Repository, repository_around

_MAX_BYTES = 64 << 20
_MAX_ENTRIES = 200_000
_MAX_CONFIG = 100_000
_EXTENDED = 0x4000


def tracked_files(folder: Path) -> tuple[Path, ...] | None:
    """Return the tracked files of the repository around `folder`, as real paths: empty outside a repository, None if
    unknown.
    """
    try:
        found = repository_around(folder)
        return () if found is None else _tracked(found)
    except (OSError, ValueError):
        return None


def _tracked(repository: Repository) -> tuple[Path, ...] | None:
    index = repository.git_dir / "index"
    if not os.path.lexists(index):
        return ()
    status = index.stat()
    config = repository.common / "config"
    sha256 = os.path.lexists(config) and b"sha256" in read_start(config, _MAX_CONFIG).lower()
    return _files(repository.top, index, 32 if sha256 else 20, status.st_mtime_ns, status.st_ino, status.st_size)


@lru_cache(4)
def _files(top: Path, index: Path, hash_bytes: int, *_: int) -> tuple[Path, ...] | None:
    try:
        names = index_names(read_bytes(index, most=_MAX_BYTES), hash_bytes)
    except (OSError, ValueError, IndexError, struct.error):
        return None
    # a name with a slash at its end stands for all in a folder that is not checked out
    return None if any(name.endswith("/") for name in names) else tuple(top / name for name in names)


def index_names(content: bytes, hash_bytes: int = 20) -> list[str]:
    """Parse an index of version 2, 3 or 4, whose hashes have `hash_bytes` bytes.

    Raises ValueError, IndexError or struct.error.
    """
    signature, version, count = struct.unpack_from(">4sII", content)
    if signature != b"DIRC" or version not in (2, 3, 4) or count > _MAX_ENTRIES:
        raise ValueError(signature)
    at, name, names = 12, b"", list[str]()
    for _ in range(count):
        start = at
        (flags,) = struct.unpack_from(">H", content, at + 40 + hash_bytes)
        at += 42 + hash_bytes + (2 if flags & _EXTENDED else 0)
        kept = 0
        if version == 4:
            drop, at = _varint(content, at)
            kept = len(name) - drop
            if kept < 0:
                raise ValueError(drop)
        end = content.index(b"\0", at)
        name = name[:kept] + content[at:end]
        names.append(name.decode("utf-8", "surrogateescape"))
        at = end + 1 if version == 4 else start + (end - start + 8) // 8 * 8
    return names


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = content[at] & 0x7F
    while content[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (content[at] & 0x7F)
    return value, at + 1
