"""Git directories of a work dir: the paths that daily work writes, and the paths that could make Git run a program.

The `.git` of a linked worktree or a submodule is a file that names a folder. It is trusted only if that folder links
back to the work dir, since anyone may have written the file.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from kimi_tui.regular_file import read_start

# ruff: noqa: PTH112, PTH113, PTH114 - those of pathlib raise below a folder that the user cannot read
_MOST_MODULES = 100


@dataclass(frozen=True, slots=True)
class GitDir:
    """A Git directory. `guarded` paths exist and must not change; `without_hooks`: it has no hooks folder to guard."""

    path: Path
    writable: bool
    guarded: tuple[Path, ...]
    without_hooks: bool


def git_dir_of(folder: Path) -> GitDir | None:
    """Return the Git directory of the repository around `folder`; None outside a repository."""
    for above in (folder, *folder.parents):
        entry = above / ".git"
        if os.path.islink(entry):
            return None
        if os.path.isdir(entry):
            return _looked_at(entry)
        if os.path.isfile(entry):
            real = _named_by(entry)
            return _looked_at(real) if real is not None else None
    return None


def is_in_git_dir(real: Path) -> bool:
    """Whether a file belongs to Git: in a folder that looks like a Git directory, or that a `.git` file names."""
    return any(_is_git_dir(above) or _is_named_by(above / ".git", real) for above in real.parents)


def _is_git_dir(folder: Path) -> bool:
    if not os.path.lexists(folder / "HEAD"):
        return False
    return os.path.lexists(folder / "commondir") or (
        os.path.isdir(folder / "objects") and os.path.isdir(folder / "refs")
    )


def _is_named_by(entry: Path, real: Path) -> bool:
    """Whether the file is in the folder that a `.git` file or link points to."""
    if not (os.path.islink(entry) or os.path.isfile(entry)):
        return False
    named = _target(entry)
    return named is not None and real.is_relative_to(named) and not entry.is_relative_to(named)


def _target(entry: Path) -> Path | None:
    """Return the target of a `.git` file or link, trusted or not."""
    try:
        if entry.is_symlink():
            return entry.resolve()
        named = _line(entry)
        if named is None or not named.startswith("gitdir:"):
            return None
        return (entry.parent / named.removeprefix("gitdir:").strip()).resolve()
    except (OSError, ValueError):
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
    """Return the shared Git directory of a `.git` file, if it links back."""
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
