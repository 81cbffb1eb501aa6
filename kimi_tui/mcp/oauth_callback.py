"""Gets a token with the user's consent: opens the service in the browser, which redirects to a local port."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

from mcp.shared.auth import AuthorizationCodeResult

from kimi_tui.i18n import tr
from kimi_tui.mcp.config import ServerConfig
from kimi_tui.mcp.http_transport import LastStatus, check_address, http_transport
from kimi_tui.mcp.oauth import NotAuthorizedError, TokenFile, make_provider
from kimi_tui.mcp.token_store import token_file
from kimi_tui.mcp.untrusted_text import first_leaf, one_line
from mcp import Client

PATIENCE = 300.0
"""Seconds for the user to give consent in the browser."""

_MAX_BYTES = 16_384


class Callback:
    """The browser's redirect request, on the loopback address."""

    def __init__(self) -> None:
        self._came: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self.port = 0
        self.state: str | None = None
        """The state of the address that was opened; a request with another one is not the service's."""

    async def result(self) -> AuthorizationCodeResult:
        """Wait for the redirect. Raises NotAuthorizedError if the user refuses or does not respond."""
        try:
            async with asyncio.timeout(PATIENCE):
                return await asyncio.shield(self._came)
        except TimeoutError:
            raise NotAuthorizedError(
                tr("the browser sign-in timed out after {seconds:g} s", seconds=PATIENCE)
            ) from None

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = writer
        task.add_done_callback(lambda task: self._connections.pop(task, None))
        try:
            async with asyncio.timeout(10):
                request = await reader.readuntil(b"\r\n\r\n")
            status, text = self._take(request.decode("latin-1").split(" ", 2)[1])
            writer.write(_page(status, text))
            await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, IndexError):
            pass
        finally:
            writer.close()

    async def drop_connections(self) -> None:
        """Close the connections that are still open: browsers open some in advance, and send nothing."""
        for writer in self._connections.values():
            writer.transport.abort()  # defence: no-connection-outlives-sign-in
        if self._connections:
            await asyncio.wait(tuple(self._connections))

    def _take(self, target: str) -> tuple[str, str]:
        try:
            parts = urlsplit(target)
        except ValueError:  # defence: callback-that-is-no-address
            return "400 Bad Request", "This is not an address."
        if parts.path != "/callback":
            return "404 Not Found", "There is nothing here."
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if self.state is None or query.get("state") != self.state:  # defence: callback-of-the-service
            return "400 Bad Request", "This is not the sign-in that kimi-tui is waiting for."
        if "code" in query:
            if not self._came.done():
                self._came.set_result(
                    AuthorizationCodeResult(code=query["code"], state=query.get("state"), iss=query.get("iss"))
                )
            return "200 OK", "kimi-tui is authorized. You can close this page."
        if "error" in query and not self._came.done():
            why = query.get("error_description") or query["error"]
            self._came.set_exception(
                NotAuthorizedError(tr("the service rejected the request: {words}", words=why[:300]))
            )
        return "400 Bad Request", "kimi-tui is not authorized."


@asynccontextmanager
async def callback_server(preferred_port: int | None) -> AsyncGenerator[Callback, None]:
    """Listen on the loopback address: on the registered port if it is free, else on any."""
    callback = Callback()
    try:
        server = await asyncio.start_server(callback.answer, "127.0.0.1", preferred_port or 0, limit=_MAX_BYTES)
    except OSError:
        server = await asyncio.start_server(callback.answer, "127.0.0.1", 0, limit=_MAX_BYTES)
    callback.port = server.sockets[0].getsockname()[1]
    try:
        yield callback
    finally:
        server.close()
        await callback.drop_connections()
        await server.wait_closed()


async def authorize_server(name: str, config: ServerConfig, *, show: Callable[[str], None]) -> None:
    """Authorize kimi-tui with a server; `show` gets the address to open. Raises NotAuthorizedError with the cause."""
    try:
        await _log_in(name, config, show)
    except Exception as error:
        leaf = first_leaf(error)
        raise NotAuthorizedError(f"{name}: {one_line(str(leaf) or type(leaf).__name__, limit=400)}") from error


async def _log_in(name: str, config: ServerConfig, show: Callable[[str], None]) -> None:
    assert config.url is not None
    tokens = await asyncio.to_thread(TokenFile, token_file(name, config.url))
    async with callback_server(tokens.redirect_port) as callback:
        if tokens.redirect_port != callback.port:
            tokens.forget_client()

        async def redirect(address: str) -> None:
            check_address(address, server=config.url or "")
            callback.state = parse_qs(urlsplit(address).query).get("state", [None])[-1]
            show(address)

        auth = make_provider(
            config.url, tokens, redirect_port=callback.port, redirect=redirect, callback=callback.result
        )
        async with Client(http_transport(config, auth=auth, status=LastStatus()), cache=None):
            pass


def _page(status: str, text: str) -> bytes:
    body = f"<!doctype html><meta charset=utf-8><title>kimi-tui</title><p>{text}</p>".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body
