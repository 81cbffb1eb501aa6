"""The sandbox for Shell commands: bubblewrap, tested once before use."""

import asyncio
import contextlib
import os
import threading
import weakref
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from kimi_tui import paths
from kimi_tui.config.schema import SandboxConfig
from kimi_tui.i18n import UserText, tr
from kimi_tui.paths import real_path
from kimi_tui.tools.core.tool import current_tool_call
from kimi_tui.tools.file_support.git_settings import NO_REMOTES, ShownRemotes
from kimi_tui.tools.file_support.workspace import ResolvedPath, Workspace
from kimi_tui.tools.shell_support.bwrap_args import (
    SandboxFeatures,
    Tier,
    attempts,
    existing_paths,
    folders_without_home,
    other_written_folders,
    sandbox_argv,
    temp_folders,
)
from kimi_tui.tools.shell_support.command_turns import CommandTurns
from kimi_tui.tools.shell_support.landlock_args import SCOPE, landlock_argv
from kimi_tui.tools.shell_support.program_files import guarded_program_files, unguarded_imports
from kimi_tui.tools.shell_support.sandbox_env import cache_folder, sandboxed_env
from kimi_tui.tools.shell_support.sandbox_hints import hint, reports_failed_write, reports_hidden_file, unfinished
from kimi_tui.tools.shell_support.sandbox_probe import find_bwrap, find_sandbox_exec, probe, probe_files
from kimi_tui.tools.shell_support.unix_sockets import listening_sockets

if TYPE_CHECKING:
    from kimi_tui.tools.shell_support.command_checks import CommandChecks, StopsCommands
    from kimi_tui.tools.shell_support.git_watch import GitWatch
    from kimi_tui.tools.shell_support.host_access import RunningCommand
    from kimi_tui.tools.shell_support.host_proxy import HostProxy
    from kimi_tui.tools.shell_support.session_network import SessionNetwork

_LANDLOCK_WITH_SCOPES = 6
TIER_TITLES: dict[Tier, str] = {
    "full": tr("Commands run in a sandbox"),
    "files": tr("Commands run in a sandbox that restricts file access only"),
    "none": tr("Commands run without a sandbox"),
}
FULL_TIER_LIMITS = tr(
    "it does not limit processes or memory; what commands change in a file that the project shares with others by hard "
    "links (uv, pnpm), they change there too; commands can reach a Unix socket in a visible folder if one of the "
    "user's programs bound it while they ran, bound it to a relative path, moved it, or bound it in another network "
    "namespace; changes that a background command makes to Git's settings in a new repository, or in one beyond the "
    "first hundred, are undone only when a command ends; until it ends, a Git command can change the settings of its "
    "repository; if kimi-tui is killed before, such changes stay; what a command leaves in the project can have the "
    "setuid bit, for other users of the machine"
)
"""What the tier "full" does not restrict."""
OLD_KERNEL_LIMITS = tr(
    "a command that replaces a folder by a link while another one starts can leave an empty file or folder where the "
    "link leads, since bubblewrap can write everywhere when it starts"
)
"""What it does not restrict in addition where `SandboxFeatures.read_only` does not work."""
UNSCOPED_SOCKETS_LIMITS = tr(
    "commands reach the user's programs through abstract Unix sockets, which a display or a D-Bus can have: only Linux "
    "6.12 and later confine them while the network is on"
)
"""What it does not restrict in addition with the network where Landlock confines no sockets."""
SEATBELT_LIMITS = tr(
    "the sandbox-exec profile was never tested on a Mac; commands can see processes and temporary folders"
)
"""What the tier "files" cannot restrict on macOS."""
FILES_TIER_LIMITS = tr(
    "commands can reach the user's programs through Unix sockets, see processes, write to /tmp and "
    "/dev/shm, and change modes, owners and times of the user's files; they cannot open pseudo-terminals; their "
    "changes to Git's settings are undone only when they end; their changes to hooks, to settings of agents and "
    "editors in the project, and to the user's own Git settings are not undone"
)
"""What the tier "files" cannot restrict."""
UNSCOPED_SIGNALS_LIMITS = tr("commands can end the user's programs: only Linux 6.12 and later confine signals")
"""What it cannot restrict in addition where Landlock confines no signals."""
AllowsHost = Callable[[str, int, "RunningCommand"], Awaitable[bool]]
"""Whether a command may reach a host at a port."""


def _landlock_version() -> int:
    from kimi_tui.tools.shell_support.landlock import version

    return version()


class Sandbox:
    """The sandbox of a session. Without a workspace there is none.

    The first command calls `notify` once, with a title and the reason, if a configured sandbox works only partly or not
    at all.

    `hidden_files`: secret files in addition to those in kimi-tui's home.
    `trusted`: whether the user trusts the folder.
    `find_bwrap`: finds bubblewrap outside of some folders.
    `landlock_version`: the version of the kernel's Landlock.
    `find_sandbox_exec`: finds the `sandbox-exec` of macOS.
    `allows_host`: decides on the hosts that commands want to reach.
    """

    def __init__(
        self,
        config: SandboxConfig,
        workspace: Workspace | None,
        *,
        notify: Callable[[str, str], None] = lambda _title, _text: None,
        hidden_files: Iterable[Path] = (),
        trusted: bool = False,
        find_bwrap: Callable[[Iterable[Path]], str | None] = find_bwrap,
        landlock_version: Callable[[], int] = _landlock_version,
        find_sandbox_exec: Callable[[], str | None] = find_sandbox_exec,
        allows_host: AllowsHost | None = None,
    ) -> None:
        self._notify = notify
        self._trusted = trusted
        self._find_bwrap = find_bwrap
        self._landlock_version = landlock_version
        self._find_sandbox_exec = find_sandbox_exec
        self._config = config
        self._workspace = workspace
        if workspace is not None:
            written = (os.path.expanduser(path) for path in config.writable)  # noqa: PTH111 - never raises
            workspace.also_written = tuple(map(real_path, written))
        self._hidden_files = tuple(hidden_files)
        self._allows_host = allows_host
        self._network: SessionNetwork | None = None
        self._proxy: HostProxy | None = None
        self._proxy_port: int | None = None
        self._asks_for_hosts = False
        self._commands: dict[str, RunningCommand] = {}
        """The commands that may ask for hosts, by their passwords for the proxy."""
        self.turns = CommandTurns()
        self._box: SandboxFeatures | None = None
        self._caches: Path | None = None
        self._why_not: str | None = None
        self._tried = asyncio.Lock()
        self._watch: GitWatch | None = None
        self._checks: CommandChecks | None = None
        self._known = workspace is None or config.mode == "off"
        self.absence_accepted = self._known
        """Whether the user said, by a setting or in this session, that commands run without a sandbox."""

    @property
    def required(self) -> bool:
        return self._config.mode == "require"

    @property
    def allows_outside(self) -> bool:
        """Whether the agent may ask to run a command outside the sandbox."""
        return self._config.outside == "ask"

    @property
    def why_not(self) -> str | None:
        """The reason why a configured sandbox does not work; None before the first `works`."""
        return self._why_not

    async def works(self) -> bool:
        """Whether commands run in the sandbox. The first call tests it."""
        if not self._known:
            async with self._tried:
                if not self._known:
                    self._why_not = await self._try()
                    self._known = True
                    for warning in filter(None, (self._why_not, self.writable_program, self._lacks_hosts)):
                        self._notify(TIER_TITLES[self.tier], warning)
        return self._box is not None

    @property
    def checked_files(self) -> frozenset[tuple[Path, Path]]:
        """The hooks in worktrees and the included settings of Git that were there when they were checked, with what
        they were without links.
        """
        return frozenset() if self._watch is None else self._watch.checked_files

    @property
    def confines_commands(self) -> bool:
        """Whether a command can neither write outside the workspace nor send anything, in a trusted folder; such a
        command needs no approval.
        """
        if self.writable_program:
            return False  # defence: imports-not-writable
        if self._watch is not None and self._watch.incomplete:
            return False  # defence: unsearched-folders-are-not-trusted
        if self._checks is not None and self._checks.unchecked:
            return False  # defence: commands-ask-after-a-failed-check
        held = self.tier == "full" and not self._config.network
        return held and self._trusted and not self._config.ask_inside

    @property
    def busy(self) -> bool:
        """Whether commands run, or what they changed is not checked: what is in a folder that is added now would be
        taken for their work, and undone.
        """
        return self._checks is not None and self._checks.busy

    async def search(self) -> None:
        """Search the workspace for repositories, once, before the first command may run without a question."""
        if self._checks is not None and self.confines_commands:
            await self._checks.search()

    def written_folders(self) -> list[Path]:
        """Return the folders that commands can write, but for those for temporary files."""
        workspace = self._workspace
        if workspace is None:
            return []
        return [*folders_without_home(workspace), *other_written_folders(self._config, workspace)]

    @property
    def limits(self) -> UserText:
        """What the sandbox does not restrict."""
        box = self._box
        if box is None:
            return ""
        unscoped = self._landlock_version() < _LANDLOCK_WITH_SCOPES
        if box.tier == "files":
            found = [SEATBELT_LIMITS] if box.program else [FILES_TIER_LIMITS, UNSCOPED_SIGNALS_LIMITS][: 1 + unscoped]
        else:
            found = [FULL_TIER_LIMITS]
            found += [] if box.read_only else [OLD_KERNEL_LIMITS]
            found += [UNSCOPED_SOCKETS_LIMITS] if unscoped and self._config.network else []
        return "; ".join(found)

    @property
    def writable_program(self) -> UserText:
        """The warning that commands can replace files that kimi-tui runs outside the sandbox; empty if they cannot."""
        if self._workspace is None or self._box is None:
            return ""
        written = (*self._workspace.folders, *existing_paths(path.expanduser() for path in self._config.writable))
        found = unguarded_imports(written)
        if self._box.tier == "files" and not self._box.program:
            found = (*guarded_program_files(written), *found)
        if not found:
            return ""
        return tr(
            "commands can write to `{folder}`, which contains files that kimi-tui itself runs", folder=str(found[0])
        )

    @property
    def _lacks_hosts(self) -> UserText:
        """The warning that commands reach no hosts although the settings say that the user may allow some."""
        if self._box is None or self._config.network or self._config.hosts == "none" or self._network is not None:
            return ""
        return tr("commands reach no hosts, not even allowed ones: they can have no network of their own here")

    @property
    def summary(self) -> UserText:
        """A short description of the sandbox."""
        config = self._config
        if not self._known:
            return tr("Commands run in a sandbox if one is available; the first command tests it")
        if self.tier != "full":
            return TIER_TITLES[self.tier] if self._why_not is None else f"{TIER_TITLES[self.tier]}: {self._why_not}"
        if config.network:
            return tr("Commands run in a full sandbox with the network")
        if self._asks_for_hosts:
            return tr("Commands run in a full sandbox that reaches allowed hosts only")
        return tr("Commands run in a full sandbox without a network")

    @property
    def known_tier(self) -> Tier | None:
        """The tier of the sandbox; None before the first `works`."""
        return self.tier if self._known else None

    @property
    def shares_network(self) -> bool:
        """Whether the commands of the session share a network of their own, without a route to the outside."""
        return self._network is not None

    @property
    def tier(self) -> Tier:
        """The tier of the sandbox; "none" before the first `works`."""
        return "none" if self._box is None else self._box.tier

    @property
    def other_written(self) -> list[Path]:
        """The folders that commands can write beside those of the workspace; repositories in them are checked too."""
        return [] if self._workspace is None else other_written_folders(self._config, self._workspace)

    def wrapped(self, command: Sequence[str], *, git_alone: bool) -> Iterator[list[str]]:
        """Yield the command in the sandbox, unchanged if it does not work; and again, with the mounts of now, as long
        as its start failed because a folder was replaced meanwhile. Raises OSError.
        """
        box, workspace = self._box, self._workspace
        if box is None or workspace is None:
            yield list(command)
        elif box.tier == "files":
            yield [*self._files_argv(box, workspace, git_alone=git_alone), *command]
        else:
            call = current_tool_call.get(None)
            try:
                yield from attempts(
                    box, lambda unstarted: self._full_argv(box, workspace, command, unstarted, git_alone=git_alone)
                )
            finally:
                # defence: passwords-of-running-commands
                self._commands = {key: one for key, one in self._commands.items() if one.call is not call}

    def searching(self, command: Sequence[str], searched: ResolvedPath) -> Iterator[list[str]]:
        """Yield the command line of a search program that kimi-tui runs itself, confined so that no command can
        redirect it by a link; unchanged if there is no sandbox. Several as in `wrapped`. Raises OSError.
        """
        workspace = self._workspace
        if workspace is None or (self._known and self._box is None):
            yield list(command)
        elif self._landlock_version():  # defence: searches-are-confined
            from kimi_tui.tools.shell_support.search_rules import search_argv

            writable = existing_paths(path.expanduser() for path in self._config.writable)
            yield [*search_argv(command[0], workspace, searched, writable=writable), *command]
        elif searched.inside:
            yield from self.wrapped(command, git_alone=False)
        else:
            yield list(command)

    def _full_argv(
        self, box: SandboxFeatures, workspace: Workspace, command: Sequence[str], unstarted: Path, *, git_alone: bool
    ) -> list[str]:
        repositories = () if self._watch is None else self._watch.entries
        closed = () if self._watch is None or git_alone else self._watch.closed  # defence: places-of-submodules
        argv = sandbox_argv(
            box,
            self._config,
            workspace,
            git_alone=git_alone,
            repositories=repositories,
            closed_places=closed,
            unstarted=unstarted,
        )
        return [*argv, *command]

    def _files_argv(self, box: SandboxFeatures, workspace: Workspace, *, git_alone: bool) -> list[str]:
        if not box.program:
            return landlock_argv(box, self._config, workspace)
        from kimi_tui.tools.shell_support.seatbelt_args import seatbelt_argv

        repositories = () if self._watch is None else self._watch.entries
        return seatbelt_argv(box.program, box, self._config, workspace, git_alone=git_alone, repositories=repositories)

    def watching(
        self,
        *,
        remotes: ShownRemotes = NO_REMOTES,
        git_alone: bool = False,
        stop_others: "StopsCommands | None" = None,
    ) -> AbstractAsyncContextManager[list[str]]:
        """Check what a command changes, as `CommandChecks.around` does; nothing without a sandbox."""
        if self._box is None or self._checks is None:
            return nullcontext([])
        return self._checks.around(remotes=remotes, git_alone=git_alone, stop_others=stop_others)

    def env(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of a wrapped command."""
        if self._box is None:
            return dict(env)
        offline = not self._config.network and not self._asks_for_hosts
        proxy = None if self._proxy_port is None else f"http://{self._login()}@127.0.0.1:{self._proxy_port}"
        readable = [real_path(path.expanduser()) for path in self._config.readable]
        return sandboxed_env(
            env,
            self._caches,
            proxy=proxy,
            offline=offline,
            own_store=self.tier == "full" and self._box.pnpm_store is not None,
            readable=readable,
            folders=() if self._workspace is None else self._workspace.folders,
        )

    def _login(self) -> str:
        """Return what identifies a new command to the proxy."""
        from kimi_tui.tools.shell_support.host_access import RunningCommand
        from kimi_tui.tools.shell_support.host_proxy import USER

        password = token_hex(16)
        self._commands[password] = RunningCommand(current_tool_call.get(None))
        return f"{USER}:{password}"

    def hint(
        self, output: str, *, since: float, failed: bool = True, programs: Iterable[str | None] = ()
    ) -> str | None:
        """Return a hint for the model about a command that failed inside, or that succeeded without its full effect;
        None if the sandbox is not the cause. `programs`: what the command runs that could miss something. `since`:
        when it started, in seconds of the monotonic clock.
        """
        if self._workspace is None or self._box is None:
            return None
        stopped = () if self._proxy is None else [each for each in self._proxy.stopped if each.when >= since]
        if not (failed or reports_failed_write(output) or reports_hidden_file(output, self._config, self._workspace)):
            return unfinished(stopped, programs, tier=self._box.tier)
        config = self._config if self._asks_for_hosts else self._config.model_copy(update={"hosts": "none"})
        return hint(
            output, config, self._workspace, tier=self._box.tier, programs=programs, stopped_connections=stopped
        )

    async def _try(self) -> str | None:
        """Test the sandbox; return the reason if it does not work."""
        from kimi_tui.tools.shell_support.command_checks import CommandChecks
        from kimi_tui.tools.shell_support.git_watch import GitWatch
        from kimi_tui.tools.shell_support.session_network import make_session_network

        workspace = self._workspace
        if workspace is None:
            return None
        caches = cache_folder(workspace.work_dir)
        pnpm_store: Path | None = None
        with contextlib.suppress(OSError):
            paths.private_folder(caches)
            self._caches = caches.resolve()
            # Within the caches a command could replace it by a link.
            pnpm_store = self._caches.with_name(f"{caches.name}-pnpm")  # defence: stores-beside-the-caches
            paths.private_folder(pnpm_store)
        try:
            private = self._private_folder()
        except OSError as error:
            return tr("cannot create temporary files: {cause}", cause=error.strerror)
        writable = () if self._caches is None else (self._caches,)
        self._watch = GitWatch(
            partial(folders_without_home, workspace),
            partial(other_written_folders, self._config, workspace),  # defence: repositories-in-writable-folders
            linked=(private, *writable, *filter(None, (pnpm_store,))),  # defence: repositories-in-stores
            around=workspace.git_dir,
        )
        self._checks = CommandChecks(self._watch, self._notify, lambda: self.tier == "full")
        box = SandboxFeatures(
            "",
            private,
            hidden=self._hidden_files,
            writable=writable,
            foreign=frozenset(listening_sockets()),
            pnpm_store=pnpm_store,
        )
        program = self._find_bwrap((*workspace.folders, *self._config.writable))
        if program is None:
            elsewhere = self._find_bwrap(())
            reason = tr("bubblewrap (`bwrap`) is not installed")
            if elsewhere is not None and Path("/") in (*workspace.folders, *self._config.writable):
                reason = tr("commands may write everywhere: start kimi-tui in the folder of a project, not in `/`")
            elif elsewhere is not None:
                reason = tr(
                    "bubblewrap (`{program}`) is in a folder that commands may write: start kimi-tui in a folder "
                    "that does not contain it",
                    program=elsewhere,
                )
        else:
            self._network = None if self._config.network else await make_session_network()
            join = () if self._network is None else self._network.join_argv
            self._box, reason = await probe(
                replace(box, program=program, join=join, scope=SCOPE), self._config, workspace
            )
            if self._box is not None:
                workspace.temp_folders = temp_folders(self._box, self._config, workspace)
                await self._start_proxy(self._box)
                return None
        version, box = self._landlock_version(), replace(box, tier="files", program=self._find_sandbox_exec() or "")
        if version or box.program:
            argv = self._files_argv(box, workspace, git_alone=False)
            untrusted = (*workspace.folders, *self._config.writable)
            self._box = await probe_files(box, self._config, argv, untrusted)
        return reason

    async def _start_proxy(self, box: SandboxFeatures) -> None:
        network = self._network
        if network is None:
            return
        if not box.join:
            network.listener.close()
            self._network = None
            return
        from kimi_tui.tools.shell_support.host_proxy import HostProxy

        self._asks_for_hosts = self._config.hosts == "ask" and self._allows_host is not None
        self._proxy_port = network.listener.getsockname()[1]
        self._proxy = HostProxy(self._allows)
        weakref.finalize(self, network.listener.close)
        await self._proxy.start(network.listener)

    async def _allows(self, host: str, port: int, password: str) -> bool | None:
        command = self._commands.get(password)
        if command is None:  # defence: hosts-for-known-commands
            return None
        allows = self._allows_host if self._asks_for_hosts else None
        return allows is not None and await allows(host, port, command)

    async def close(self) -> None:
        """End the connections of commands, and wait for the checks after finished commands."""
        if self._checks is not None:
            await self._checks.close()
        if self._proxy is not None:
            await self._proxy.close()

    def _private_folder(self) -> Path:
        """Make the folder that stands for `/tmp` inside; it is deleted with this object."""
        from kimi_tui.tools.shell_support.remove_tree import (
            end_session_folder,
            make_session_folder,
            remove_left_folders,
        )

        private, lock = make_session_folder()
        weakref.finalize(self, end_session_folder, str(private), lock)  # defence: folders-of-any-depth-are-deleted
        threading.Thread(target=remove_left_folders, daemon=True).start()  # defence: folders-of-killed-sessions
        for name in ("tmp", "var-tmp"):
            (private / name).mkdir()
        return private


NO_SANDBOX = Sandbox(SandboxConfig(mode="off"), None)
