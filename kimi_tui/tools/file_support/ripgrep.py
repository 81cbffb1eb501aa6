"""ripgrep: where the program is, and the ignore files that would hold it up.

It opens ignore files without a check, and waits forever at a pipe.
"""

import os
import shutil
import stat
import sys
import sysconfig
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from kimi_tui.paths import find_program
from kimi_tui.tools.file_support.git_dirs import repository_around

IGNORE_FILES = (".gitignore", ".ignore", ".rgignore")
_MAX_BYTES = 16 << 20


@cache
def find_ripgrep(*untrusted: Path) -> str | None:
    """Return the program's path, None if it is not installed. One on PATH in an `untrusted` folder is ignored."""
    if program := find_program("rg", outside=untrusted):
        return program
    for folder in (sysconfig.get_path("scripts"), Path(sys.executable).parent):
        if program := shutil.which("rg", path=str(folder)):
            return program
    return None


def unreadable_ignore_file(top: Path, is_ended: Callable[[], bool]) -> Path | None:
    """Return the first ignore file of a search in the folder `top` that is no regular file or is too large: above it,
    of its repository, or below it, those near the top first. None if there is none, or once `is_ended`.
    """
    for path in _above(top):
        if _is_unreadable(path):
            return path
    for entries in _folders(top, is_ended):
        for entry in entries:
            path = Path(entry.path)
            if entry.name in IGNORE_FILES and _is_unreadable(path):
                return path
            if entry.name == ".git":
                for file in _of_git(path.parent):
                    if _is_unreadable(file):
                        return file
    return None


def _above(top: Path) -> Iterator[Path]:
    for folder in top.parents:
        yield from (folder / name for name in IGNORE_FILES)
    yield from _of_git(top)


def _of_git(folder: Path) -> Iterable[Path]:
    with suppress(OSError, ValueError):
        if (repository := repository_around(folder)) is not None:
            return (repository.git_dir / "commondir", repository.common / "info/exclude")
    return ()


def _folders(top: Path, is_ended: Callable[[], bool]) -> Iterator[list[os.DirEntry[str]]]:
    pending = deque([os.fspath(top)])
    while pending and not is_ended():
        with suppress(OSError), os.scandir(pending.popleft()) as entries:
            found = list(entries)
            yield found
            pending.extend(
                entry.path for entry in found if entry.name != ".git" and entry.is_dir(follow_symlinks=False)
            )


def _is_unreadable(path: Path) -> bool:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return False
    if stat.S_ISDIR(status.st_mode):
        return False  # reading it is an error at once
    return not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES
