"""Reads the index of Git (https://git-scm.com/docs/index-format): the tracked files, and the submodules."""

import os
from collections.abc import Generator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from kimi_tui.regular_file import read_bytes, read_start
from kimi_tui.tools.file_support.git_dirs import Repository, repository_around

_MAX_BYTES = 64 << 20
_MAX_ENTRIES = 200_000
_MAX_CONFIG = 100_000
MAX_INDEX = 256 << 20
MAX_NAME = 4096
"""Bytes of a path: Linux takes no more."""
_START = 12
_MODE = slice(24, 28)
"""Where the mode is in an entry."""
_HASH, _FLAGS = 40, 2
"""Bytes of an entry before its hash, and of its flags."""
_EXTENDED = 0x4000
_LONG = 0xFFF
_SUBMODULE = (0o160000).to_bytes(4)
_LINK = b"link"
"""The part of a split index that names the shared one."""
_BLOCKS = b"IEOT"
_VERSION_OF_BLOCKS = 1


class IndexEntry(NamedTuple):
    """`place` is where the entry begins, -1 for one that needs the name of the entry before."""

    place: int
    name: bytes
    is_submodule: bool


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
def _files(top: Path, index: Path, hash_size: int, *_: int) -> tuple[Path, ...] | None:
    try:
        entries = index_entries(read_bytes(index, most=_MAX_BYTES), hash_size=hash_size)
        names = [os.fsdecode(one.name) for one in islice(entries, _MAX_ENTRIES + 1)]
    except (OSError, ValueError, IndexError):
        return None
    if len(names) > _MAX_ENTRIES:
        return None
    # a name with a slash at its end stands for all in a folder that is not checked out
    return None if any(name.endswith("/") for name in names) else tuple(top / name for name in names)


def index_entries(data: bytes, *, hash_size: int) -> Generator[IndexEntry, None, int]:
    """Yield the entries; return where they end. Raises ValueError and IndexError for what Git would not read."""
    version, count = int.from_bytes(data[4:8]), int.from_bytes(data[8:_START])
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("not an index")
    place, name = _START, b""
    room = MAX_INDEX
    for _ in range(count):
        after_hash = place + _HASH + hash_size
        start = after_hash + _FLAGS
        flags = int.from_bytes(data[after_hash:start])
        if flags & _EXTENDED:
            start += _FLAGS
        kept = b""
        if version == 4:
            removed, start = _number(data, start)
            if removed > len(name):
                raise ValueError("a name is cut too short")
            kept = name[: len(name) - removed]
        length = flags & _LONG
        stop = data.index(b"\0", start) if length == _LONG else start + length - len(kept)
        room -= len(kept) + stop - start
        if stop < start or data[stop] or len(kept) + stop - start > MAX_NAME or room < 0:
            raise ValueError("a name is too long")
        name = kept + data[start:stop]
        # A thread that begins at an entry with a part of the name before it lacks that.
        yield IndexEntry(-1 if kept else place, name, data[place + _MODE.start : place + _MODE.stop] == _SUBMODULE)
        place = stop + 1 if version == 4 else place + ((stop - place + 8) & ~7)
    return place


def submodules(data: bytes, *, hash_size: int, folder: Path) -> list[bytes]:
    """Return the paths of the submodules; `folder` may have the shared index of a split one. Raises OSError, and
    ValueError and IndexError for what Git would not read.
    """
    if _SUBMODULE not in data:
        return []
    reading = index_entries(data, hash_size=hash_size)
    found: list[bytes] = []
    nameless: list[bool] = []
    while True:
        try:
            entry = next(reading)
        except StopIteration as end:
            # defence: submodules-of-split-indexes
            return found + (_replacing(nameless, data, end.value, hash_size, folder) if any(nameless) else [])
        if not entry.name:
            nameless.append(entry.is_submodule)
        elif entry.is_submodule:
            found.append(entry.name)


def _replacing(nameless: Sequence[bool], data: bytes, place: int, hash_size: int, folder: Path) -> list[bytes]:
    """Return the paths of the submodules among the entries of a split index that have no name in it: they replace
    entries of the shared one, which has their names. `place` is the end of the entries.
    """
    while data[place : place + 4] != _LINK:
        place += 8 + int.from_bytes(data[place + 4 : place + 8])
        if place >= len(data) - hash_size:
            raise ValueError("it names no shared index")
    start = place + 8 + hash_size
    shared = read_bytes(folder / f"sharedindex.{data[place + 8 : start].hex()}", most=MAX_INDEX)
    _, start = _places_in(data, start)  # of those that are removed
    places, _ = _places_in(data, start)
    names = [one.name for one in index_entries(shared, hash_size=hash_size)]
    return [names[at] for at, is_submodule in zip(places, nameless, strict=True) if is_submodule]


def _places_in(data: bytes, start: int) -> tuple[list[int], int]:
    """Return the places of the bits that are set in a bitmap of Git (EWAH), and where it ends. Raises ValueError."""
    stop = start + 8 + 8 * int.from_bytes(data[start + 4 : start + 8])
    if stop + 4 > len(data):
        raise ValueError("a bitmap is cut")
    words = iter([int.from_bytes(data[at : at + 8]) for at in range(start + 8, stop, 8)])
    found: list[int] = []
    bit = 0
    for marker in words:
        run = 64 * (marker >> 1 & 0xFFFF_FFFF)
        if marker & 1:
            if len(found) + run > len(data):
                raise ValueError("a bitmap is too long")
            found += range(bit, bit + run)
        bit += run
        for word in islice(words, marker >> 33):
            found += (bit + at for at in range(64) if word >> at & 1)
            bit += 64
    return found, stop + 4


def blocks_are_entries(data: bytes, places: Sequence[int]) -> bool:
    """Whether every table of the places where Git's threads begin to read names those of entries.

    Anything that looks like such a table is checked, since the index itself says where its table is.
    """
    place = data.find(_BLOCKS)
    while place >= 0:
        size, version = int.from_bytes(data[place + 4 : place + 8]), int.from_bytes(data[place + 8 : place + 12])
        first = 0
        if version == _VERSION_OF_BLOCKS:  # else they are bytes of something else
            for pair in range(place + 12, place + 8 + size, 8):
                offset, number = int.from_bytes(data[pair : pair + 4]), int.from_bytes(data[pair + 4 : pair + 8])
                if first >= len(places) or places[first] != offset:
                    return False
                first += number
            if first != len(places):
                return False
        place = data.find(_BLOCKS, place + 1)
    return True


def _number(data: bytes, place: int) -> tuple[int, int]:
    """Return the number of variable length there, and the place behind it."""
    byte = data[place]
    number = byte & 127
    while byte & 128:
        if number > MAX_NAME:
            raise ValueError(number)
        place += 1
        byte = data[place]
        number = ((number + 1) << 7) | (byte & 127)
    return number, place + 1
