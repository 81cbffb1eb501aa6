"""Builds the bubblewrap command line: read-only, writable and hidden paths.

Everything is read-only except the workspace folders, the configured folders, and folders for temporary files of the
session's own. The user's home shows only what tools need (`sandbox_home`), `/run` only what resolves hosts. Within the
writable folders, the files that control Git and kimi-tui are read-only again: all of `.git`, or, for a line of Git's
own commands, only the hooks. A later mount covers an earlier one, so the order matters.
"""

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from secrets import token_hex
from typing import Literal

from kimi_tui import paths
from kimi_tui.config.schema import SandboxConfig
from kimi_tui.paths import is_file, is_folder, path_exists, real_path
from kimi_tui.tools.file_support.git_dirs import GitDir, git_dir_at, hook_targets_of_git_file, user_git_paths
from kimi_tui.tools.file_support.guarded_names import started_in
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.bwrap_mounts import Mount, with_prepared_folders, without_covered
from kimi_tui.tools.shell_support.program_files import (
    PYTHON,
    guarded_program_files,
    program_file,
    resolved_outside,
    resolved_without_links_in,
)
from kimi_tui.tools.shell_support.redacted_settings import redacted_mounts
from kimi_tui.tools.shell_support.sandbox_env import pnpm_store
from kimi_tui.tools.shell_support.sandbox_home import visible_entries, visible_for_git, visible_in_other_homes
from kimi_tui.tools.shell_support.unix_sockets import listening_sockets

_DEVICES = ("dri", "kfd", "kvm")
_NVIDIA = Path("/dev/nvidiactl")
"""Is there if another device of its kind is."""
_KERNEL_SETTINGS = ("sys", "sysrq-trigger", "irq", "bus", "fs", "mtrr")
ROOT_ONLY_PATHS = (
    *("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d"),
    *("/etc/ssl/private", "/etc/wireguard", "/etc/kubernetes", "/etc/NetworkManager/system-connections"),
    *("/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet", "/var/lib/rancher", "/var/lib/lxd"),
    *("/etc/letsencrypt", "/etc/krb5.keytab", "/etc/ipsec.secrets", "/etc/security/opasswd", "/etc/pki/tls/private"),
    *("/etc/mysql/debian.cnf", "/var/lib/mysql", "/var/lib/postgresql", "/var/lib/private", "/var/cache/debconf"),
    *("/var/lib/incus", "/var/spool/cron", "/var/spool/mail", "/var/mail", "/var/backups"),
)
"""Paths that only root can read, and that commands run as root should not read."""
_HOST_NAMES = ("/etc/resolv.conf", "/etc/hosts", "/etc/localtime", "/etc/mtab")
VISIBLE_APP_FOLDERS = ("skills", "themes")
"""Folders of kimi-tui's home that a command in the sandbox can read."""
_MAX_REPOSITORIES = 100
_MAX_MOUNTED = 40_000
"""Bytes of the paths of repositories, with the folders above them: a command can make one thousands of folders deep."""
_MAX_GUARDED = 80_000
"""Bytes of guarded paths, with the folders above them; Linux takes 128 KiB for one argument. The rest of the
repositories is read-only.
"""
_MOUNT_CHECK = program_file("mount_check.py")
_MAX_ATTEMPTS = 4
_ROOT_CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER")


Tier = Literal["full", "files", "none"]
"""What confines commands: bubblewrap, Landlock (files, and TCP where it is off), or nothing."""


@dataclass(frozen=True, slots=True)
class SandboxFeatures:
    """The features of bubblewrap that work here, and the session's folders.

    `private` has the folders `tmp` and `var-tmp`. `read_only`: bubblewrap starts where only the writable folders can
    be written. `own_users`: the sandbox has a user namespace that allows no nested ones. `hidden` are files or folders
    with keys, `writable` more folders of our own, `foreign` the sockets that listened before the session's first
    command. `join` are arguments before bubblewrap itself that join the session's network, where there is one, else
    `scope` are those that confine sockets. `pnpm_store` stands for pnpm's store.
    """

    program: str
    private: Path
    tier: Tier = "full"
    own_users: bool = True
    read_only: bool = True
    hidden: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    foreign: frozenset[Path] = frozenset()
    join: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    pnpm_store: Path | None = None


def sandbox_argv(
    box: SandboxFeatures,
    config: SandboxConfig,
    workspace: Workspace,
    *,
    git_alone: bool = False,
    repositories: Iterable[Path] = (),
    closed_places: Iterable[Path] = (),
    unstarted: Path,
) -> list[str]:
    """Return the arguments before the command itself. `git_alone`: only Git itself writes in `.git`, which is read-only
    without it; `repositories` are the `.git` found in the workspace, `closed_places` more paths that stay read-only;
    `unstarted` is a file that stays if the command was not started.
    """
    home = real_path(Path.home())
    repositories = tuple(repositories)
    git_dirs = git_dirs_of(workspace, repositories, git_alone=git_alone)
    ours = [
        *_existing(folders_without_home(workspace)),
        *configured_paths(config.writable, config, workspace),
        *existing_paths(box.writable),
    ]
    ours = list(dict.fromkeys((*ours, *folders_of_home(home, workspace))))
    temp = _temp_roots(home, ours)
    readable = configured_paths(config.readable, config, workspace)
    mounts: list[Mount] = [("--ro-bind", "/", "/"), ("--dev", "/dev"), ("--proc", "/proc")]
    for name in _KERNEL_SETTINGS:
        if os.path.lexists(f"/proc/{name}"):
            mounts.append(("--ro-bind", f"/proc/{name}", f"/proc/{name}"))  # defence: kernel-settings-read-only
    devices = [Path("/dev", name) for name in _DEVICES if os.path.lexists(f"/dev/{name}")]
    if os.path.lexists(_NVIDIA):
        devices += sorted(Path("/dev").glob("nvidia*"))  # hundreds of entries are searched
    mounts += (_as_it_is("--dev-bind", device) for device in devices)
    closed = _closed_folders(home)
    for folder in temp:
        mounts.append(("--bind", str(_own_temp(box, folder)), str(folder)))
    for folder in closed:
        mounts.append(("--tmpfs", str(folder)))  # defence: hide-the-home
    settings = shown_in_home(home, workspace)
    named = [one.path for one in git_dirs if not one.linked]  # defence: links-open-nothing
    shown = [*settings, *named, *host_files(), *readable]
    if home not in closed:
        settings, shown = [], readable
    visible = [_shown(path, ours) for path in shown]
    mounts += visible
    if home in closed and not any(box.private.is_relative_to(folder) for folder in ours):
        mounts += redacted_mounts(home, workspace.kept_folders, box.private, readable=readable)
    if box.pnpm_store is not None and home in closed:
        mounts += _pnpm_store(box.pnpm_store, home, shown)
    for folder in (*ours, *(one.path for one in git_dirs if one.writable)):
        mounts.append(_as_it_is("--bind", folder))
    # defence: hooks-of-git-files-that-prove-nothing
    kept = (*_hooks_by_git_files(workspace, repositories), *closed_places)
    mounts += _guarded(box, workspace, git_dirs, ours, named, kept=kept)
    mounts += _hidden(box, home, readable, ours)
    mounted = [path for path, mount in zip(shown, visible, strict=True) if mount[0] != "--symlink"]
    mounts += _sockets(box, (*closed, *temp), mounted, ours, readable)
    mounts += (("--remount-ro", str(folder)) for folder in closed)
    mounts = _closed_last(without_covered(mounts))
    compared = _checked(box, mounts, (*ours, *named), unstarted)  # defence: mounts-of-git-directories-compared
    start = [*(box.join or box.scope), *compared, box.program, *_namespaces(box, config)]
    if not any(box.private.is_relative_to(folder) for folder in ours):
        copied = {str(path) for path in settings} - {str(path) for path in readable}
        mounts = with_prepared_folders(mounts, box.private, copied=copied)
    argv = [*start, *(word for mount in mounts for word in mount)]
    argv += ["--remount-ro", "/proc"]  # defence: no-command-outlives-us
    return [*argv, "--chdir", str(workspace.work_dir), "--"]


def attempts(box: SandboxFeatures, make: Callable[[Path], list[str]]) -> Iterator[list[str]]:
    """Yield a command line from `make`, which gets the path for `unstarted`; and another one, a few times, as long as
    the command was not started: a folder that the sandbox mounts was replaced or deleted meanwhile.
    """
    for _ in range(_MAX_ATTEMPTS):
        unstarted = box.private / f"unstarted-{token_hex(8)}"
        yield make(unstarted)
        if not unstarted.exists():  # defence: start-again-unless-started
            return
        unstarted.unlink(missing_ok=True)


def _closed_last(mounts: Sequence[Mount]) -> list[Mount]:
    """Return the mounts with those last that make a folder read-only: nothing can be mounted in it afterwards."""
    opened = [mount for mount in mounts if mount[0] != "--remount-ro"]
    last = {mount[-1]: mount[0] for mount in opened}
    # defence: closed-when-all-is-mounted
    return opened + [mount for mount in mounts if mount[0] == "--remount-ro" and last.get(mount[-1]) == "--tmpfs"]


def _checked(box: SandboxFeatures, mounts: Iterable[Mount], written: Iterable[Path], unstarted: Path) -> list[str]:
    """Return the arguments that compare the mounts within writable folders before the command starts."""
    folders = {str(one) for one in written}
    below = tuple(f"{folder.rstrip('/')}/" for folder in folders)
    places = [
        place
        for kind, *source, place in mounts
        if kind in ("--bind", "--ro-bind") and source == [place] and (place in folders or place.startswith(below))
    ]
    bound = {source[0] for kind, *source, _ in mounts if kind == "--bind"} if box.read_only else set[str]()
    kept = [place for place in bound if not any(str(above) in bound for above in Path(place).parents)]
    lines = ("\n".join(map(_escaped, sorted(paths))) for paths in (places, kept))
    return [PYTHON, "-I", "-S", str(_MOUNT_CHECK), *lines, str(unstarted)]


def _escaped(place: str) -> str:
    return place.replace("\\", "\\134").replace("\n", "\\012")


def _as_it_is(kind: str, path: Path) -> Mount:
    return (kind, str(path), str(path))


def _shown(path: Path, written: Sequence[Path]) -> Mount:
    """Show a file or folder that commands cannot replace; what is in a written folder stays a link, which leads no
    further than the command itself can see.
    """
    place = resolved_outside(path, written)
    if place is None:
        return ("--symlink", str(real_path(path)), str(path))  # defence: links-to-written-folders-stay-links
    return ("--ro-bind", str(place), str(path))


def git_dirs_of(workspace: Workspace, repositories: Iterable[Path], *, git_alone: bool) -> list[GitDir]:
    around = filter(None, map(workspace.git_entry, workspace.kept_folders))
    found = map(git_dir_at, dict.fromkeys((*around, *_mounted(repositories))))
    dirs: dict[Path, GitDir] = {}
    for one in filter(None, found):
        same = dirs.get(one.path, one)  # defence: every-git-file-of-a-repository
        guarded = tuple(dict.fromkeys((*same.guarded, *one.guarded)))
        dirs[one.path] = replace(one, guarded=guarded, files=tuple(dict.fromkeys((*same.files, *one.files))))
    if not git_alone:  # defence: git-directories-read-only
        return list(map(_closed, dirs.values()))
    own = [folder / ".git" for folder in workspace.kept_folders]
    opened = [replace(one, guarded=_kept_from_git(one, own)) for one in dirs.values()]
    room = _MAX_GUARDED
    for place, one in enumerate(opened):
        room -= sum(len(os.fsencode(path)) * 2 for path in one.guarded)
        if room < 0:
            opened[place] = _closed(one)  # defence: room-for-guarded-paths
    return opened


def _mounted(repositories: Iterable[Path]) -> Iterator[Path]:
    above: set[Path] = set()
    room = _MAX_MOUNTED
    for path in islice(repositories, _MAX_REPOSITORIES):  # defence: repositories-that-are-mounted
        new = {path, *path.parents} - above
        size = sum(len(os.fsencode(one)) for one in new)
        if size <= room:  # defence: room-for-deep-repositories
            room -= size
            above |= new
            yield path


def _hooks_by_git_files(workspace: Workspace, repositories: Iterable[Path]) -> Iterator[Path]:
    """Yield the folders for hooks in worktrees whose `.git` is a file or a link, trusted or not."""
    around = filter(None, map(workspace.git_entry, workspace.kept_folders))
    for entry in dict.fromkeys((*around, *_mounted(repositories))):
        yield from hook_targets_of_git_file(entry)


def _closed(git: GitDir) -> GitDir:
    return replace(git, writable=False, guarded=(git.path, *_outside_of(git)), without_hooks=False)


def _outside_of(git: GitDir) -> list[Path]:
    """Return the guarded paths that are not in the Git directory: `.git` files, and hooks in the worktree."""
    real = ((path, real_path(path)) for path in (*git.guarded, *git.files))
    return [path for path, place in real if not place.is_relative_to(git.path)]  # defence: hooks-in-the-worktree


def _kept_from_git(git: GitDir, own: Collection[Path]) -> tuple[Path, ...]:
    """Return what Git's own daily commands need not write: no files of worktrees, as mounts block removal, but for
    those of the workspace (`own`).
    """
    removable = [path for path in git.files if path not in own]  # defence: git-file-of-the-workspace
    return tuple(
        path
        for path in git.guarded
        if path.name not in ("config", "config.worktree")
        and path not in removable
        and not path.is_relative_to(git.path / "worktrees")
    )


def _namespaces(box: SandboxFeatures, config: SandboxConfig) -> list[str]:
    argv = ["--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]  # defence: pid-namespace
    argv += ["--unshare-uts", "--unshare-cgroup-try"]
    if box.own_users:
        argv += ["--unshare-user", "--disable-userns"]
    if os.geteuid() == 0:
        for name in _ROOT_CAPABILITIES:
            argv += ["--cap-add", f"CAP_{name}"]
    if not config.network and not box.join:
        argv.append("--unshare-net")
    return argv


def _temp_roots(home: Path, ours: Sequence[Path]) -> list[Path]:
    """Return the folders for temporary files that a private one replaces: none that contains the home, or is ours."""
    roots = existing_paths(("/tmp", "/var/tmp", tempfile.gettempdir()))
    kept = [root for root in roots if not any(root.is_relative_to(folder) for folder in (*ours, home))]
    return [root for root in kept if not home.is_relative_to(root) or root in (Path("/tmp"), Path("/var/tmp"))]


def _own_temp(box: SandboxFeatures, folder: Path) -> Path:
    return box.private / ("var-tmp" if folder == Path("/var/tmp") else "tmp")


def temp_folders(box: SandboxFeatures, config: SandboxConfig, workspace: Workspace) -> dict[Path, Path]:
    """Map folders for temporary files to those that a command sees instead; shown folders map to themselves."""
    shown = configured_paths((*config.writable, *config.readable), config, workspace)
    roots = _temp_roots(real_path(Path.home()), (*workspace.kept_folders, *shown))
    return {root: _own_temp(box, root) for root in roots} | {path: path for path in (*shown, *box.writable)}


def _closed_folders(home: Path) -> list[Path]:
    """Return the folders that are empty inside except for what is shown: homes and `/run`, outermost first."""
    found = existing_paths(("/run", "/home", "/root", home))
    closed = [folder for folder in found if is_folder(folder) and os.access(folder, os.R_OK | os.X_OK)]
    return [folder for folder in sorted(closed, key=lambda path: len(path.parts)) if folder != Path("/")]


def shown_in_home(home: Path, workspace: Workspace) -> list[Path]:
    programs = os.environ.get("PATH", "").split(":")
    shown = dict.fromkeys(visible_entries(home, workspace.kept_folders, programs))
    for path in visible_for_git(home, workspace.kept_folders):
        if shown.keys().isdisjoint((path, *path.parents)):
            shown[path] = None
    return list(dict.fromkeys([*shown, *visible_in_other_homes(home, programs)]))


def folders_of_home(home: Path, workspace: Workspace) -> list[Path]:
    """Return the writable folders if the home is in the workspace: its folders, except those that start programs or
    hold a folder of PATH.

    The home itself stays read-only, since a new file there can be one that a shell or the desktop reads.
    """
    if not any(home.is_relative_to(folder) for folder in workspace.kept_folders):
        return []
    names = [entry.name for entry in os.scandir(home) if entry.is_dir(follow_symlinks=False)]
    programs = (real_path(entry) for entry in os.environ.get("PATH", "").split(":") if entry)
    # defence: programs-in-the-home
    closed = {one.relative_to(home).parts[0].lower() for one in programs if home in one.parents}
    closed |= {"bin", "library", "snap", "applications"}
    return [home / name for name in sorted(names) if not name.startswith(".") and name.lower() not in closed]


def folders_without_home(workspace: Workspace) -> list[Path]:
    """Return the folders of the workspace that are writable as a whole: not the home, nor one that contains it."""
    home = real_path(Path.home())
    return [folder for folder in workspace.kept_folders if not home.is_relative_to(folder)]


def other_written_folders(config: SandboxConfig, workspace: Workspace) -> list[Path]:
    """Return the writable folders beside `folders_without_home`, with the Git directory of a home in the workspace."""
    home = real_path(Path.home())
    found = [*configured_paths(config.writable, config, workspace), *folders_of_home(home, workspace)]
    named = (workspace.git_dir(folder) for folder in workspace.kept_folders if home.is_relative_to(folder))
    return found + [git.path for git in named if git is not None and git.writable]


def _pnpm_store(own: Path, home: Path, shown: Iterable[Path]) -> Iterator[Mount]:
    """Yield the mount of our own store over the user's. Its place is the same, as `node_modules` names it, and pnpm
    installs all anew where it finds another name.
    """
    place = pnpm_store()
    can_be_made = path_exists(place) or not any(place.is_relative_to(path) for path in shown)
    if can_be_made and home in place.parents:
        yield ("--bind", str(own), str(place))


def host_files() -> Iterator[Path]:
    """Yield files for resolving hosts that are links into `/run`."""
    for name in _HOST_NAMES:
        real = real_path(name)
        if real.is_relative_to("/run") and is_file(real):
            yield real


def _hidden(box: SandboxFeatures, home: Path, readable: Sequence[Path], written: Sequence[Path]) -> Iterator[Mount]:
    """Yield mounts over files with keys: ours, and, for root, the system's."""
    ours = real_path(paths.home())
    if is_folder(ours) and ours != home:
        yield ("--tmpfs", str(ours))
        for name in VISIBLE_APP_FOLDERS:
            if is_folder(ours / name):
                yield _shown(ours / name, written)
        for folder in box.writable:
            if folder.is_relative_to(ours):
                yield _as_it_is("--bind", folder)
        yield ("--remount-ro", str(ours))
    for path in (
        *existing_paths(ROOT_ONLY_PATHS),
        *existing_paths(Path("/etc/ssh").glob("*_key")),
        *existing_paths(box.hidden),
    ):
        if path in readable or not os.access(path, os.R_OK):
            continue
        if is_folder(path):
            yield ("--tmpfs", str(path))
            yield ("--remount-ro", str(path))
        else:
            yield ("--ro-bind", "/dev/null", str(path))


def _sockets(
    box: SandboxFeatures, closed: Sequence[Path], shown: Sequence[Path], ours: Sequence[Path], readable: Sequence[Path]
) -> Iterator[Mount]:
    """Yield mounts over sockets of other programs; in the writable folders, over those from before the session, or, as
    the list has only sockets of this machine's network, over all where commands have another.
    """
    for path in listening_sockets():
        if path in readable:
            continue
        if any(path.is_relative_to(folder) for folder in ours):
            seen = path in box.foreign or bool(box.join)  # defence: sockets-of-other-networks
        else:
            hidden = any(path.is_relative_to(folder) for folder in closed)
            seen = not hidden or any(path.is_relative_to(entry) for entry in shown)
        if seen:
            yield ("--ro-bind", "/dev/null", str(path))
    for path in readable:
        if path.is_socket():
            yield _as_it_is("--bind", path)


def _guarded(
    box: SandboxFeatures,
    workspace: Workspace,
    git_dirs: Iterable[GitDir],
    ours: Sequence[Path],
    named: Sequence[Path],
    *,
    kept: Iterable[Path],
) -> Iterator[Mount]:
    """Yield mounts for the read-only paths within writable folders (`ours`) and Git directories (`named`).

    A folder above a mount point could be renamed and replaced, so each one up to the root is a mount too; so is each
    writable folder within another.
    """
    guards = [folder / name for folder in workspace.kept_folders for name in started_in(folder)]
    guards += sorted(workspace.protected)
    guards += user_git_paths()  # defence: git-settings-of-the-user
    guards += kept
    for git in git_dirs:
        guards += git.guarded  # defence: git-settings-read-only
    guards += [] if box.private in ours else [box.private]
    roots = frozenset((*ours, *named))
    real = [guard for guard in existing_paths(guards) if guard in roots or not roots.isdisjoint(guard.parents)]
    real += guarded_program_files((*ours, *named))  # defence: own-program-read-only
    steps = {folder for folder in ours if not roots.isdisjoint(folder.parents)}  # defence: writable-within-writable
    for guard in (*real, *steps):
        above = guard.parents
        for place, folder in enumerate(above):
            if folder in roots:
                steps.update(above[:place])
    for step in sorted(steps, key=lambda path: len(path.parts)):
        yield _as_it_is("--bind", step)  # defence: mount-each-folder
    # A worktree may be in the folder of a bare repository.
    worktrees = {file.parent for git in git_dirs for file in git.files if git.path in file.parent.parents}
    kinds = {**dict.fromkeys(real, "--ro-bind"), **dict.fromkeys(worktrees, "--bind")}
    for path in sorted(kinds, key=lambda path: len(path.parts)):
        yield _as_it_is(kinds[path], path)
    for git in git_dirs:
        if git.without_hooks:
            empty = str(git.path / "hooks")
            yield ("--tmpfs", empty)
            yield ("--remount-ro", empty)


def configured_paths(listed: Iterable[Path], config: SandboxConfig, workspace: Workspace) -> list[Path]:
    """Return the existing configured paths as real paths, except those that a link in a writable folder redirects: a
    command could have made it.
    """
    writable = [path.expanduser() for path in config.writable]
    folders = [*workspace.folders, *writable, *map(real_path, writable)]
    found: list[Path] = []
    for path in (path.expanduser() for path in listed):
        real = resolved_without_links_in(path, folders)  # defence: configured-links-open-nothing
        if real is not None:
            found.append(real)
    return _existing(found)


def _existing(real: Iterable[Path]) -> list[Path]:
    """Return the existing ones of real paths, which are not resolved again: a command may have put a link there."""
    return [path for path in dict.fromkeys(real) if path_exists(path)]


def existing_paths(found: Iterable[str | Path]) -> list[Path]:
    """Return the existing paths as real paths, without duplicates."""
    real: dict[Path, None] = {}
    for path in found:
        if os.path.lexists(path):
            real[real_path(path)] = None
    return [path for path in real if path_exists(path)]
