"""Undoes changes of a repository by which Git would run programs: removes settings, and renames files."""

import contextlib
import os
import re
from collections.abc import Collection, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kimi_tui.paths import is_folder, real_path
from kimi_tui.tools.file_support.git_config_values import config_values
from kimi_tui.tools.file_support.git_dirs import hook_and_include_targets, hook_targets_of_git_file, named_in
from kimi_tui.tools.file_support.git_index import tracked_files
from kimi_tui.tools.file_support.git_names import names_beyond_new
from kimi_tui.tools.file_support.git_settings import ShownRemotes, moved_destinations, without_unsafe_settings
from kimi_tui.tools.shell_support.git_state import (
    STATE_FOLDERS,
    changed_states,
    is_shared_index,
    is_unsafe_state,
)
from kimi_tui.tools.shell_support.repository_state import (
    HEAD,
    MAX_TODO,
    REBASE_TODO,
    SETTINGS,
    RepositoryState,
    is_copy_of_main,
    present_targets,
    read_content,
)
from kimi_tui.tools.shell_support.safe_rename import make_link, move_all_aside, move_aside, move_aside_into, write_new
from kimi_tui.tools.shell_support.undone_settings import remember_undone, was_undone

_MAX_TEXT, _MAX_NAMED = 200, 5
"""Characters of a setting in a description, and the number of settings."""
MAX_FILES = 100
"""New files of a repository that are put aside one by one; of more, their folder is."""
MAX_INDEXES = 1 << 30
"""Bytes of the indexes that one check looks at, which takes half a minute: a command can make links to a long one."""
_IS_HEAD = re.compile(rb"ref:[ \t\r\n]*refs/|[0-9a-f]{40}")
"""What Git looks for in the `HEAD` of a repository; without it, it goes on in the folders above."""
_PARTS = ("modules", "worktrees")
_REMOVED_BY_GIT = ("branch", "remote", "submodule")
"""Sections that Git itself takes out with what they are about."""


def _shortened(settings: Sequence[str]) -> str:
    more = f" and {len(settings) - _MAX_NAMED} more" if len(settings) > _MAX_NAMED else ""
    return ", ".join(setting[:_MAX_TEXT] for setting in settings[:_MAX_NAMED]) + more


def _hides_another(entry: Path) -> bool:
    """Whether Git would take this repository for files that another one around it tracks."""
    named = entry.name.lower() == ".git"
    if not named and os.path.lexists(entry / ".git"):
        return True
    top = entry.parent if named else entry
    tracked = tracked_files(top.parent)
    return tracked is None or any(top in file.parents for file in tracked)  # defence: repositories-over-tracked-files


@dataclass(slots=True)
class ChangeUndoer:
    """Undoes changes below `roots`; `found` are all repositories there, each of which is checked. `remotes` is
    what the command line shows of push destinations. `others_run`: commands run that can change files meanwhile.
    """

    roots: Collection[Path]
    found: frozenset[Path]
    remotes: ShownRemotes
    others_run: bool = False
    git_alone: bool = False
    """Whether only Git itself made the new repositories."""
    git_written: bool = True
    """Whether the command could write settings of Git."""
    room: int = field(default_factory=lambda: MAX_INDEXES)
    """The bytes of indexes that are still looked at."""

    def undo(self, now: RepositoryState, before: RepositoryState | None) -> Generator[str]:
        """Undo the changes since `before`; None for a repository that was not there."""
        entry = now.entry
        if before is not None and now == before:
            return
        if now.link is not None or (before is not None and before.link is not None):
            # defence: git-files-behind-new-links
            changed = before is not None and (before.link, before.place) != (now.link, now.place)
            unsure = before is None and (not self._leads_to_repository(entry) or _hides_another(entry))
            if changed or unsure:
                self._aside(entry)
                yield f"`{entry}` was put aside: a command made Git look for its settings elsewhere"
                if before is not None and before.link is not None and before.link != now.link:
                    self._restore_link(entry, before.link)
                return
            targets = hook_targets_of_git_file(entry)
            if before is None and not self.others_run:  # defence: hooks-while-others-run
                targets = [path for path in targets if not is_copy_of_main(entry, path)]
            yield from self._undo_targets(targets, frozenset() if before is None else before.present)
            return
        was = before or RepositoryState(entry, None)
        if before is not None and now.worktree != was.worktree and now.settings == was.settings:
            yield from self._undo_worktree(now)
            return
        long = {name for name, *_ in now.long - was.long}
        for name, text, old in zip(SETTINGS, now.settings, was.settings, strict=True):
            if name in long:
                self._put_back(entry / name, old)  # defence: long-files-of-git
                yield f"`{entry / name}` was put aside: it is too long to check"
                continue
            yield from self._undo_settings(entry / name, text, old, new=before is None)
            if before is not None or now.common is not None or _hides_another(entry):
                yield from self._undo_destinations(entry / name, old, was)
            if before is not None and self.git_written:
                yield from self._undo_removals(entry / name, old)
        yield from self._undo_others(entry, self._new_names(now, before))
        yield from self._undo_hooks(entry, now.hooks - was.hooks)
        if now.common is not None and now.common != was.common and not self._belongs_to_repository(entry, now.common):
            self._put_back(entry / "commondir", was.common or b"")
            yield f"`{entry}/commondir` was put aside: Git would take settings and hooks from elsewhere"
        yield from self._undo_targets(hook_and_include_targets(entry, entry.parent), was.present)
        moved = (now.gitdir, now.place) != (was.gitdir, was.place)  # defence: worktrees-behind-new-links
        if now.gitdir is not None and moved and not self._names_worktree(entry, now.gitdir):
            self._put_back(entry / "gitdir", was.gitdir or b"" if was.gitdir != now.gitdir else b"")
            yield f"`{entry}/gitdir` was put aside: Git would repair or remove a worktree elsewhere by it"
        yield from self._undo_refs(entry, {name for name, _ in now.refs - was.refs}, was.head)
        if _IS_HEAD.match(was.head) and not _IS_HEAD.match(read_content(entry / HEAD)) and is_folder(entry / "objects"):
            self._put_back(entry / HEAD, was.head)  # defence: repositories-that-git-finds-no-more
            yield f"`{entry / HEAD}` came back: Git would use another repository"
        yield from self._undo_states(entry, changed_states(now.states, was.states))
        yield from self._undo_programs_of_rebase(
            entry / REBASE_TODO, now.executed - was.executed, long=str(REBASE_TODO) in long
        )

    def _new_names(self, now: RepositoryState, before: RepositoryState | None) -> frozenset[str]:
        """Return the new names in the Git directory that may not be there. Only Git itself, and the user, stops in the
        middle of an operation: what programs make is a new repository or a clone.
        """
        new = now.others - (before.others if before is not None else frozenset())  # defence: names-that-git-makes
        if before is None and not self.git_alone:
            return new | names_beyond_new(now.entry)  # defence: new-repositories-are-plain
        return new

    def _undo_targets(self, targets: Iterable[Path], known: Collection[tuple[Path, Path]]) -> Generator[str]:
        for path, _ in sorted(present_targets(targets).difference(known)):
            self._aside(path)
            yield f"`{path}` was put aside: Git would take settings or hooks from it"

    def _undo_others(self, entry: Path, new: Collection[str]) -> Generator[str]:
        if len(new) > MAX_FILES:
            move_all_aside(entry, new, self.roots)
            yield f"{len(new)} entries of `{entry}` were put aside: Git makes no such files"
            return
        for name in sorted(new):
            self._aside(entry / name)
            yield f"`{entry / name}` was put aside: Git makes no such file, and other programs may run what it says"

    def _undo_hooks(self, entry: Path, new: Collection[tuple[str, int, int]]) -> Generator[str]:
        if len(new) > MAX_FILES:  # defence: many-files-at-once
            self._aside(entry / "hooks")
            yield f"the hooks `{entry}/hooks` were put aside"
            return
        for name, _, _ in sorted(new):
            self._aside(entry / "hooks" / name)
            yield f"the hook `{entry}/hooks/{name}` was put aside"

    def _undo_refs(self, entry: Path, new: Collection[str], head: bytes) -> Generator[str]:
        """Put symbolic refs aside that lead to no ref; the earlier `head` takes the place of such a `HEAD`. Git would
        follow them in the folder for refs under any name.
        """
        for name in sorted(new):
            move_aside_into(entry, entry / name, self.roots)  # defence: refs-that-lead-to-no-ref
            if name == HEAD and head:
                write_new(entry / name, head, self.roots)
            yield f"the ref `{entry / name}` was put aside: Git would write or delete a file elsewhere by it"

    def _undo_states(self, entry: Path, names: set[str]) -> Generator[str]:
        if len(names) > MAX_FILES:
            names = {name.partition("/")[0] if name.startswith(STATE_FOLDERS) else name for name in names}
        if len(names) > MAX_FILES:  # more shared indexes or heads than Git makes
            many = [name for name in names if "/" not in name and name not in (*STATE_FOLDERS, "index", "MERGE_RR")]
            move_all_aside(entry, many, self.roots)
            names.difference_update(many)
            yield f"{len(many)} files were put aside in `{entry}`: they are too many to check"
        for name in sorted(names):
            if self._is_too_much(entry, name):  # defence: time-to-read-indexes
                self._aside(entry / name)
                yield f"`{entry / name}` was put aside: the indexes are too long to check"
                continue
            if name in STATE_FOLDERS or is_unsafe_state(entry, name):  # defence: states-that-git-trusts
                self._aside(entry / name)
                yield f"`{entry / name}` was put aside: Git would run, write or push something elsewhere by it"

    def _is_too_much(self, entry: Path, name: str) -> bool:
        if name != "index" and not is_shared_index(name):
            return False
        with contextlib.suppress(OSError):
            self.room -= (entry / name).lstat().st_size
        return self.room < 0

    def _undo_programs_of_rebase(self, todo: Path, new: Collection[bytes], *, long: bool) -> Generator[str]:
        if not new and not long:
            return
        lines = read_content(todo, MAX_TODO).splitlines(keepends=True)[: -1 if long else None]
        self._aside(todo)
        kept = b"".join(line for line in lines if line.rstrip(b"\r\n") not in new)
        write_new(todo, kept, self.roots)
        yield f"what runs programs{', and the end,' if long else ''} went out of `{todo}`"

    def _undo_destinations(self, file: Path, old: bytes, was: RepositoryState) -> Generator[str]:
        of_submodule = self._is_of_submodule(file)  # defence: only-submodules-follow-their-list
        if self.remotes.submodules and of_submodule:
            return
        known = b"\n".join(was.settings).decode("utf-8", "replace")
        before, now = (each.decode("utf-8", "replace") for each in (old, read_content(file)))
        if moved := moved_destinations(before, now, known=known, shown=self.remotes):
            self._put_back(file, self._still_right(file, old, now))  # defence: pushes-go-where-they-went
            yield f"{', '.join(moved)} went out of `{file}`: your next push would go elsewhere"

    def _is_of_submodule(self, file: Path) -> bool:
        """Whether it holds the settings of a repository in the worktree or the Git directory of another one."""
        return file.name == SETTINGS[0] and any(folder / ".git" in self.found for folder in file.parent.parent.parents)

    def _undo_settings(self, file: Path, text: bytes, old: bytes, *, new: bool) -> Generator[str]:
        before, now = (each.decode("utf-8", "replace") for each in (old, text))
        kept, taken = without_unsafe_settings(now, git_dir=file.parent, tops=self.roots)
        _, old_ones = without_unsafe_settings(before, git_dir=file.parent, tops=self.roots)
        known = set(old_ones)
        if settings := [setting for setting in taken if setting not in known]:
            remember_undone(file, settings)  # before the other session can see it
            self._aside(file)
            if new or old:
                write_new(file, kept.encode() if new else self._still_right(file, old, now), self.roots)
            yield f"{_shortened(settings)} went out of `{file}`: it makes Git run programs"

    def _undo_removals(self, file: Path, old: bytes) -> Generator[str]:
        """Put settings back that a command took out: a push would go elsewhere without `insteadOf`, or other hooks
        would run without `core.hooksPath`.
        """
        now = read_content(file).decode("utf-8", "replace")
        gone = [one for one in self._gone(file, old, now) if one.partition(".")[0] not in _REMOVED_BY_GIT]
        if settings := [one for one in gone if not was_undone(file, one)]:
            self._put_back(file, self._still_right(file, old, now))  # defence: settings-that-were-taken-out
            yield f"{_shortened(settings)} came back into `{file}`: without it Git would push or run something else"

    def _gone(self, file: Path, old: bytes, now: str) -> list[str]:
        """Return the earlier settings that are not known to be harmless and are gone now."""
        before = old.decode("utf-8", "replace")
        texts = (before, now)
        had, has = (without_unsafe_settings(each, git_dir=file.parent, tops=self.roots)[1] for each in texts)
        return [one for one in had if one not in set(has)]

    def _still_right(self, file: Path, old: bytes, now: str) -> bytes:
        """Return the earlier settings without those that start programs and that another session undid meanwhile, whose
        command had made them.
        """
        undone = {one for one in self._gone(file, old, now) if was_undone(file, one)}
        if not undone:
            return old
        text = old.decode("utf-8", "replace")
        _, had = without_unsafe_settings(text, git_dir=file.parent, tops=self.roots)
        kept_ones = set(had) - undone  # defence: settings-of-another-session
        return without_unsafe_settings(text, git_dir=file.parent, tops=self.roots, kept_ones=kept_ones)[0].encode()

    def _leads_to_repository(self, entry: Path) -> bool:
        """Whether a new `.git` file belongs to a worktree or a submodule: its folder was found in the `.git` of a
        folder above, or of the repository around the workspace.
        """
        if entry.is_symlink():
            return False
        text = named_in(read_content(entry))  # defence: git-files-as-git-reads-them
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
        return any(real.is_relative_to(real_path(root)) for root in self.roots)  # defence: worktrees-elsewhere

    def _undo_worktree(self, now: RepositoryState) -> Generator[str]:
        """Put settings aside whose `core.worktree` leads elsewhere by a folder that became a link."""
        for name, text in zip(SETTINGS, now.settings, strict=True):
            if config_values(text, "worktree"):
                remember_undone(now.entry / name, self._gone(now.entry / name, text, ""))
                self._aside(now.entry / name)  # defence: worktrees-that-became-links
                yield f"`{now.entry / name}` was put aside: the worktree that it names is elsewhere now"

    def _restore_link(self, entry: Path, link: bytes) -> None:
        if link.startswith(b"-> "):
            make_link(entry, os.fsdecode(link[3:]), self.roots)
        else:
            write_new(entry, link, self.roots)

    def _put_back(self, file: Path, old: bytes) -> None:
        """Put the file aside; what it held before, if anything, takes its place."""
        if os.path.lexists(file):
            self._aside(file)
        if old:
            write_new(file, old, self.roots)

    def _aside(self, path: Path) -> None:
        move_aside(path, self.roots)
