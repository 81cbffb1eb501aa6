"""Builds the rules for `landlock.py`: what commands may read and write without bubblewrap.

The same files are hidden as in the full sandbox, since only what has a rule can be opened. Protected files within the
writable folders cannot be excluded: `GitWatch` restores Git's settings afterwards. No path is resolved again, since a
command may have put a link there.
"""

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from kimi_tui import paths
from kimi_tui.config.schema import SandboxConfig
from kimi_tui.paths import real_path
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.bwrap_args import (
    ROOT_ONLY_PATHS,
    VISIBLE_APP_FOLDERS,
    SandboxFeatures,
    configured_paths,
    existing_paths,
    folders_of_home,
    host_files,
    shown_in_home,
)
from kimi_tui.tools.shell_support.program_files import PYTHON, program_file, resolved_outside

_PROGRAM = program_file("landlock.py")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "shm")  # defence: no-terminals-of-the-user
"""Not `pts`: it has the terminals of the user's other programs, which type and show passwords."""


SCOPE = (PYTHON, "-I", "-S", str(_PROGRAM), "sockets")
"""The arguments before a command that confine its sockets only, where it shares the network of this machine."""


def landlock_argv(box: SandboxFeatures, config: SandboxConfig, workspace: Workspace) -> list[str]:
    """Return the arguments before the command itself."""
    home = real_path(Path.home())
    ours = real_path(paths.home())
    readable = configured_paths(config.readable, config, workspace)
    keys = set(existing_paths((ours, *ROOT_ONLY_PATHS, *box.hidden, *Path("/etc/ssh").glob("*_key"))))
    hidden = keys.union(existing_paths(("/home", "/root", "/run", "/dev", home)))
    kept = workspace.kept_folders
    folders = [folder for folder in kept if not home.is_relative_to(folder)]
    # defence: written-folders-as-they-are
    written = [*folders, *configured_paths(config.writable, config, workspace), *box.writable]
    written += folders_of_home(home, workspace)
    written += [git.path for folder in kept if (git := workspace.git_dir(folder)) is not None and git.writable]
    written += existing_paths((tempfile.gettempdir(), "/tmp", "/var/tmp", *(f"/dev/{name}" for name in _DEVICES)))
    read = [path for path in _readable(Path("/"), hidden) if path not in readable]
    shown = (*shown_in_home(home, workspace), *(ours / name for name in VISIBLE_APP_FOLDERS))
    # defence: links-show-nothing-of-the-home
    read += filter(None, (resolved_outside(path, written) for path in shown))
    read += host_files()
    for path in readable:
        read += _readable(path, {ours, *keys.difference(readable)})  # defence: keys-in-what-is-shown
    lines = ["online" if config.network else "offline"]
    lines += [f"p {path}" for path in dict.fromkeys(read) if "\n" not in str(path)]
    lines += [f"w {path}" for path in dict.fromkeys(written) if "\n" not in str(path)]
    return [PYTHON, "-I", "-S", str(_PROGRAM), "\n".join(lines)]


def _readable(folder: Path, hidden: Iterable[Path]) -> Iterator[Path]:
    """Yield the whole folder if it contains nothing hidden, else those of its entries that do not."""
    within = [path for path in hidden if path.is_relative_to(folder)]
    if folder in within:
        return
    if not within:
        yield folder
        return
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if not entry.is_symlink():
            yield from _readable(entry, within)
