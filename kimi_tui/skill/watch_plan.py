"""Plans which folders to watch so that no change of a skill is missed, and which changes matter.

Nothing is watched below a skill's own folder, so a tree of any size beside a SKILL.md costs nothing. The two folders
above each root are watched as well: they show when it appears, disappears or is replaced.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kimi_tui.paths import is_folder, real_path
from kimi_tui.skill.roots import SkillRoots
from kimi_tui.skill.skill import SKILL_FILE

MAX_FOLDERS = 4096
"""The maximum number of folders: systems allow a user about ten thousand watches in total."""


@dataclass(frozen=True, slots=True)
class WatchPlan:
    """The folders to watch by real path, each with the relevant names in it; None: all names that are not hidden.

    `whole` is false if there are more folders than may be watched.
    """

    folders: Mapping[str, frozenset[str] | None]
    whole: bool = True

    def matters(self, path: str) -> bool:
        """Whether a change of `path` can change a skill."""
        folder, name = os.path.split(path)
        if path in self.folders:
            return True
        if folder not in self.folders:
            return False
        names = self.folders[folder]
        return not name.startswith(".") if names is None else name in names

    def is_watched(self, path: str) -> bool:
        """Whether `path` itself is a watched folder: such a change may end its watch."""
        return path in self.folders


def watch_plan(roots: SkillRoots) -> WatchPlan:
    """Plan for the current state of the disk."""
    plan = _Plan()
    for root in roots.candidates():
        plan.add_above(root.path)
    for root in (*roots.existing(), *roots.waiting()):
        plan.add_root(root.path)
    return WatchPlan(
        {folder: None if names is None else frozenset(names) for folder, names in plan.folders.items()}, plan.whole
    )


class _Plan:
    def __init__(self) -> None:
        self.folders: dict[str, set[str] | None] = {}
        self.whole = True

    def add(self, folder: str, names: Iterable[str] | None) -> None:
        folder = str(real_path(folder))
        if not folder.isprintable():
            return
        if folder not in self.folders and len(self.folders) >= MAX_FOLDERS:
            self.whole = False
            return
        watched = self.folders.setdefault(folder, set())
        if names is None or watched is None:
            self.folders[folder] = None
        else:
            watched.update(names)

    def add_above(self, root: Path) -> None:
        """Watch the folders in which `root` or its parents can appear and disappear."""
        child, depth = root, 0
        for folder in root.parents:
            if is_folder(folder):
                self.add(str(folder), [child.name])
                depth += 1
            if depth and folder != root.parent:
                return
            child = folder

    def add_root(self, root: Path) -> None:
        self.add(str(root), None)
        try:
            with os.scandir(root) as entries:
                for entry in entries:
                    self._add_entry(entry)
        except OSError:
            return  # it is gone or not readable: the folders above show when that changes

    def _add_entry(self, entry: os.DirEntry[str]) -> None:
        if entry.name.startswith("."):
            return
        try:
            if entry.is_dir():
                self.add(entry.path, [SKILL_FILE])  # defence: watch-no-tree
                self._add_target(f"{entry.path}/{SKILL_FILE}")
            elif entry.is_symlink() and entry.name.endswith(".md"):
                self._add_target(entry.path)
        except OSError:
            return  # a cycle of links: it leads to no skill

    def _add_target(self, file: str) -> None:
        """Watch the real folder of a linked file."""
        if Path(file).is_symlink():
            folder, name = os.path.split(real_path(file))
            if is_folder(folder):
                self.add(folder, [name])
