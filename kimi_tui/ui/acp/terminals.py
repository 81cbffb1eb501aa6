"""Runs commands in the client's terminals, where the user can watch and stop them.

Invariant: every created terminal is released, however its command ends; the release also kills a running command.
"""

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from acp import RequestError
from acp.interfaces import Client
from acp.schema import (
    CreateTerminalResponse,
    EnvVariable,
    ReleaseTerminalResponse,
    TerminalExitStatus,
    WaitForTerminalExitResponse,
)

from kimi_tui.text_safety import without_escapes
from kimi_tui.tools.shell_support.process_runner import ProcessResult

_log = logging.getLogger(__name__)
_MAX_BYTES = 1 << 20
_GOODBYE = 2.0
_PATIENCE = 30.0
"""Seconds for each answer but that of the command; terminals are local to the client, so a slower client is stuck."""
_NO_PAGER = {"PAGER": "cat", "GIT_PAGER": "cat"}


class _NoAnswerError(OSError):
    """The client did not answer in time."""


class ClientTerminals:
    """The terminals of one session. It calls `show` with the terminal of each tool call."""

    def __init__(
        self, client: Client, session_id: str, show: Callable[[str, str], None], *, patience: float = _PATIENCE
    ) -> None:
        self._client = client
        self._patience = patience
        self._session_id = session_id
        self._show = show
        self._late: set[asyncio.Task[None]] = set()

    async def run(
        self,
        command: Sequence[str],
        *,
        call_id: str,
        cwd: Path,
        env: Mapping[str, str],
        on_text: Callable[[str], bool | None],
        seconds: float | None,
    ) -> ProcessResult:
        terminal = await self._make(command, cwd, env)
        try:
            self._show(call_id, terminal)
            return await self._follow(terminal, on_text, seconds)
        except (RequestError, ValueError) as error:
            raise OSError(f"the editor's terminal failed: {error}") from error
        finally:
            await self._release(terminal)

    async def _make(self, command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> str:
        making = asyncio.ensure_future(
            self._client.create_terminal(
                self._session_id, command[0], list(command[1:]), _differing(env), str(cwd), _MAX_BYTES
            )
        )
        try:
            async with self._answering():
                return (await asyncio.shield(making)).terminal_id
        except (asyncio.CancelledError, _NoAnswerError):
            making.add_done_callback(self._not_wanted)
            raise
        except (RequestError, ValueError) as error:
            raise OSError(f"the editor did not provide a terminal: {error}") from error

    def _not_wanted(self, creation: asyncio.Future[CreateTerminalResponse]) -> None:
        """Release a terminal that was created after its turn was cancelled."""
        if not creation.cancelled() and creation.exception() is None:
            release = asyncio.create_task(self._release(creation.result().terminal_id))
            self._late.add(release)
            release.add_done_callback(self._late.discard)

    async def _follow(
        self, terminal: str, on_text: Callable[[str], bool | None], seconds: float | None
    ) -> ProcessResult:
        exited: WaitForTerminalExitResponse | TerminalExitStatus | None
        try:
            async with asyncio.timeout(seconds):
                exited = await self._client.wait_for_terminal_exit(self._session_id, terminal)
        except TimeoutError:
            async with self._answering():
                output = await self._client.terminal_output(self._session_id, terminal)
            # We may have been held up or stopped meanwhile, and the command was not.
            exited = output.exit_status  # defence: ended-in-time-in-terminal
            if exited is None:
                async with self._answering():
                    await self._client.kill_terminal(self._session_id, terminal)
        async with self._answering():
            output = await self._client.terminal_output(self._session_id, terminal)
        if output.truncated:
            on_text("[the beginning of the output was cut]\n")
        on_text(_plain(output.output))
        if exited is None:
            return ProcessResult(None, timed_out=True)
        return ProcessResult(exited.exit_code)

    @asynccontextmanager
    async def _answering(self) -> AsyncGenerator[None]:
        """Bound the wait for the client. Raises _NoAnswerError."""
        try:
            async with asyncio.timeout(self._patience):  # defence: patience-with-terminals
                yield
        except TimeoutError:
            raise _NoAnswerError("the editor did not answer a terminal request") from None

    async def _release(self, terminal: str) -> None:
        """Release the terminal. Shielded, because the release also ends the command of a cancelled turn."""
        releasing = asyncio.ensure_future(self._client.release_terminal(self._session_id, terminal))
        releasing.add_done_callback(_heed)
        with contextlib.suppress(RequestError, ValueError, ConnectionError, TimeoutError):
            async with asyncio.timeout(_GOODBYE):
                await asyncio.shield(releasing)


def _differing(env: Mapping[str, str]) -> list[EnvVariable]:
    """Return the additions to the client's environment; removed variables are set to ""."""
    changed = {name: value for name, value in env.items() if os.environ.get(name) != value}
    hidden = {name: "" for name in os.environ if name not in env}
    return [EnvVariable(name=name, value=value) for name, value in (hidden | _NO_PAGER | changed).items()]


def _plain(text: str) -> str:
    """Return terminal output without control codes."""
    return without_escapes(text).replace("\r\n", "\n")


def _heed(task: asyncio.Future[ReleaseTerminalResponse | None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.info("a terminal was not released: %s", error)
