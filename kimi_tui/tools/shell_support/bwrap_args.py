"""Builds the bubblewrap command line: read-only, writable and hidden paths.

Everything is read-only except the workspace folders, the configured folders, and temp. Within these, the files that
control Git and kimi-tui are read-only again: all of `.git`, or, for a command that declares that it runs Git, only what
could make Git run a program. A later mount covers an earlier one, so the order matters.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from kimi_tui import paths
from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.file_support.git_dirs import GitDir, git_dir_of
from kimi_tui.tools.file_support.workspace import Workspace

_DEVICES = ("nvidia*", "dri", "kfd", "kvm")
_DOORS = (
    *("/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/dbus/system_bus_socket"),
    *("/run/systemd/private", "/run/screen"),
)
"""Sockets of services that could run a program outside the sandbox."""
_DOORS_IN_TEMP = ("tmux-*", "screen*", "dbus-*", ".X11-unix")
_KEYS = ("config.yaml", "config.yml", "config.toml", "config.json", "mcp.json", "credentials*", "mcp-oauth*", "*.key")
_ROOTS_CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID")


def sandbox_argv(program: str, config: SandboxConfig, workspace: Workspace, *, with_git: bool = False) -> list[str]:
    """Return the arguments before the command itself; `with_git`: the command runs Git."""
    temp = _real(("/tmp", "/var/tmp", tempfile.gettempdir()))
    ours = _real((*workspace.folders, *(path.expanduser() for path in config.writable)))
    git_dirs = list(filter(None, (git_dir_of(folder) for folder in workspace.folders)))
    if not with_git:
        git_dirs = [GitDir(git.path, False, (git.path,), False) for git in git_dirs]
    argv = [program, "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]  # defence: pid-namespace
    if os.geteuid() == 0:
        for name in _ROOTS_CAPABILITIES:
            argv += ["--cap-add", f"CAP_{name}"]
    if not config.network:
        argv.append("--unshare-net")
    argv += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    for pattern in _DEVICES:
        for device in sorted(Path("/dev").glob(pattern)):
            argv += ["--dev-bind", str(device), str(device)]
    for folder in (*temp, *ours, *(git.path for git in git_dirs if git.writable)):
        argv += ["--bind", str(folder), str(folder)]
    argv += _guarded(workspace, git_dirs, ours)
    argv += _closed(temp)
    argv += ["--chdir", str(workspace.work_dir), "--"]
    return argv


def _closed(temp: Iterable[Path]) -> Iterator[str]:
    """Hide sockets to outside services, and files with kimi-tui's keys."""
    doors = [Path(door) for door in (*_DOORS, f"/run/user/{os.getuid()}")]
    doors += [door for folder in temp for pattern in _DOORS_IN_TEMP for door in folder.glob(pattern)]
    keys = [file for pattern in _KEYS for file in sorted(paths.home().glob(pattern))]
    for path in _real((*doors, *keys)):
        if path.is_dir():
            yield from ("--tmpfs", str(path))
        else:
            yield from ("--ro-bind", "/dev/null", str(path))  # defence: hide-our-keys
    agent = os.environ.get("SSH_AUTH_SOCK", "")
    if agent and Path(agent).exists():
        yield from ("--bind", agent, agent)


def _guarded(workspace: Workspace, git_dirs: Iterable[GitDir], ours: Iterable[Path]) -> Iterator[str]:
    """Yield mounts for the read-only paths within writable folders.

    A folder above a mount point could be renamed and replaced, so each one up to the root is a mount too.
    """
    guards = [folder / ".kimi-tui" for folder in workspace.folders]
    guards += sorted(workspace.protected)
    for git in git_dirs:
        guards += git.guarded  # defence: git-settings-read-only
    real = _real(guards)
    steps: set[Path] = set()
    for guard in real:
        for root in ours:
            if guard.is_relative_to(root):
                steps.update(folder for folder in guard.parents if folder.is_relative_to(root) and folder != root)
    for step in sorted(steps, key=lambda path: len(path.parts)):
        yield from ("--bind", str(step), str(step))  # defence: mount-each-folder
    for guard in sorted(real, key=lambda path: len(path.parts)):
        yield from ("--ro-bind", str(guard), str(guard))
    for git in git_dirs:
        if git.without_hooks:
            hooks = str(git.path / "hooks")
            yield from ("--tmpfs", hooks, "--remount-ro", hooks)


def _real(found: Iterable[str | Path]) -> list[Path]:
    """Return the existing paths as real paths, without duplicates."""
    real: dict[Path, None] = {}
    for path in found:
        if os.path.lexists(path):
            real[Path(os.path.realpath(path))] = None
    return [path for path in real if path.exists()]
