"""Renames and writes files where commands can change the folders meanwhile: nothing outside `roots` is touched."""

import contextlib
import os
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from secrets import token_hex

from kimi_tui.paths import real_path

_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
ASIDE = ".put-aside-by-kimi-tui~"
"""The end of the names of files that were put aside: no program looks for such a name, and no ref of Git has it."""
_MAX_NAME = 255


def move_aside(path: Path, roots: Iterable[Path]) -> None:
    """Rename the file, folder or link to a name that is free. Raises OSError."""
    with _open_parent(path, roots) as folder:
        start = path.name
        if len(os.fsencode(start)) + len(ASIDE) > _MAX_NAME - 10:
            start = token_hex(8)  # defence: long-names-are-put-aside
        names = (start + (f".{number}" if number else "") + ASIDE for number in count())
        aside = next(name for name in names if not os.path.lexists(path.with_name(name)))
        os.rename(path.name, aside, src_dir_fd=folder, dst_dir_fd=folder)


def move_aside_into(folder: Path, path: Path, roots: Iterable[Path]) -> None:
    """Rename the file to a free name in another folder. Raises OSError."""
    roots = tuple(roots)
    with _open_parent(path, roots) as opened, _open_parent(folder / "x", roots) as other:
        name = f"{path.name[: _MAX_NAME // 8]}.{token_hex(8)}{ASIDE}"
        os.rename(path.name, name, src_dir_fd=opened, dst_dir_fd=other)


def move_all_aside(folder: Path, names: Iterable[str], roots: Iterable[Path]) -> None:
    """Rename files of one folder to new names. Raises OSError."""
    unused = token_hex(8)
    with _open_parent(folder / "x", roots) as opened:
        for number, name in enumerate(names):
            kept = name if len(os.fsencode(name)) < _MAX_NAME // 2 else str(number)
            os.rename(name, f"{kept}.{unused}{ASIDE}", src_dir_fd=opened, dst_dir_fd=opened)


def remove_links(folder: Path, names: Iterable[str], roots: Iterable[Path]) -> None:
    """Remove links of one folder, and leave a file there that says where they led. A link of any name would act: Git
    takes each folder in `worktrees` for a worktree, and empties it when it is no more. Raises OSError.
    """
    with _open_parent(folder / "x", roots) as opened:
        found: dict[str, str] = {}
        for name in names:
            with contextlib.suppress(OSError):  # it is gone, or no link any more
                found[name] = os.readlink(name, dir_fd=opened)
        for name in found:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=opened)  # defence: links-are-removed
        note = "".join(f"{name} -> {target}\n" for name, target in found.items())
        if note:
            _write(f"links-{token_hex(8)}{ASIDE}", os.fsencode(note), opened)


def write_new(path: Path, content: bytes, roots: Iterable[Path]) -> None:
    """Write a file that does not exist. Raises OSError."""
    with _open_parent(path, roots) as folder:
        _write(path.name, content, folder)


def _write(name: str, content: bytes, folder: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o644, dir_fd=folder), "wb") as file:
        file.write(content)


def make_folder(path: Path, roots: Iterable[Path]) -> None:
    """Make a folder where nothing is. Raises OSError."""
    with _open_parent(path, roots) as folder:
        os.mkdir(path.name, dir_fd=folder)


def make_link(path: Path, target: str, roots: Iterable[Path]) -> None:
    """Make a link where nothing is. Raises OSError."""
    with _open_parent(path, roots) as folder:
        os.symlink(target, path.name, dir_fd=folder)


def make_readable(path: Path, roots: Iterable[Path]) -> None:
    """Let the owner read and enter a folder. Raises OSError."""
    with _open_parent(path / "x", roots) as folder:
        _allow_owner(folder)


def _allow_owner(folder: int) -> None:
    Path(f"/proc/self/fd/{folder}").chmod(stat.S_IMODE(os.fstat(folder).st_mode) | stat.S_IRWXU)


@contextmanager
def _open_parent(path: Path, roots: Iterable[Path]) -> Generator[int]:
    descriptor = os.open(real_path(path.parent), _FOLDER)
    try:
        link = f"/proc/self/fd/{descriptor}"
        place = real_path(link if os.path.lexists(link) else path.parent)
        if not any(place.is_relative_to(real_path(root)) for root in roots):
            raise PermissionError(f"{place} is outside of the folders of the project")
        if os.fstat(descriptor).st_mode & stat.S_IRWXU != stat.S_IRWXU:
            with contextlib.suppress(OSError):  # of another user, who may allow it nevertheless
                _allow_owner(descriptor)  # defence: folders-that-cannot-be-written
        yield descriptor
    finally:
        os.close(descriptor)
