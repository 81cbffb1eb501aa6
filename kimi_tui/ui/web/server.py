"""Serves the app to browsers on this machine: one page per session, behind one token."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from html import escape
from importlib.resources import files
from pathlib import Path
from uuid import uuid4

import textual_serve
from aiohttp import web
from aiohttp.typedefs import Handler

from kimi_tui.errors import UsageError
from kimi_tui.ui.web.access_guard import AccessGuard, page_headers
from kimi_tui.ui.web.connection_limit import COOKIE_TIMEOUT_S, ConnectionLimit
from kimi_tui.ui.web.page_session import Command, PageSession

_LOOPBACK = "127.0.0.1"
_SCRIPTS = Path(textual_serve.__file__).parent / "static"
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LONGEST_MESSAGE = 4 << 20  # a paste is one message
MAX_TABS = 32
"""Tabs that are kept, at most: the address of the tab left longest ago is forgotten, its session is not."""
MakeCommand = Callable[[str], Command]


class WebServer:
    """The server. It calls `make_command` with the name of a new tab, and `log_line` with an app's stderr output at its
    end. `cookie_timeout_s`: seconds in which a new connection has to show the cookie.
    """

    def __init__(
        self,
        make_command: MakeCommand,
        *,
        title: str,
        log_line: Callable[[str], None],
        max_tabs: int = MAX_TABS,
        cookie_timeout_s: float = COOKIE_TIMEOUT_S,
    ) -> None:
        self._max_tabs, self._cookie_timeout_s = max_tabs, cookie_timeout_s
        self._limit: ConnectionLimit | None = None
        self.doorkeeper = AccessGuard()
        self._make_command, self._title, self._log_line = make_command, title, log_line
        self._tabs: dict[str, PageSession] = {}
        self._page = files("kimi_tui.ui.web") / "page"

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard])
        app.on_response_prepare.append(_head)
        app.on_shutdown.append(self._close)
        app.add_routes(
            [
                web.get("/", self._enter),
                web.get("/s/{tab}", self._show),
                web.get("/s/{tab}/ws", self._connect),
                web.get("/page.{kind:js|css}", self._own_file),
                web.static("/static", _SCRIPTS),
            ]
        )
        return app

    async def serve(self, port: int, started: Callable[[int], None]) -> int:
        """Serve until a termination signal; returns the exit status. Calls `started` with the port. Raises
        UsageError.
        """
        async with self.listen(port) as own_port:
            with _signals() as stop_event:
                started(own_port)
                return 128 + await stop_event

    @contextlib.asynccontextmanager
    async def listen(self, port: int) -> AsyncGenerator[int]:
        """Serve during the block; yields the port. All apps have ended after it. Raises UsageError."""
        listening = _listen(port)
        runner = web.AppRunner(self.app(), access_log=None, shutdown_timeout=1)
        await runner.setup()
        assert runner.server is not None
        self._limit = ConnectionLimit(runner.server, cookie_timeout_s=self._cookie_timeout_s)
        server = await asyncio.get_running_loop().create_server(self._limit, sock=listening)
        try:
            yield listening.getsockname()[1]
        finally:
            server.close()
            await runner.cleanup()

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        self.doorkeeper.check_origin(request)
        if not (request.path == "/" and "token" in request.query):
            self.doorkeeper.check_cookie(request)
            if self._limit is not None:
                self._limit.admit(request)
        return await handler(request)

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """Open the printed address: redirect to hide the token; an address without a token opens a new tab."""
        if "token" in request.query:
            response = web.HTTPSeeOther("/")
            self.doorkeeper.set_cookie(request.query["token"], response)
            raise response
        self._forget_tabs()
        name = uuid4().hex
        self._tabs[name] = PageSession(self._make_command(name))
        raise web.HTTPSeeOther(f"/s/{name}")

    def _forget_tabs(self) -> None:
        """Make room for a tab. Raises HTTPServiceUnavailable if all are open."""
        unused = [name for name, tab in self._tabs.items() if not tab.in_use]
        if len(self._tabs) >= self._max_tabs:  # defence: bound-tabs
            if not unused:
                raise web.HTTPServiceUnavailable(text="Too many sessions are open; close one of their pages first.\n")
            del self._tabs[unused[0]]

    async def _show(self, request: web.Request) -> web.StreamResponse:
        name = self._tab(request)[0]
        text = (self._page / "index.html").read_text("utf-8")
        for mark, value in (("{title}", self._title), ("{socket}", f"ws://{request.host}/s/{name}/ws")):
            text = text.replace(mark, escape(value))
        return web.Response(text=text, content_type="text/html")

    async def _own_file(self, request: web.Request) -> web.StreamResponse:
        kind = request.match_info["kind"]
        content_type = {"js": "text/javascript", "css": "text/css"}[kind]
        return web.Response(text=(self._page / f"page.{kind}").read_text("utf-8"), content_type=content_type)

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        name, tab = self._tab(request)
        self._tabs[name] = self._tabs.pop(name)  # the oldest ones are forgotten first
        socket_ = web.WebSocketResponse(heartbeat=15, max_msg_size=_LONGEST_MESSAGE)
        await socket_.prepare(request)
        exit_message = await tab.visit(socket_, _number(request, "width", 80), _number(request, "height", 24))
        if exit_message:
            self._log_line(exit_message)
        return socket_

    def _tab(self, request: web.Request) -> tuple[str, PageSession]:
        name = request.match_info["tab"]
        if name not in self._tabs:
            raise web.HTTPNotFound(text="No such session; open / for a new one.\n")
        return name, self._tabs[name]

    async def _close(self, _app: web.Application) -> None:
        await asyncio.gather(*(tab.close() for tab in self._tabs.values()))


async def _head(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(page_headers(request.host if response.status < 400 else _LOOPBACK))


def _number(request: web.Request, name: str, default: int) -> int:
    try:
        return int(request.query[name])
    except (KeyError, ValueError):
        return default


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((_LOOPBACK, port))
    except OSError as error:
        listening.close()
        raise UsageError(f"port {port} of {_LOOPBACK} is not available: {error.strerror}") from error
    return listening


@contextlib.contextmanager
def _signals() -> Generator["asyncio.Future[int]"]:
    """Return a future for the number of the first termination signal."""
    loop = asyncio.get_running_loop()
    first: asyncio.Future[int] = loop.create_future()

    def end(number: int) -> None:
        if not first.done():
            first.set_result(number)

    for number in _ENDING:
        loop.add_signal_handler(number, end, number)
    try:
        yield first
    finally:
        for number in _ENDING:
            loop.remove_signal_handler(number)
