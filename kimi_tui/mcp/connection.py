"""One server: the task that holds its connection, and the server's state.

Invariant: `call` and `stop` return whatever the server does, and failures are always a `ServerError`. The SDK is loaded
in a thread when the first connection starts.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from kimi_tui import __version__
from kimi_tui.errors import KimiTuiError
from kimi_tui.i18n import tr
from kimi_tui.interaction.questions import Questions
from kimi_tui.llm.message import Message
from kimi_tui.mcp.config import Server, ServerConfig, server_folder, start_folder
from kimi_tui.mcp.env_expansion import MissingVariableError, expand_env, find_secrets
from kimi_tui.mcp.list_refresh_backoff import RefreshBackoff
from kimi_tui.mcp.pending_calls import PendingCalls
from kimi_tui.mcp.rate_limit import FLOOD
from kimi_tui.mcp.remote_prompt import remote_prompts
from kimi_tui.mcp.remote_resource import remote_resources
from kimi_tui.mcp.remote_tool import MAX_NOTES, remote_tools
from kimi_tui.mcp.sampling import Ask, Sampling
from kimi_tui.mcp.server_instructions import bounded_instructions
from kimi_tui.mcp.server_log import ServerLog
from kimi_tui.mcp.server_requests import ServerRequestHandler
from kimi_tui.mcp.server_state import ServerState, Status
from kimi_tui.mcp.untrusted_text import first_leaf, one_line
from kimi_tui.tools.shell_support.child_env import ChildEnv
from kimi_tui.wire.parts import JsonObject

if TYPE_CHECKING:
    import anyio
    from mcp.client._transport import TransportStreams
    from mcp.client.session import SamplingFnT
    from mcp_types import CallToolResult, GetPromptResult, ReadResourceResult

    from kimi_tui.mcp.http_transport import LastStatus
    from kimi_tui.mcp.stdio_transport import Child
    from mcp import Client

_log = logging.getLogger(__name__)

T = TypeVar("T")
OnProgress = Callable[[float, float | None, str | None], None]

MAX_RETURNS = 3
"""How many times in a row a call restarts a server that has exited."""

_CLOSE_SECONDS = 6.0
_OFFERS_SECONDS = 5.0
_PING_SECONDS = 5.0
_UNKNOWN_SESSION = (400, 404)
"""The HTTP statuses for a request of an unknown session: 404, and in older servers 400. Both have other meanings."""
_CLOSED = ("Connection closed", "SSE stream ")
"""How the SDK's words for a lost connection begin. Its code is -32000, which servers use for errors of their own."""


class ServerError(KimiTuiError):
    """The server cannot fulfil a request; the message gives the cause."""


@dataclass(frozen=True, slots=True)
class ConnectionContext:
    """The dependencies of every connection of a session. `written` returns the folders that commands can write,
    `changed` the reason why the project's servers are not trusted any more, "" without one.
    """

    work_dir: Path
    env: ChildEnv
    questions: Questions | None = None
    ask_model: Ask | None = None
    written: Callable[[], Iterable[Path]] = tuple
    changed: Callable[[], str] = str


class Connection:
    """A connection to one server; calls `on_change` after each change of the state."""

    def __init__(self, server: Server, around: ConnectionContext, on_change: Callable[["Connection"], None]) -> None:
        self.server = server
        self._around = around
        self._on_change = on_change
        status: Status = "disabled" if not server.config.enabled else "pending" if server.trusted else "untrusted"
        self.state = ServerState(server.name, server.origin, server.config.place, status)
        self.settled = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._scope: anyio.CancelScope | None = None
        self._client: Client | None = None
        self._child: Child | None = None
        self._http: LastStatus | None = None
        self._end = asyncio.Event()
        self._lost_cause: str | None = None
        self._calls = PendingCalls(server.config.timeout_ms / 1000)
        self._log = ServerLog(server.name)
        self._returns = 0
        self._returning = asyncio.Lock()
        self._invalid: list[str] = []
        self._changes = RefreshBackoff()

    @property
    def may_start(self) -> bool:
        return self.server.config.enabled and self.server.trusted

    @property
    def seconds_to_connect(self) -> float:
        return self.server.config.connect_timeout_ms / 1000

    def start(self) -> None:
        """Start to connect; sets `settled` once the attempt has succeeded or failed."""
        self.settled.clear()
        self._end = asyncio.Event()
        self._lost_cause = None
        self._become("connecting")
        self._task = asyncio.create_task(self._run(), name=f"mcp {self.server.name}")

    async def stop(self) -> None:
        """Close the connection, and stop the server if it is our child process. The time is bounded."""
        task = self._task
        if task is None or task.done():
            return
        self._end.set()
        if self._scope is not None:
            self._scope.cancel()
        _, unfinished = await asyncio.wait([task], timeout=_CLOSE_SECONDS)
        if unfinished:
            task.cancel()
            await asyncio.wait([task], timeout=1.0)

    async def restart(self) -> None:
        """Close the connection and connect again. Returns once the attempt has succeeded or failed."""
        await self.stop()
        self.start()
        await self.settled.wait()

    async def call(
        self, tool: str, arguments: JsonObject, *, call_id: str, on_progress: OnProgress
    ) -> "CallToolResult":
        """Call a tool. Restarts the server first if it has exited. Raises ServerError."""

        async def forward(progress: float, total: float | None, message: str | None) -> None:
            on_progress(progress, total, message)

        return await self._with_client(
            lambda client: client.call_tool(tool, arguments, progress_callback=forward), call_id=call_id
        )

    async def read_resource(self, uri: str) -> "ReadResourceResult":
        """Read a resource. Raises ServerError."""
        return await self._with_client(lambda client: client.read_resource(uri))

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> "GetPromptResult":
        """Get a prompt with these arguments. Raises ServerError."""
        return await self._with_client(lambda client: client.get_prompt(name, arguments))

    async def _with_client(self, request: "Callable[[Client], Awaitable[T]]", *, call_id: str = "") -> T:
        client = await self._ready()
        try:
            async with self._calls.timed(call_id or uuid4().hex):
                result = await request(client)
        except TimeoutError:
            seconds = self.server.config.timeout_ms / 1000
            raise ServerError(tr("no answer within {seconds:g} s", seconds=seconds)) from None
        except asyncio.CancelledError:
            raise
        except Exception as error:
            raise ServerError(await self._why(error)) from error
        self._returns = 0
        return result

    async def _ready(self) -> "Client":
        async with self._returning:
            await self.settled.wait()
            if self._client is None and self._returns < MAX_RETURNS:
                self._returns += 1
                await self.restart()
        if self._client is None:
            cause = self.state.cause or self._lost_cause
            raise ServerError(cause or tr("the server is {state}", state=self.state.status))
        return self._client

    async def _why(self, error: Exception) -> str:
        """The cause of a failed call. If the connection was lost with it, the message says so."""
        from mcp.shared.exceptions import MCPError

        http_status = self._http.code if self._http is not None else 0
        if isinstance(error, MCPError):
            is_closed = error.message.startswith(_CLOSED)  # defence: errors-with-the-code-of-a-closed-connection
            session_gone = error.message == "Session terminated"
            # defence: sessions-unknown-to-a-restarted-server
            session_gone = session_gone or (not is_closed and await self._is_session_unknown())
            if is_closed or session_gone:
                if session_gone:
                    self._lose("it has forgotten the session")
                await self._wait_for_end()
                if self._task is not None and self._task.done() and self.state.cause:
                    return self.state.cause
                self._lose("it closed the connection")
                return self._log.shown(self._lost_cause or "it closed the connection")
            if http_status >= 400:
                return self._log.shown(f"{error.message} (HTTP {http_status})")
            return self._log.shown(error.message)
        return self._log.shown(_described(error))

    async def _is_session_unknown(self) -> bool:
        """Whether the server rejects every request, as it does with old sessions once it has been restarted."""
        from mcp.shared.exceptions import MCPError

        client, http = self._client, self._http
        if client is None or http is None or not http.has_session or http.code not in _UNKNOWN_SESSION:
            return False
        try:
            async with asyncio.timeout(_PING_SECONDS):
                await client.session.send_ping()
        except MCPError as error:
            return http.code in _UNKNOWN_SESSION and not error.message.startswith(_CLOSED)
        except TimeoutError:
            return False
        return False

    async def _wait_for_end(self) -> None:
        """Wait until the cause of a lost connection is known; at most 2 seconds."""
        ending = asyncio.create_task(self._end.wait())
        await asyncio.wait(
            [ending, *([self._task] if self._task is not None else [])],
            timeout=2.0,
            return_when=asyncio.FIRST_COMPLETED,
        )
        ending.cancel()

    def _lose(self, cause: str) -> None:
        """Mark the connection as lost for this cause; the first cause counts."""
        if not self._end.is_set():
            self._lost_cause = cause
            self._client = None
            self._end.set()

    async def _run(self) -> None:
        """Hold the connection until it ends; the result is in the state."""
        try:
            await self._hold()
            if self._lost_cause is not None:
                self._become("failed", self._lost_cause)
            else:
                self._become("pending")
        except MissingVariableError as error:
            self._become("failed", f"{self.server.origin}: {self.server.name}: {error}")
        except Exception as error:  # noqa: BLE001 - the edge: whatever a server does is its own failure
            self._log.failure(error)
            self._fail(error)
        finally:
            self._client = None
            self._child = None
            self.settled.set()

    def _fail(self, error: Exception) -> None:
        from kimi_tui.mcp.oauth import NotAuthorizedError

        if isinstance(first_leaf(error), NotAuthorizedError) or (self._http is not None and self._http.code == 401):
            self._become("unauthorized", self._how_to_authorize())
        elif self._lost_cause is not None:
            self._become("failed", self._lost_cause)
        elif self._http is not None and self._http.code >= 400:
            self._become("failed", tr("answered with HTTP {code}", code=self._http.code))
        else:
            self._become("failed", _described(error))

    def _how_to_authorize(self) -> str:
        if self.server.config.auth == "oauth":
            return tr("needs authorization: {command}", command=f"kimi-tui mcp auth {self.server.name}")
        return tr('needs authorization: add "auth": "oauth" or a header to its entry')

    async def _hold(self) -> None:
        # defence: servers-as-they-were-trusted
        if self.server.of_project and (reason := await asyncio.to_thread(self._around.changed)):
            raise ServerError(reason)
        await asyncio.to_thread(_load_sdk)
        import anyio

        from kimi_tui.mcp.list_filter import with_valid_lists
        from mcp import Client

        with anyio.CancelScope() as scope:
            self._scope = scope
            scope.deadline = anyio.current_time() + self.seconds_to_connect
            answering = self._answering()
            async with Client(
                with_valid_lists(
                    await self._transport(), self._invalid.append, on_flood=lambda: self._mark_lost(FLOOD)
                ),
                list_roots_callback=answering.roots,
                elicitation_callback=answering.elicit,
                sampling_callback=self._sampling(),
                message_handler=self._on_message,  # pyright: ignore[reportArgumentType] - a narrower name for the parameter
                logging_callback=self._log_message,
                client_info=_client_info(),
                cache=None,
            ) as client:
                # A server's output schema is not checked: its patterns may take for ever.
                client.session.validate_tool_result = _any_result
                await self._list_tools(client)
                await self._list_more(client)
                scope.deadline = float("inf")
                self._client = client
                self._become("connected")
                self.settled.set()
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._follow_changes, client)
                    if client.protocol_version >= _FIRST_TO_LISTEN:
                        tasks.start_soon(self._listen, client)
                    await self._end.wait()
                    tasks.cancel_scope.cancel()
        if scope.cancelled_caught and not self._end.is_set():
            self._lost_cause = self._lost_cause or tr("no answer within {seconds:g} s", seconds=self.seconds_to_connect)

    async def _transport(self) -> "AbstractAsyncContextManager[TransportStreams]":
        config = expand_env(self.server.config, os.environ)
        self._log.secrets = find_secrets(self.server.config, config, os.environ)  # defence: secrets-of-an-entry
        if config.url is None:
            return self._program(config)
        from kimi_tui.mcp.http_transport import LastStatus, http_transport
        from kimi_tui.mcp.oauth import session_auth

        self._http = LastStatus()
        auth = await session_auth(self.server.name, config.url) if config.auth == "oauth" else None
        if auth is not None:
            self._log.more_secrets = auth.secrets
        return http_transport(config, auth=auth, status=self._http)

    def _program(self, config: ServerConfig) -> "AbstractAsyncContextManager[TransportStreams]":
        from kimi_tui.mcp.start_env import check_found, env_outside
        from kimi_tui.mcp.stdio_transport import stdio_transport

        assert config.command is not None
        env, cwd = self._around.env.build(), start_folder(self.server, config, self._around.work_dir)
        if cwd == server_folder():
            outside = env_outside(self._around.written(), env)  # defence: servers-find-nothing-of-the-project
            if "PATH" not in config.env:
                check_found(config.command, env, outside)
            env = outside
        return stdio_transport(
            (config.command, *config.args),
            env=env | config.env,
            cwd=cwd,
            on_stderr=self._log.line,
            on_child=self._take_child,
            on_end=self._mark_lost,
        )

    def _answering(self) -> ServerRequestHandler:
        return ServerRequestHandler(self.server.name, self._around.work_dir, self._around.questions, self._calls)

    def _sampling(self) -> "SamplingFnT | None":
        ask = self._around.ask_model
        if ask is None or not self.server.config.sampling:
            return None

        async def within_calls(system_prompt: str, messages: Sequence[Message]) -> tuple[str, str]:
            return await self._calls.while_running(ask(system_prompt, messages))  # defence: sampling-ends-with-calls

        return Sampling(self.server.name, within_calls, call_id=lambda: self._calls.latest).answer

    async def _list_tools(self, client: "Client") -> None:
        self._invalid.clear()
        tools, notes = await remote_tools(client, self.server.config.allowed_tools)
        invalid = tuple(tr("{tool}: ignored; its entry is invalid", tool=label) for label in self._invalid[:MAX_NOTES])
        self.state = replace(self.state, tools=tools, notes=(*invalid, *notes)[:MAX_NOTES])

    async def _list_more(self, client: "Client") -> None:
        """List resources and prompts; a server that fails here or does not respond keeps its tools."""
        import anyio
        from mcp.shared.exceptions import MCPError

        lists: dict[str, Any] = {"instructions": bounded_instructions(client.instructions)}
        for name, read in (("prompts", remote_prompts), ("resources", remote_resources)):
            try:
                # defence: deadline-for-server-lists
                with anyio.move_on_after(min(_OFFERS_SECONDS, self.seconds_to_connect / 3)):
                    lists[name] = await read(client)
            except (MCPError, ValueError) as error:
                _log.info("MCP server %s: no %s: %s", self.server.name, name, error)
        self.state = replace(self.state, **lists)

    async def _on_message(self, message: object) -> None:
        from mcp_types import (
            PromptListChangedNotification,
            ResourceListChangedNotification,
            ToolListChangedNotification,
        )

        changes = (ToolListChangedNotification, PromptListChangedNotification, ResourceListChangedNotification)
        if isinstance(message, changes):
            self._changes.report()

    async def _follow_changes(self, client: "Client") -> None:
        """List again what the server reports as changed. If a list cannot be fetched, the old one stays."""
        from mcp.shared.exceptions import MCPError

        while True:
            await self._changes.next()
            before = self.state
            try:
                # defence: deadline-for-changed-lists
                async with asyncio.timeout(self.seconds_to_connect):
                    await self._list_tools(client)
                    await self._list_more(client)
            except (MCPError, TimeoutError, ValueError) as error:
                _log.info("MCP server %s: no new list of its tools: %s", self.server.name, error)
            if self.state != before:
                self._on_change(self)

    async def _listen(self, client: "Client") -> None:
        """Subscribe to changes: servers of the newer protocol report them only to subscribers."""
        from mcp.client.subscriptions import SubscriptionLost
        from mcp.shared.exceptions import MCPError

        try:
            async with client.listen(
                tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True
            ) as changes:
                async for _ in changes:
                    self._changes.report()
        except (MCPError, SubscriptionLost) as error:
            _log.info("MCP server %s: no news of its tools: %s", self.server.name, error)

    async def _log_message(self, params: object) -> None:
        self._log.line(one_line(str(getattr(params, "data", "")), limit=500))

    def _take_child(self, child: "Child") -> None:
        self._child = child

    def _mark_lost(self, cause: str) -> None:
        self._lose(self._log.shown(cause))
        if self._client is None and self._scope is not None:
            self._scope.cancel()

    def _become(self, status: Status, cause: str = "") -> None:
        self.state = replace(self.state, status=status, cause=self._log.shown(cause))
        self._on_change(self)


_FIRST_TO_LISTEN = "2026-07-28"


def _load_sdk() -> None:
    import mcp  # noqa: F401  # pyright: ignore[reportUnusedImport]


def _client_info():
    from mcp_types import Implementation

    return Implementation(name="kimi-tui", version=__version__)


async def _any_result(name: str, result: "CallToolResult") -> None:
    pass


def _described(error: Exception) -> str:
    leaf = first_leaf(error)
    if isinstance(leaf, OSError) and leaf.strerror:
        return f"{leaf.strerror}: {leaf.filename}" if leaf.filename else leaf.strerror
    return str(leaf) or type(leaf).__name__
