"""Real HTTP servers on loopback that answer as they are told: an OpenAI-compatible one, and the part under it.

    async with OpenAIServer() as server:
        server.add(chat_reply("Hello"))                         # one answer a request, in order
        server.add(chat_reply(calls=[("c1", "Shell", {"command": "ls"})]))
        server.add(status(429, {"error": {"message": "slow down"}}, retry_after="2"))
        ...ProviderSettings("kimi", "test-model", base_url=server.base_url, api_key="test-key")
        server.requests[0].json["messages"]

A test module that wants it as a fixture: `from tests.llm.servers import openai_server`.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any

import pytest


class Hold:
    """In an answer's chunks: nothing more comes, until the client or the server goes away."""


class Drop:
    """In an answer's chunks: the connection is cut here."""


@dataclass(frozen=True)
class Answer:
    """What to send for one request: a body sent whole if it is bytes, else chunk by chunk."""

    chunks: Iterable[bytes | Hold | Drop] | bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def cut(self, at: int) -> "Answer":
        """The same with the connection cut before chunk `at`."""
        assert not isinstance(self.chunks, bytes)
        return replace(self, chunks=[*list(self.chunks)[:at], Drop()])

    def joined(self) -> bytes:
        """All of the body."""
        return (
            self.chunks if isinstance(self.chunks, bytes) else b"".join(c for c in self.chunks if isinstance(c, bytes))
        )

    def rechunked(self, *sizes: int) -> "Answer":
        """The same body in chunks of other sizes; the last size is used for the rest."""
        body, chunks = self.joined(), []
        left = list(sizes)
        while body:
            size = left.pop(0) if len(left) > 1 else left[0]
            chunks.append(body[:size])
            body = body[size:]
        return replace(self, chunks=chunks)


@dataclass(frozen=True)
class SeenRequest:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Server:
    """Answers each request with the next answer it was given; with `fallback` when there is none left."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[SeenRequest] = []
        self.connections = 0
        self.fallback = status(500, {"error": {"message": "the test gave no more answers"}})
        self.hung_up = asyncio.Event()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def add(self, *answers: Answer) -> None:
        self.answers += answers

    @property
    def port(self) -> int:
        assert self._server is not None
        return self._server.sockets[0].getsockname()[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> "Server":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 26)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def respond(self, request: SeenRequest) -> Answer:
        """What to answer; a subclass may route."""
        return self.answers.pop(0) if self.answers else self.fallback

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while request := await _read_request(reader):
                self.requests.append(request)
                if not await self._send(self.respond(request), reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            self.hung_up.set()
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _send(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        headers = {"Content-Type": "text/event-stream", **answer.headers}
        if isinstance(answer.chunks, bytes):
            headers["Content-Length"] = str(len(answer.chunks))
        else:
            headers["Transfer-Encoding"] = "chunked"
        head = "".join(f"{key}: {value}\r\n" for key, value in headers.items())
        writer.write(f"HTTP/1.1 {answer.status} Said\r\n{head}\r\n".encode())
        if isinstance(answer.chunks, bytes):
            writer.write(answer.chunks)
            await writer.drain()
            return True
        for chunk in answer.chunks:
            if isinstance(chunk, Hold):
                await reader.read(1)
                self.hung_up.set()
                return False
            if isinstance(chunk, Drop):
                return False
            writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            await writer.drain()
            await asyncio.sleep(0)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


class OpenAIServer(Server):
    """Speaks for an OpenAI-compatible service; `base_url` is what a configuration names."""

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    async def __aenter__(self) -> "OpenAIServer":
        await super().__aenter__()
        return self


@pytest.fixture
async def openai_server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer() as server:
        yield server


async def _read_request(reader: asyncio.StreamReader) -> SeenRequest | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {key.strip().lower(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    body = b""
    if headers.get("transfer-encoding") == "chunked":
        while size := int(await reader.readline(), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
    elif length := int(headers.get("content-length", "0")):
        body = await reader.readexactly(length)
    return SeenRequest(method, path, headers, body)


def status(code: int, body: Any = None, **headers: str) -> Answer:
    """An HTTP error, or any plain answer; `body` is JSON unless it is text. Header names take _ for -."""
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    if isinstance(body, str):
        kind = "text/html" if body.lstrip().startswith("<") else "text/plain"
        return Answer(body.encode(), code, {"Content-Type": kind, **named})
    return Answer(json.dumps(body or {}).encode(), code, {"Content-Type": "application/json", **named})


def sse(*events: Any, done: bool = True, end: str = "\n") -> Answer:
    """Events of JSON data, or of text as it stands, one a chunk."""
    texts = [event if isinstance(event, str) else json.dumps(event, ensure_ascii=False) for event in events]
    if done:
        texts.append("[DONE]")
    return Answer([f"data: {text}{end}{end}".encode() for text in texts])


def named_sse(*events: dict[str, Any]) -> Answer:
    """Events with their `type` as their name, as the Responses API and Anthropic send them."""
    return Answer([f"event: {e['type']}\ndata: {json.dumps(e, ensure_ascii=False)}\n\n".encode() for e in events])


def chat_chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One chunk of a chat completion."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "test-model", "choices": choices, **more}


def chat_reply(
    text: str | Iterable[str] = "",
    *,
    think: str | Iterable[str] = "",
    calls: Iterable[tuple[str, str, dict[str, Any]]] = (),
    usage: dict[str, Any] | None = None,
    finish: str | None = None,
    end: str = "\n",
) -> Answer:
    """A whole streamed chat completion. `calls` are (id, name, arguments); arguments come in two parts."""
    events = [chat_chunk({"role": "assistant", "content": ""})]
    events += [chat_chunk({"reasoning_content": piece}) for piece in _pieces(think)]
    events += [chat_chunk({"content": piece}) for piece in _pieces(text)]
    index = -1
    for index, (call_id, name, arguments) in enumerate(calls):
        body = json.dumps(arguments, ensure_ascii=False)
        begin = {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
        events.append(chat_chunk({"tool_calls": [begin]}))
        for piece in (body[: len(body) // 2], body[len(body) // 2 :]):
            events.append(chat_chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
    events.append(chat_chunk({}, finish or ("tool_calls" if index >= 0 else "stop")))
    counted = usage or {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    events.append(chat_chunk(None, usage=counted))
    return sse(*events, end=end)


def _pieces(text: str | Iterable[str]) -> list[str]:
    return ([text] if text else []) if isinstance(text, str) else list(text)
