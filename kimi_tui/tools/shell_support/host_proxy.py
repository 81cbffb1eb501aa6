"""A proxy for sandboxed commands that connects to allowed hosts only: CONNECT, and nothing else.

Each command has a password of its own, which tells what it is allowed: other commands run meanwhile.
Names are resolved here, and private addresses are refused, so a name cannot lead back to this machine or its networks.
Where the user's environment names a proxy, that one connects; it may know names that are unknown here.
"""

import asyncio
import base64
import contextlib
import re
import socket
import time
from collections import deque
from collections.abc import Awaitable, Callable

from kimi_tui.tools.shell_support.sandbox_hints import StoppedConnection
from kimi_tui.tools.shell_support.upstream_proxy import MAX_HEAD_BYTES, UpstreamError, upstream_proxy
from kimi_tui.tools.web_support.fetcher import FetchError, public_address

_HEAD_SECONDS = 10.0
_CONNECT_SECONDS = 15.0
_MAX_CONNECTIONS = 128
_MAX_STOPPED = 200
REFUSAL = "Refused by the sandbox"
"""The start of the reason in the answer to a command whose connection is refused."""
_CHALLENGE = b'Proxy-Authenticate: Basic realm="kimi-tui"\r\n'
_PIECE = 1 << 16
_REQUEST = re.compile(rb"CONNECT ([a-zA-Z0-9.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\]):([0-9]{1,5}) HTTP/1\.[01]\r?\n")
_PASSWORD = re.compile(rb"\r\nproxy-authorization: *basic +([a-z0-9+/=]{1,200})[ \t]*\r\n", re.IGNORECASE)
_PLAIN_REQUEST = re.compile(rb"[A-Z]{1,20} http://([a-zA-Z0-9.-]{1,253})[:/ ]")

USER = "kimi-tui"
"""The name of every command; its password tells which one it is."""
Allows = Callable[[str, int, str], Awaitable[bool | None]]


class HostProxy:
    """The proxy of a session.

    `allows` decides on a host, in lower case without a final dot, a port, and the password of a command, None for an
    unknown one; `resolve` finds its address.
    """

    def __init__(self, allows: Allows, *, resolve: Callable[[str, int], Awaitable[str]] | None = None) -> None:
        self._allows = allows
        self._resolve = resolve or _public
        self.stopped: deque[StoppedConnection] = deque(maxlen=_MAX_STOPPED)
        """The last connections that were refused or that failed."""
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self, listener: socket.socket) -> None:
        """Serve the connections of this listening socket, and close it in the end."""
        listener.setblocking(False)
        self._server = await asyncio.start_server(self._accept, sock=listener, limit=MAX_HEAD_BYTES)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= _MAX_CONNECTIONS:
            writer.close()
            return
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
                await self._answer(reader, writer)
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_HEAD_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
        asked = _REQUEST.match(head)
        if asked is None:
            if plain := _PLAIN_REQUEST.match(head):
                self._note(plain[1].decode("ascii"), refused=True)
            await _send_refusal(writer, 426, "only https can be reached")
            return
        host = asked[1].decode("ascii").strip("[]").lower().rstrip(".")
        port = int(asked[2])
        if not host or not 0 < port < 65536:
            await _send_refusal(writer, 400, "no host and port")
            return
        allowed, early = await self._decide(host, port, _password(head), reader)
        if allowed is None:
            await _send(writer, 407, "the password of the command is missing", more=_CHALLENGE)
            return
        if not allowed:  # defence: allowed-hosts-only
            self._note(host, refused=True)
            await _send_refusal(writer, 403, f"{host} is not allowed")
            return
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                upstream, outgoing = await self._connect(host, port)
        except (FetchError, UpstreamError, OSError, TimeoutError) as error:
            self._note(host, refused=False)
            match error:
                case FetchError():
                    await _send_refusal(writer, 502, str(error))
                case UpstreamError():
                    await _send(writer, 502, str(error))
                case _:
                    await _send(writer, 502, f"{host} cannot be reached")
            return
        try:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            outgoing.write(early)
            with contextlib.suppress(ExceptionGroup):  # one side is gone, and so is the other
                async with asyncio.TaskGroup() as both:
                    both.create_task(_pump(reader, outgoing))
                    both.create_task(_pump(upstream, writer))
        finally:
            outgoing.close()

    def _note(self, host: str, *, refused: bool) -> None:
        self.stopped.append(StoppedConnection(host, refused, time.monotonic()))

    async def _connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        proxy = upstream_proxy(host)
        if proxy is None:
            return await asyncio.open_connection(await self._resolve(host, port), port)
        await public_address(host, port, must_resolve=False)  # defence: no-private-hosts-by-a-proxy
        return await proxy.connect(host, port)

    async def _decide(
        self, host: str, port: int, password: str, reader: asyncio.StreamReader
    ) -> tuple[bool | None, bytes]:
        """Return the decision, and what the command sent meanwhile. A command that disconnects cancels the question."""
        asked = asyncio.ensure_future(self._allows(host, port, password))
        early = asyncio.ensure_future(reader.read(_PIECE))
        try:
            await asyncio.wait((asked, early), return_when=asyncio.FIRST_COMPLETED)
            if not asked.done() and not early.result():
                return False, b""
            return await asked, early.result() if early.done() else b""
        finally:
            asked.cancel()
            early.cancel()
            await asyncio.gather(asked, early, return_exceptions=True)


def _password(head: bytes) -> str:
    """Return the password that a request names; empty without one."""
    found = _PASSWORD.search(head)
    try:
        return base64.b64decode(found[1] if found else b"").decode("ascii").removeprefix(f"{USER}:")
    except ValueError:
        return ""


async def _public(host: str, port: int) -> str:
    return await public_address(host, port, must_resolve=True)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(_PIECE):
        writer.write(piece)
        await writer.drain()
    writer.write_eof()


async def _send_refusal(writer: asyncio.StreamWriter, status: int, why: str) -> None:
    await _send(writer, status, f"{REFUSAL}: {why}")


async def _send(writer: asyncio.StreamWriter, status: int, reason: str, *, more: bytes = b"") -> None:
    body = f"{reason}\n".encode("ascii", "replace")
    line = reason.encode("ascii", "replace").replace(b"\r", b" ").replace(b"\n", b" ")
    writer.write(b"HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nConnection: close\r\n%sContent-Length: %d\r\n\r\n%s"
                 % (status, line, more, len(body), body))  # fmt: skip
    await writer.drain()
