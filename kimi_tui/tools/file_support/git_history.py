"""Reads the names of all files that were ever committed to a Git repository. Bounded in time and number.

Git itself reads the history, and only if the settings of the repository make it run no program.
"""

import os
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from kimi_tui.paths import path_exists
from kimi_tui.program_output import OutputTooLargeError, program_output
from kimi_tui.tools.file_support.git_dirs import repository_around
from kimi_tui.tools.file_support.git_settings import runs_no_program
from kimi_tui.tools.file_support.sensitive_names import is_sensitive

_MAX_SECONDS = 1.0
_MAX_NAMES = 50_000
_MAX_BYTES = 16 << 20
_MAX_REFS = 5_000
_STATE = ("HEAD", "packed-refs", "shallow", "info/grafts", "objects/info/alternates")
_LOG = (
    *("--no-pager", "--no-replace-objects", "--no-optional-locks", "log", "-z", "--all", "--reflog", "-m", "--root"),
    *("--diff-merges=separate", "--name-only", "--diff-filter=A", "--no-renames", "--no-relative", "--format="),
    *("--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-color", "--no-graph"),
)


@dataclass(frozen=True, slots=True)
class History:
    """The files of all commits reachable from a ref or a reflog, as paths in the worktree, and those with secrets."""

    files: tuple[Path, ...] = ()
    sensitive: tuple[Path, ...] = ()


_too_long: set[Path] = set()
"""Git directories whose history is too large or took too long to read; a history only grows."""


def read_history(folder: Path, git: str) -> History | None:
    """Return the history of the repository around `folder`, read by `git`: empty outside a repository, None if
    unknown.
    """
    try:
        repository = repository_around(folder)
        if repository is None:
            return History()
        if repository.common in _too_long or not runs_no_program(folder):
            return None
        state = (*_state(repository.git_dir), *_state(repository.common))
        return _read(repository.top, repository.common, git, state)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _state(git_dir: Path) -> list[tuple[str, int, int]]:
    """Return a value that changes when a ref or a reflog changes. Raises ValueError for too many of them."""
    files = [git_dir / name for name in _STATE]
    for kind in ("refs", "logs"):
        files += islice((git_dir / kind).rglob("*"), _MAX_REFS)
    if len(files) >= _MAX_REFS:
        raise ValueError(git_dir)
    return [(str(file), (status := file.stat()).st_mtime_ns, status.st_size) for file in files if path_exists(file)]


@lru_cache(8)
def _read(top: Path, common: Path, git: str, state: tuple[tuple[str, int, int], ...]) -> History | None:
    """Read the history; `state` is only a key for the cache."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        output = program_output(
            [git, *_LOG],
            most=_MAX_BYTES,
            seconds=_MAX_SECONDS,
            cwd=top,
            env=environ | {"GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"},
        )
    except (subprocess.TimeoutExpired, OutputTooLargeError):
        _too_long.add(common)
        return None
    names = {os.fsdecode(name.lstrip(b"\n")) for name in output.split(b"\0")} - {""}
    if len(names) > _MAX_NAMES:
        return None
    files = tuple(top / name for name in names)
    return History(files, tuple(filter(is_sensitive, files)))
