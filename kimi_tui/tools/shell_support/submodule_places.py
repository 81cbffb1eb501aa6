"""Keeps commands from making a repository where Git looks for a submodule: `git status` enters it, and obeys its
settings. Git outside would do so as long as the command runs, before anything is checked.
"""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from kimi_tui.paths import is_file, is_folder
from kimi_tui.regular_file import read_bytes
from kimi_tui.tools.file_support.git_dirs import git_dir_at, named_folder
from kimi_tui.tools.file_support.git_index import MAX_INDEX, submodules
from kimi_tui.tools.shell_support.git_state import hash_size_of, is_shared_index, is_within, worktree_of
from kimi_tui.tools.shell_support.safe_rename import make_folder, move_aside

_MAX_CLOSED = 20_000
"""Bytes of the closed paths, with the folders above them; of more, the folders around them are closed."""
_MAX_DEPTH = 32
"""Folders above a closed path; of one that is deeper, the last of them is closed."""
_MAX_PLACES = 2_000
"""Submodules of an index; of more, the worktree is closed, for which this name stands."""
_CROWDED = b".git"
_Stamp = tuple[int, int, int]


class SubmodulePlaces:
    """`closed` are the paths that no command may write: the folders of submodules without a repository, what stands in
    place of one, and the `.git` file of one, with the folder that it names.
    """

    def __init__(self) -> None:
        self.closed: tuple[Path, ...] = ()
        self._read: dict[Path, tuple[_Stamp, frozenset[bytes]]] = {}
        self._links_of_user: frozenset[Path] | None = None

    def find(self, entries: Iterable[Path]) -> frozenset[Path]:
        """Return where the indexes of these repositories (`.git`, or folders of Git) have submodules; the `.git` of a
        worktree that has too many.
        """
        found: set[Path] = set()
        for entry in dict.fromkeys(entries):
            git_dir = _git_dir(entry)
            with suppress(OSError, ValueError, IndexError):  # what Git would not read has no submodules
                names = frozenset[bytes]() if git_dir is None else frozenset[bytes]().union(*self._all_in(git_dir))
                for top in _tops(entry, git_dir) if names and git_dir is not None else ():
                    found.update(top / os.fsdecode(name) for name in names)
        return frozenset(found)

    def _all_in(self, git_dir: Path) -> Iterator[frozenset[bytes]]:
        for index in _indexes(git_dir):
            with suppress(OSError, ValueError, IndexError):
                yield self._submodules_in(index)

    def identified(self, entries: Iterable[Path]) -> frozenset[tuple[Path, tuple[int, ...]]]:
        """Return what `find` does, each with what tells its `.git`, or its folder, from another one."""
        # defence: submodules-without-their-repositories
        return frozenset((place, _identity(place / ".git") or _identity(place)[:2]) for place in self.find(entries))

    def begin(self, places: Iterable[Path]) -> None:
        """Note the links that stand in place of submodules before the first command of the session: the user's."""
        if self._links_of_user is None:
            self._links_of_user = frozenset(
                path
                for place in places
                for path in (place, *place.parents[-2 * _MAX_DEPTH :])
                if os.path.islink(path)  # noqa: PTH114 - never raises
            )

    def close(self, places: Iterable[Path], roots: Collection[Path]) -> list[str]:
        """Make the missing folders of submodules, and set what is `closed`; return what was put aside."""
        done: list[str] = []
        closed: dict[Path, None] = {}
        for place in sorted(places):
            root = next((one for one in roots if one != place and place.is_relative_to(one)), None)
            if root is not None and os.fsencode(place.name) == _CROWDED:
                closed[place.parent] = None
                continue
            if root is None or git_dir_at(place / ".git") is not None:  # its repository is checked
                continue
            if kept := kept_of_git_file(place / ".git", roots):
                closed.update(dict.fromkeys(kept))
                continue
            # defence: depth-of-closed-places
            parts = place.relative_to(root).parts[:_MAX_DEPTH]
            *above, place = [root.joinpath(*parts[: at + 1]) for at in range(len(parts))]
            for path in (*above, place):
                with suppress(OSError):
                    done += self._make_folder(path, roots)
                if os.path.islink(path):  # noqa: PTH114 - never raises
                    break
                if path == place or not is_folder(path):
                    closed[path] = None
                    break
        # defence: room-for-closed-places
        while _size(closed) > _MAX_CLOSED and not closed.keys() <= set(roots):
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
            names = submodules(data, hash_size=size, folder=index.parent) if data else ()
            before = self._read[index] = (stamp, frozenset(filter(is_within, names)))
            # defence: submodules-that-are-looked-at
            if len(before[1]) > _MAX_PLACES:
                before = self._read[index] = (stamp, frozenset({_CROWDED}))
        return before[1]


def _tops(entry: Path, git_dir: Path) -> Iterator[Path]:
    """Yield the worktrees that a `.git` may have: Git looks beside it unless a setting names another."""
    if entry.name.lower() == ".git":
        yield entry.parent  # defence: worktrees-beside-git-files
    with suppress(OSError, ValueError):
        top = worktree_of(git_dir)
        if top is not None:
            yield top


def _identity(path: Path) -> tuple[int, ...]:
    try:
        status = os.stat(path, follow_symlinks=False)  # noqa: PTH116 - several times a second
    except OSError:
        return ()
    # A new one can have the inode of the one before; the time of a folder says only that Git works in it.
    changed = 0 if stat.S_ISDIR(status.st_mode) else status.st_ctime_ns
    return (status.st_dev, status.st_ino, stat.S_IFMT(status.st_mode), changed)


def _size(paths: Iterable[Path]) -> int:
    """Return the bytes of the paths and of the folders above them, each of which is mounted."""
    return sum(len(os.fsencode(one)) for one in {above for path in paths for above in (path, *path.parents)})


def kept_of_git_file(entry: Path, roots: Collection[Path]) -> list[Path]:
    """Return what makes a repository of a `.git` file: the file itself, and the folder that it names in one of `roots`;
    nothing if it names none that is there.
    """
    named = named_folder(entry) if is_file(entry) and not os.path.islink(entry) else None  # noqa: PTH114 - never raises
    if named is None or not is_folder(named):
        return []
    return [entry, named] if any(root in named.parents for root in roots) else [entry]


def _git_dir(entry: Path) -> Path | None:
    return entry if is_folder(entry) else named_folder(entry)


def _indexes(git_dir: Path) -> list[Path]:
    with os.scandir(git_dir) as entries:
        return [git_dir / one.name for one in entries if one.name == "index" or is_shared_index(one.name)]
