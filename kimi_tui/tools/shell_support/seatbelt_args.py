"""Builds the profile for macOS's `sandbox-exec`. It has not run on a Mac yet: only its text is tested.

Everything is denied except what a list allows. A later rule overrides an earlier one, so what is denied within
something allowed comes after it. Paths are real paths, which is what the kernel compares.
"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from kimi_tui import paths
from kimi_tui.config.schema import SandboxConfig
from kimi_tui.paths import real_path
from kimi_tui.tools.file_support.git_dirs import user_git_paths
from kimi_tui.tools.file_support.guarded_names import started_in
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.bwrap_args import (
    VISIBLE_APP_FOLDERS,
    SandboxFeatures,
    configured_paths,
    existing_paths,
    folders_of_home,
    git_dirs_of,
    shown_in_home,
)
from kimi_tui.tools.shell_support.program_files import guarded_program_files

_HOMES = (Path("/Users"), Path("/var/root"), Path("/private/var/root"))
_SERVICES = (
    *("com.apple.system.opendirectoryd.libinfo", "com.apple.system.opendirectoryd.membership"),
    *("com.apple.system.notification_center", "com.apple.system.logger", "com.apple.logd", "com.apple.trustd.agent"),
    *("com.apple.cfprefsd.daemon", "com.apple.cfprefsd.agent", "com.apple.PowerManagement.control"),
)
"""Services that programs look up at start. None of them starts another program."""
_DEVICES = ("null", "zero", "random", "urandom", "tty", "ptmx", "dtracehelper", "autofs_nowait")
_START = """\
(version 1)
(deny default)
(allow process-fork)
(allow process-exec)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow system-socket)
(allow pseudo-tty)
(allow ipc-posix-sem)
(allow ipc-posix-shm)
(allow user-preference-read)
(allow file-ioctl (regex #"^/dev/(tty.*|ptmx)$"))
(allow file-read* (subpath "/"))
(allow file-write* (regex #"^/dev/(tty[a-z0-9]*|fd/[0-9]+)$"))"""
_OF_GIT = r'(regex #"/\.[gG][iI][tT]/(.*/)?(hooks|config|config\.worktree|commondir)(/.*)?$")'
_MOVES = "file-write-unlink"


def seatbelt_argv(
    program: str,
    box: SandboxFeatures,
    config: SandboxConfig,
    workspace: Workspace,
    *,
    git_alone: bool,
    repositories: Iterable[Path],
) -> list[str]:
    """Return the arguments before the command itself."""
    return [
        program,
        "-p",
        seatbelt_profile(box, config, workspace, git_alone=git_alone, repositories=repositories),
        "--",
    ]


def seatbelt_profile(
    box: SandboxFeatures,
    config: SandboxConfig,
    workspace: Workspace,
    *,
    git_alone: bool = False,
    repositories: Iterable[Path] = (),
) -> str:
    """Return the profile. `git_alone` and `repositories` are those of `bwrap_args.sandbox_argv`."""
    home, ours = real_path(Path.home()), real_path(paths.home())
    git_dirs = git_dirs_of(workspace, repositories, git_alone=git_alone)
    folders = [folder for folder in workspace.kept_folders if not home.is_relative_to(folder)]
    # They are not resolved again: a command may have put a link there.
    written = [*folders, *configured_paths(config.writable, config, workspace), *box.writable]
    written += folders_of_home(home, workspace)
    temp = existing_paths(("/tmp", "/var/tmp", tempfile.gettempdir()))
    written += [folder for folder in temp if not home.is_relative_to(folder)]
    git_written = [one.path for one in git_dirs if one.writable]
    readable = configured_paths(config.readable, config, workspace)
    guards = [folder / name for folder in workspace.folders for name in started_in(folder)]
    guards += [*user_git_paths(), *sorted(workspace.protected), *(guard for one in git_dirs for guard in one.guarded)]
    guards += guarded_program_files(written)
    lines = [_START, *(f'(allow mach-lookup (global-name "{name}"))' for name in _SERVICES)]
    lines += _rule("allow", "file-write*", map(Path, (f"/dev/{name}" for name in _DEVICES)), kind="literal")
    lines += _rule("deny", "file-read*", dict.fromkeys((*_HOMES, home)))
    lines += _rule("allow", "file-read-metadata", dict.fromkeys((*_HOMES, home, *home.parents)), kind="literal")
    seen = (*shown_in_home(home, workspace), *(one.path for one in git_dirs), *written)
    lines += _rule("allow", "file-read*", seen)
    lines += _rule("allow", "file-write*", (*written, *git_written))
    lines += _guarded(guards, (*written, *git_written), git_alone=git_alone)
    lines += _rule("deny", "file-read* file-write*", (ours, *box.hidden))
    lines += _rule("allow", "file-read*", (*(ours / name for name in VISIBLE_APP_FOLDERS), *box.writable, *readable))
    lines += _rule("allow", "file-write*", box.writable)
    if config.network:
        lines += ["(allow network-outbound (remote ip))", "(allow network* (local ip))"]
    lines += _sockets((*written, *readable))
    return "\n".join(lines) + "\n"


def _guarded(guards: Sequence[Path], written: Sequence[Path], *, git_alone: bool) -> Iterator[str]:
    """Yield rules that protect these paths, existing or not, in the writable folders; no folder above can be moved."""
    inside = [guard for guard in guards if any(guard.is_relative_to(root) for root in written)]
    yield from _rule("deny", "file-write*", inside)
    yield f"(deny file-write* {_OF_GIT})"
    if git_alone:
        yield r'(allow file-write* (regex #"/\.[gG][iI][tT]/config(\.lock)?$"))'
    above = {folder for guard in (*inside, *written) for folder in guard.parents}
    yield from _rule("deny", _MOVES, (*sorted(above), *written), kind="literal")


def _sockets(folders: Iterable[Path]) -> Iterator[str]:
    """Yield rules for Unix sockets in these folders."""
    for folder in folders:
        yield f"(allow network-bind (local unix-socket (subpath {_text(folder)})))"
        yield f"(allow network-outbound (remote unix-socket (subpath {_text(folder)})))"


def _rule(effect: str, what: str, places: Iterable[Path], *, kind: str = "subpath") -> Iterator[str]:
    filters = " ".join(f"({kind} {_text(place)})" for place in places if "\0" not in str(place))
    if filters:
        yield f"({effect} {what} {filters})"


def _text(path: Path) -> str:
    """Return the path as a string literal of the profile."""
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'
