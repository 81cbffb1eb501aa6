"""The sandbox for Shell commands: bubblewrap, tested once before use."""

import asyncio
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from kimi_tui import paths
from kimi_tui.config.schema import SandboxConfig
from kimi_tui.i18n import tr
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.bwrap_args import sandbox_argv
from kimi_tui.tools.shell_support.child_env import DEFAULT_ENV
from kimi_tui.tools.shell_support.process_runner import run

_PROGRAM = "bwrap"
_PROBE_SECONDS = 5.0
_STOPPED_WRITING = re.compile(
    r"read-only file system|device or resource busy|operation not permitted|^bwrap: ", re.I | re.M
)
_STOPPED_TALKING = re.compile(
    r"could not resolve|name resolution|network is unreachable|name or service not known|getaddrinfo|"
    r"nodename nor servname|no such host|connection refused",
    re.IGNORECASE,
)


class Sandbox:
    """The sandbox of a session. Without a workspace there is none.

    The first command calls `tell` once if a configured sandbox does not work, with the reason.
    """

    def __init__(
        self, config: SandboxConfig, workspace: Workspace | None, *, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        self._tell = tell
        self._config = config
        self._workspace = workspace
        self._program: str | None = None
        self._why_not: str | None = None
        self._tried = asyncio.Lock()
        self._known = workspace is None or config.mode == "off"

    @property
    def required(self) -> bool:
        return self._config.mode == "require"

    @property
    def why_not(self) -> str | None:
        """The reason why a configured sandbox does not work; None before the first `works`."""
        return self._why_not

    async def works(self) -> bool:
        """Whether commands run in it. The first call tests it."""
        if not self._known:
            async with self._tried:
                if not self._known:
                    self._program, self._why_not = await self._try()
                    self._known = True
                    if self._why_not is not None:
                        self._tell(self._why_not)
        return self._program is not None

    def wrap(self, command: Sequence[str], *, with_git: bool) -> list[str]:
        """Wrap the command in the sandbox; unchanged if it does not work. `with_git`: the command declares that it runs
        Git.
        """
        if self._program is None or self._workspace is None:
            return list(command)
        return [*sandbox_argv(self._program, self._config, self._workspace, with_git=with_git), *command]

    def hint(self, output: str) -> str | None:
        """Return a hint for the model about a command that failed inside; None if the sandbox is not the cause."""
        if self._workspace is None:
            return None
        if not self._config.network and _STOPPED_TALKING.search(output):
            stopped = "it has no network"
        elif _STOPPED_WRITING.search(output):
            folders = ", ".join(paths.shown(folder) for folder in (*self._workspace.folders, *self._config.writable))
            stopped = (
                f"it can write only in {folders} and the folders for temporary files, in `.git` only where the command "
                "runs git, and never in Git's settings"
            )
        else:
            return None
        return (
            f"It ran in a sandbox: {stopped}. If that is why it failed, call again with `outside_sandbox`; "
            "the user is asked."
        )

    async def _try(self) -> tuple[str | None, str | None]:
        program = shutil.which(_PROGRAM)
        if program is None or self._workspace is None:
            return None, tr("bubblewrap (`bwrap`) is not installed")
        printed: list[str] = []
        command = [*sandbox_argv(program, self._config, self._workspace), "true"]
        try:
            ended = await run(
                command,
                cwd=Path("/"),
                env=DEFAULT_ENV.build(),
                on_text=lambda text: printed.append(text),
                seconds=_PROBE_SECONDS,
            )
        except OSError as error:
            return None, tr("bubblewrap could not be started: {cause}", cause=error.strerror)
        if ended.exit_code == 0:
            return program, None
        cause = " ".join("".join(printed).split())[:200] or tr("it gives no reason")
        return None, tr("bubblewrap does not work here: {cause}", cause=cause)


NO_SANDBOX = Sandbox(SandboxConfig(mode="off"), None)
