"""The workspace of an agent: the work dir and the added folders; resolves paths to real paths.

Every decision uses the real path, after symbolic links and `..`; `safe_open.py` then checks the opened file
against it.
"""

import asyncio
import os
import stat
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakValueDictionary

from kimi_tui import paths
from kimi_tui.paths import real_path
from kimi_tui.tools.file_support.git_dirs import GitDir, find_git_entry, git_dir_at, is_in_git_dir
from kimi_tui.tools.file_support.guarded_names import (
    instructs_agents,
    linked_from_guarded_name,
    linked_from_instructing_name,
    starts_programs,
    starts_programs_for_user,
)
from kimi_tui.tools.file_support.sensitive_names import is_sensitive

_OPEN_IN_OUR_HOME = frozenset({"skills", "themes"})
_OPEN_IN_THE_SESSION = frozenset({("tasks",), ("plans",)})
"""What background tasks print, and plans."""
_MAX_NAMES = 50_000
_NAMES_HOLD = 5.0


class PathRefusedError(ValueError):
    """An unusable path; the message is for the model."""


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A given path and its real path. `folder` is its workspace folder, None outside.

    `protected`: the file starts a program later and always requires approval. `instructs`: it instructs an agent or a
    tool, so a general approval of edits does not cover it.
    """

    given: str
    real: Path
    folder: Path | None
    sensitive: bool
    protected: bool
    instructs: bool = False

    @property
    def inside(self) -> bool:
        return self.folder is not None

    @property
    def shown(self) -> str:
        """The path for display: relative to the workspace folder, or the full real path."""
        return self.real.relative_to(self.folder).as_posix() if self.folder is not None else str(self.real)


class Workspace:
    """The work dir and the added folders of an agent.

    `protected` holds additional files and folders that require approval even in yolo mode, `readable` outside folders
    that may be listed (the skill folders). Both hold real paths and may change. `on_add` is called after a folder was
    added.
    """

    def __init__(self, work_dir: Path, additional_dirs: Iterable[Path] = (), *, protected: Iterable[Path] = ()) -> None:
        self.work_dir = _real(work_dir)
        self._additional = [_real(folder) for folder in additional_dirs]
        self.protected = {_real(path) for path in protected}
        self.readable: set[Path] = set()
        self.also_written: tuple[Path, ...] = ()
        """More folders that commands can write by the settings, as real paths."""
        self.temp_folders: Mapping[Path, Path] = {}
        """What commands see in place of some folders, such as `/tmp`, by real paths."""
        self.session_dir: Path | None = None
        """The kimi-tui files of the current session. They hold what was in files before edits, so most are secrets."""
        self._homes = {_real(paths.home()), _real(Path.home() / ".kimi")}
        self._user_home = _real(Path.home())
        entries = os.environ.get("PATH", "").split(os.pathsep)
        self._programs = {_real(Path(entry)) for entry in entries if entry.startswith("/")}
        self._had_git: set[Path] = set()
        self.began_with_git = os.path.lexists(f"{self.work_dir}/.git")
        """Whether the work dir had a repository of its own at first."""
        self._names: tuple[float, dict[int, list[str]]] = (-_NAMES_HOLD, {})
        self.on_add: Callable[[], None] = lambda: None
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    @property
    def additional_dirs(self) -> tuple[Path, ...]:
        return tuple(self._additional)

    @property
    def folders(self) -> tuple[Path, ...]:
        return (self.work_dir, *self._additional)

    @property
    def written_folders(self) -> tuple[Path, ...]:
        """All folders that commands can write, where a program may be one of theirs."""
        return (*self.folders, *self.also_written)  # defence: programs-in-configured-folders

    @property
    def kept_folders(self) -> tuple[Path, ...]:
        """The folders whose paths still lead to the same place: a command could have replaced one by a link."""
        # defence: folders-that-became-links
        return tuple(folder for folder in self.folders if real_path(folder) == folder)

    def git_entry(self, folder: Path) -> Path | None:
        """Return the `.git` of the repository around one of the folders. One above does not count for a folder that had
        its own in this session: a command could have removed that, to reach the one above.
        """
        entry = find_git_entry(folder)
        if entry == folder / ".git":
            self._had_git.add(folder)
        return None if entry != folder / ".git" and folder in self._had_git else entry  # defence: repository-as-it-was

    def git_dir(self, folder: Path) -> GitDir | None:
        """Return the Git directory of that repository."""
        entry = self.git_entry(folder)
        return None if entry is None else git_dir_at(entry)

    def add_dir(self, folder: Path) -> None:
        real = _real(folder)
        if real not in self.folders:
            self._additional.append(real)
            self.on_add()

    @contextmanager
    def protecting(self, path: Path | None) -> Generator[None]:
        """Protect a file or folder inside the `with` block; None and paths that are already protected have no
        effect.
        """
        real = None if path is None else _real(path)
        if real is None or real in self.protected:
            yield
            return
        self.protected.add(real)
        try:
            yield
        finally:
            self.protected.discard(real)

    def lock(self, real: Path) -> asyncio.Lock:
        """The lock to hold from reading the file at this real path until it is approved and changed."""
        return self._locks.setdefault(real, asyncio.Lock())

    def resolve(self, given: str) -> ResolvedPath:
        """Resolve `given`. Relative paths start at the work dir and must not leave the workspace.

        Raises PathRefusedError.
        """
        if "\0" in given:
            raise PathRefusedError("The path holds a NUL character.")
        if not given.strip():
            raise PathRefusedError("The path is empty.")
        path = Path(given)
        if given == "~" or given.startswith("~/"):
            path = path.expanduser()
        absolute = path.is_absolute()
        named = self._as_commands_see(path) if absolute else self.work_dir / path
        resolved = self.resolve_real(_real(named), given)
        given_parts = self._within(Path(os.path.normpath(named)))
        if starts_programs(given_parts):
            resolved = replace(resolved, protected=True)
        if instructs_agents(given_parts) or self._is_linked_instruction(resolved):
            resolved = replace(resolved, instructs=True)  # defence: links-that-instruct
        if not absolute and not resolved.inside:
            raise PathRefusedError(
                f"`{given}` leads out of the working directory. Give the absolute path of a file outside of it."
            )
        return resolved

    def _is_linked_instruction(self, resolved: ResolvedPath) -> bool:
        return resolved.folder is not None and linked_from_instructing_name(resolved.real, resolved.folder)

    def is_hidden_from_commands(self, path: Path) -> bool:
        """Whether commands see another folder for temporary files in place of the one that holds this real path."""
        return self._in_temp_folder(path) is not None

    def leads_commands_elsewhere(self, path: Path) -> bool:
        """Whether a link may lead commands from this absolute path elsewhere than us: in a folder for temporary files,
        which is another one for them, or into one.
        """
        place = self._in_temp_folder(path)
        if place is None:
            real = _real(path)
            place = self._in_temp_folder(real)
            if place is None or real != Path(os.path.normpath(path)):
                return place is not None
        own, folder = place
        return not _real(own).is_relative_to(folder)

    def _as_commands_see(self, path: Path) -> Path:
        """Return where a file of a command is that is at this absolute path for it; `path` itself if there is none.

        Raises PathRefusedError for a link out of the folder: for the command it leads elsewhere.
        """
        place = self._in_temp_folder(Path(os.path.normpath(path)))
        if place is None or not _is_there(place[0]):
            return path
        own, folder = place
        if not _real(own).is_relative_to(folder):  # defence: links-of-commands-in-tmp
            raise PathRefusedError(f"`{path}` is behind a link that a command made. Give the path that it leads to.")
        return own

    def _in_temp_folder(self, path: Path) -> tuple[Path, Path] | None:
        """Return the path that stands for this one in the sandbox, and its temporary folder; None elsewhere."""
        for root in (path, *path.parents):
            if root in self.folders:
                return None
            if (folder := self.temp_folders.get(root)) is not None:
                return None if folder == root else (folder / path.relative_to(root), folder)
        return None

    def resolve_real(self, real: Path, given: str | None = None) -> ResolvedPath:
        """Resolve a path that is already real."""
        return ResolvedPath(
            given=str(real) if given is None else given,
            real=real,
            folder=self._folder_of(real),
            # defence: sensitive-names
            sensitive=is_sensitive(real) or self._is_ours(real) or self._is_other_name(real),
            protected=self._is_protected(real),
            instructs=instructs_agents(self._within(real)),
        )

    def is_our_home(self, real: Path) -> bool:
        """Whether the folder is one that contains our keys and sessions."""
        return real in self._homes

    def _is_ours(self, real: Path) -> bool:
        """Whether the file is in kimi-tui's home, with keys, tokens and other sessions, except the readable parts."""
        if self.session_dir is not None and real.is_relative_to(self.session_dir):
            # defence: our-session
            return real.relative_to(self.session_dir).parts[:1] not in _OPEN_IN_THE_SESSION
        for home in self._homes:
            within = str(real).lower().removeprefix(f"{str(home).lower()}/")  # some file systems ignore case
            if within != str(real).lower():  # defence: our-home-in-any-case
                return within.partition("/")[0] not in _OPEN_IN_OUR_HOME
        return False

    def _is_other_name(self, real: Path) -> bool:
        """Whether it is a hard link to a workspace file with a sensitive name.

        Only files with several links are looked up; names outside the searched folders cannot be known.
        """
        try:
            status = real.lstat()
            if status.st_nlink < 2 or not stat.S_ISREG(status.st_mode):
                return False
            with os.scandir(real.parent) as beside:
                names = [entry.path for entry in beside if entry.inode() == status.st_ino]
            for name in (*names, *self._names_by_inode().get(status.st_ino, ())):  # defence: hard-links-anywhere
                if is_sensitive(name) or self._is_ours(Path(name)):
                    found = os.lstat(name)
                    if (found.st_dev, found.st_ino) == (status.st_dev, status.st_ino):
                        return True
        except (OSError, ValueError):
            return False
        return False

    def _names_by_inode(self) -> dict[int, list[str]]:
        """Index the files of the workspace and of kimi-tui's home by inode: breadth first, bounded, cached for a
        while.
        """
        at, known = self._names
        if time.monotonic() - at < _NAMES_HOLD:
            return known
        found: dict[int, list[str]] = {}
        folders, count = [str(folder) for folder in (*self.folders, *self._homes)], 0
        for folder in folders:
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        count += 1
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
                        else:
                            found.setdefault(entry.inode(), []).append(entry.path)
            except OSError:
                continue
            if count > _MAX_NAMES:
                break
        self._names = (time.monotonic(), found)
        return found

    def _folder_of(self, real: Path) -> Path | None:
        within = [folder for folder in self.folders if real.is_relative_to(folder)]
        if self.work_dir in within:
            return self.work_dir
        return max(within, key=lambda folder: len(folder.parts), default=None)

    def _within(self, path: Path) -> tuple[str, ...]:
        """The path components below its workspace folder, or below the root outside the workspace."""
        folder = self._folder_of(path)
        return (path if folder is None else path.relative_to(folder)).parts

    def _is_protected(self, real: Path) -> bool:
        folder = self._folder_of(real)
        return (
            starts_programs(self._within(real))
            or (folder is not None and linked_from_guarded_name(real, folder))
            or (folder is None and real.parent in self._programs)  # defence: folders-of-programs
            or starts_programs_for_user(real, folder, self._user_home)  # defence: home-of-the-user
            or any(real.is_relative_to(path) for path in self.protected)  # defence: protected-folders
            or is_in_git_dir(real)  # defence: git-folder-by-content
        )


def _is_there(path: Path) -> bool:
    """Whether there is a file or a folder with entries; an empty folder may be only the place of a mount."""
    try:
        with os.scandir(path) as entries:
            return any(entries)
    except OSError:
        return os.path.lexists(path)


def _real(path: Path) -> Path:
    try:
        return real_path(path)  # defence: real-path
    except (OSError, ValueError) as error:
        raise PathRefusedError(f"`{path}` cannot be resolved: {error}.") from None
