"""Finds the repositories in the workspace, and undoes changes by which a sandboxed command makes Git run programs
later.

A mount can guard only what exists. This module checks what is new after a command: it removes settings that start
programs, and renames hooks and other entries to names that Git does not use. No file is deleted, but links in Git
directories are: a file beside says where they led.
"""

import contextlib
import os
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from kimi_tui.paths import is_file, is_folder, real_path
from kimi_tui.text_safety import escape_unsafe
from kimi_tui.tools.file_support.git_dirs import GitDir, find_git_dir, git_dir_at, named_folder, user_git_paths
from kimi_tui.tools.file_support.git_settings import NO_REMOTES, ShownRemotes
from kimi_tui.tools.file_support.guarded_names import started_in
from kimi_tui.tools.shell_support.git_undo import MAX_FILES, ChangeUndoer
from kimi_tui.tools.shell_support.lfs_config import LFS_CONFIG, LfsConfigs
from kimi_tui.tools.shell_support.repository_finder import RepositoryFinder
from kimi_tui.tools.shell_support.repository_state import RepositoryState, read_repository_state
from kimi_tui.tools.shell_support.safe_rename import (
    ASIDE,
    make_readable,
    move_aside,
    remove_links,
)
from kimi_tui.tools.shell_support.submodule_places import SubmodulePlaces, kept_of_git_file

_MAX_REPORTED = 20
_MAX_CHECKS = 4
_MAX_MADE = 500
"""Repositories that the commands of a session may leave: each is read before and after every command."""
_MAX_FOLLOWED = 2_000
"""Links that are followed after each command."""
_MAX_PATH = 3_800
"""Bytes of the path of a repository: Linux takes 4,096 for a path, and the longest name in it has 255."""
_TOO_MANY = (
    f"of those that commands leave, a session checks {_MAX_MADE}; delete what you do not need, or make them in a "
    "command outside the sandbox"
)


class GitWatch:
    """The repositories in and around `folders`, and in `others`, in which only those count. The methods read many
    folders: call them in a thread.

    `around` finds the Git directory of the repository around a folder. `linked` are more folders that commands can
    write, in which repositories count as soon as a link leads there.
    """

    def __init__(
        self,
        folders: Callable[[], Iterable[Path]],
        others: Callable[[], Iterable[Path]] = tuple,
        *,
        linked: Iterable[Path] = (),
        around: Callable[[Path], GitDir | None] = find_git_dir,
    ) -> None:
        self._folders = folders
        self._linked = tuple(linked)
        self._roots = _Roots(folders, others, around)
        self._finder = RepositoryFinder(self._roots)
        self._known: dict[Path, RepositoryState] = {}
        self._lfs = LfsConfigs()
        self._made: set[Path] = set()
        self._links: Mapping[Path, str] = {}
        self._acting: frozenset[tuple[Path, str]] = frozenset()
        self._unreadable: frozenset[str] = frozenset()
        self._submodules = SubmodulePlaces()

    @property
    def entries(self) -> tuple[Path, ...]:
        """The known repositories, those that commands made in this session last, and outermost first, but for paths
        that are too long to mount.
        """
        entries = (path for path in self._known if path.name.lower() == ".git" and not _is_too_long(path))
        mounted = (path for path in entries if not any(map(path.is_relative_to, self._linked)))
        # defence: repositories-of-the-user-first
        return tuple(sorted(mounted, key=lambda path: (path in self._made, len(path.parts))))

    @property
    def checked_files(self) -> frozenset[tuple[Path, Path]]:
        """The hooks in worktrees, the folders for them, and the included settings that were there when they were
        checked, with what they were without links.
        """
        return frozenset(one for state in self._known.values() for one in state.present)

    @property
    def closed(self) -> tuple[Path, ...]:
        """What only Git may change: where it would take a repository for a submodule, and `.git` files that name
        folders for no worktree or submodule, with these folders.
        """
        return (*self._submodules.closed, *self._git_files())

    def _git_files(self) -> Generator[Path]:
        roots = self._roots()
        for entry in self.entries:
            if is_file(entry) and git_dir_at(entry) is None:
                yield from kept_of_git_file(entry, roots)  # defence: git-files-that-name-any-folder

    def close_submodules(self) -> list[str]:
        """Set what is `closed` by the indexes of now; return a description of what was put aside for it."""
        return list(map(escape_unsafe, self._submodules.close(self._submodules.find(self._known), self._roots())))

    def note_submodules(self) -> Callable[[], bool]:
        """Return what says whether a submodule came since, or another one in its place, in the repositories of now."""
        known = tuple(self._known)
        before = self._submodules.identified(known)
        return lambda: not self._submodules.identified(known) <= before

    def close(self) -> None:
        """Give up the watches of folders."""
        self._finder.close()

    @property
    def incomplete(self) -> bool:
        """Whether the last search left folders out, in which nothing is checked."""
        return self._finder.incomplete

    def accept_current(self) -> None:
        """Accept the current state as the baseline."""
        found = self._find()
        if new := self._named_outside(found):
            self._roots.reached += new  # defence: repositories-of-worktrees-inside
            found = self._find()
        self._remember(found)

    def _named_outside(self, found: Iterable[Path]) -> list[Path]:
        """Return the Git directories outside that `.git` files of worktrees name: commands that run Git can write them,
        as that of the repository around. Only the baseline counts: a command could have made such a file.
        """
        roots = self._roots()
        new: dict[Path, None] = {}
        for entry in found:
            named = named_folder(entry) if entry.name.lower() == ".git" and is_file(entry) else None
            if named is not None and not any(map(named.is_relative_to, roots)):
                git = git_dir_at(entry)
                if git is not None and git.writable:
                    new[git.path] = None
        return list(new)

    def _find(self, *, opening: Callable[[str], None] | None = None) -> list[Path]:
        found = self._finder.find(opening=opening)
        for _ in self._linked:  # a link there may lead to another of them
            new = self._newly_reached()
            if not new:
                break
            self._roots.reached += new  # defence: repositories-behind-links
            found = self._finder.find(opening=opening)
        return found

    def _newly_reached(self) -> list[Path]:
        """Return the folders of `linked` to which a link leads now, or to one in it or above it; all of them where the
        links are too many to follow.
        """
        new = [folder for folder in self._linked if folder not in self._roots.reached]
        links = self._finder.outward_links if new else []
        if len(links) > _MAX_FOLLOWED:  # defence: links-that-are-followed
            return new
        targets = list(map(real_path, links))
        return [one for one in new if any(each.is_relative_to(one) or one.is_relative_to(each) for each in targets)]

    def _remember(self, found: Iterable[Path]) -> None:
        known: dict[Path, RepositoryState] = {}
        for entry in found:
            with contextlib.suppress(OSError):
                known[entry] = read_repository_state(entry, {}, others_run=False)
        self._known = known
        self._lfs.accept(known, self._roots())
        self._links = dict(self._links_of_git())
        self._acting = self._acting_names()
        self._unreadable = self._finder.unreadable
        self._submodules.begin(self._submodules.find(known))

    def undo_changes(
        self,
        *,
        remotes: ShownRemotes = NO_REMOTES,
        others_run: bool = False,
        git_alone: bool = False,
        git_written: bool = True,
    ) -> list[str]:
        """Undo changes since `accept_current` that make Git run programs, or push elsewhere than `remotes` shows;
        return a description for the user and the model. `others_run`: commands run that can change files meanwhile.
        `git_alone`: only Git itself made what is new in Git directories; `git_written`: the command could write in
        those that were there.
        """
        done: list[str] = []
        failed: dict[str, None] = {}
        for _ in range(_MAX_CHECKS):
            new_undoer = partial(ChangeUndoer, remotes=remotes, others_run=others_run,
                git_alone=git_alone and not others_run, git_written=git_written or others_run)  # fmt: skip
            undone = self._undo_once(failed, new_undoer, others_run=others_run, git_written=git_written or others_run)
            done += undone
            if not undone:
                break
        done += failed  # defence: what-could-not-be-undone
        if self._finder.incomplete:
            done.append("nothing was checked in some folders: there are too many to search for repositories")
        if len(done) > _MAX_REPORTED:
            done[_MAX_REPORTED:] = [f"{len(done) - _MAX_REPORTED} more"]
        return [escape_unsafe(each) for each in done]

    def _undo_once(
        self, failed: dict[str, None], new_undoer: Callable[..., ChangeUndoer], *, others_run: bool, git_written: bool
    ) -> list[str]:
        """Undo what is new; if there is nothing, the state that was checked becomes the baseline. Another command may
        change it meanwhile: a state that was read again would not have been checked. `failed` gets a description of
        what cannot be undone.
        """
        done: list[str] = []
        found = self._find_everywhere()
        roots = self._roots()
        if long := [entry for entry in found if _is_too_long(entry) and entry not in self._known]:
            done += _close_unread(long, roots, failed, why="their paths are too long to check")
            found = [entry for entry in found if entry not in long]
        if excess := self._excess_of(found):  # defence: repositories-of-a-session
            done += _close_unread(excess, roots, failed, why=_TOO_MANY)
            found = [entry for entry in found if entry not in excess]
        links, acting = dict(self._links_of_git()), self._acting_names()
        undoing = new_undoer(roots, frozenset(found))
        checked: dict[Path, RepositoryState] = {}
        for entry in dict.fromkeys((*found, *self._known)):
            with _noting_failure(failed, entry):
                if os.path.lexists(entry):
                    before = self._known.get(entry)
                    now = read_repository_state(entry, {} if before is None else before.states, others_run=others_run)
                    done.extend(undoing.undo(now, before))
                    checked[entry] = now
        new = [path for path, target in links.items() if self._links.get(path) != target and os.path.islink(path)]  # noqa: PTH114
        done += self._undo_links(new, roots, failed)
        changed = acting - self._acting
        # What a link leads to counts as soon as the link is as it was.
        for path in sorted({path for path, leads in changed if leads} or {path for path, _ in changed}):
            with _noting_failure(failed, path):
                move_aside(path, roots)
                done.append(f"`{path}` was put aside: something is started or configured by it")
        if not done:  # Git runs with settings that were checked
            done += self._lfs.undo(found, roots, failed, anew=git_written)
        if not done:
            states = {**self._known, **checked}
            self._known = {entry: states[entry] for entry in found if entry in states}  # defence: baseline-as-checked
            self._links, self._acting = links, acting
            self._unreadable = self._finder.unreadable
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

    def _find_everywhere(self) -> list[Path]:
        """Return the repositories, also those in folders that cannot be listed any more: Git could still enter them."""

        def let_in(folder: str) -> None:
            if folder not in self._unreadable:
                with contextlib.suppress(OSError):
                    make_readable(Path(folder), self._roots())  # defence: folders-that-cannot-be-listed

        return self._find(opening=let_in)

    def _links_of_git(self) -> Generator[tuple[Path, str]]:
        """Yield the links in Git directories with their targets. Git makes none, and writes through them: out of the
        Git directory, or into a hook or the settings.
        """
        for path in self._finder.links:
            with contextlib.suppress(OSError):
                yield path, os.readlink(path)  # noqa: PTH115 - of its text

    def _undo_links(self, new: Iterable[Path], roots: Collection[Path], failed: dict[str, None]) -> Generator[str]:
        by_folder: dict[Path, list[Path]] = {}
        for path in new:
            by_folder.setdefault(path.parent, []).append(path)
        for folder, paths in by_folder.items():
            with _noting_failure(failed, folder):
                remove_links(folder, [path.name for path in paths], roots)  # defence: links-out-of-git-directories
                if len(paths) > MAX_FILES:
                    yield f"{len(paths)} links in `{folder}` were removed: Git would write where they lead"
                else:
                    yield from (f"the link `{path}` was removed: Git would write where it leads" for path in paths)

    def _acting_names(self) -> frozenset[tuple[Path, str]]:
        """Return what starts or configures something; a link with where it leads, other paths with an empty text."""
        found: set[tuple[Path, str]] = set()
        roots = self._roots()
        for folder in self._folders():
            repository = os.path.lexists(f"{folder}/.git")
            for name in started_in(folder):
                if not (repository and name == LFS_CONFIG):  # it has a check of its own
                    found.update(_acting_paths(folder, name, roots))
            real = (real_path(path) for path in user_git_paths())
            found.update((path, "") for path in real if path.is_relative_to(folder) and os.path.lexists(path))
        return frozenset(found)


def _acting_paths(folder: Path, name: str, roots: Collection[Path]) -> Generator[tuple[Path, str]]:
    """Yield the path if it exists; the first link on the way to it wherever that leads: another program may find the
    file where this one finds none (`/proc/self/cwd`), or later. What it leads to now is yielded too.
    """
    path = folder
    for part in name.split("/"):
        path = path / part
        # defence: links-to-what-starts-programs
        if os.path.islink(path):  # noqa: PTH114 - never raises
            place = real_path(folder / name)
            with contextlib.suppress(OSError):  # it is gone
                # defence: links-as-they-led
                leads = f"{os.readlink(path)}\n{place}"  # noqa: PTH115 - of its text
                yield path, leads
            if os.path.lexists(place) and any(map(place.is_relative_to, roots)):
                yield place, ""  # defence: what-links-lead-to
            return
    if os.path.lexists(path):
        yield path, ""


def _is_too_long(entry: Path) -> bool:
    return len(os.fsencode(entry)) > _MAX_PATH  # defence: repositories-of-long-paths


def _close_unread(
    excess: Collection[Path], roots: Collection[Path], failed: dict[str, None], *, why: str
) -> Generator[str]:
    """Rename what makes these folders repositories, without a look at their settings."""
    for entry in excess:
        with _noting_failure(failed, entry):
            if is_folder(entry) and not os.path.islink(entry):  # noqa: PTH114 - never raises
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


@dataclass(slots=True)
class _Roots:
    """Returns the folders that commands can write: those given, the Git directories outside of them, which commands
    that run Git can write, and those that were `reached` from them. Folders once returned stay: a command may have cut
    the tie by which one was found.
    """

    folders: Callable[[], Iterable[Path]]
    others: Callable[[], Iterable[Path]]
    around: Callable[[Path], GitDir | None]
    reached: list[Path] = field(default_factory=list[Path])
    _written: dict[Path, None] = field(default_factory=dict[Path, None])

    def __call__(self) -> list[Path]:
        folders = list(self.folders())
        for folder in tuple(folders):
            entry = folder / ".git"
            # defence: links-that-lead-nowhere
            if not is_folder(entry) or entry.is_symlink():
                around = self.around(folder)
                if around is not None and around.writable and not any(map(around.path.is_relative_to, folders)):
                    folders.append(around.path)  # defence: watch-the-repository-around
        others = (*self.others(), *self.reached)
        folders += [one for one in others if is_folder(one) and not any(map(one.is_relative_to, folders))]
        for one in self._written:
            if real_path(one) == one and is_folder(one) and not any(map(one.is_relative_to, folders)):
                folders.append(one)  # defence: repositories-once-around
        self._written.update(dict.fromkeys(folders))
        return folders
