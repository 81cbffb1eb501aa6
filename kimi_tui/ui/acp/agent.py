"""The ACP agent: sessions by id, each with its own engine."""

import asyncio
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, TypeVar

from acp import PROTOCOL_VERSION, RequestError
from acp.helpers import ContentBlock
from acp.interfaces import Client
from acp.schema import (
    AgentCapabilities,
    AuthenticateResponse,
    AuthMethodAgent,
    ClientCapabilities,
    CloseSessionResponse,
    ForkSessionResponse,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    McpCapabilities,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionAdditionalDirectoriesCapabilities,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionForkCapabilities,
    SessionInfo,
    SessionListCapabilities,
    SessionResumeCapabilities,
    SetSessionConfigOptionResponse,
    SetSessionModeResponse,
    TerminalAuthMethod,
)

from kimi_tui import __version__
from kimi_tui.errors import KimiTuiError
from kimi_tui.mcp.config import Server
from kimi_tui.paths import is_file, is_folder
from kimi_tui.session.session import sessions_dir
from kimi_tui.session.session_index import find_sessions, fork
from kimi_tui.soul.engine import Engine
from kimi_tui.ui.acp import settings
from kimi_tui.ui.acp.errors import AUTH_REQUIRED, INVALID_PARAMS, to_request_error, unknown_session
from kimi_tui.ui.acp.mcp_servers import RequestedServer, servers
from kimi_tui.ui.acp.session import AcpSession

McpServers = list[RequestedServer]
_SESSION_ID = re.compile(r"[0-9a-f]{32}")


class _New(NewSessionResponse):
    models: dict[str, object] | None = None


class _Loaded(LoadSessionResponse):
    models: dict[str, object] | None = None


class _Resumed(ResumeSessionResponse):
    models: dict[str, object] | None = None


class _Forked(ForkSessionResponse):
    models: dict[str, object] | None = None


R = TypeVar("R", _New, _Loaded, _Resumed, _Forked)


class Host(Protocol):
    """The program functions that the agent needs."""

    async def open(
        self, work_dir: Path, session_id: str | None, *, add_dirs: Sequence[Path], mcp_servers: Sequence[Server]
    ) -> Engine:
        """Open an engine on that or a new session; these MCP servers precede configured ones. Raises KimiTuiError."""
        ...

    def why_no_model(self) -> str | None:
        """Explain how to set a model, if there is none."""
        ...


class AcpAgent:
    """All sessions of one client."""

    def __init__(self, client: Client, host: Host) -> None:
        self._client = client
        self._host = host
        self._sessions: dict[str, AcpSession] = {}
        self._can = ClientCapabilities()
        self._reopening = asyncio.Lock()

    async def initialize(
        self,
        protocol_version: int,
        client_capabilities: ClientCapabilities | None = None,
        client_info: Implementation | None = None,
        **kwargs: object,
    ) -> InitializeResponse:
        # The SDK passes a dict where the client sent something of another type.
        self._can = ClientCapabilities.model_validate(client_capabilities or {})
        sessions = SessionCapabilities(
            list=SessionListCapabilities(),
            resume=SessionResumeCapabilities(),
            fork=SessionForkCapabilities(),
            close=SessionCloseCapabilities(),
            additional_directories=SessionAdditionalDirectoriesCapabilities(),
        )
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_info=Implementation(name="kimi-tui", title="Kimi TUI", version=__version__),
            agent_capabilities=AgentCapabilities(
                load_session=True,
                mcp_capabilities=McpCapabilities(http=True, sse=True),
                prompt_capabilities=PromptCapabilities(image=True, audio=False, embedded_context=True),
                session_capabilities=sessions,
            ),
            auth_methods=[_auth_method(self._can)] if self._host.why_no_model() else [],
        )

    async def authenticate(self, method_id: str, **kwargs: object) -> AuthenticateResponse:
        """Succeeds if a usable model is configured; no other authentication is needed."""
        self._need_model()
        return AuthenticateResponse()

    async def new_session(
        self,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: McpServers | None = None,
        **kwargs: object,
    ) -> NewSessionResponse:
        session = await self._open(_folder(cwd), None, additional_directories, mcp_servers)
        return _session_response(_New, session, session_id=session.engine.session_id)

    async def load_session(
        self,
        cwd: str,
        session_id: str,
        mcp_servers: McpServers | None = None,
        additional_directories: list[str] | None = None,
        **kwargs: object,
    ) -> LoadSessionResponse:
        session = await self._reopen(cwd, session_id, additional_directories, mcp_servers)
        await session.replay()
        return _session_response(_Loaded, session)

    async def resume_session(
        self,
        session_id: str,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: McpServers | None = None,
        **kwargs: object,
    ) -> ResumeSessionResponse:
        return _session_response(_Resumed, await self._reopen(cwd, session_id, additional_directories, mcp_servers))

    async def fork_session(
        self,
        session_id: str,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: McpServers | None = None,
        **kwargs: object,
    ) -> ForkSessionResponse:
        work_dir = _folder(cwd)
        open_session = self._sessions.get(session_id)
        if open_session is not None:
            if open_session.engine.busy:
                raise RequestError(-32600, "a turn is running in this session; fork it after the turn has ended")
            open_session.engine.wire.flush()
        folder = _session_folder(work_dir, session_id)
        title = next(
            (entry.info.title for entry in find_sessions(work_dir, archived=True) if entry.info.dir == folder), ""
        )
        with _refused():
            copy = await asyncio.to_thread(fork, folder, work_dir, title=title)
        session = await self._open(work_dir, copy, additional_directories, mcp_servers)
        return _session_response(_Forked, session, session_id=session.engine.session_id)

    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **kwargs: object
    ) -> ListSessionsResponse:
        """List the sessions of one folder, or of all folders, newest first."""
        entry = await asyncio.to_thread(find_sessions, _folder(cwd) if cwd is not None else None)
        return ListSessionsResponse(
            sessions=[
                SessionInfo(
                    session_id=entry.info.id,
                    cwd=str(entry.work_dir),
                    title=entry.info.title or None,
                    updated_at=datetime.fromtimestamp(entry.info.updated_at, UTC).isoformat(),
                )
                for entry in entry
                if entry.work_dir is not None
            ]
        )

    async def close_session(self, session_id: str, **kwargs: object) -> CloseSessionResponse:
        session = self._session(session_id)
        del self._sessions[session_id]
        await session.aclose()
        return CloseSessionResponse()

    async def prompt(self, session_id: str, prompt: Sequence[ContentBlock], **kwargs: object) -> PromptResponse:
        return await self._session(session_id).prompt(prompt)

    async def cancel(self, session_id: str, **kwargs: object) -> None:
        self._session(session_id).cancel()

    async def set_session_mode(self, session_id: str, mode_id: str, **kwargs: object) -> SetSessionModeResponse:
        settings.set_mode(self._session(session_id).engine, mode_id)
        return SetSessionModeResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **kwargs: object
    ) -> SetSessionConfigOptionResponse:
        session = self._session(session_id)
        with _refused():
            await settings.set_option(session.engine, config_id, value)
        return SetSessionConfigOptionResponse(config_options=session.options())

    async def ext_method(self, method: str, params: dict[str, object]) -> dict[str, object]:
        raise RequestError.method_not_found(f"_{method}")

    async def ext_notification(self, method: str, params: dict[str, object]) -> None:
        """Ignores extension notifications; none are known."""

    def on_connect(self, conn: Client) -> None:
        """Does nothing: the constructor already has the client."""

    async def aclose(self) -> None:
        """Interrupt and close every session after the client has disconnected."""
        sessions = list(self._sessions.values())
        self._sessions.clear()
        await asyncio.gather(*(session.aclose() for session in sessions))

    async def _open(
        self, work_dir: Path, session_id: str | None, add_dirs: list[str] | None, mcp_servers: McpServers | None
    ) -> AcpSession:
        self._need_model()
        folders = [_folder(folder) for folder in add_dirs or ()]
        with _refused():
            engine = await self._host.open(
                work_dir, session_id, add_dirs=folders, mcp_servers=servers(mcp_servers or ())
            )
        engine.interactive = False  # a paused flow would keep the prompt open, and the client could not steer the flow
        session = AcpSession(engine, self._client, self._can)
        self._sessions[engine.session_id] = session
        engine.start()
        asyncio.get_running_loop().call_soon(session.begin)
        return session

    async def _reopen(
        self, cwd: str, session_id: str, add_dirs: list[str] | None, mcp_servers: McpServers | None
    ) -> AcpSession:
        async with self._reopening:  # defence: session-opened-once
            open_session = self._sessions.get(session_id)
            if open_session is not None:
                return open_session
            work_dir = _folder(cwd)
            # Our own empty sessions are not stored: start such a session again.
            if not _SESSION_ID.fullmatch(session_id):
                _session_folder(work_dir, session_id)
            return await self._open(work_dir, session_id, add_dirs, mcp_servers)

    def _session(self, session_id: str) -> AcpSession:
        session = self._sessions.get(session_id)
        if session is None:
            raise unknown_session(session_id, "is not open; create, load or resume one")
        return session

    def _need_model(self) -> None:
        why = self._host.why_no_model()
        if why is not None:
            raise RequestError(AUTH_REQUIRED, why)


def _auth_method(capabilities: ClientCapabilities) -> TerminalAuthMethod | AuthMethodAgent:
    """How the user sets a model up: in a terminal that the client opens, or by hand before `authenticate`."""
    in_meta = (capabilities.field_meta or {}).get(
        "terminal-auth"
    ) is True  # clients from before the capability was specified
    if in_meta or (capabilities.auth is not None and capabilities.auth.terminal):
        return TerminalAuthMethod(
            type="terminal",
            id="setup",
            name="Set up a model",
            description="Choose a model and enter its API key in a terminal",
            args=["--setup"],
        )
    return AuthMethodAgent(
        id="configured-model",
        name="Use the configured model",
        description="First run kimi-tui acp --setup in a terminal, or set KIMI_API_KEY",
    )


def _session_response(response: type[R], session: AcpSession, **fields: str) -> R:
    """Add the models in a separate field too, for clients that predate the session options."""
    engine = session.engine
    facts = {"modes": settings.modes(engine), "models": settings.models(engine), "config_options": session.options()}
    return response.model_validate({**facts, **fields})


def _folder(text: str) -> Path:
    """Parse a folder. Raises RequestError."""
    folder = Path(text)
    if not folder.is_absolute() or not is_folder(folder):
        raise RequestError(INVALID_PARAMS, f"{text!r} is not a folder here")
    return folder.resolve()


def _session_folder(work_dir: Path, session_id: str) -> Path:
    """Find the folder of a session. Raises RequestError."""
    folder = sessions_dir(work_dir) / session_id
    if "/" in session_id or not is_file(folder / "wire.jsonl"):
        raise unknown_session(session_id, "not found in this folder")
    return folder


@contextmanager
def _refused() -> Generator[None]:
    try:
        yield
    except KimiTuiError as error:
        raise to_request_error(error) from error
