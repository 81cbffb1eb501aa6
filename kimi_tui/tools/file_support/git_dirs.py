"""Git directories of a work dir: the paths that daily work writes, and the paths that could make Git run a program.

The `.git` of a linked worktree or a submodule is a file that names a folder. It is trusted only if that folder links
back to the work dir, since anyone may have written the file.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

from kimi_tui.paths import is_file, is_folder, path_exists, real_path
from kimi_tui.regular_file import read_bytes, read_start
from kimi_tui.tools.file_support.git_config_values import config_values
from kimi_tui.tools.file_support.git_names import unknown_names

# ruff: noqa: PTH114 - those of pathlib raise below a folder that the user cannot read
_MAX_MODULES = 100
_MAX_FOLDERS = 1_000
_MAX_LINE = 4096
_MAX_INCLUDED = 20
_MAX_CONFIG = 1 << 20
_OF_HOOKS = ("hookspath", "templatedir")  # defence: templates-of-the-user
"""Settings of the user that name folders with hooks."""
_OF_FILES = ("excludesfile", "attributesfile", "template", "allowedsignersfile", "ignorerevsfile")
"""Settings of the user that name files that Git reads."""


@dataclass(frozen=True, slots=True)
class GitDir:
    """A Git directory. `guarded` paths exist and must not change; `without_hooks`: it has no hooks folder to guard;
    `linked`: a link named it, which proves nothing about the folder.
    """

    path: Path
    writable: bool
    guarded: tuple[Path, ...]
    without_hooks: bool
    files: tuple[Path, ...] = ()
    """The `.git` files that name it."""
    linked: bool = False


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as Git finds it: its worktree, its Git directory, and the one that it shares settings and refs with
    (else the same). The files that name them are untrusted.
    """

    top: Path
    git_dir: Path
    common: Path


def repository_around(folder: Path) -> Repository | None:
    """Return the repository that Git finds from `folder` up; None outside of one.

    Raises OSError, and ValueError for a `.git` file that names no folder.
    """
    entry = find_git_entry(folder)
    return None if entry is None else repository_at(entry)


def repository_at(entry: Path) -> Repository:
    """Return the repository of this `.git`. Raises as `repository_around` does."""
    if is_folder(entry):
        git_dir = real_path(entry)
    else:
        named = only_line(entry)
        if not named.startswith("gitdir: ") or named[8:9].isspace():
            raise ValueError(entry)
        git_dir = real_path(entry.parent / named.removeprefix("gitdir: "))
    common = git_dir / "commondir"
    shared = real_path(git_dir / only_line(common)) if os.path.lexists(common) else git_dir
    return Repository(entry.parent, git_dir, shared)


def only_line(file: Path) -> str:
    """Return the only line of a file in which Git treats all white space as part of the name.

    Raises OSError, and ValueError for more lines, or white space around it.
    """
    line = read_bytes(file, most=_MAX_LINE).decode().removesuffix("\n")
    if not line or line != line.strip() or len(line.splitlines()) != 1:
        raise ValueError(file)
    return line


def find_git_dir(folder: Path) -> GitDir | None:
    """Return the Git directory of the repository around `folder`; None outside a repository."""
    entry = find_git_entry(folder)
    return None if entry is None else git_dir_at(entry)


def find_git_entry(folder: Path) -> Path | None:
    """Return the `.git` of the repository around `folder`; None outside a repository."""
    return next((above / ".git" for above in (folder, *folder.parents) if os.path.lexists(f"{above}/.git")), None)


def git_dir_at(entry: Path) -> GitDir | None:
    """Return the Git directory that a `.git` is or names; None if it names none that can be trusted.

    The Git directory behind a link is not writable, and a file that names one must not change.
    """
    if os.path.islink(entry):
        real = real_path(entry)
        return GitDir(real, False, (real,), False, linked=True) if is_folder(real) else None
    if is_folder(entry):
        return _looked_at(entry)
    real = _named_by(entry) if is_file(entry) else None
    if real is None:
        return None
    found = _looked_at(real)
    targets = filter(path_exists, hook_targets_of_git_file(entry))  # defence: hooks-in-linked-worktrees
    return replace(found, guarded=(*found.guarded, *targets, entry), files=(entry,))


def is_in_git_dir(real: Path) -> bool:
    """Whether a file belongs to Git: in a folder that looks like a Git directory, or that a `.git` file names."""
    return any(looks_like_git_dir(above) or _is_named_by(above / ".git", real) for above in real.parents)


def looks_like_git_dir(folder: Path) -> bool:
    if not os.path.lexists(folder / "HEAD"):
        return False
    return os.path.lexists(folder / "commondir") or (is_folder(folder / "objects") and is_folder(folder / "refs"))


def _is_named_by(entry: Path, real: Path) -> bool:
    """Whether the file is in the folder that a `.git` file or link points to."""
    if not (os.path.islink(entry) or is_file(entry)):
        return False
    named = _target(entry)
    return named is not None and real.is_relative_to(named) and not entry.is_relative_to(named)


def _target(entry: Path) -> Path | None:
    """Return the target of a `.git` file or link, trusted or not."""
    try:
        if entry.is_symlink():
            return real_path(entry)
        return named_folder(entry)
    except (OSError, ValueError):
        return None


def _looked_at(path: Path) -> GitDir:
    guarded = list(_guarded(path))
    linked = any(guard.is_symlink() for guard in guarded)
    if linked:
        return GitDir(path, False, (path,), False)
    return GitDir(path, True, tuple(guarded), not path_exists(path / "hooks"))


def _guarded(path: Path) -> Iterator[Path]:
    worktrees = list(islice((path / "worktrees").glob("*"), _MAX_MODULES))
    for folder in (path, *submodule_git_dirs(path), *worktrees):
        for name in ("hooks", "config", "config.worktree"):
            guard = folder / name
            if path_exists(guard) or guard.is_symlink():
                yield guard
        yield from (folder / name for name in sorted(unknown_names(folder)))  # defence: files-of-other-programs
        if folder == path or folder in worktrees:
            yield from (target for target in hook_and_include_targets(folder, path.parent) if path_exists(target))
    for folder in worktrees:
        yield from (folder / name for name in ("commondir", "gitdir") if is_file(folder / name))


def submodule_git_dirs(git_dir: Path) -> list[Path]:
    """Return the Git directories of submodules, nested ones included; their names may contain slashes."""
    found: list[Path] = []
    waiting = [git_dir / "modules"]
    for _ in range(_MAX_FOLDERS):
        if not waiting or len(found) >= _MAX_MODULES:
            break
        folder = waiting.pop()
        if path_exists(folder / "HEAD"):
            found.append(folder)
            waiting.append(folder / "modules")
        elif is_folder(folder) and not folder.is_symlink():
            waiting.extend(folder.iterdir())
    return found


def hook_and_include_targets(git_dir: Path, top: Path, settings: Iterable[bytes] | None = None) -> list[Path]:
    """Return the paths that the settings, and those that they include, name for hooks and included settings; `top` is
    the folder of the worktree. The user's own settings may name a folder for hooks in each worktree. Without
    `settings`, those of `git_dir` are read.
    """
    hooks = hooks_of_user(top)
    included: list[Path] = []
    for key, folder, name in _named(git_dir, _settings_in(git_dir) if settings is None else settings):
        if key == "hookspath":
            hooks += [top / name, folder / name]
        else:
            included.append(folder / name)
    return list(dict.fromkeys((*hooks, *_behind_links((git_dir / "hooks", *hooks)), *included)))


def has_hooks(entry: Path) -> bool:
    """Whether Git runs programs as hooks in the repository of this `.git`."""
    try:
        found = repository_at(entry)
    except (OSError, ValueError):
        return False
    folders = [found.common / "hooks", *(Path(name) for name in _settings_of_user().hooks if name.startswith("/"))]
    for git_dir in {found.git_dir, found.common}:
        folders += hook_and_include_targets(git_dir, entry.parent)
    for folder in folders:
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            if any(not one.name.endswith(".sample") and os.access(one.path, os.X_OK) for one in entries):
                return True
    return False


def hooks_in_worktree(entry: Path) -> list[Path]:
    """Return the hooks, or folders for them, in the worktree that settings name for this `.git`, or links in its folder
    for hooks; they may not be there.
    """
    return list(_named_by_settings(entry, hooks=True))


def included_settings(entry: Path) -> list[Path]:
    """Return the files that the settings of this `.git` include; they may not be there."""
    return list(_named_by_settings(entry, hooks=False))


def _named_by_settings(entry: Path, *, hooks: bool) -> Iterator[Path]:
    with contextlib.suppress(OSError, ValueError):
        found = repository_at(entry)
        for folder in {found.git_dir, found.common}:
            for key, place, name in _named(folder, _settings_in(folder)):
                if (key == "hookspath") == hooks:
                    yield (entry.parent if hooks else place) / name
            if hooks:
                yield from _behind_links([folder / "hooks"])
        if hooks:
            yield from hooks_of_user(entry.parent)


def hook_targets_of_git_file(entry: Path) -> list[Path]:
    """Return the folders for hooks in the worktree of a `.git` file or link, by the settings of the Git directory that
    it names and of the one that this one shares. Their other targets count for those.
    """
    git_dir = _target(entry)
    if git_dir is None:
        return []
    common = _line(git_dir / "commondir")
    folders = (git_dir,) if common is None else (git_dir, real_path(git_dir / common))
    named = (one for folder in folders for one in _named(folder, _settings_in(folder)))
    hooks = [entry.parent / name for key, _, name in named if key == "hookspath" and not name.startswith("/")]
    hooks += hooks_of_user(entry.parent)
    return list(dict.fromkeys((*hooks, *_behind_links((*(folder / "hooks" for folder in folders), *hooks)))))


def _behind_links(hooks: Iterable[Path]) -> Iterator[Path]:
    """Yield the files to which links in folders for hooks lead."""
    for folder in hooks:
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in islice((one for one in entries if one.is_symlink()), _MAX_MODULES):
                if not is_folder(entry.path):  # defence: hooks-that-are-links
                    yield real_path(entry.path)


def hooks_of_user(top: Path) -> list[Path]:
    """Return the folders for hooks in the worktree at `top` that Git's settings of the user name."""
    # defence: hooks-of-user-settings
    return [top / name for name in _settings_of_user().hooks if not name.startswith("/")]


def _named(git_dir: Path, settings: Iterable[bytes]) -> Iterator[tuple[str, Path, str]]:
    """Yield the keys of the settings that name hooks or included settings, in included ones too, with the folder of
    their file and the path.
    """
    waiting = [(git_dir, content) for content in settings]
    for folder, content in waiting:
        for key, text in config_values(content, "hookspath", "path"):
            if not text or "\0" in text:
                continue
            name = os.path.expanduser(text)  # noqa: PTH111 - that of pathlib raises for unknown users
            yield key, folder, name
            if key == "path" and len(waiting) < _MAX_INCLUDED:
                included = folder / name
                with contextlib.suppress(OSError):
                    content = read_start(included, _MAX_CONFIG)
                    waiting.append((included.parent, content))  # defence: settings-of-included-files


def _settings_in(git_dir: Path) -> Iterator[bytes]:
    for name in ("config", "config.worktree"):
        with contextlib.suppress(OSError):
            yield read_start(git_dir / name, _MAX_CONFIG)


@dataclass(frozen=True, slots=True)
class _UserSettings:
    """The folders for hooks, templates included, the files with Git's settings of the user and of the system, and the
    other files that they name by a full path.
    """

    hooks: tuple[str, ...]
    files: tuple[Path, ...]
    named: tuple[Path, ...]


def user_git_paths() -> tuple[Path, ...]:
    """Return the files with the user's settings of Git, and the folders for hooks that they name by a full path, with
    the files to which links in those lead.
    """
    found = _settings_of_user()
    hooks = [Path(name) for name in found.hooks if name.startswith("/")]
    return (*found.files, *hooks, *_behind_links(hooks))


def user_git_files() -> tuple[Path, ...]:
    """Return the files with Git's settings of the user and of the system."""
    return _settings_of_user().files


def paths_named_by_user() -> tuple[Path, ...]:
    """Return the folders for hooks and the files that Git's settings of the user and of the system name by a full
    path.
    """
    found = _settings_of_user()
    return (*found.named, *(Path(name) for name in found.hooks if name.startswith("/")))


def _settings_of_user() -> _UserSettings:
    home = os.path.expanduser("~")  # noqa: PTH111 - for each repository at each command
    config = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    # defence: git-settings-by-the-environment
    named = (os.environ.get(name) for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"))
    states: list[tuple[str, int, int]] = []
    for file in (f"{home}/.gitconfig", f"{config}/git/config", "/etc/gitconfig", *filter(None, named)):
        with contextlib.suppress(OSError):
            status = os.stat(file)  # noqa: PTH116 - as above
            states.append((file, status.st_mtime_ns, status.st_size))
    return _read_settings(tuple(states), os.environ.get("GIT_TEMPLATE_DIR", ""))


@lru_cache(maxsize=4)
def _read_settings(states: tuple[tuple[str, int, int], ...], templates: str) -> _UserSettings:
    found: list[str] = [templates] if templates else []
    named: list[Path] = []
    waiting = [Path(file) for file, _, _ in states]
    for file in waiting:
        with contextlib.suppress(OSError):
            content = read_start(file, _MAX_CONFIG)
            for key, value in config_values(content, "path", *_OF_HOOKS, *_OF_FILES):
                text = os.path.expanduser(value)  # noqa: PTH111 - that of pathlib raises for unknown users
                if not text or "\0" in text:
                    continue
                if key in _OF_HOOKS:
                    found.append(text)
                elif key in _OF_FILES:
                    named += [Path(text)] if text.startswith("/") else []
                elif len(waiting) < _MAX_INCLUDED:
                    waiting.append(file.parent / text)
    return _UserSettings(tuple(dict.fromkeys(found)), tuple(waiting), tuple(named))


def _named_by(entry: Path) -> Path | None:
    """Return the shared Git directory of a `.git` file, if it links back."""
    real = named_folder(entry)
    if real is None:
        return None
    for above in entry.parent.parents:
        if real.is_relative_to(above / ".git" / "modules"):
            return real
    back, common = _line(real / "gitdir"), _line(real / "commondir")
    if back is None or common is None or real_path(real / back) != real_path(entry):
        return None
    shared = real_path(real / common)
    return shared if real.parent == shared / "worktrees" and is_file(shared / "HEAD") else None


def named_folder(entry: Path) -> Path | None:
    """Return the folder that a `.git` file names; None if it names none."""
    named = _line(entry)
    if named is None or not named.startswith("gitdir: "):
        return None
    return real_path(entry.parent / named.removeprefix("gitdir: "))


def _line(file: Path) -> str | None:
    try:
        content = read_start(file, _MAX_LINE)
    except OSError:
        return None
    return None if len(content) == _MAX_LINE else named_in(content)


def named_in(content: bytes) -> str | None:
    """Return what a file that names a folder says, exactly as Git reads it: a blank belongs to the name. None for a
    NUL.
    """
    return None if b"\0" in content else os.fsdecode(content.rstrip(b"\r\n"))  # defence: name-with-nul
