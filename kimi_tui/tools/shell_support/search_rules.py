"""Builds the Landlock rules of a search program, which kimi-tui itself runs outside the sandbox.

A command that runs meanwhile can replace a folder of the workspace by a link. The search then still reads only what
the rules name: the workspace, the searched file or folder, the files that tell what is ignored, and the system's
programs.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from kimi_tui.paths import is_file, real_path
from kimi_tui.regular_file import read_start
from kimi_tui.tools.file_support.git_config_values import config_values
from kimi_tui.tools.file_support.git_dirs import repository_around
from kimi_tui.tools.file_support.ripgrep import IGNORE_FILES
from kimi_tui.tools.file_support.workspace import ResolvedPath, Workspace
from kimi_tui.tools.shell_support.program_files import PYTHON, program_file, resolved_outside

_PROGRAM = program_file("landlock.py")
_SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/snap"),
    *("/home/linuxbrew/.linuxbrew", "/etc/ld.so.cache", "/etc/ld.so.preload"),
)
_LIBRARIES = ("libpcre2*.so*", "libgcc_s*.so*")
"""What ripgrep may need that is installed beside it."""
_MAX_CONFIG = 1 << 20


def search_argv(
    program: str, workspace: Workspace, searched: ResolvedPath, *, writable: Iterable[Path] = ()
) -> list[str]:
    """Return the arguments before a search program that confine it to reading. `searched` is what it searches;
    commands can write to the workspace and the `writable` folders.
    """
    # A folder within the workspace is not named: a command can put another one in its place.
    places = workspace.kept_folders if searched.inside else (searched.real,)
    written = (*workspace.folders, *map(real_path, writable))
    lines = ["offline"]
    lines += [f"r {path}" for path in (*_SYSTEM, *_own_files(program)) if os.path.lexists(path)]
    lines += [f"p {path}" for path in (*places, *_ignore_files(places, written)) if "\n" not in str(path)]
    return [PYTHON, "-I", "-S", str(_PROGRAM), "\n".join(lines)]


def _own_files(program: str) -> Iterator[Path]:
    real = real_path(Path(program))
    yield real
    for name in _LIBRARIES:
        yield from map(real_path, (real.parent.parent / "lib").glob(name))


def _ignore_files(places: Iterable[Path], written: Sequence[Path]) -> Iterator[Path]:
    """Yield the real paths of the files above these places, and of Git, that tell ripgrep what is ignored."""
    found: dict[Path, None] = {}
    for place in places:
        found.update((above / name, None) for above in place.parents for name in IGNORE_FILES)
        with suppress(OSError, ValueError):
            if (repository := repository_around(place)) is not None:
                found[repository.top / ".git"] = None
                found[repository.git_dir / "commondir"] = None
                found[repository.common / "info/exclude"] = None
    home = Path.home()
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    found[settings / "ignore"] = None
    for file in (home / ".gitconfig", settings / "config"):
        found[file] = None
        with suppress(OSError, ValueError):
            for _, value in config_values(read_start(file, _MAX_CONFIG), "excludesfile"):
                found[Path(os.path.expanduser(value))] = None  # noqa: PTH111 - that of pathlib raises for unknown users
    for path in found:
        with suppress(OSError, ValueError):
            real = resolved_outside(path, written)
            if real is not None and is_file(real):
                yield real
