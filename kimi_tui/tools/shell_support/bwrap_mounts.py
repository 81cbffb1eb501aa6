"""Reduces the cost of a sandbox's mounts: bubblewrap takes 0.2 ms for each bind and 0.4 ms to remount a folder.

A mount that a later one covers is dropped. A read-only tmpfs becomes a bind of a prepared folder that holds the mount
points, and copies of the small files that are shown in it. A prepared folder never changes: other contents get another
folder, since running commands may still use the first.
"""

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

_MAX_COPIED = 64_000

Mount = tuple[str, ...]
"""An option of bubblewrap with its arguments; the last one is the place."""


def without_covered(mounts: Sequence[Mount]) -> list[Mount]:
    """Return the mounts without those whose place a later one covers."""
    kept: list[Mount] = []
    covered: set[str] = set()
    for mount in reversed(mounts):
        place = mount[-1]
        if place not in covered and not any(above in covered for above in _above(place)):
            kept.append(mount)
        if mount[0] != "--remount-ro":
            covered.add(place)
    return kept[::-1]


def with_prepared_folders(mounts: Sequence[Mount], folder: Path, *, copied: Collection[str] = ()) -> list[Mount]:
    """Return the mounts with each tmpfs that is read-only in the end replaced. `folder` is ours alone; commands never
    write it. `copied` are the files that may be copied there. Raises OSError.
    """
    closed = {mount[-1] for mount in mounts if mount[0] == "--remount-ro"}
    changed: list[Mount | _PreparedFolder] = []
    visible: dict[str, _PreparedFolder | None] = {}
    for mount in mounts:
        kind, place = mount[0], mount[-1]
        owner = next((visible[above] for above in _above(place) if above in visible), None)
        if kind == "--remount-ro" and place in closed:
            continue
        if kind == "--tmpfs" and place in closed:
            if owner is not None and place not in visible:
                owner.folders.add(place)
                continue
            changed.append(prepared := _PreparedFolder(place))
            if owner is not None:
                owner.folders.add(place)
            visible[place] = prepared
            continue
        if owner is not None and owner.takes(mount, may_copy=place in copied):
            continue
        changed.append(mount)
        visible[place] = None
    return [each.mount(folder) if isinstance(each, _PreparedFolder) else each for each in changed]


@dataclass(slots=True)
class _PreparedFolder:
    """The contents of a folder that stands for `place`: mount points, links with their targets, and files to copy with
    their states.
    """

    place: str
    folders: set[str] = field(default_factory=set[str])
    files: set[str] = field(default_factory=set[str])
    links: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    copies: set[tuple[str, int, int, int]] = field(default_factory=set[tuple[str, int, int, int]])

    def takes(self, mount: Mount, *, may_copy: bool) -> bool:
        """Add what the mount needs; return True if the mount itself is no longer needed."""
        kind, place = mount[0], mount[-1]
        source = mount[1] if len(mount) > 2 else "/"
        if kind == "--symlink":
            self.links.add((place, source))
            return True
        try:
            status = os.stat(source)  # noqa: PTH116 - for each mount of each command
        except OSError:
            return False
        if stat.S_ISDIR(status.st_mode):
            self.folders.add(place)
            return False
        if may_copy and kind == "--ro-bind" and stat.S_ISREG(status.st_mode) and status.st_size < _MAX_COPIED:
            self.copies.add((place, status.st_ino, status.st_size, status.st_mtime_ns))
            return True
        self.files.add(place)
        return False

    def mount(self, folder: Path) -> Mount:
        state = repr((self.place, sorted(self.folders), sorted(self.files), sorted(self.links), sorted(self.copies)))
        made = folder / hashlib.sha256(state.encode("utf-8", "surrogateescape")).hexdigest()
        if not made.exists():
            draft = Path(tempfile.mkdtemp(dir=folder))
            draft.chmod(0o755)
            for place in sorted(self.folders):
                self._in(draft, place).mkdir(parents=True, exist_ok=True)
            for place in sorted(self.files):
                self._in(draft, place).parent.mkdir(parents=True, exist_ok=True)
                self._in(draft, place).touch()
            for place, target in sorted(self.links):
                self._in(draft, place).parent.mkdir(parents=True, exist_ok=True)
                self._in(draft, place).symlink_to(target)
            for place, *_ in sorted(self.copies):
                self._in(draft, place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(place, self._in(draft, place))
            try:
                draft.rename(made)
            except OSError:  # another thread made it
                shutil.rmtree(draft)
        return ("--ro-bind", str(made), self.place)

    def _in(self, draft: Path, place: str) -> Path:
        return draft / place[len(self.place) :].lstrip("/")


@lru_cache(maxsize=1024)
def _above(place: str) -> tuple[str, ...]:
    """The folders above, innermost first."""
    found: list[str] = []
    while (place := os.path.dirname(place)) not in ("", "/"):  # noqa: PTH120 - for each mount of each command
        found.append(place)
    return (*found, "/")
