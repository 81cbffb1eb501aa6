"""A client of the Wire on stdio, written from the protocol's text alone."""

import asyncio
import itertools
import json
import os
from typing import Any

from kimi_tui.ui.stdio import LineReader


class Refused(Exception):
    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


class WireClient:
    """Speaks JSON-RPC over two file descriptors. `said` holds (type, payload) of all events and requests, in order."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._reader = LineReader(read_fd)
        self._write_fd = write_fd
        self._ids = itertools.count(1)
        self._calls: dict[str | int, asyncio.Future[dict[str, Any]]] = {}
        self._requests: asyncio.Queue[tuple[str, str, dict[str, Any]]] = asyncio.Queue()
        self.said: list[tuple[str, dict[str, Any]]] = []
        self.faults: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.strays: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.listening = asyncio.create_task(self._listen())

    @property
    def types(self) -> list[str]:
        return [name for name, _ in self.said]

    def text(self) -> str:
        return "".join(payload["text"] for name, payload in self.said if name == "ContentPart" and "text" in payload)

    def payloads(self, name: str) -> list[dict[str, Any]]:
        return [payload for kind, payload in self.said if kind == name]

    def send_bytes(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._write_fd, view) :]

    def send(self, message: object) -> None:
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def begin(self, method: str, rpc_id: str | int | None = None, **params: object) -> asyncio.Future[dict[str, Any]]:
        """Call a method; the future is its result, or raises Refused."""
        rpc_id = rpc_id if rpc_id is not None else f"call-{next(self._ids)}"
        future = self._calls[rpc_id] = asyncio.get_running_loop().create_future()
        self.send({"jsonrpc": "2.0", "id": rpc_id, "method": method, "params": params})
        return future

    async def call(self, method: str, **params: object) -> dict[str, Any]:
        return await self.begin(method, **params)

    async def initialize(self, **params: object) -> dict[str, Any]:
        return await self.call("initialize", protocol_version="1.10", client={"name": "test"}, **params)

    async def asked(self) -> tuple[str, str, dict[str, Any]]:
        """The next request: its id, type and payload."""
        return await self._requests.get()

    def answer(self, rpc_id: str, result: object) -> None:
        self.send({"jsonrpc": "2.0", "id": rpc_id, "result": result})

    def stop_reading(self) -> None:
        self.listening.cancel()

    def read_on(self) -> None:
        self.listening = asyncio.create_task(self._listen())

    def close(self) -> None:
        """Close the server's stdin."""
        os.close(self._write_fd)

    async def _listen(self) -> None:
        while (line := await self._reader.next()) is not None:
            assert isinstance(line, bytes)
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            match message:
                case {"method": "event", "params": {"type": name, "payload": payload}}:
                    assert "id" not in message
                    self.said.append((name, payload))
                case {"method": "request", "id": rpc_id, "params": {"type": name, "payload": payload}}:
                    self.said.append((name, payload))
                    self._requests.put_nowait((rpc_id, name, payload))
                case {"id": rpc_id} if rpc_id in self._calls:
                    call = self._calls.pop(rpc_id)
                    if "error" in message:
                        call.set_exception(Refused(message["error"]))
                    else:
                        call.set_result(message["result"])
                case {"error": error}:
                    self.faults.put_nowait(error | {"id": message["id"]})
                case _:
                    self.strays.put_nowait(message)
