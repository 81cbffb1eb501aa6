"""A server by HTTP that a test writes: it keeps what it was asked, and `odd` says where it misbehaves."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from kimi_tui.mcp.token_store import token_file

_RESULT = {"content": [{"type": "text", "text": "done"}]}


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    message: dict[str, Any]
    writer: asyncio.StreamWriter

    async def answer(self, status: int, body: object = None, **headers: str) -> None:
        text = b"" if body is None else json.dumps(body).encode()
        fields = {"Content-Type": "application/json", "Content-Length": str(len(text))}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.writer.write(f"HTTP/1.1 {status} it\r\n{head}\r\n".encode() + text)
        await self.writer.drain()

    async def result(self, result: dict[str, Any]) -> None:
        await self.answer(200, {"jsonrpc": "2.0", "id": self.message["id"], "result": result})

    async def pour(self, status: int, content_type: str, chunks: int) -> None:
        """Answer with so many chunks of 1 MiB, and then with nothing more."""
        self.writer.write(f"HTTP/1.1 {status} it\r\nContent-Type: {content_type}\r\n\r\n".encode())
        for _ in range(chunks):
            self.writer.write(b"x" * (1 << 20))
            await self.writer.drain()
        await asyncio.Event().wait()


Odd = Callable[[Request], Awaitable[bool]]


@dataclass
class Served:
    port: int = 0
    requests: list[Request] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def paths(self) -> set[str]:
        return {request.path for request in self.requests}


@asynccontextmanager
async def http_server(odd: Odd) -> AsyncIterator[Served]:
    """A server with one tool `t`. `odd` gets each request first, and says whether it has answered it."""
    served = Served()
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            while True:
                request = await _read(reader, writer)
                served.requests.append(request)
                if not await odd(request):
                    await _usual(request)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    served.port = server.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Request:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    is_json = headers.get("content-type", "").startswith("application/json")
    return Request(method, path, headers, json.loads(body) if body and is_json else {}, writer)


async def _usual(request: Request) -> None:
    match request.message.get("method"):
        case "initialize":
            about = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "o", "version": "0"}}
            await request.result({**about, "capabilities": {"tools": {}}})
        case "tools/list":
            await request.result({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]})
        case "tools/call":
            await request.result(_RESULT)
        case _ if "id" in request.message:
            error = {"code": -32601, "message": "no such method"}
            await request.answer(200, {"jsonrpc": "2.0", "id": request.message["id"], "error": error})
        case _:
            await request.answer(202 if request.message else 404)


def save_tokens(name: str, url: str, **fields: Any) -> None:
    """Store tokens for the server, as a sign-in leaves them."""
    client = {"client_id": "us", "redirect_uris": ["http://127.0.0.1:9/callback"], "token_endpoint_auth_method": "none"}
    tokens = {"access_token": "access-0123456789", "token_type": "Bearer", "refresh_token": "refresh-0123456789"}
    file = token_file(name, url)
    file.parent.mkdir(parents=True, exist_ok=True)
    stored = {"tokens": tokens, "client": client, "authorization_server": None}
    file.write_text(json.dumps({**stored, **fields}), "utf-8")
