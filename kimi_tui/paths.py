"""Paths: our home, bundled files, and display form."""

import errno
import os
import shutil
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

HARMLESS_IN_A_HOME = frozenset({".cache", ".tmp", ".trash"})
"""Hidden folders of a user's home that start no programs."""
_MAX_RESOLVED = 100
_MAX_FOLLOWED = 40
_CLOSED = (stat.S_IFDIR, stat.S_IFREG)


def require_home() -> None:
    """Raises UsageError if the user has no home folder: every path of ours, and what is protected, depends on it."""
    if "HOME" not in os.environ and os.path.expanduser("~") == "~":  # noqa: PTH111 - pathlib raises
        from kimi_tui.errors import UsageError
        from kimi_tui.i18n import tr

        raise UsageError(tr("this user has no home folder: set HOME"))


def home() -> Path:
    """Return `$KIMI_TUI_HOME`, else `$KIMI_SHARE_DIR` (from Kimi CLI), else `~/.kimi-tui`. It may not exist."""
    for variable in ("KIMI_TUI_HOME", "KIMI_SHARE_DIR"):
        if value := os.environ.get(variable):
            return Path(value).expanduser()
    return Path.home() / ".kimi-tui"


def kimi_home() -> Path:
    """Return the home of Kimi CLI: `$KIMI_SHARE_DIR`, else `~/.kimi`. It may not exist."""
    return Path(os.environ.get("KIMI_SHARE_DIR") or Path.home() / ".kimi").expanduser()


def private_folder(folder: Path) -> None:
    """Create the folder and its missing parents with access for this user only. Raises OSError."""
    missing = [folder]
    while not missing[-1].exists() and missing[-1].parent != missing[-1]:
        missing.append(missing[-1].parent)
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)


def make_home_private() -> None:
    """Remove other users' access to our home, which an older version or another program may have allowed; create it if
    missing.

    Shared folders stay unchanged: the user's own home, one with the sticky bit, or another user's folder.
    """
    own = home()
    with suppress(OSError):
        private_folder(own)
        status = own.stat()
        if own.resolve() == Path.home().resolve() or status.st_uid != os.geteuid() or status.st_mode & stat.S_ISVTX:
            return
        _close(own)
        for folder in (own, own / "sessions"):
            with suppress(OSError), os.scandir(folder) as entries:
                for entry in entries:
                    if not entry.is_symlink():
                        _close(Path(entry.path))


def _close(path: Path) -> None:
    with suppress(OSError):
        status = path.lstat()
        if status.st_mode & 0o077 and status.st_uid == os.geteuid() and stat.S_IFMT(status.st_mode) in _CLOSED:
            path.chmod(stat.S_IMODE(status.st_mode) & ~0o077)  # defence: close-home


def bundled(name: str) -> Path:
    """Return the bundled top-level folder `name` (skills, themes), in a wheel and in a checkout."""
    package = Path(__file__).parent
    shipped = package / "_bundled" / name
    return shipped if shipped.is_dir() else package.parent / name


def work_dir_key(work_dir: Path) -> str:
    """Return the name of a work dir's folder under `sessions/` and `history/`: the MD5 of its path, as in Kimi CLI."""
    import hashlib

    return hashlib.md5(str(work_dir).encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()


def project_root(work_dir: Path, user_home: Path | None = None) -> Path:
    """Return the nearest folder upwards with a `.git`, else the work dir.

    The user's home counts as a project only for itself, since its subfolders are unrelated.
    """
    home = user_home or Path.home()
    for folder in (work_dir, *work_dir.parents):
        if folder == home and folder != work_dir:
            break
        if os.path.lexists(folder / ".git"):
            return folder
    return work_dir


def path_exists(path: str | Path) -> bool:
    """Whether the path leads to anything that can be reached.

    Never raises, as `Path.exists` does for a link that cannot be read or whose target has too long a name.
    """
    # defence: paths-of-any-kind
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: str | Path) -> bool:
    """Whether the path leads to a regular file that can be reached. Never raises."""
    # defence: files-of-any-kind
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | Path) -> bool:
    """Whether the path leads to a folder that can be reached. Never raises."""
    # defence: folders-of-any-kind
    return os.path.isdir(path)  # noqa: PTH112


def real_path(path: str | Path) -> Path:
    """Resolve the links of `path`. A link loop stays unresolved; `Path.resolve` fails on it before Python 3.13.

    So does a link that cannot be read, as `/proc/PID/root` of another user: commands can make one that leads there.
    Raises ValueError for a NUL character.
    """
    for _ in range(_MAX_RESOLVED):
        try:
            return Path(os.path.realpath(path))  # defence: links-that-lead-back
        except OSError as error:  # a folder took the place of a link since it was seen
            if error.errno not in (errno.EINVAL, errno.ENOENT):  # defence: links-that-are-replaced
                break
    return _beyond_unreadable_links(Path.cwd() / path)


def _beyond_unreadable_links(path: str | Path) -> Path:
    """Resolve the links of an absolute path, except those that cannot be read."""
    found, followed = "/", 0
    names = os.fspath(path).split("/")[::-1]
    while names:
        name = names.pop()
        if name in ("", ".", ".."):
            found = os.path.dirname(found) if name == ".." else found  # noqa: PTH120
            continue
        step, target = os.path.join(found, name), None  # noqa: PTH118
        if followed < _MAX_FOLLOWED and os.path.islink(step):  # noqa: PTH114
            with suppress(OSError):  # defence: links-that-cannot-be-read
                target = os.readlink(step)  # noqa: PTH115
        if target is None:
            found = step
            continue
        followed += 1
        found = "/" if target.startswith("/") else found
        names += target.split("/")[::-1]
    return Path(found)


def find_program(name: str, *, outside: Iterable[Path]) -> str | None:
    """Return the first program of this name on PATH outside the folders in `outside`, where commands of the agent could
    have put it.
    """
    closed = [real for folder in outside if (real := real_path(folder)) != Path("/")]
    for entry in os.environ.get("PATH", os.defpath).split(os.pathsep):
        program = shutil.which(name, path=entry) if entry.startswith("/") else None
        if program is not None:
            places = (real_path(Path(program).parent), real_path(Path(program)))
            inside = any(_is_written(place, closed) for place in places)
            if not inside:  # defence: planted-programs
                return program
    return None


def path_outside(folders: Iterable[Path]) -> str:
    """Return PATH without the entries that lead into these folders, and without relative ones."""
    closed = [real for folder in folders if (real := real_path(folder)) != Path("/")]
    entries = [entry for entry in os.environ.get("PATH", os.defpath).split(os.pathsep) if entry.startswith("/")]
    return os.pathsep.join(entry for entry in entries if not _is_written(real_path(Path(entry)), closed))


def _is_written(place: Path, folders: Iterable[Path]) -> bool:
    """Whether commands that may write in these folders may write there. Of a home, they may not write `~/bin` and what
    is hidden, such as `~/.local/bin`.
    """
    try:
        home = real_path(Path.home())
    except RuntimeError:
        home = None
    if home is None or home not in place.parents:
        return any(place.is_relative_to(folder) for folder in folders)
    first = place.relative_to(home).parts[0].lower()
    is_kept = first == "bin" or (first.startswith(".") and first not in HARMLESS_IN_A_HOME)
    return any(place.is_relative_to(folder) and not (is_kept and home.is_relative_to(folder)) for folder in folders)


def shown(path: Path) -> str:
    """Return `path` with the user's home as `~`."""
    try:
        return str(Path("~") / path.relative_to(Path.home())) if path != Path.home() else "~"
    except (ValueError, RuntimeError):
        return str(path)
