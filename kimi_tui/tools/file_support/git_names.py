"""Names that Git itself gives to entries of a Git directory. Other programs look there for files of their own: lazygit,
for one, for settings with command lines.
"""

import os
import re
from pathlib import Path

from kimi_tui.paths import is_folder

_NAMES = frozenset(
    {
        *("config", "config.worktree", "description", "index", "packed-refs", "shallow"),
        *("hooks", "info", "logs", "objects", "refs", "reftable", "branches", "remotes", "modules", "worktrees"),
        *("rebase-apply", "rebase-merge", "rebased-patches", "rr-cache", "sequencer", "subtree-cache"),
        *("commondir", "gitdir", "locked"),  # of a worktree
        *("addp-hunk-edit.diff", "gc.log", "gc.pid", "git-daemon-export-ok", "cloneurl"),
        *("fsmonitor--daemon", "fsmonitor--daemon.ipc", "lfs", "tmp"),
    }
)
"""`tmp` is a folder of Git LFS."""
_HEADS = re.compile(r"[A-Z][A-Z_]*|ADD_EDIT\.patch")
"""`HEAD`, `MERGE_MSG` and the like: Git takes any name of capital letters for a ref."""
_MADE = re.compile(r"(?:sharedindex|index\.stash)\.[0-9a-f]+|next-index-[0-9]+")
_LOCK = ".lock"
_BACKUP = "~"
"""No program looks for such a name; ours puts files aside with it."""


_NEW = frozenset(
    {
        *(
            "COMMIT_EDITMSG",
            "HEAD",
            "FETCH_HEAD",
            "ORIG_HEAD",
            "config",
            "config.worktree",
            "description",
            "index",
            "packed-refs",
            "shallow",
        ),
        *("branches", "hooks", "info", "logs", "objects", "refs", "modules", "worktrees", "lfs"),
        *("commondir", "gitdir", "locked"),
    }
)
"""What Git makes when it makes, clones or links a repository; operations that stopped in the middle make more."""
_RECORDING = frozenset({"rr-cache", "MERGE_RR"})
"""What Git makes with it, still empty, where the user's settings have `rerere.enabled`."""


def names_beyond_new(git_dir: Path) -> frozenset[str]:
    """Return the names in the Git directory of a worktree or a submodule that one just made by Git does not have."""
    if not any(part.lower() == ".git" for part in git_dir.parts):
        return frozenset()
    try:
        with os.scandir(git_dir) as entries:
            found = frozenset(one.name for one in entries if not one.is_symlink() and not one.name.endswith(_BACKUP))
    except OSError:
        return frozenset()
    recording = {name for name in found if name in _RECORDING and _is_empty(git_dir / name)}
    return found - _NEW - recording


def _is_empty(path: Path) -> bool:
    try:
        return not os.listdir(path) if is_folder(path) else path.lstat().st_size == 0  # noqa: PTH208
    except OSError:
        return False


def unknown_names(git_dir: Path) -> frozenset[str]:
    """Return the names of files and folders in the `.git` of a worktree or a submodule that Git does not make; none of
    other folders, as a repository without a worktree may hold anything.
    """
    if not any(part.lower() == ".git" for part in git_dir.parts):
        return frozenset()
    try:
        with os.scandir(git_dir) as entries:
            return frozenset(one.name for one in entries if not is_name_of_git(one.name) and not one.is_symlink())
    except OSError:
        return frozenset()


def is_name_of_git(name: str) -> bool:
    """Whether Git itself gives this name to an entry of a Git directory, or no program looks for it."""
    if name.endswith(_BACKUP):
        return True
    name = name.removesuffix(_LOCK)  # Git writes a file under this name first
    return name in _NAMES or _HEADS.fullmatch(name) is not None or _MADE.fullmatch(name) is not None
