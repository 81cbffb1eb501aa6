"""Keeps what Git LFS reads in repositories: a `.lfsconfig` says where it uploads files.

Git LFS reads the file at the top of the worktree; without one, it reads the index, and then the last commit. A file in
the worktree therefore holds back what a command added to the index or committed.
"""

import contextlib
import os
import resource
import subprocess
import sys
from collections.abc import Collection, Generator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from kimi_tui.paths import find_program, is_folder, path_exists, real_path
from kimi_tui.regular_file import is_regular_or_absent, read_start
from kimi_tui.tools.file_support.git_dirs import Repository, named_in
from kimi_tui.tools.shell_support.safe_rename import move_aside, write_new

LFS_CONFIG = ".lfsconfig"
_MAX = 1 << 20
_MAX_LINE = 4096
_SECONDS = 2.0
_MEMORY = 400 << 20
"""Git reads all of an object that was made as a change of another one, and all of that."""
_QUERY = f":{LFS_CONFIG}\nHEAD:{LFS_CONFIG}\n".encode()
_UNREADABLE = b"\0"
_EMPTY = (
    b"# Written by kimi-tui: a command in the sandbox changed the .lfsconfig of the index or the last commit,\n"
    b"# by which Git LFS would upload files elsewhere. Git LFS reads this file instead; delete it to use theirs.\n"
)

_Fingerprint = tuple[object, ...]
"""It changes if the user changes what Git LFS reads; a command can change that and leave it the same."""


@dataclass(frozen=True, slots=True)
class _Read:
    fingerprint: _Fingerprint
    content: bytes | None
    """None if there is nothing to read, `_UNREADABLE` if it cannot be read."""
    link: str = ""
    """What the file says if it is a link: in another folder that can lead to another file (`/proc/self/cwd`)."""


class LfsConfigs:
    """What Git LFS reads in each repository, given by its `.git`, in and around some folders (`roots`)."""

    def __init__(self) -> None:
        self._known: dict[Path, _Read] = {}

    def accept(self, entries: Iterable[Path], roots: Collection[Path]) -> None:
        """Accept the current contents as right."""
        self._known = {
            entry: self._read(entry, found, roots, anew=False) for entry, found in _repositories(entries).items()
        }

    def undo(
        self, entries: Iterable[Path], roots: Collection[Path], failed: dict[str, None], *, anew: bool
    ) -> Generator[str]:
        """Undo changes; if there are none, the contents become the accepted ones. `anew`: a command could write in the
        Git directories, where it can change what a commit holds and leave all else as it was.
        """
        found = _repositories(entries)
        now: dict[Path, _Read] = {}
        changed = False
        for entry, repository in found.items():
            before = self._known.get(entry)
            now[entry] = read = self._read(entry, repository, roots, anew=anew)
            was = before or self._known.get(repository.common)
            if was is None or (before is None and repository.common == repository.git_dir):
                continue  # of a new repository the command chose the remotes too
            same_place = read.link in ("", was.link)  # defence: links-for-git-lfs
            if same_place and _settings(read.content) == _settings(was.content):
                continue
            changed = True
            file = repository.top / LFS_CONFIG
            try:
                _put_back(file, was.content, roots)  # defence: what-git-lfs-reads
                yield f"`{file}` was put back: your next push with Git LFS would upload elsewhere"
            except OSError as error:
                failed[f"`{file}` could not be put back: {error.strerror or error}"] = None
        if not changed:
            self._known = now

    def _read(self, entry: Path, repository: Repository, roots: Iterable[Path], *, anew: bool) -> _Read:
        file = repository.top / LFS_CONFIG
        with contextlib.suppress(OSError):
            return _Read((), _content(file), os.readlink(file))  # noqa: PTH115 - of its text
        if path_exists(file):
            return _Read((), _content(file))
        fingerprint = _fingerprint(repository)
        before = self._known.get(entry)
        if before is not None and before.fingerprint == fingerprint and not anew:
            return before
        if not all(map(is_regular_or_absent, _opened_by_git(repository))):  # defence: git-waits-for-no-pipe
            return _Read(fingerprint, _UNREADABLE)
        return _Read(fingerprint, _in_git(repository, roots))


def _repositories(entries: Iterable[Path]) -> Mapping[Path, Repository]:
    found: dict[Path, Repository] = {}
    known = set(entries)
    for entry in known:
        if entry.name.lower() == ".git":
            with contextlib.suppress(OSError):
                git_dir = _git_dir(entry)
                linked = git_dir.parent.name == "worktrees" and git_dir.parent.parent in known
                found[entry] = Repository(entry.parent, git_dir, git_dir.parent.parent if linked else git_dir)
    return found


def _git_dir(entry: Path) -> Path:
    """Return the Git directory that a `.git` is or names. Raises OSError."""
    if entry.is_symlink() or is_folder(entry):
        return real_path(entry) if entry.is_symlink() else entry
    text = named_in(read_start(entry, _MAX_LINE))
    return entry if text is None else real_path(entry.parent / text.removeprefix("gitdir: "))


def _put_back(file: Path, content: bytes | None, roots: Collection[Path]) -> None:
    """Let the file hold what Git LFS read before. Raises OSError."""
    top = file.parent
    if not any(map(top.is_relative_to, roots)):
        roots = (*roots, top)  # of the repository around the workspace, where no command can write
    was_there = os.path.lexists(file)
    if was_there:
        move_aside(file, roots)
    if content is not None and content != _UNREADABLE:
        write_new(file, content, roots)
    elif not was_there:
        write_new(file, _EMPTY, roots)  # defence: nothing-for-git-lfs-to-read


def _settings(content: bytes | None) -> list[bytes]:
    lines = (line.strip() for line in (content or b"").splitlines())
    return [line for line in lines if line and line[:1] not in (b"#", b";")]


def _content(file: Path) -> bytes:
    try:
        content = read_start(file, _MAX + 1)
    except OSError:
        return _UNREADABLE
    return content if len(content) <= _MAX else _UNREADABLE


def _fingerprint(repository: Repository) -> _Fingerprint:
    git_dir, common = repository.git_dir, repository.common
    head = _content(git_dir / "HEAD")
    named = named_in(head.removeprefix(b"ref: ")) if head.startswith(b"ref: ") else None
    ref = _state(common / named) if named else None
    others = ("packed-refs", "refs/replace", "reftable/tables.list")
    return (head, ref, _state(git_dir / "index"), *(_state(common / name) for name in others))


def _opened_by_git(repository: Repository) -> Iterable[Path]:
    """Return the files that Git opens first; at a pipe in the place of one it would wait."""
    own = (repository.git_dir / name for name in ("HEAD", "index", "commondir", "config.worktree"))
    return (*own, *(repository.common / name for name in ("config", "packed-refs", "shallow", "info/grafts")))


def _state(file: Path) -> tuple[int, int, int] | None:
    try:
        status = os.lstat(file)
    except OSError:
        return None
    return status.st_ino, status.st_ctime_ns, status.st_size


def _in_git(repository: Repository, roots: Iterable[Path]) -> bytes | None:
    """Return the content in the index, else in the last commit. Git runs no program meanwhile, and fetches nothing."""
    program = find_program("git", outside=roots)
    if program is None:
        return None
    argv = [
        program,
        "--no-pager",
        "-c",
        "core.fsmonitor=false",
        f"--git-dir={repository.git_dir}",
        "cat-file",
        "--batch",
    ]
    env = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    env |= {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}  # defence: no-fetch-for-git-lfs
    try:
        rest = _output(argv, env)
    except OSError:
        return _UNREADABLE
    for _ in range(2):
        head, end, rest = rest.partition(b"\n")
        if head.endswith(b" missing") and end:
            continue
        words = head.split()
        if len(words) != 3 or words[1] != b"blob" or len(rest) <= int(words[2]):
            return _UNREADABLE
        return rest[: int(words[2])]
    return None


def _output(argv: list[str], env: Mapping[str, str]) -> bytes:
    """Return the start of what it prints about the names; it gets some seconds. Raises OSError."""
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=env, cwd="/") as process:
        ending = Timer(_SECONDS, process.kill)
        ending.start()
        try:
            if sys.platform == "linux":  # files that Git maps do not count
                resource.prlimit(process.pid, resource.RLIMIT_DATA, (_MEMORY, _MEMORY))  # defence: memory-of-git
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(_QUERY)
            process.stdin.close()
            return process.stdout.read(2 * _MAX)
        finally:
            ending.cancel()
            process.kill()
