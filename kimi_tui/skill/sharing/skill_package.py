"""The files of a shared skill in memory, checked: bounded, with names that are safe on every file system, no links."""

import hashlib
import os
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import NamedTuple

from kimi_tui.errors import SkillInstallError
from kimi_tui.i18n import tr
from kimi_tui.skill.skill import SKILL_FILE
from kimi_tui.text_safety import is_safe

MAX_FILES = 1_000
MAX_FILE_BYTES = 8 << 20
MAX_BYTES = 32 << 20
MAX_PATH_BYTES = 240
MAX_DEPTH = 12
_MAX_SHOWN = 12
IGNORED = frozenset({".git", "__pycache__", ".DS_Store"})
"""Names in a folder that are no part of a skill."""
_LFS = b"version https://git-lfs.github.com/spec/"


class PackagedFile(NamedTuple):
    content: bytes
    executable: bool = False


@dataclass(frozen=True)
class SkillPackage:
    """The files of one skill by their path in it, sorted."""

    files: Mapping[str, PackagedFile]

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of each file, with ` x` if it can be executed."""
        return {name: _hash(file.content, file.executable) for name, file in sorted(self.files.items())}

    @property
    def hash(self) -> str:
        """Identifies the content: names, modes and bytes."""
        return package_hash(self.hashes)


class Entry(NamedTuple):
    """A file of a source before it is read. `link`: it is a symbolic link, and its content is the target's path."""

    executable: bool = False
    link: bool = False


def package_hash(hashes: Mapping[str, str]) -> str:
    lines = "".join(f"{value}  {name}\n" for name, value in sorted(hashes.items()))
    return f"sha256:{hashlib.sha256(os.fsencode(lines)).hexdigest()}"


def read_package(entries: Mapping[str, Entry], read: Callable[[list[str]], Mapping[str, bytes]]) -> SkillPackage:
    """Check the names, read the files and check their content. Raises SkillInstallError."""
    check_names(entries)
    contents = read(list(entries))
    files: dict[str, PackagedFile] = {}
    total = 0
    for name, entry in sorted(entries.items()):
        target = name
        if entry.link:
            target = _target(name, contents[name], entries)  # defence: no-links-of-strangers
        content = contents[target]
        total += len(content)
        if len(content) > MAX_FILE_BYTES or total > MAX_BYTES:  # defence: bound-shared-skill
            raise SkillInstallError(tr("{name} is too large", name=name))
        if content.startswith(_LFS):
            raise SkillInstallError(tr("{name} is stored in Git LFS, which is not fetched", name=name))
        files[name] = PackagedFile(content, entries[target].executable)
    return SkillPackage(files)


def _target(name: str, content: bytes, entries: Mapping[str, Entry]) -> str:
    """The file of the skill that a link leads to; its content is copied. Raises SkillInstallError for any other."""
    target = normpath(join(dirname(name), content.decode("utf-8", "replace")))
    if target not in entries or entries[target].link:
        raise SkillInstallError(tr("{name} is a link that does not point to a file of the skill", name=name))
    return target


def check_names(names: Iterable[str]) -> None:
    """Raise SkillInstallError for a name that is unsafe to create or to show, or the same as another one."""
    used: dict[str, str] = {}
    known = list(names)
    if len(known) > MAX_FILES:  # defence: bound-shared-files
        raise SkillInstallError(tr("the skill has more than {count} files", count=MAX_FILES))
    for name in known:
        parts = name.split("/")
        short = len(parts) <= MAX_DEPTH and len(os.fsencode(name)) <= MAX_PATH_BYTES
        if not short or not all(map(_is_safe_part, parts)):  # defence: safe-names-of-strangers
            raise SkillInstallError(tr("the file name {name} is not allowed", name=_shown(name)))
        for prefix in _prefixes(parts):
            # Some file systems ignore case and how accents are composed.
            other = used.setdefault(unicodedata.normalize("NFKC", prefix).casefold(), prefix)
            if other != prefix:  # defence: no-case-collisions
                raise SkillInstallError(
                    tr("two names differ in case only: {name}, {other}", name=_shown(prefix), other=_shown(other))
                )
    folders = {dirname(name) for name in known}
    for folder in folders:
        if {join(folder, "HEAD"), join(folder, "config")} & set(known) and join(folder, "objects") in _folders(folders):
            raise SkillInstallError(tr("{name} is a Git repository", name=_shown(folder) or "."))


def _folders(folders: Iterable[str]) -> set[str]:
    return {prefix for folder in folders for prefix in _prefixes(folder.split("/"))}


def _prefixes(parts: list[str]) -> Iterator[str]:
    return ("/".join(parts[: count + 1]) for count in range(len(parts)))


def _is_safe_part(part: str) -> bool:
    return (
        part not in ("", ".", "..")
        and part.strip() == part
        and part.casefold() != ".git"
        and not part.startswith("-")
        and not part.endswith(".")
        and not set(part) & set('\\:*?"<>|')
        and all(map(is_safe, part))  # also no surrogates, which stand for bytes that are not UTF-8
    )


def _shown(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")[:MAX_PATH_BYTES]


def package_of_folder(folder: Path) -> SkillPackage:
    """Read the skill in a folder. Raises SkillInstallError, also for what cannot be read."""
    entries = dict(_walk(folder, ""))

    def read(names: list[str]) -> dict[str, bytes]:
        contents: dict[str, bytes] = {}
        total = 0
        for name in names:
            path = folder / name
            contents[name] = os.fsencode(path.readlink()) if entries[name].link else _read_file(path, name)
            total += len(contents[name])
            if total > MAX_BYTES:
                raise SkillInstallError(tr("{name} is too large", name=name))
        return contents

    try:
        return read_package(entries, read)
    except OSError as error:
        raise SkillInstallError(f"{error.filename}: {error.strerror}") from error


def _walk(folder: Path, inside: str) -> Iterator[tuple[str, Entry]]:
    """The files below `folder`, which has the path `inside` in the skill. Links are not followed."""
    found = 0
    pending = [inside]
    while pending:
        at = pending.pop()
        try:
            with os.scandir(folder / at) as entries:
                for entry in entries:
                    name = join(at, entry.name)
                    if entry.name in IGNORED:
                        continue
                    found += 1
                    if found > 2 * MAX_FILES:
                        raise SkillInstallError(tr("the skill has more than {count} files", count=MAX_FILES))
                    mode = entry.stat(follow_symlinks=False).st_mode
                    if stat.S_ISDIR(mode):
                        pending.append(name)
                    elif stat.S_ISREG(mode) or stat.S_ISLNK(mode):
                        yield name, Entry(bool(mode & stat.S_IXUSR) and stat.S_ISREG(mode), stat.S_ISLNK(mode))
                    else:
                        raise SkillInstallError(tr("{name} is not a regular file", name=_shown(name)))
        except OSError as error:
            raise SkillInstallError(f"{error.filename}: {error.strerror}") from error


def _read_file(path: Path, name: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise SkillInstallError(tr("{name} is not a regular file", name=_shown(name)))
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise SkillInstallError(tr("{name} is too large", name=_shown(name)))
    return content


def hashes_of_folder(folder: Path) -> dict[str, str]:
    """Return the current hashes of an installed skill, in the form of `SkillPackage.hashes`; links by their target.

    Raises SkillInstallError for a folder that cannot be read or has too many files.
    """
    hashes: dict[str, str] = {}
    for name, entry in _walk(folder, ""):
        path = folder / name
        try:
            content = os.fsencode(path.readlink()) if entry.link else _read_file(path, name)
        except OSError as error:
            raise SkillInstallError(f"{error.filename}: {error.strerror}") from error
        hashes[name] = f"link {content!r}" if entry.link else _hash(content, entry.executable)
    return dict(sorted(hashes.items()))


def _hash(content: bytes, executable: bool) -> str:
    return hashlib.sha256(content).hexdigest() + (" x" if executable else "")


def skill_folder(names: Iterable[str], path: str) -> str:
    """Return the folder of the skill that `path` names, of all files of a repository. "" is the repository itself.

    `path` is a folder with a SKILL.md, the last part of one, a folder that holds one skill, or "" if there is only one.
    Raises SkillInstallError, which lists the skills if there are several.
    """
    folders = sorted({dirname(name) for name in names if name.rpartition("/")[2] == SKILL_FILE})
    if path in folders:
        return path
    below = [folder for folder in folders if not path or folder.startswith(f"{path}/")]
    named = [folder for folder in folders if path and folder.rpartition("/")[2] == path]
    found = named or below
    if len(found) == 1:
        return found[0]
    if found:
        shown = ", ".join(map(_shown, found[:_MAX_SHOWN])) + (", ..." if len(found) > _MAX_SHOWN else "")
        raise SkillInstallError(tr("there are several skills; add one by its path: {names}", names=shown))
    where = path or tr("the repository")
    raise SkillInstallError(tr("{place} has no {file}", place=where, file=SKILL_FILE))
