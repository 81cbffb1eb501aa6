"""Detects from a command's output whether the sandbox obstructed it, and how to continue."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kimi_tui import paths
from kimi_tui.config.schema import SandboxConfig
from kimi_tui.paths import is_file, path_exists, real_path
from kimi_tui.tools.file_support.git_dirs import user_git_files
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.bwrap_args import Tier, shown_in_home

_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class StoppedConnection:
    """A connection that the sandbox's proxy did not make: it `refused`, or could not. `when` is in seconds of the
    monotonic clock.
    """

    host: str
    refused: bool
    when: float


_WRITING = re.compile(
    r"^(?!.*oom score).*read-only file system|device or resource busy|EROFS|^bwrap: |"
    r"(?<!site-packages )is not writ(?:e-?)?able\b|^(?:error|fatal): could not write config file|"
    r"could not lock config file|unable to create temporary|unpacker error|insufficient permission for adding",
    re.I | re.M,
)
_CONFIG = re.compile(r"could not (?:write|lock) config file", re.I)
_LOST = re.compile(
    r"could not (?:write|lock) config file|^curl: \(6\) |^npm err(?:or|!) .*\b(?:EAI_AGAIN|ENOTFOUND)\b|"
    r"^ERROR: .*\(from versions: none\)$|^(?:ssh|scp|fatal): .*could not resolve |^[^:\n]+: .*: read-only file system$|"
    r"\[Errno 30\] read-only file system: '|\bEROFS: read-only file system, |^curl: \(7\) |"
    r"^(?:docker: )?cannot connect to the docker daemon at |^error: gpg failed to sign the data$|"
    r"^\*\*\* Please tell me who you are\.$|\bno usable sandbox! |^fatal: could not read (?:username|password) for |"
    r"^To get started with GitHub CLI, please run: +gh auth login$|^You are not logged into any GitHub hosts\.",
    re.I | re.M,
)
"""Error messages in the output of a command that succeeded: another program was the last of its pipeline."""
_CLOSED = re.compile(r"permission denied", re.I)
_FORBIDDEN = re.compile(r"operation not permitted", re.I)
_TALKING = re.compile(
    r"could not resolve|name resolution|network is unreachable|name or service not known|getaddrinfo|"
    r"nodename nor servname|no such host|connection refused|couldn't connect to server|address family not supported|"
    r"\bEAI_AGAIN\b|\bENOTFOUND\b|\(from versions: none\)",
    re.IGNORECASE,
)
# defence: first-gpg-of-a-line
_SERVICES = re.compile(
    r"cannot connect to the docker daemon|docker daemon|failed to connect to (?:the )?(?:system |user )?(?:scope )?bus|"
    r"\$DBUS_SESSION_BUS_ADDRESS|cannot autolaunch|gpg failed to sign|"
    r"^(?>.*?gpg: ).*(?:agent|can't connect|can't create directory)|"
    r"no secret key|permission denied \(publickey|cannot open display|unable to open x display|"
    r"could not open a connection to your authentication agent|no private key found for public key|"
    r"host key verification failed|^fatal: could not read (?:username|password) for ",
    re.IGNORECASE | re.MULTILINE,
)
_IN_GIT = re.compile(r"(?:^|[\s/'\"])\.git/[^\n]*read-only file system", re.IGNORECASE | re.MULTILINE)
_LOCAL_PUSH = "transport 'file' not allowed"
_GIT_ALONE = (
    "a call with nothing but Git's own commands (no alias or script, variables and `$(...)` only in messages, not in "
    "the background, in no repository of `/tmp`), beside which programs only read and no file is written"
)
_GIT_READ_ONLY = f"`.git` is written only by {_GIT_ALONE}"
GIT_WAS_READ_ONLY = f"In this call Git could not write: {_GIT_READ_ONLY}; call Git's commands by themselves."
"""The hint for a command that has Git write beside something else: some of Git's commands fail without a word."""
_MAKING = re.compile(r"\bENOENT: no such file or directory, mkdir '(/[^'\n]+)'")
"""What Node says where the folder above cannot be written."""
_SEARCHES_FOR_PROCESSES = frozenset({"pkill", "killall", "pgrep", "pidof", "fuser", "lsof"})
_PROGRAMS_ON_PROCESSES = _SEARCHES_FOR_PROCESSES | {"kill"}
"""Programs that find a process of another command neither, and say nothing."""
_NO_PROCESS = re.compile(r"no such process|no process found|^(?:[^:\n]+: )*kill: usage: ", re.IGNORECASE | re.MULTILINE)
_OWN_PROCESSES = (
    "It ran in a sandbox, which shows a command only its own processes; TaskStop ends one in the background."
)
_HIDDEN = (
    "of the user's home it sees only tools and settings without secrets; the setting `sandbox.readable` shows more"
)
_TERMINALS = re.compile(r"pseudo-terminal|openpty|create window failed|out of pty devices", re.IGNORECASE)
_NAMESPACES = re.compile(r"unshare failed|no usable sandbox|failed to move to new namespace|newuidmap", re.IGNORECASE)
_MISSING = re.compile(
    r"no such file or directory|ENOENT|permission denied|not found|does not exist|not appear to be a git repository|"
    r"not a valid editable|cannot find|can't open|cannot open|failed to (?:read|open|load)",
    re.IGNORECASE,
)
_MISSED = re.compile(r"^[^:\n]+: .*: (?:no such file or directory|permission denied)$", re.IGNORECASE)
"""What a program says of a file that it could not open."""
_LOG_IN = re.compile(r"\b([a-z]{2,20}) (?:auth )?(?:login|adduser|configure)\b")
"""How a program says that nobody logged in, with its name."""
_LOGINS = {
    "aws": ".aws",
    "az": ".azure",
    "docker": ".docker/config.json",
    "doctl": ".config/doctl",
    "fly": ".fly",
    "gcloud": ".config/gcloud",
    "gh": ".config/gh/hosts.yml",
    "glab": ".config/glab-cli",
    "hf": ".cache/huggingface/token",
    "npm": ".npmrc",
}
"""Where programs keep in the home who is logged in."""
_NO_IDENTITY = re.compile(r"^\*\*\* Please tell me who you are\.$", re.MULTILINE)
_NO_PROGRAM = re.compile(r"(?:^|: )([\w.+-]+): (?:command )?not found$", re.MULTILINE)
_CROSS_DEVICE = re.compile(r"cross-device link|\bEXDEV\b", re.IGNORECASE)
_ABSOLUTE = re.compile(r"(?<![\w.~-])/[^\s'\":,;`)]+")
_RELATIVE = re.compile(r"(?<![\w./-])(?:\.\./)+[^\s'\":,;)]*")


def hint(
    output: str,
    config: SandboxConfig,
    workspace: Workspace,
    *,
    tier: Tier = "full",
    programs: Iterable[str | None] = (),
    stopped_connections: Sequence[StoppedConnection] = (),
) -> str | None:
    """Return a hint for the model about a command that ran `programs`; None if the sandbox does not seem to be the
    cause.
    """
    proxied = not config.network and config.hosts == "ask"
    refused = _hosts(each for each in stopped_connections if each.refused)
    if proxied and refused:
        return (
            f"It ran in a sandbox that reaches only hosts that the user allowed, by https, and not {refused}. "
            "The user can allow one by a rule `Network(HOST)` in `permissions.allow`."
        )
    silent = not output.strip() and not _PROGRAMS_ON_PROCESSES.isdisjoint(programs)
    if tier == "full" and (silent or _NO_PROCESS.search(output)):
        return _OWN_PROCESSES
    if _SERVICES.search(output):
        stopped = (
            "it reaches no keys, agents and services of the user (ssh, gpg, docker, dbus, a display); the setting "
            "`sandbox.readable` shows the socket of one"
        )
    elif missed := _missed_network(output, config, stopped_connections, tier=tier) or _missed_settings(
        output, workspace
    ):
        stopped = missed
    elif _NAMESPACES.search(output):
        stopped = "it allows no namespaces in it (a browser can run without its own sandbox, by `--no-sandbox`)"
    elif missed := _missed_git(output):
        stopped = missed
    elif tier == "files" and _TERMINALS.search(output):
        stopped = "it can open no terminals"
    elif tier == "files" and _CLOSED.search(output) and _misses_something_hidden(output, config, workspace):
        stopped = _HIDDEN
    elif (
        _WRITING.search(output)
        or _FORBIDDEN.search(output)
        or (tier == "files" and _CLOSED.search(output))
        or _makes_a_folder_elsewhere(output, config, workspace)
    ):
        folders = ", ".join(paths.shown(folder) for folder in (*workspace.folders, *config.writable))
        stopped = (
            f"it can write only in {folders} and the folders for temporary files, and in `.git` only by {_GIT_ALONE}; "
            "the setting `sandbox.writable` adds folders"
        )
    elif (
        _misses_something_hidden(output, config, workspace)
        or _misses_a_login(output, config, workspace)
        or (tier == "full" and _misses_a_program(output))
    ):
        stopped = _HIDDEN
    elif tier == "full" and _CROSS_DEVICE.search(output):
        stopped = (
            "no file can be linked or renamed into a repository, out of one, or between folders that it can write "
            "(it can be copied and removed)"
        )
    elif tier == "full" and _misses_something_temporary(output, workspace):
        stopped = "it has folders for temporary files of its own, without what others put into `/tmp`"
    else:
        return None
    if config.outside == "never":
        return f"It ran in a sandbox: {stopped}. The user's settings allow nothing outside of it."
    return (
        f"It ran in a sandbox: {stopped}. If that is why it failed, call again with `outside_sandbox`; "
        "the user is asked."
    )


def _missed_git(output: str) -> str | None:
    """Return what Git could not write in its directory; None if it could."""
    if _CONFIG.search(output):
        return (
            f"Git's settings are written only by {_GIT_ALONE}; and `git config` sets only those that start nothing, "
            "such as `user.name`"
        )
    if _IN_GIT.search(output):
        return f"{_GIT_READ_ONLY}; call Git's commands by themselves"
    if _LOCAL_PUSH in output:
        return "a push reaches no repository on this machine, as the hooks there would run"
    return None


def _missed_network(
    output: str, config: SandboxConfig, stopped_connections: Sequence[StoppedConnection], *, tier: Tier
) -> str | None:
    proxied = not config.network and config.hosts == "ask"
    if stopped_connections:
        hosts = _hosts(stopped_connections)
        if proxied:
            return f"its proxy did not reach {hosts} (unknown, private, or refused by the proxy of `HTTPS_PROXY`)"
        return f"it has no network, so {hosts} could not be reached"
    if config.network or _TALKING.search(output) is None:
        return None
    reached = "it reaches only hosts that the user allowed, by https" if proxied else "it has no network"
    return f"{reached}, and `localhost` is its own" if tier == "full" else reached


def unfinished(
    stopped_connections: Iterable[StoppedConnection], programs: Iterable[str | None] = (), *, tier: Tier = "full"
) -> str | None:
    """Return what a command that ran `programs` and succeeded did not reach; None if it reached everything."""
    hosts = _hosts(stopped_connections)
    if hosts:
        return f"While it ran, the sandbox stopped connections to {hosts}."
    return _OWN_PROCESSES if tier == "full" and not _SEARCHES_FOR_PROCESSES.isdisjoint(programs) else None


def _hosts(stopped_connections: Iterable[StoppedConnection]) -> str:
    names = list(dict.fromkeys(f"`{each.host}`" for each in stopped_connections))
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return ", ".join(names[:_MAX_NAMED]) + more


def _makes_a_folder_elsewhere(output: str, config: SandboxConfig, workspace: Workspace) -> bool:
    """Whether Node could not make a folder outside of the writable ones."""
    writable = [*workspace.folders, *(path.expanduser() for path in config.writable)]
    writable += [Path("/tmp"), Path("/var/tmp"), Path("/dev"), Path(tempfile.gettempdir())]
    made = map(Path, _MAKING.findall(output))
    return any(not any(path.is_relative_to(folder) for folder in writable) for path in made)


def reports_failed_write(output: str) -> bool:
    """Whether the output reports a failed write, though the command may have succeeded."""
    return _LOST.search(output) is not None


def reports_hidden_file(output: str, config: SandboxConfig, workspace: Workspace) -> bool:
    """Whether a program could not open a hidden file, though the command may have succeeded."""
    return _misses_something_hidden(output, config, workspace, said=_MISSED)


def _misses_something_hidden(
    output: str, config: SandboxConfig, workspace: Workspace, *, said: re.Pattern[str] = _MISSING
) -> bool:
    """Whether a line says that a file of the home is missing although it exists, outside of what is shown."""
    home = os.path.realpath(Path.home())
    lines = (line for line in output.splitlines() if said.search(line))
    named = (real_path(name) for line in lines for name in _named(line, workspace))
    return _are_hidden((path for path in named if path.is_relative_to(home)), config, workspace)


def _misses_a_login(output: str, config: SandboxConfig, workspace: Workspace) -> bool:
    """Whether a program says how to log in, although the user did."""
    kept = (_LOGINS.get(name) for name in _LOG_IN.findall(output))
    return _are_hidden((real_path(Path.home() / path) for path in kept if path is not None), config, workspace)


def _are_hidden(named: Iterable[Path], config: SandboxConfig, workspace: Workspace) -> bool:
    """Whether one of these paths exists, outside of what is shown."""
    missed = set(filter(_exists, named))
    if not missed:
        return False
    shown = [*workspace.folders, *(path.expanduser() for path in (*config.readable, *config.writable))]
    shown += shown_in_home(real_path(Path.home()), workspace)
    shown = [os.path.realpath(folder) for folder in shown]
    return not all(any(path.is_relative_to(folder) for folder in shown) for path in missed)


def _missed_settings(output: str, workspace: Workspace) -> str | None:
    """Return what Git did not see if it does not know who the user is; None if it saw the user's settings."""
    if _NO_IDENTITY.search(output) is None:
        return None
    home = real_path(Path.home())
    shown = shown_in_home(home, workspace)
    files = [file for file in user_git_files() if file.is_relative_to(home) and is_file(file)]
    hidden = [paths.shown(file) for file in files if not any(file.is_relative_to(one) for one in shown)]
    if not hidden:
        return None
    files_with_secrets = ", ".join(hidden)
    return (
        f"it does not see what seems to hold a secret in {files_with_secrets}; the setting `sandbox.readable` shows it"
    )


def _named(line: str, workspace: Workspace) -> Iterator[str]:
    """Yield the paths in the line that are absolute and in the home, or that lead out of the work dir."""
    home = str(Path.home())
    for name in re.findall(r"(?:" + re.escape(home) + r"|~)/[^\s'\":,;`)]+", line):
        yield name.replace("~", home, 1) if name.startswith("~") else name
    for name in _RELATIVE.findall(line):
        yield os.path.normpath(workspace.work_dir / name)


def _misses_a_program(output: str) -> bool:
    """Whether the shell says that a program is missing that PATH finds in the home, by a link to what is hidden."""
    home = os.path.realpath(Path.home())
    names: list[str] = _NO_PROGRAM.findall(output)
    found = [shutil.which(name) for name in names]
    return any(path is not None and real_path(path).is_relative_to(home) for path in found)


def _misses_something_temporary(output: str, workspace: Workspace) -> bool:
    """Whether a line says that a temporary file is missing that exists outside."""
    lines = (line for line in output.splitlines() if _MISSING.search(line))
    names = (Path(name) for line in lines for name in _ABSOLUTE.findall(line))
    return any(workspace.is_hidden_from_commands(path) and _exists(path) for path in names)


def _exists(path: Path) -> bool:
    try:
        return path_exists(path) or path.is_symlink()
    except OSError:
        return True
