"""Reads what determines which programs Git runs in a repository: settings, hooks, and the state of operations."""

import contextlib
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kimi_tui.paths import is_file, is_folder, real_path
from kimi_tui.regular_file import read_bytes, read_start
from kimi_tui.tools.file_support.git_config_values import config_values
from kimi_tui.tools.file_support.git_dirs import (
    hook_and_include_targets,
    hook_targets_of_git_file,
    named_folder,
    named_in,
)
from kimi_tui.tools.file_support.git_names import unknown_names
from kimi_tui.tools.shell_support.git_refs import misleading_refs
from kimi_tui.tools.shell_support.git_state import (
    State,
    States,
    git_state_files,
)
from kimi_tui.tools.shell_support.safe_rename import ASIDE

_MAX_CONFIG = 1 << 20
_MAX_COMPARED = 100
MAX_TODO = 1 << 22
SETTINGS = ("config", "config.worktree")
HEAD = "HEAD"
_MAX_HEAD = 4096
REBASE_TODO = Path("rebase-merge/git-rebase-todo")


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """What determines which programs Git runs. `entry` is the `.git`, or a folder that is a repository itself.

    `link` is the text of a `.git` file or the target of a link; `settings` are contents by name, `common` is the text
    of a `commondir`; `hooks` are the names and states of hooks, `executed` the lines of a rebase that run programs.
    """

    entry: Path
    link: bytes | None
    settings: tuple[bytes, ...] = (b"",) * len(SETTINGS)
    common: bytes | None = None
    hooks: frozenset[tuple[str, int, int]] = frozenset()
    present: frozenset[tuple[Path, Path]] = frozenset()
    """Where settings say that hooks and more settings are, and what is there without links."""
    executed: frozenset[bytes] = frozenset()
    long: frozenset[tuple[str, int, int]] = frozenset()
    """The files of which only the start was read, with their inodes and times."""
    states: States = field(default_factory=dict[str, State])
    worktree: str | None = None
    """Where Git writes the files, if a setting says so; without links."""
    gitdir: bytes | None = None
    """The text of a `gitdir`, by which a repository knows its linked worktree."""
    place: Path | None = None
    """What the `.git` file, the link, or the `gitdir` names, without links."""
    others: frozenset[str] = frozenset()
    """The names of what Git does not make in its directory."""
    head: bytes = b""
    """The text of `HEAD`."""
    refs: frozenset[tuple[str, bytes]] = frozenset()
    """The names and texts of the symbolic refs that lead to no ref."""


def read_repository_state(entry: Path, known: States, *, others_run: bool) -> RepositoryState:
    """Read it now; `known` are its states read before. `others_run`: commands run that can change files meanwhile."""
    link = _link(entry)
    if link is not None:
        present = present_targets(hook_targets_of_git_file(entry))  # defence: new-hooks-in-linked-worktrees
        return RepositoryState(entry, link, present=present, place=_place_of(entry))
    common, gitdir = entry / "commondir", entry / "gitdir"
    settings = tuple(read_content(entry / name) for name in SETTINGS)
    present = present_targets(hook_and_include_targets(entry, entry.parent, settings))
    back = read_content(gitdir) if os.path.lexists(gitdir) else None
    named = named_in(back or b"")
    return RepositoryState(
        entry,
        None,
        settings,
        read_content(common) if os.path.lexists(common) else None,
        _hooks(entry / "hooks"),
        present,
        frozenset(filter(_executes, read_content(entry / REBASE_TODO, MAX_TODO).splitlines())),
        _long(entry),
        git_state_files(entry, known, read=others_run),
        _worktree(entry, settings),
        back,
        real_path(entry / named) if named else None,
        unknown_names(entry),
        read_content(entry / HEAD, _MAX_HEAD),
        misleading_refs(entry),
    )


def present_targets(targets: Iterable[Path]) -> frozenset[tuple[Path, Path]]:
    # defence: hooks-behind-new-links
    return frozenset((path, real_path(path)) for path in targets if os.path.lexists(path))


def is_copy_of_main(entry: Path, target: Path) -> bool:
    """Whether a target in the worktree of a `.git` file holds what it holds in the main worktree, as one that was just
    checked out does.
    """
    named = named_folder(entry)
    if named is None or named.parent.name != "worktrees" or not target.is_relative_to(entry.parent):
        return False
    main = named.parent.parent.parent / target.relative_to(entry.parent)
    content = _content_below(target)
    return content is not None and content == _content_below(main)  # defence: hooks-of-a-new-worktree


def _content_below(path: Path) -> Mapping[str, bytes] | None:
    """Return the contents of a file, or of the files of a folder; None if there are others than those, or too many."""
    found: dict[str, bytes] = {}
    waiting = [path]
    for one in waiting:
        try:
            if one.is_symlink() or len(waiting) > _MAX_COMPARED:
                return None
            if is_folder(one):
                waiting += sorted(one.iterdir())
            else:
                found[str(one.relative_to(path))] = read_bytes(one, most=_MAX_CONFIG)
        except OSError:
            return None
    return found


def _place_of(entry: Path) -> Path | None:
    return real_path(entry) if entry.is_symlink() else named_folder(entry)


def _worktree(entry: Path, settings: Iterable[bytes]) -> str | None:
    named = [value for text in settings for _, value in config_values(text, "worktree") if "\0" not in value]
    return "\n".join(str(real_path(entry / value)) for value in named) if named else None


def _long(entry: Path) -> frozenset[tuple[str, int, int]]:
    found: set[tuple[str, int, int]] = set()
    for name, most in ((SETTINGS[0], _MAX_CONFIG), (SETTINGS[1], _MAX_CONFIG), (str(REBASE_TODO), MAX_TODO)):
        with contextlib.suppress(OSError):
            status = (entry / name).lstat()
            if stat.S_ISREG(status.st_mode) and status.st_size > most:
                found.add((name, status.st_ino, status.st_ctime_ns))
    return frozenset(found)


def _executes(line: bytes) -> bool:
    return line.split(maxsplit=1)[:1] in ([b"exec"], [b"x"])


def _link(entry: Path) -> bytes | None:
    """The text of a `.git` file, or the target of a link; None for a folder."""
    if entry.is_symlink():
        return b"-> " + os.fsencode(entry.readlink())
    return read_content(entry) if is_file(entry) else None


def read_content(file: Path, most: int = _MAX_CONFIG) -> bytes:
    """Return the content, of which more than `most` bytes say only that there are more; Git reads files of any size."""
    try:
        return b"" if file.is_symlink() else read_start(file, most + 1)
    except OSError:
        return b""


def _hooks(folder: Path) -> frozenset[tuple[str, int, int]]:
    found: set[tuple[str, int, int]] = set()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith((".sample", ASIDE)):
                    status = entry.stat(follow_symlinks=False)
                    found.add((entry.name, status.st_ino, status.st_ctime_ns))
    except OSError:
        pass
    return frozenset(found)
