"""Finds the repositories in the workspace, and undoes what a sandboxed command did to have Git run programs later.

A mount can guard only what exists. This module checks what is new after a command: it removes settings that start
programs, and renames hooks and other entries to names that Git does not use. No file is deleted.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from pathlib import Path

from kimi_tui.regular_file import read_start
from kimi_tui.tools.file_support.git_dirs import acting_targets, modules_of
from kimi_tui.tools.file_support.git_settings import without_acting_settings
from kimi_tui.tools.file_support.guarded_names import STARTED_LATER
from kimi_tui.tools.shell_support.repository_finder import RepositoryFinder

_MOST_CONFIG = 1 << 20
ASIDE = ".put-aside-by-kimi-tui"
_ABSENT = ("commondir", "config.worktree")


@dataclass(frozen=True, slots=True)
class _Repository:
    """What determines which programs Git runs. `entry` is the `.git`, or a folder that is a repository itself.

    `link` is the text of a `.git` file or the target of a link; `hooks` are the names and states of hooks.
    """

    entry: Path
    link: bytes | None
    config: bytes
    hooks: frozenset[tuple[str, int, int]]
    present: frozenset[Path]


class GitWatch:
    """The repositories in `folders`. The methods read many folders: call them in a thread."""

    def __init__(self, folders: Callable[[], Iterable[Path]]) -> None:
        self._folders = folders
        self._finder = RepositoryFinder(folders)
        self._known: dict[Path, _Repository] = {}
        self._acting: frozenset[Path] = frozenset()

    @property
    def entries(self) -> tuple[Path, ...]:
        """The known repositories, outermost first."""
        entries = (path for path in self._known if path.name.lower() == ".git")
        return tuple(sorted(entries, key=lambda path: len(path.parts)))

    def accept_current(self) -> None:
        """Accept the current state as the baseline."""
        self._remember(self._find())

    def _remember(self, found: Iterable[Path]) -> None:
        known: dict[Path, _Repository] = {}
        for entry in found:
            with contextlib.suppress(OSError):
                known[entry] = _read(entry)
        self._known = known
        self._acting = self._acting_names()

    def undo_changes(self) -> list[str]:
        """Undo what makes Git run programs since `accept_current`; return what was done, for the user and the model."""
        done: list[str] = []
        found = self._find()
        for entry in (*found, *(entry for entry in self._known if entry not in found)):
            with contextlib.suppress(OSError):
                done.extend(_undo_changes(entry, self._known.get(entry)))
        for path in sorted(self._acting_names() - self._acting):
            with contextlib.suppress(OSError):
                _put_aside(path)
                done.append(f"`{path}` was put aside: something is started or configured by it")
        self._remember(self._find() if done else found)
        return done

    def _acting_names(self) -> frozenset[Path]:
        paths = (folder / name for folder in self._folders() for name in STARTED_LATER)
        return frozenset(path for path in paths if os.path.lexists(path))

    def _find(self) -> list[Path]:
        found = self._finder.find()
        for entry in tuple(found):
            if entry.is_dir() and not entry.is_symlink():
                found.extend(modules_of(entry))
                found.extend(folder / "commondir" for folder in (entry / "worktrees").glob("*"))
        return found


def _read(entry: Path) -> _Repository:
    link = _link(entry)
    if link is not None:
        return _Repository(entry, link, b"", frozenset(), frozenset())
    config = _content(entry / "config")
    present = frozenset(path for path in _absent(entry) if os.path.lexists(path))
    return _Repository(entry, None, config, _hooks(entry / "hooks"), present)


def _link(entry: Path) -> bytes | None:
    """The text of a `.git` file, or the target of a link; None for a folder."""
    if entry.is_symlink():
        return b"-> " + os.fsencode(entry.readlink())
    return _content(entry) if entry.is_file() else None


def _content(file: Path) -> bytes:
    try:
        return b"" if file.is_symlink() else read_start(file, _MOST_CONFIG)
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


def _absent(entry: Path) -> set[Path]:
    """Return paths that would matter if they existed: other settings, and the targets of `hooksPath` and `include`."""
    return {*(entry / name for name in _ABSENT), *acting_targets(entry, entry.parent)}


def _undo_changes(entry: Path, before: _Repository | None) -> Generator[str]:
    """Undo the changes since `before`; None for a repository that was not there."""
    if not os.path.lexists(entry):
        return
    now = _read(entry)
    if before is not None and now == before:
        return
    if now.link is not None or (before is not None and before.link is not None):
        if (before is not None and before.link != now.link) or not _leads_to_known_repository(entry):
            _put_aside(entry)
            yield f"`{entry}` was put aside: a command made Git look for its settings elsewhere"
            if before is not None and before.link is not None:
                _restore_link(entry, before.link)
        return
    old = b"" if before is None else before.config
    text, taken = without_acting_settings(now.config.decode("utf-8", "replace"))
    _, old_ones = without_acting_settings(old.decode("utf-8", "replace"))
    if new := [setting for setting in taken if setting not in old_ones]:
        _put_aside(entry / "config")
        (entry / "config").write_bytes(text.encode() if before is None else old)
        yield f"{', '.join(new)} went out of `{entry}/config`: it makes Git run programs"
    for name, _, _ in sorted(now.hooks - (frozenset() if before is None else before.hooks)):
        _put_aside(entry / "hooks" / name)
        yield f"the hook `{entry}/hooks/{name}` was put aside"
    for path in sorted(_absent(entry) - (frozenset[Path]() if before is None else before.present)):
        if os.path.lexists(path):
            _put_aside(path)
            yield f"`{path}` was put aside: Git would take settings or hooks from it"


def _leads_to_known_repository(entry: Path) -> bool:
    """Whether a new `.git` file belongs to a worktree or a submodule: its folder is in the `.git` of a folder above.

    The `commondir` of a worktree must lead to the `.git` around it.
    """
    if entry.name == "commondir":
        return _content(entry).strip() == b"../.."
    if entry.is_symlink():
        return False
    text = _content(entry).decode("utf-8", "replace").strip()
    if not text.startswith("gitdir:"):
        return True  # Git refuses it
    real = Path(os.path.realpath(entry.parent / text.removeprefix("gitdir:").strip()))
    return any(
        real.is_relative_to(above / ".git" / name) and not (above / ".git").is_symlink()
        for above in entry.parents
        for name in ("modules", "worktrees")
    )


def _restore_link(entry: Path, link: bytes) -> None:
    if link.startswith(b"-> "):
        entry.symlink_to(os.fsdecode(link[3:]))
    else:
        entry.write_bytes(link)


def _put_aside(path: Path) -> None:
    aside = path.with_name(path.name + ASIDE)
    if os.path.lexists(aside):
        if aside.is_dir() and not aside.is_symlink():
            shutil.rmtree(aside)
        else:
            aside.unlink()
    path.rename(aside)
