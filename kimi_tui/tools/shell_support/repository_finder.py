"""Finds what Git treats as a repository below some folders; a repeated search reads only what changed.

Git directories are searched too, with the folders of their objects: a link elsewhere could lead to a repository there.
Folders are watched where that is possible. The others are checked each time by the time of their last change.
"""

import os
import stat
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from kimi_tui.tools.shell_support.inotify import FolderWatches

_MAX_FOLDERS = 1_000_000
_GIT_FOLDERS = frozenset({
    "logs", "refs", "objects", "info", "hooks", "modules", "worktrees", "rr-cache", "lfs", "reftable", "remotes",
    "branches", "rebase-merge", "rebase-apply", "sequencer",
})  # fmt: skip
"""Git's own folders in a Git directory; others may hold the files of a worktree."""
_COARSE_NS = 50_000_000
"""A folder that changed this recently may change again without a new timestamp: clocks of file systems are coarse."""


@dataclass(frozen=True, slots=True)
class _Folder:
    """The state of a folder; `changed` is the time of its last change in nanoseconds, 0 if it is unreliable.

    `links` are those in a Git directory; of the others, `outward` are those that may lead out of the searched folders.
    """

    device: int
    inode: int
    changed: int
    folders: tuple[str, ...]
    repositories: tuple[str, ...]
    links: tuple[str, ...]
    outward: tuple[str, ...]
    within_git: bool


class RepositoryFinder:
    """The repositories below `folders`, which may change. Call it from one thread at a time."""

    def __init__(
        self, folders: Callable[[], Iterable[Path]], *, watches: Callable[[], FolderWatches] = FolderWatches
    ) -> None:
        self._roots = folders
        self._new_watches = watches
        self._watches = watches()
        self.looked_at = 0
        """The number of folders that the last call examined."""
        self.incomplete = False
        """Whether there are more folders than can be searched."""
        self._known: dict[str, _Folder] = {}
        self._holding: set[str] = set()
        self._leaving: set[str] = set()
        self._unwatched: set[str] = set()
        self._opening: Callable[[str], None] | None = None

    def find(self, *, opening: Callable[[str], None] | None = None) -> list[Path]:
        """Return the repositories that are there now. `opening` gets each folder that cannot be listed, and may change
        that.
        """
        self._opening = opening
        roots = [str(folder) for folder in self._roots()]
        changed = self._watches.changed()
        everything = changed is None or any(self._is_another(root) for root in roots)
        if changed is None:
            self._watches = self._new_watches()
            self._known, self._holding, self._leaving, self._unwatched = {}, set(), set(), set()
            changed = set[str]()
        for folder in self._watches.replaced:  # a look meanwhile could have seen another one at its path
            self._forget(folder)  # defence: replaced-folders-are-looked-at
        # A folder that is another one now forgets those below: they must come after it.
        first_to_last = sorted({*roots, *changed, *self._unwatched})  # defence: folders-before-those-below
        try:
            # defence: changes-beside-new-roots
            self._walk(first_to_last, roots, everything=everything, changed=changed)
        finally:
            self._opening = None  # it may refer to what refers to this
        found = (path for folder in sorted(self._holding) for path in self._known[folder].repositories)
        return [Path(path) for path in dict.fromkeys(found)]

    def close(self) -> None:
        """Give up the watches; the next search reads every folder."""
        self._watches.close()

    @property
    def unreadable(self) -> frozenset[str]:
        """The folders that were not listed in the last search, since their mode or owner forbids it."""
        return frozenset(folder for folder in self._unwatched if folder not in self._known)

    @property
    def links(self) -> list[Path]:
        """The links in Git directories, as of the last search."""
        return [Path(path) for folder in sorted(self._holding) for path in self._known[folder].links]

    @property
    def outward_links(self) -> list[str]:
        """The links outside of Git directories that may lead out of the searched folders, as of the last search."""
        return [path for folder in sorted(self._leaving) for path in self._known[folder].outward]

    def _is_another(self, root: str) -> bool:
        """Whether this path is a different folder now than at the last search."""
        known = self._known.get(root)
        try:
            status = os.stat(root, follow_symlinks=False)  # noqa: PTH116 - with the others of this module
        except OSError:
            return known is not None
        return known is None or (known.device, known.inode) != (status.st_dev, status.st_ino)

    def _walk(
        self, starts: Iterable[str], roots: Collection[str], *, everything: bool, changed: Collection[str]
    ) -> None:
        """Examine these folders, and those below where something is new; all below if `everything`."""
        seen: set[str] = set()
        self.incomplete = self.incomplete and len(self._known) >= _MAX_FOLDERS
        for start in starts:
            if start in roots or start in self._known or start in self._unwatched:  # defence: no-folders-behind-links
                self._walk_from(start, roots, seen, everything=everything, changed=changed)
        self.looked_at = len(seen)
        if everything:
            for folder in set(self._known) - seen:
                self._forget(folder)

    def _walk_from(
        self, start: str, roots: Collection[str], seen: set[str], *, everything: bool, changed: Collection[str]
    ) -> None:
        waiting = [start]
        while waiting:
            folder = waiting.pop()
            if folder in seen:
                continue
            if len(self._known) >= _MAX_FOLDERS and folder not in self._known:
                self.incomplete = True
                continue
            seen.add(folder)
            try:
                status = os.stat(folder, follow_symlinks=False)  # noqa: PTH116 - thousands
            except OSError:
                self._forget(folder)
                continue
            if not stat.S_ISDIR(status.st_mode):
                self._forget(folder)
                continue
            before = self._still_known(folder, status)
            watched = folder in self._watches
            if not watched:
                self._watch(folder, status.st_dev)
            if before and folder not in changed and (watched or before.changed == status.st_ctime_ns):
                waiting.extend(before.folders if everything else ())
                continue
            try:
                now = self._opened_and_listed(folder, roots)
            except OSError:
                self._forget(folder)
                self._unwatched.add(folder)  # it may be readable later
                continue
            if before is not None:
                another = before.within_git != now.within_git
                for path in before.folders if another or not watched else set(before.folders).difference(now.folders):
                    if another or path not in now.folders or path in self._watches:
                        self._forget(path)
                if another:  # list those below again, for their links
                    seen.difference_update([path for path in seen if path.startswith(f"{folder}/")])
            self._known[folder] = now
            (self._holding.add if now.repositories or now.links else self._holding.discard)(folder)
            (self._leaving.add if now.outward else self._leaving.discard)(folder)
            waiting.extend(now.folders)

    def _opened_and_listed(self, folder: str, roots: Iterable[str]) -> _Folder:
        """Raises OSError."""
        within_git = self._is_git_folder(folder)
        try:
            return _listed(folder, roots, within_git=within_git)
        except OSError:
            if self._opening is None:
                raise
            self._opening(folder)  # defence: folders-in-closed-folders
            return _listed(folder, roots, within_git=within_git)

    def _is_git_folder(self, folder: str) -> bool:
        """Whether it is one of Git's own folders in a Git directory, or below one."""
        above, _, name = folder.rpartition("/")
        known = self._known.get(above)
        return known is not None and known.within_git and (above not in known.repositories or name in _GIT_FOLDERS)

    def _still_known(self, folder: str, status: os.stat_result) -> _Folder | None:
        """Return what is known of the folder; if the path is a different folder now, forget it and return None."""
        before = self._known.get(folder)
        if before is None:
            return None
        same = (before.device, before.inode) == (status.st_dev, status.st_ino)
        if same and (folder in self._unwatched or folder in self._watches):
            return before
        self._forget(folder)
        return None

    def _watch(self, folder: str, device: int) -> None:
        if self._watches.add(folder, device):
            self._unwatched.discard(folder)
        else:
            self._unwatched.add(folder)

    def _forget(self, folder: str) -> None:
        """Forget the folder and all below."""
        waiting = [folder]
        while waiting:
            path = waiting.pop()
            self._watches.remove(path)
            self._unwatched.discard(path)
            self._holding.discard(path)
            self._leaving.discard(path)
            if (known := self._known.pop(path, None)) is not None:
                waiting.extend(known.folders)


def _listed(folder: str, roots: Iterable[str], *, within_git: bool) -> _Folder:
    """`within_git`: it is one of Git's own folders."""
    folders: list[str] = []
    repositories: list[str] = []
    links: list[str] = []
    names: set[str] = set()
    below = f"{folder.rstrip('/')}/"
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(opened)  # defence: the-state-of-the-listed-folder
        if status.st_mode & 0o111 != 0o111 and not os.access(".", os.X_OK, dir_fd=opened):
            raise PermissionError(folder)  # defence: folders-that-cannot-be-entered
        with os.scandir(opened) as entries:
            for entry in entries:
                name = entry.name
                names.add(name)
                if name.lower() == ".git":
                    repositories.append(below + name)
                if entry.is_symlink():
                    links.append(below + name)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(below + name)  # defence: repositories-among-objects
    finally:
        os.close(opened)
    within_git = within_git or "/.git/" in below.lower()  # defence: links-of-any-git-directory
    is_git_dir = "HEAD" in names and ({"objects", "refs"} <= names or "commondir" in names)
    if within_git and "gitdir" in names:  # of a worktree, for which Git needs no more
        is_git_dir = True  # defence: worktrees-without-a-head
    within_git = within_git or is_git_dir
    if is_git_dir:
        repositories.append(folder)
    outward = () if within_git else tuple(link for link in links if _may_lead_out(link, roots))
    recent = time.time_ns() - status.st_ctime_ns < _COARSE_NS
    return _Folder(
        status.st_dev,
        status.st_ino,
        0 if recent else status.st_ctime_ns,
        tuple(folders),
        tuple(repositories),
        tuple(links) if within_git else (),
        outward,
        within_git,
    )


def _may_lead_out(link: str, roots: Iterable[str]) -> bool:
    """Whether a link may lead out of these folders, also by a folder that is or becomes a link."""
    try:
        text = os.readlink(link)  # noqa: PTH115 - thousands
    except OSError:
        return False
    if "/../" in f"/{text.lstrip('./')}/":
        return True
    target = os.path.normpath(f"{link}/../{text}" if text[:1] != "/" else text)
    return not any(target == root or target.startswith(f"{root.rstrip('/')}/") for root in roots)
