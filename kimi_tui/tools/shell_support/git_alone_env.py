"""The environment of a line in which only Git itself writes in `.git`: Git runs nothing there that a command made."""

import contextlib
import os
from collections.abc import Container, Iterable, Mapping
from pathlib import Path

from kimi_tui.paths import path_exists, real_path
from kimi_tui.tools.file_support.git_dirs import (
    Repository,
    find_git_entry,
    has_hooks,
    hooks_in_worktree,
    looks_like_git_dir,
    repository_at,
)
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.command_parser import CommandLine
from kimi_tui.tools.shell_support.git_places import git_entries, may_push_to_what_it_makes
from kimi_tui.tools.shell_support.git_use import pushes


def git_alone_env(
    line: CommandLine,
    env: Mapping[str, str],
    workspace: Workspace,
    *,
    written: Iterable[Path] = (),
    checked: Container[tuple[Path, Path]] = (),
    others_run: bool = False,
) -> dict[str, str]:
    """Return the variables to set; commands can write the folders `written` too. `checked` are hooks in worktrees, with
    what they are without links. `others_run`: some commands do meanwhile, and could make a repository in a work dir
    that has none of its own, so that Git gets the one around by name.

    With them Git takes no folder for a repository that only looks like one, as a branch may hold it; pushes to none on
    this machine, whose hooks would run, but for an added folder; runs no hooks where some that are named are missing:
    a branch may bring them; and starts no `ssh`, `gpg` or `sed` of the project, unless the user has hooks, which need
    its programs.
    """
    settings = {"safe.bareRepository": "explicit"}  # defence: folders-that-look-like-repositories
    to_new = others_run or may_push_to_what_it_makes(line, workspace.work_dir, workspace.additional_dirs)
    # defence: hooks-that-are-new-where-a-push-goes
    if pushes(line) and (to_new or not _may_push_to_added(line, workspace)):
        settings["protocol.file.allow"] = "never"  # defence: hooks-of-other-repositories
    folders = (*workspace.folders, *written)
    if not all(
        path_exists(path) and (not others_run or (path, real_path(path)) in checked)  # defence: hooks-made-meanwhile
        for entry in git_entries(line, workspace.work_dir)
        for path in hooks_in_worktree(entry)
        if any(map(path.is_relative_to, folders))
    ):
        settings["core.hooksPath"] = os.devnull  # defence: hooks-that-a-branch-brings
    given = env.get("GIT_CONFIG_COUNT", "")
    first = int(given) if given.isdecimal() else 0
    found = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for at, (key, value) in enumerate(settings.items(), first):
        found |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
    entries = filter(None, map(workspace.git_entry, workspace.kept_folders))
    if not any(map(has_hooks, entries)):
        found["PATH"] = _outside(env.get("PATH", ""), folders)  # defence: programs-that-git-starts
    around = repository_above(workspace) if others_run else None
    if around is not None:
        found |= {"GIT_DIR": str(around.git_dir), "GIT_WORK_TREE": str(around.top)}  # defence: repository-by-name
    return found


def _may_push_to_added(line: CommandLine, workspace: Workspace) -> bool:
    bare = any(folder.suffix == ".git" and looks_like_git_dir(folder) for folder in workspace.additional_dirs)
    return bare and pushes(line)


def could_be_of_a_command(workspace: Workspace) -> bool:
    """Whether the work dir has a repository that a command may have made, or makes anew, within the one around."""
    return os.path.lexists(workspace.work_dir / ".git") and repository_above(workspace) is not None


def repository_above(workspace: Workspace) -> Repository | None:
    """Return the repository around a work dir that had none of its own at first."""
    entry = None if workspace.began_with_git else find_git_entry(workspace.work_dir.parent)
    with contextlib.suppress(OSError, ValueError):
        return None if entry is None else repository_at(entry)
    return None


def _outside(path: str, folders: Iterable[Path]) -> str:
    """Return the entries of PATH that are in none of the folders."""
    folders = tuple(folders)
    kept = [
        entry
        for entry in path.split(os.pathsep)
        if entry.startswith("/") and not any(real_path(Path(entry)).is_relative_to(one) for one in folders)
    ]
    return os.pathsep.join(kept)
