"""Finds the repositories in the workspace, and undoes changes by which a sandboxed command makes Git run programs
later.

A mount can guard only what exists. This module checks what is new after a command: it removes settings that start
programs, and renames hooks and other entries to names that Git does not use. No file is deleted.
"""

import contextlib
import os
import stat
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kimi_tui.paths import real_path
from kimi_tui.regular_file import read_start
from kimi_tui.text_safety import escape_unsafe
from kimi_tui.tools.file_support.git_config_values import config_values
from kimi_tui.tools.file_support.git_dirs import find_git_dir, hook_and_include_targets, named_in, user_git_paths
from kimi_tui.tools.file_support.git_settings import moved_destinations, without_unsafe_settings
from kimi_tui.tools.file_support.guarded_names import STARTED_IN_A_PROJECT
from kimi_tui.tools.shell_support.git_state import (
    STATE_FOLDERS,
    State,
    States,
    changed_states,
    git_state_files,
    is_shared_index,
    is_unsafe_state,
)
from kimi_tui.tools.shell_support.repository_finder import RepositoryFinder
from kimi_tui.tools.shell_support.safe_rename import (
    ASIDE,
    make_link,
    make_readable,
    move_all_aside,
    move_aside,
    write_new,
)

_MAX_CONFIG = 1 << 20
_MAX_TODO = 1 << 22
_MAX_REPORTED = 20
_MAX_TEXT, _MAX_NAMED = 200, 5
"""Characters of a setting in a description, and the number of settings."""
_MAX_CHECKS = 4
_MAX_MADE = 500
"""Repositories that the commands of a session may leave: each is read before and after every command."""
_MAX_PATH = 3_800
"""Bytes of the path of a repository: Linux takes 4,096 for a path, and the longest name in it has 255."""
_MAX_FILES = 100
"""New files of a repository that are put aside one by one; of more, their folder is."""
_TOO_MANY = (
    f"of those that commands leave, a session checks {_MAX_MADE}; delete what you do not need, or make them in a "
    "command outside the sandbox"
)
_SETTINGS = ("config", "config.worktree")
_TODO = Path("rebase-merge/git-rebase-todo")
_PARTS = ("modules", "worktrees")


@dataclass(frozen=True, slots=True)
class _Repository:
    """What determines which programs Git runs. `entry` is the `.git`, or a folder that is a repository itself.

    `link` is the text of a `.git` file or the target of a link; `settings` are contents by name, `common` is the text
    of a `commondir`; `hooks` are the names and states of hooks, `executed` the lines of a rebase that run programs.
    """

    entry: Path
    link: bytes | None
    settings: tuple[bytes, ...] = (b"",) * len(_SETTINGS)
    common: bytes | None = None
    hooks: frozenset[tuple[str, int, int]] = frozenset()
    present: frozenset[Path] = frozenset()
    executed: frozenset[bytes] = frozenset()
    long: frozenset[tuple[str, int, int]] = frozenset()
    """The files of which only the start was read, with their inodes and times."""
    states: States = field(default_factory=dict[str, State])
    worktree: str | None = None
    """Where Git writes the files, if a setting says so; without links."""
    gitdir: bytes | None = None
    """The text of a `gitdir`, by which a repository knows its linked worktree."""


class GitWatch:
    """The repositories in and around `folders`, and in `others`, in which only those count. The methods read many
    folders: call them in a thread.
    """

    def __init__(self, folders: Callable[[], Iterable[Path]], others: Callable[[], Iterable[Path]] = tuple) -> None:
        self._folders = folders
        self._others = others
        self._finder = RepositoryFinder(self._roots)
        self._known: dict[Path, _Repository] = {}
        self._made: set[Path] = set()
        self._links: Mapping[Path, str] = {}
        self._acting: frozenset[Path] = frozenset()
        self._unreadable: frozenset[str] = frozenset()
        self._tried: frozenset[str] = frozenset()

    @property
    def entries(self) -> tuple[Path, ...]:
        """The known repositories, outermost first, but for paths that are too long to mount."""
        entries = (path for path in self._known if path.name.lower() == ".git" and not _is_too_long(path))
        return tuple(sorted(entries, key=lambda path: len(path.parts)))

    def accept_current(self) -> None:
        """Accept the current state as the baseline."""
        self._remember(self._finder.find())

    def _roots(self) -> list[Path]:
        """The folders, and the Git directories outside of them, which commands that run Git can write."""
        folders = list(self._folders())
        for folder in tuple(folders):
            entry = folder / ".git"
            if not entry.is_dir() or entry.is_symlink():
                around = find_git_dir(folder)
                if around is not None and around.writable and not any(map(around.path.is_relative_to, folders)):
                    folders.append(around.path)  # defence: watch-the-repository-around
        folders += [one for one in self._others() if one.is_dir() and not any(map(one.is_relative_to, folders))]
        return folders

    def _remember(self, found: Iterable[Path]) -> None:
        known: dict[Path, _Repository] = {}
        for entry in found:
            with contextlib.suppress(OSError):
                known[entry] = _read(entry, {}, others_run=False)
        self._known = known
        self._links = dict(self._links_of_git())
        self._acting = self._acting_names()
        self._unreadable = self._finder.unreadable

    def undo_changes(self, *, remotes_may_move: bool = False, others_run: bool = False) -> list[str]:
        """Undo changes since `accept_current` that make Git run programs, or push elsewhere unless `remotes_may_move`;
        return a description for the user and the model. `others_run`: commands run that can change files meanwhile.
        """
        done: list[str] = []
        failed: dict[str, None] = {}
        for _ in range(_MAX_CHECKS):
            undone = self._undo_once(failed, remotes_may_move=remotes_may_move, others_run=others_run)
            done += undone
            if not undone:
                break
        done += failed  # defence: what-could-not-be-undone
        if self._finder.incomplete:
            done.append("nothing was checked in some folders: there are too many to search for repositories")
        if len(done) > _MAX_REPORTED:
            done[_MAX_REPORTED:] = [f"{len(done) - _MAX_REPORTED} more"]
        return [escape_unsafe(each) for each in done]

    def _undo_once(self, failed: dict[str, None], *, remotes_may_move: bool, others_run: bool) -> list[str]:
        """Undo what is new; if there is nothing, the state that was checked becomes the baseline. Another command may
        change it meanwhile: a state that was read again would not have been checked. `failed` gets a description of
        what cannot be undone.
        """
        done: list[str] = []
        roots = self._roots()
        found = self._find_everywhere(roots)
        if long := [entry for entry in found if _is_too_long(entry) and entry not in self._known]:
            done += _close_unread(long, roots, failed, why="their paths are too long to check")
            found = [entry for entry in found if entry not in long]
        if excess := self._excess_of(found):  # defence: repositories-of-a-session
            done += _close_unread(excess, roots, failed, why=_TOO_MANY)
            found = [entry for entry in found if entry not in excess]
        links, acting = dict(self._links_of_git()), self._acting_names()
        undoing = _ChangeUndoer(roots, frozenset(found), remotes_may_move)
        checked: dict[Path, _Repository] = {}
        for entry in dict.fromkeys((*found, *self._known)):
            with _noting_failure(failed, entry):
                if os.path.lexists(entry):
                    before = self._known.get(entry)
                    now = _read(entry, {} if before is None else before.states, others_run=others_run)
                    done.extend(undoing.undo(now, before))
                    checked[entry] = now
        new = [path for path, target in links.items() if self._links.get(path) != target and os.path.islink(path)]  # noqa: PTH114 - never raises
        done += self._undo_links(new, roots, failed)
        for path in sorted(acting - self._acting):
            with _noting_failure(failed, path):
                move_aside(path, roots)
                done.append(f"`{path}` was put aside: something is started or configured by it")
        if not done:
            states = {**self._known, **checked}
            self._known = {entry: states[entry] for entry in found if entry in states}  # defence: baseline-as-checked
            self._links, self._acting = links, acting
            self._unreadable = self._finder.unreadable & self._tried
        return done

    def _excess_of(self, found: Collection[Path]) -> Collection[Path]:
        """Return the new repositories that are more than a session checks, innermost first."""
        self._made.intersection_update(found)
        new = sorted(
            (entry for entry in found if entry not in self._known and entry not in self._made),
            key=lambda entry: (len(entry.parts), entry),
        )
        room = max(_MAX_MADE - len(self._made), 0)
        self._made.update(new[:room])
        return dict.fromkeys(reversed(new[room:]))

    def _find_everywhere(self, roots: Collection[Path]) -> list[Path]:
        """Return the repositories, also those in folders that cannot be listed any more: Git could still enter them."""
        found = self._finder.find()
        tried = set(self._unreadable)
        for _ in range(_MAX_CHECKS):  # a command can close more folders meanwhile
            if not (closed := self._finder.unreadable - tried):
                break
            tried |= closed
            for folder in closed:
                with contextlib.suppress(OSError):
                    make_readable(Path(folder), roots)  # defence: folders-that-cannot-be-listed
            found = self._finder.find()
        self._tried = frozenset(tried)
        return found

    def _links_of_git(self) -> Generator[tuple[Path, str]]:
        """Yield the links in Git directories with their targets. Git makes none, and writes through them: out of the
        Git directory, or into a hook or the settings.
        """
        for path in self._finder.links:
            if not path.name.endswith(ASIDE):
                with contextlib.suppress(OSError):
                    yield path, os.readlink(path)  # noqa: PTH115 - of its text

    def _undo_links(self, new: Iterable[Path], roots: Collection[Path], failed: dict[str, None]) -> Generator[str]:
        by_folder: dict[Path, list[Path]] = {}
        for path in new:
            by_folder.setdefault(path.parent, []).append(path)
        for folder, paths in by_folder.items():
            if len(paths) > _MAX_FILES:
                with _noting_failure(failed, folder):
                    move_all_aside(folder, [path.name for path in paths], roots)
                    yield f"{len(paths)} links in `{folder}` were put aside: Git would write where they lead"
                continue
            for path in paths:
                with _noting_failure(failed, path):
                    move_aside(path, roots)  # defence: links-out-of-git-directories
                    yield f"the link `{path}` was put aside: Git would write where it leads"

    def _acting_names(self) -> frozenset[Path]:
        found: set[Path] = set()
        for folder in self._folders():
            for name in STARTED_IN_A_PROJECT:
                if os.path.lexists(f"{folder}/{name}"):
                    path = folder / name
                    below = (above for above in reversed(path.parents) if folder in above.parents)
                    found.add(next((above for above in below if above.is_symlink()), path))
            real = (real_path(path) for path in user_git_paths())
            found.update(path for path in real if path.is_relative_to(folder) and os.path.lexists(path))
        return frozenset(found)


def _is_too_long(entry: Path) -> bool:
    return len(os.fsencode(entry)) > _MAX_PATH  # defence: repositories-of-long-paths


def _close_unread(
    excess: Collection[Path], roots: Collection[Path], failed: dict[str, None], *, why: str
) -> Generator[str]:
    """Rename what makes these folders repositories, without a look at their settings."""
    for entry in excess:
        with _noting_failure(failed, entry):
            if os.path.isdir(entry) and not os.path.islink(entry):  # noqa: PTH112, PTH114 - never raise
                with contextlib.suppress(FileNotFoundError):
                    move_aside(entry / "HEAD", roots)
            if entry.name.lower() == ".git":
                move_aside(entry, roots)
    many = f"{len(excess)} new repositories were" if len(excess) > 1 else "1 new repository was"
    yield f"{many} put aside (`.git{ASIDE}`, `HEAD{ASIDE}`): {why}"


@contextlib.contextmanager
def _noting_failure(failed: dict[str, None], path: Path) -> Generator[None]:
    try:
        yield
    except FileNotFoundError:  # another command removed it meanwhile
        pass
    except OSError as error:
        failed[f"`{path}` could not be checked or put aside: {error.strerror or error}"] = None


def _read(entry: Path, known: States, *, others_run: bool) -> _Repository:
    link = _link(entry)
    if link is not None:
        return _Repository(entry, link)
    common, gitdir = entry / "commondir", entry / "gitdir"
    settings = tuple(_content(entry / name) for name in _SETTINGS)
    targets = hook_and_include_targets(entry, entry.parent, settings)
    present = frozenset(path for path in targets if os.path.lexists(path))
    return _Repository(
        entry,
        None,
        settings,
        _content(common) if os.path.lexists(common) else None,
        _hooks(entry / "hooks"),
        present,
        frozenset(filter(_executes, _content(entry / _TODO, _MAX_TODO).splitlines())),
        _long(entry),
        git_state_files(entry, known, read=others_run),
        _worktree(entry, settings),
        _content(gitdir) if os.path.lexists(gitdir) else None,
    )


def _worktree(entry: Path, settings: Iterable[bytes]) -> str | None:
    named = [value for text in settings for _, value in config_values(text, "worktree") if "\0" not in value]
    return "\n".join(os.path.realpath(entry / value) for value in named) if named else None


def _long(entry: Path) -> frozenset[tuple[str, int, int]]:
    found: set[tuple[str, int, int]] = set()
    for name, most in ((_SETTINGS[0], _MAX_CONFIG), (_SETTINGS[1], _MAX_CONFIG), (str(_TODO), _MAX_TODO)):
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
    return _content(entry) if entry.is_file() else None


def _content(file: Path, most: int = _MAX_CONFIG) -> bytes:
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


@dataclass(frozen=True, slots=True)
class _ChangeUndoer:
    """Undoes changes below `roots`; `found` are all repositories there, each of which is checked."""

    roots: Collection[Path]
    found: frozenset[Path]
    remotes_may_move: bool

    def undo(self, now: _Repository, before: _Repository | None) -> Generator[str]:
        """Undo the changes since `before`; None for a repository that was not there."""
        entry = now.entry
        if before is not None and now == before:
            return
        if now.link is not None or (before is not None and before.link is not None):
            if (before is not None and before.link != now.link) or not self._leads_to_repository(entry):
                self._aside(entry)
                yield f"`{entry}` was put aside: a command made Git look for its settings elsewhere"
                if before is not None and before.link is not None:
                    self._restore_link(entry, before.link)
            return
        was = before or _Repository(entry, None)
        if before is not None and now.worktree != was.worktree and now.settings == was.settings:
            yield from self._undo_worktree(now)
            return
        long = {name for name, *_ in now.long - was.long}
        for name, text, old in zip(_SETTINGS, now.settings, was.settings, strict=True):
            if name in long:
                self._put_back(entry / name, old)  # defence: long-files-of-git
                yield f"`{entry / name}` was put aside: it is too long to check"
                continue
            yield from self._undo_settings(entry / name, text, old, new=before is None)
            if not self.remotes_may_move and (before is not None or now.common is not None):
                yield from self._undo_destinations(entry / name, old, was)
        yield from self._undo_hooks(entry, now.hooks - was.hooks)
        if now.common is not None and now.common != was.common and not self._belongs_to_repository(entry, now.common):
            self._aside(entry / "commondir")
            yield f"`{entry}/commondir` was put aside: Git would take settings and hooks from elsewhere"
        for path in sorted(set(hook_and_include_targets(entry, entry.parent)) - was.present):
            if os.path.lexists(path):
                self._aside(path)
                yield f"`{path}` was put aside: Git would take settings or hooks from it"
        if now.gitdir is not None and now.gitdir != was.gitdir and not self._names_worktree(entry, now.gitdir):
            self._aside(entry / "gitdir")
            yield f"`{entry}/gitdir` was put aside: Git would repair or remove a worktree elsewhere by it"
        yield from self._undo_states(entry, changed_states(now.states, was.states))
        yield from self._undo_programs_of_rebase(entry / _TODO, now.executed - was.executed, long=str(_TODO) in long)

    def _undo_hooks(self, entry: Path, new: Collection[tuple[str, int, int]]) -> Generator[str]:
        if len(new) > _MAX_FILES:  # defence: many-files-at-once
            self._aside(entry / "hooks")
            yield f"the hooks `{entry}/hooks` were put aside"
            return
        for name, _, _ in sorted(new):
            self._aside(entry / "hooks" / name)
            yield f"the hook `{entry}/hooks/{name}` was put aside"

    def _undo_states(self, entry: Path, names: set[str]) -> Generator[str]:
        if len(names) > _MAX_FILES:
            names = {name.partition("/")[0] if name.startswith(STATE_FOLDERS) else name for name in names}
        if len(names) > _MAX_FILES:  # more shared indexes than Git makes
            move_all_aside(entry, shared := [name for name in names if is_shared_index(name)], self.roots)
            names.difference_update(shared)
            yield f"{len(shared)} shared indexes were put aside in `{entry}`: they are too many to check"
        for name in sorted(names):
            if name in STATE_FOLDERS or is_unsafe_state(entry, name):  # defence: states-that-git-trusts
                self._aside(entry / name)
                yield f"`{entry / name}` was put aside: Git would run, write or push something elsewhere by it"

    def _undo_programs_of_rebase(self, todo: Path, new: Collection[bytes], *, long: bool) -> Generator[str]:
        if not new and not long:
            return
        lines = _content(todo, _MAX_TODO).splitlines(keepends=True)[: -1 if long else None]
        self._aside(todo)
        kept = b"".join(line for line in lines if line.rstrip(b"\r\n") not in new)
        write_new(todo, kept, self.roots)
        yield f"what runs programs{', and the end,' if long else ''} went out of `{todo}`"

    def _undo_destinations(self, file: Path, old: bytes, was: _Repository) -> Generator[str]:
        known = b"\n".join(was.settings).decode("utf-8", "replace")
        before, now = (text.decode("utf-8", "replace") for text in (old, _content(file)))
        if moved := moved_destinations(before, now, known=known):
            self._put_back(file, old)  # defence: pushes-go-where-they-went
            yield f"{', '.join(moved)} went out of `{file}`: your next push would go elsewhere"

    def _undo_settings(self, file: Path, text: bytes, old: bytes, *, new: bool) -> Generator[str]:
        kept, taken = without_unsafe_settings(text.decode("utf-8", "replace"), git_dir=file.parent, tops=self.roots)
        _, old_ones = without_unsafe_settings(old.decode("utf-8", "replace"), git_dir=file.parent, tops=self.roots)
        known = set(old_ones)
        if settings := [setting for setting in taken if setting not in known]:
            self._aside(file)
            if new or old:
                write_new(file, kept.encode() if new else old, self.roots)
            more = f" and {len(settings) - _MAX_NAMED} more" if len(settings) > _MAX_NAMED else ""
            named = ", ".join(setting[:_MAX_TEXT] for setting in settings[:_MAX_NAMED])
            yield f"{named}{more} went out of `{file}`: it makes Git run programs"

    def _leads_to_repository(self, entry: Path) -> bool:
        """Whether a new `.git` file belongs to a worktree or a submodule: its folder was found in the `.git` of a
        folder above, or of the repository around the workspace.
        """
        if entry.is_symlink():
            return False
        text = named_in(_content(entry))  # defence: git-files-as-git-reads-them
        if text is None or not text.startswith("gitdir: "):
            return True  # Git refuses it
        real = real_path(entry.parent / text.removeprefix("gitdir: "))
        above = [folder / ".git" for folder in entry.parents if not (folder / ".git").is_symlink()]
        around = [root for root in self.roots if root.name == ".git"]
        below = any(real.is_relative_to(git_dir / name) for git_dir in (*above, *around) for name in _PARTS)
        return below and real in self.found

    def _belongs_to_repository(self, entry: Path, common: bytes) -> bool:
        """Whether the folder is the one of a worktree in the Git directory around it."""
        # defence: common-folders-as-git-reads-them
        above = common.rstrip(b"\r\n") == b"../.."
        return above and entry.parent.name == "worktrees" and entry.parent.parent in self.found

    def _names_worktree(self, entry: Path, gitdir: bytes) -> bool:
        """Whether the `.git` file that it names is in the workspace."""
        named = named_in(gitdir)
        if not named:
            return False
        real = real_path(entry / named)
        return any(real.is_relative_to(os.path.realpath(root)) for root in self.roots)  # defence: worktrees-elsewhere

    def _undo_worktree(self, now: _Repository) -> Generator[str]:
        """Put settings aside whose `core.worktree` leads elsewhere by a folder that became a link."""
        for name, text in zip(_SETTINGS, now.settings, strict=True):
            if config_values(text, "worktree"):
                self._aside(now.entry / name)  # defence: worktrees-that-became-links
                yield f"`{now.entry / name}` was put aside: the worktree that it names is elsewhere now"

    def _restore_link(self, entry: Path, link: bytes) -> None:
        if link.startswith(b"-> "):
            make_link(entry, os.fsdecode(link[3:]), self.roots)
        else:
            write_new(entry, link, self.roots)

    def _put_back(self, file: Path, old: bytes) -> None:
        """Put the file aside; what it held before, if anything, takes its place."""
        self._aside(file)
        if old:
            write_new(file, old, self.roots)

    def _aside(self, path: Path) -> None:
        move_aside(path, self.roots)
