"""The Git folder of a work dir: what of it daily work writes, and what would make Git run something.

The `.git` of a linked worktree or a submodule is a file that names a folder; it is believed only where that folder
names the work dir in turn, since the file itself may be anybody's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from kimi_tui.regular_file import read_start

_MOST_MODULES = 100


@dataclass(frozen=True, slots=True)
class GitDir:
    """`guarded` is there and stays as it is; `without_hooks`: there is no folder of hooks that could be guarded."""

    path: Path
    writable: bool
    guarded: tuple[Path, ...]
    without_hooks: bool


def git_dir_of(folder: Path) -> GitDir | None:
    """That of the repository which the folder is in; None where it is in none."""
    for above in (folder, *folder.parents):
        entry = above / ".git"
        if entry.is_symlink():
            return None
        if entry.is_dir():
            return _looked_at(entry)
        if entry.is_file():
            real = _named_by(entry)
            return _looked_at(real) if real is not None else None
    return None


def _looked_at(path: Path) -> GitDir:
    guarded = list(_guarded(path))
    linked = any(guard.is_symlink() for guard in guarded)
    if linked:
        return GitDir(path, False, (path,), False)
    return GitDir(path, True, tuple(guarded), not (path / "hooks").exists())


def _guarded(path: Path) -> Iterator[Path]:
    inner = [path, *islice((path / "modules").glob("*"), _MOST_MODULES), *islice((path / "worktrees").glob("*"), 100)]
    for folder in inner:
        for name in ("hooks", "config", "config.worktree"):
            guard = folder / name
            if guard.exists() or guard.is_symlink():
                yield guard


def _named_by(entry: Path) -> Path | None:
    """The shared Git folder that a `.git` file leads to, where it leads back."""
    named = _line(entry)
    if named is None or not named.startswith("gitdir:"):
        return None
    real = (entry.parent / named.removeprefix("gitdir:").strip()).resolve()
    for above in entry.parent.parents:
        if real.is_relative_to(above / ".git" / "modules"):
            return real
    back, common = _line(real / "gitdir"), _line(real / "commondir")
    if back is None or common is None or (real / back).resolve() != entry.resolve():
        return None
    shared = (real / common).resolve()
    return shared if real.parent == shared / "worktrees" and (shared / "HEAD").is_file() else None


def _line(file: Path) -> str | None:
    try:
        return read_start(file, 4096).decode("utf-8", "replace").strip()
    except OSError:
        return None
