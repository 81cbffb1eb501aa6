"""Keeps commands from making a repository where Git looks for a submodule: `git status` enters it, and obeys its
settings. Git outside would do so as long as the command runs, before anything is checked.
"""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from kimi_tui.paths import is_folder
from kimi_tui.regular_file import read_bytes
from kimi_tui.tools.file_support.git_dirs import git_dir_at, named_folder
from kimi_tui.tools.file_support.git_index import MAX_INDEX, submodules
from kimi_tui.tools.shell_support.git_state import hash_size_of, is_shared_index, is_within, worktree_of
from kimi_tui.tools.shell_support.safe_rename import make_folder, move_aside

_MAX_CLOSED = 20_000
"""Bytes of the closed paths; of more, the folders around them are closed."""
_Stamp = tuple[int, int, int]


class SubmodulePlaces:
    """`closed` are the paths that no command may write: the folders of submodules without a repository, and what
    stands in place of one.
    """

    def __init__(self) -> None:
        self.closed: tuple[Path, ...] = ()
        self._read: dict[Path, tuple[_Stamp, frozenset[bytes]]] = {}
        self._links_of_user: frozenset[Path] | None = None

    def find(self, entries: Iterable[Path]) -> frozenset[Path]:
        """Return where the indexes of these repositories (`.git`, or folders of Git) have submodules."""
        found: set[Path] = set()
        for git_dir in dict.fromkeys(filter(None, map(_git_dir, entries))):
            with suppress(OSError, ValueError, IndexError):  # what Git would not read has no submodules
                names = frozenset[bytes]().union(*map(self._submodules_in, _indexes(git_dir)))
                top = worktree_of(git_dir) if names else None
                if top is not None:
                    found.update(top / os.fsdecode(name) for name in names if is_within(name))
        return frozenset(found)

    def begin(self, places: Iterable[Path]) -> None:
        """Note the links that stand in place of submodules before the first command of the session: the user's."""
        if self._links_of_user is None:
            self._links_of_user = frozenset(
                path
                for place in places
                for path in (place, *place.parents)
                if os.path.islink(path)  # noqa: PTH114 - never raises
            )

    def close(self, places: Iterable[Path], roots: Collection[Path]) -> list[str]:
        """Make the missing folders of submodules, and set what is `closed`; return what was put aside."""
        done: list[str] = []
        closed: dict[Path, None] = {}
        for place in sorted(places):
            root = next((one for one in roots if one in place.parents), None)
            if root is None or git_dir_at(place / ".git") is not None:  # its repository is checked
                continue
            for path in (*reversed([one for one in place.parents if root in one.parents]), place):
                with suppress(OSError):
                    done += self._make_folder(path, roots)
                if os.path.islink(path):  # noqa: PTH114 - never raises
                    break
                if path == place or not is_folder(path):
                    closed[path] = None
                    break
        # defence: room-for-closed-places
        while sum(len(os.fsencode(path)) for path in closed) > _MAX_CLOSED:
            closed = dict.fromkeys(path if path in roots else path.parent for path in closed)
        self.closed = tuple(closed)
        return done

    def _make_folder(self, path: Path, roots: Collection[Path]) -> Iterator[str]:
        # defence: links-in-place-of-submodules
        if os.path.islink(path) and path not in (self._links_of_user or ()):  # noqa: PTH114 - never raises
            move_aside(path, roots)
            yield f"`{path}` was put aside: a submodule belongs there"
        if not os.path.lexists(path):  # defence: folders-of-submodules
            make_folder(path, roots)

    def _submodules_in(self, index: Path) -> frozenset[bytes]:
        status = os.stat(index, follow_symlinks=False)  # noqa: PTH116 - for each command
        stamp = (status.st_ino, status.st_ctime_ns, status.st_size)
        before = self._read.get(index)
        if before is None or before[0] != stamp:
            data = read_bytes(index, most=MAX_INDEX) if stat.S_ISREG(status.st_mode) else b""
            size = hash_size_of(index.parent)
            before = self._read[index] = (stamp, frozenset(submodules(data, hash_size=size) if data else ()))
        return before[1]


def _git_dir(entry: Path) -> Path | None:
    return entry if is_folder(entry) else named_folder(entry)


def _indexes(git_dir: Path) -> list[Path]:
    with os.scandir(git_dir) as entries:
        return [git_dir / one.name for one in entries if one.name == "index" or is_shared_index(one.name)]
