"""The user's folder of skills, and what shared skills change in it.

Invariant: at any time, even after a kill, a shared skill in the folder is a complete version that the user accepted, or
missing; the next `open_installation` completes or undoes an interrupted change. The user's changes are kept, never
deleted.

Order of an update: stage the new version, write the lock, exchange the folders, keep or delete the old one.
"""

import contextlib
import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from kimi_tui.atomic_file import sync_folder_to_disk
from kimi_tui.errors import SkillInstallError
from kimi_tui.failpoints import crash_point
from kimi_tui.file_lock import lock
from kimi_tui.i18n import tr
from kimi_tui.paths import is_folder, private_folder, shown
from kimi_tui.skill.sharing.skill_package import SkillPackage, hashes_of_folder, package_hash
from kimi_tui.skill.sharing.skills_lock import FILE, LockedSkill, SkillsLock, read_lock, write_lock

_STAGED, _READY, _REMOVED, _KEPT = ".staged", ".ready", ".removed", ".kept"
"""Folders beside the skills. The program reads no skills from names that begin with a dot."""


@dataclass(slots=True)
class Installation:
    """The skills in `skills`, with their lock. Made by `open_installation`; only one process has it."""

    skills: Path
    lock_file: Path
    lock: SkillsLock
    notices: list[str] = field(default_factory=list[str])

    def folder(self, name: str) -> Path:
        return self.skills / name

    def changes(self, name: str) -> list[str]:
        """The paths of the files that the user changed, added or deleted since the skill was added.

        Raises SkillInstallError.
        """
        known, now = self.lock.skills[name].files, hashes_of_folder(self.folder(name))
        return sorted(path for path in {*known, *now} if known.get(path) != now.get(path))

    def stage(self, name: str, package: SkillPackage) -> Path:
        """Write the files to a folder where no skill is read, and return it. Raises OSError."""
        folder = self.skills / _STAGED / name
        _delete(folder)
        private_folder(folder)
        for path, file in package.files.items():
            target = folder / path
            private_folder(target.parent)
            mode = 0o700 if file.executable else 0o600
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(file.content)
                stream.flush()
                os.fsync(descriptor)
            crash_point("skill.file_staged")
        return folder

    def discard(self, name: str) -> None:
        """Delete a staged version."""
        _delete(self.skills / _STAGED / name)

    def commit(self, name: str, entry: LockedSkill) -> Path | None:
        """Put the staged version into use; returns the folder that keeps the old one if the user changed it.

        Raises OSError.
        """
        ready, old = self.skills / _READY / name, self.lock.skills.get(name)
        private_folder(ready.parent)
        (self.skills / _STAGED / name).rename(ready)
        crash_point("skill.before_lock")
        self._write({**self.lock.skills, name: entry})
        crash_point("skill.after_lock")
        return self._use(ready, name, "" if old is None else old.hash)

    def _use(self, ready: Path, name: str, disposable: str) -> Path | None:
        """Exchange the folder in use for `ready`. The old one is deleted if its hash is `disposable`, else kept."""
        target = self.folder(name)
        if not os.path.lexists(target):
            ready.rename(target)
            sync_folder_to_disk(self.skills)
            return None
        _exchange(ready, target)
        crash_point("skill.after_exchange")
        if _hash_or_none(ready) != disposable:  # defence: keep-changed-version
            return self._keep(ready, name)
        _delete(ready)
        return None

    def record(self, name: str, entry: LockedSkill) -> None:
        """Update only the lock: the same files at a later commit. Raises OSError."""
        self._write({**self.lock.skills, name: entry})

    def remove(self, name: str) -> Path | None:
        """Remove the skill; returns the folder that keeps it if the user changed it. Raises OSError."""
        target, aside = self.folder(name), self.skills / _REMOVED / name
        kept = None
        if os.path.lexists(target):
            private_folder(aside.parent)
            target.rename(aside)
            crash_point("skill.after_aside")
            kept = self._drop(aside, name)
        else:
            self._write({key: entry for key, entry in self.lock.skills.items() if key != name})
        return kept

    def _drop(self, aside: Path, name: str) -> Path | None:
        """Delete a removed version, or keep it if it is not the one in the lock, and delete its entry."""
        entry = self.lock.skills.get(name)
        kept = None
        if entry is None or _hash_or_none(aside) != entry.hash:  # defence: keep-changed-skill
            kept = self._keep(aside, name)
        self._write({key: each for key, each in self.lock.skills.items() if key != name})
        crash_point("skill.after_unlock")
        _delete(aside)
        return kept

    def _write(self, skills: dict[str, LockedSkill]) -> None:
        lock = SkillsLock(version=self.lock.version, skills=skills)
        write_lock(self.lock_file, lock)
        self.lock = lock

    def recover(self) -> None:
        """Complete or undo a change that a kill interrupted. Raises OSError."""
        for aside in _entries(self.skills / _REMOVED):
            kept = self._drop(aside, aside.name)
            self._notice(tr("{name}: the interrupted removal was finished", name=aside.name), kept)
        for ready in _entries(self.skills / _READY):
            name = ready.name.partition(".")[0]
            entry, now = self.lock.skills.get(name), _hash_or_none(ready)
            if entry is None or now != entry.hash:
                kept = self._keep(ready, name)  # the old version, or one that never came into the lock
            elif _hash_or_none(self.folder(name)) == now:
                _delete(ready)
                continue
            else:
                kept = self._use(ready, name, "")  # defence: finish-update
            self._notice(tr("{name}: the interrupted update was finished", name=name), kept)
        for staged in _entries(self.skills / _STAGED):
            _delete(staged)  # defence: no-half-skill

    def _notice(self, text: str, kept: Path | None) -> None:
        self.notices.append(text if kept is None else f"{text}; {kept_notice(kept)}")

    def _keep(self, folder: Path, name: str) -> Path:
        private_folder(self.skills / _KEPT)
        number = 1
        while os.path.lexists(self.skills / _KEPT / f"{name}-{number}"):
            number += 1
        kept = self.skills / _KEPT / f"{name}-{number}"
        folder.rename(kept)
        return kept


@contextmanager
def open_installation(home: Path) -> Generator[Installation]:
    """Open the user's skills below `home`, for this process only. Raises SkillInstallError and OSError."""
    skills = home / "skills"
    private_folder(skills)
    descriptor = os.open(skills, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            lock(descriptor)  # defence: one-installation
        except BlockingIOError:
            text = tr("another kimi-tui process is changing the skills in {folder}", folder=shown(skills))
            raise SkillInstallError(text) from None
        installation = Installation(skills, home / FILE, read_lock(home / FILE))
        installation.recover()
        yield installation
    finally:
        for name in (_STAGED, _READY, _REMOVED):
            with contextlib.suppress(OSError):
                (skills / name).rmdir()
        os.close(descriptor)


def kept_notice(folder: Path) -> str:
    return tr("your changed version is kept in {folder}", folder=shown(folder))


def _entries(folder: Path) -> Sequence[Path]:
    with contextlib.suppress(FileNotFoundError):
        return sorted(folder.iterdir())
    return ()


def _hash_or_none(folder: Path) -> str | None:
    """The hash of the folder; None if it cannot be read as a skill."""
    try:
        return package_hash(hashes_of_folder(folder))
    except SkillInstallError:
        return None


def _delete(folder: Path) -> None:
    """Delete a folder of ours; a link is deleted itself. Raises OSError."""
    if is_folder(folder) and not folder.is_symlink():
        shutil.rmtree(folder)
    else:
        folder.unlink(missing_ok=True)


def _exchange(one: Path, other: Path) -> None:
    """Exchange two folders in one step, where the system can; else in two. Raises OSError."""
    if not _exchange_at_once(one, other):
        between = one.with_name(f"{one.name}.old")
        _delete(between)
        other.rename(between)
        one.rename(other)
        between.rename(one)
    sync_folder_to_disk(other.parent)


def _exchange_at_once(one: Path, other: Path) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(one), os.fsencode(other)
    at_cwd, exchange = -100, 2
    try:
        if sys.platform == "darwin":
            status: int = libc.renamex_np(*names, exchange)
        else:
            status = libc.renameat2(at_cwd, names[0], at_cwd, names[1], exchange)
    except AttributeError:
        return False
    if status != 0 and ctypes.get_errno() not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(other))
    return status == 0
