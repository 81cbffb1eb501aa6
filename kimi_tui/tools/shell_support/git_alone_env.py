"""The environment of a line in which only Git itself writes in `.git`: Git runs nothing there that a command made."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from kimi_tui.paths import real_path
from kimi_tui.tools.file_support.git_dirs import has_hooks, looks_like_git_dir
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.command_parser import CommandLine
from kimi_tui.tools.shell_support.git_use import pushes


def git_alone_env(
    line: CommandLine, env: Mapping[str, str], workspace: Workspace, *, written: Iterable[Path] = ()
) -> dict[str, str]:
    """Return the variables to set; commands can write the folders `written` too.

    With them Git takes no folder for a repository that only looks like one, as a branch may hold it; pushes to none on
    this machine, whose hooks would run, but for an added folder; and starts no `ssh`, `gpg` or `sed` of the project,
    unless the user has hooks, which need its programs.
    """
    settings = {"safe.bareRepository": "explicit"}  # defence: folders-that-look-like-repositories
    added = workspace.additional_dirs
    if pushes(line) and not any(folder.suffix == ".git" and looks_like_git_dir(folder) for folder in added):
        settings["protocol.file.allow"] = "never"  # defence: hooks-of-other-repositories
    given = env.get("GIT_CONFIG_COUNT", "")
    first = int(given) if given.isdecimal() else 0
    found = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for at, (key, value) in enumerate(settings.items(), first):
        found |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
    entries = filter(None, map(workspace.git_entry, workspace.kept_folders))
    if not any(map(has_hooks, entries)):
        found["PATH"] = _outside(
            env.get("PATH", ""), (*workspace.folders, *written)
        )  # defence: programs-that-git-starts
    return found


def _outside(path: str, folders: Iterable[Path]) -> str:
    """Return the entries of PATH that are in none of the folders."""
    folders = tuple(folders)
    kept = [
        entry
        for entry in path.split(os.pathsep)
        if entry.startswith("/") and not any(real_path(Path(entry)).is_relative_to(one) for one in folders)
    ]
    return os.pathsep.join(kept)
