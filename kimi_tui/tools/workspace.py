"""Which files an agent works on: the work dir and the folders added to it, and where a path really leads.

Every decision is made on the real path, after symbolic links and `..`; `tools/open_file.py` then holds the
opened file to it.
"""

import asyncio
import os
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakValueDictionary

from kimi_tui.tools.sensitive import is_sensitive

_PROTECTED_FOLDERS = frozenset({".git", ".kimi-tui"})


class PathRefusedError(ValueError):
    """A path that cannot be used; the message is for the model."""


@dataclass(frozen=True, slots=True)
class Place:
    """A path as it was given, and where it leads. `folder` is the workspace folder it is in, None outside."""

    given: str
    real: Path
    folder: Path | None
    sensitive: bool
    protected: bool

    @property
    def inside(self) -> bool:
        return self.folder is not None

    @property
    def shown(self) -> str:
        """As a person would write it: relative to the workspace folder, or the real path in full."""
        return self.real.relative_to(self.folder).as_posix() if self.folder is not None else str(self.real)


class Workspace:
    """`protected` names further files and folders that are asked for even under yolo, `readable` folders outside
    that may be listed (those of the skills); both may grow and shrink, and hold real paths.
    """

    def __init__(self, work_dir: Path, additional_dirs: Iterable[Path] = (), *, protected: Iterable[Path] = ()) -> None:
        self.work_dir = _real(work_dir)
        self._additional = [_real(folder) for folder in additional_dirs]
        self.protected = {_real(path) for path in protected}
        self.readable: set[Path] = set()
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    @property
    def additional_dirs(self) -> tuple[Path, ...]:
        return tuple(self._additional)

    @property
    def folders(self) -> tuple[Path, ...]:
        return (self.work_dir, *self._additional)

    def add_dir(self, folder: Path) -> None:
        real = _real(folder)
        if real not in self.folders:
            self._additional.append(real)

    @contextmanager
    def protecting(self, path: Path | None) -> Generator[None]:
        """Hold a file or folder protected; None and what is so already are left as they are."""
        real = None if path is None else _real(path)
        if real is None or real in self.protected:
            yield
            return
        self.protected.add(real)
        try:
            yield
        finally:
            self.protected.discard(real)

    def lock(self, real: Path) -> asyncio.Lock:
        """Held while the file at this real path is read, agreed on and changed."""
        return self._locks.setdefault(real, asyncio.Lock())

    def place(self, given: str) -> Place:
        """Where `given` leads. Relative paths start at the work dir and must not leave the workspace.

        Raises PathRefusedError.
        """
        if "\0" in given:
            raise PathRefusedError("The path holds a NUL character.")
        if not given.strip():
            raise PathRefusedError("The path is empty.")
        path = Path(given)
        if given == "~" or given.startswith("~/"):
            path = path.expanduser()
        absolute = path.is_absolute()
        real = _real(path if absolute else self.work_dir / path)
        place = self.place_of(real, given)
        if not absolute and not place.inside:
            raise PathRefusedError(
                f"`{given}` leads out of the working directory. Give the absolute path of a file outside of it."
            )
        return place

    def place_of(self, real: Path, given: str | None = None) -> Place:
        """The same for a path that is real already."""
        return Place(
            given=str(real) if given is None else given,
            real=real,
            folder=self._folder_of(real),
            sensitive=is_sensitive(real) or self._is_other_name(real),
            protected=self._is_protected(real),
        )

    def _is_other_name(self, real: Path) -> bool:
        """Whether it is a hard link to a file that is sensitive by a name beside it or at the top of the workspace.

        Only where a file has more names than one is there anything to look for; names elsewhere cannot be known.
        """
        try:
            status = real.lstat()
            if status.st_nlink < 2 or not stat.S_ISREG(status.st_mode):
                return False
            for folder in dict.fromkeys((real.parent, *self.folders)):
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.inode() == status.st_ino and is_sensitive(entry.path):
                            found = entry.stat(follow_symlinks=False)
                            if (found.st_dev, found.st_ino) == (status.st_dev, status.st_ino):
                                return True
        except (OSError, ValueError):
            return False
        return False

    def _folder_of(self, real: Path) -> Path | None:
        within = [folder for folder in self.folders if real.is_relative_to(folder)]
        if self.work_dir in within:
            return self.work_dir
        return max(within, key=lambda folder: len(folder.parts), default=None)

    def _is_protected(self, real: Path) -> bool:
        folder = self._folder_of(real)
        within = real if folder is None else real.relative_to(folder)
        if any(part.lower().rstrip(". ") in _PROTECTED_FOLDERS for part in within.parts):
            return True
        return any(real.is_relative_to(path) for path in self.protected)


def _real(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise PathRefusedError(f"`{path}` cannot be resolved: {error}.") from None
