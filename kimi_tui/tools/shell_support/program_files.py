"""The files that kimi-tui itself runs. A sandboxed command must not be able to write files that run outside the
sandbox.

kimi-tui can be installed in the workspace: in the project's virtual environment, or as its own checkout.
"""

import os
import stat
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterable
from functools import cache, lru_cache
from pathlib import Path

from kimi_tui.paths import is_folder, path_exists, real_path

PYTHON = os.path.realpath(sys.executable)
"""The interpreter for programs of our own that need only the standard library."""
_MAX_STEPS = 200
_HERE = real_path(__file__).parent
_PACKAGE = _HERE.parents[1]
_OF_A_PREFIX = ("bin", "lib", "lib64", "pyvenv.cfg")
_OF_IMPORTS = ("stdlib", "platstdlib", "purelib", "platlib", "scripts")


def program_file(name: str) -> Path:
    """Return the path, without links, of a program of this folder."""
    return _HERE / name


@cache
def program_files() -> tuple[Path, ...]:
    """Return the interpreter, its libraries and our package, as real paths; none is below another."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    found = [Path(prefix, name) for prefix in prefixes for name in _OF_A_PREFIX]
    found += [Path(sysconfig.get_path(name)) for name in _OF_IMPORTS]
    real = {real_path(path) for path in (*found, PYTHON, _PACKAGE) if path and path_exists(path)}
    return tuple(sorted(path for path in real if real.isdisjoint(path.parents)))


def guarded_program_files(writable: Iterable[Path]) -> list[Path]:
    """Return the program files below writable folders."""
    folders = frozenset(writable)
    return [path for path in program_files() if path in folders or not folders.isdisjoint(path.parents)]


@lru_cache(maxsize=8)
def unguarded_imports(writable: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the folders that kimi-tui imports modules from and that commands can still write.

    An editable installation imports from a folder of the project, which must remain writable.
    """
    found = [path for path in program_files() if any(folder.is_relative_to(path) for folder in writable)]
    for entry in dict.fromkeys((*sys.path, str(_PACKAGE.parent))):
        real = real_path(entry)  # the current folder for an empty entry
        if not is_folder(real) or any(real.is_relative_to(path) for path in found):
            continue
        guarded = any(real.is_relative_to(path) for path in program_files())
        below = any(real.is_relative_to(folder) for folder in writable)
        if (below and not guarded) or resolved_without_links_in(Path(entry), writable) is None:
            found.append(real)
    return tuple(found)


def resolved_without_links_in(path: Path, writable: Collection[Path]) -> Path | None:
    """Resolve the links of a path; None if one of them is in a writable folder, where a command could replace
    it. Raises OSError.
    """

    def is_of_a_command(above: str, real: str) -> bool:
        is_written = _is_in(above, writable) and Path(real).is_symlink()
        return is_written and not _is_in(above, program_files())

    return _resolved(path, is_of_a_command)


def resolved_outside(path: Path, written: Collection[Path]) -> Path | None:
    """Resolve the links of a path; None if it leads into a `written` folder, where a command could make it
    lead to any file. Raises OSError.
    """
    # defence: links-in-written-folders
    return _resolved(path, lambda _, real: _is_in(real, written))


def _resolved(path: Path, is_refused: Callable[[str, str], bool]) -> Path | None:
    """Resolve a path step by step, so that nothing can change after it was looked at; None if a step is refused, judged
    by the folder above and its path there. Texts, as paths take half of the time to build a command line.
    """
    real, waiting = "/", list(reversed(path.absolute().parts[1:]))
    for _ in range(_MAX_STEPS):
        if not waiting:
            return Path(real)
        name = waiting.pop()
        above = real
        if name == "..":
            real = os.path.dirname(real)  # noqa: PTH120
        else:
            real = name if name.startswith("/") else f"{real.rstrip('/')}/{name}"
        if is_refused(above, real):
            return None
        try:
            is_link = stat.S_ISLNK(os.lstat(real).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            is_link = False
        if is_link:
            waiting += reversed(Path(real).readlink().parts)
            real = above
    return None


def _is_in(path: str, folders: Iterable[Path]) -> bool:
    return any(path == (folder := str(one)) or path.startswith(f"{folder.rstrip('/')}/") for one in folders)
