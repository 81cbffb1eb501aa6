"""Transports the SDK's messages over stdin and stdout; it also answers invalid messages, which the SDK does not."""

import json
from typing import Any, cast

from kimi_tui import json_text, jsonl
from kimi_tui.ui.stdio import LineReader, LineWriter, TooLong

_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600
_INTERNAL_ERROR = -32603


class StdioTransport:
    """The Transport of the SDK's connection."""

    def __init__(self, reader: LineReader, writer: LineWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._open: set[str | int] = set()

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message. Raises ConnectionError if the reader has closed the pipe."""
        if "method" not in message:
            self._open.discard(message.get("id", ""))
        await self._write(message)

    async def receive(self) -> dict[str, Any] | None:
        while (line := await self._reader.next()) is not None:
            if not isinstance(line, TooLong) and not line.strip():
                continue
            try:
                value: object = None if isinstance(line, TooLong) else json_text.loads(line)
            except (ValueError, RecursionError):  # defence: answer-bad-json
                value = None
            if value is None:
                await self._refuse(_PARSE_ERROR, "this line is not JSON")
                continue
            fields = cast(dict[str, Any], value) if isinstance(value, dict) else {}
            if not _is_message(fields):
                await self._refuse(_INVALID_REQUEST, "this is not a JSON-RPC message")
                continue
            if "method" in fields and (rpc_id := fields.get("id")) is not None:
                if rpc_id in self._open:
                    await self._refuse(_INVALID_REQUEST, "a request with this id is under way", rpc_id)
                    continue
                self._open.add(rpc_id)
            return _of_today(fields) if "method" in fields else _response(fields)
        return None

    async def close(self) -> None:
        """Does nothing: the program owns and closes the streams."""

    async def _write(self, message: dict[str, Any]) -> None:
        if self._writer.broken:
            raise ConnectionError("the client stopped reading")
        self._writer.write(_dumped(_with_details(message)))
        await self._writer.drain()

    async def _refuse(self, code: int, message: str, rpc_id: str | int | None = None) -> None:
        await self._write({"jsonrpc": "2.0", "id": rpc_id, "error": {"code": code, "message": message}})


def _with_details(message: dict[str, Any]) -> dict[str, Any]:
    """Copy the cause of an error into its data: some clients read it there, and some reject null."""
    error: object = message.get("error")
    if not isinstance(error, dict):
        return message
    fields = cast(dict[str, Any], error)
    data = fields.get("data")
    details = cast(dict[str, Any], data) if isinstance(data, dict) else {} if data is None else {"value": data}
    return {**message, "error": {**fields, "data": {"details": str(fields.get("message", "")), **details}}}


def _response(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a response with one outcome in a form that the SDK reads: one that fails to parse ends the connection."""
    error: object = fields.get("error")
    if error is None:
        return {"id": fields["id"], "result": fields.get("result")}
    given = cast(dict[str, Any], error) if isinstance(error, dict) else {}
    code, message = given.get("code"), given.get("message")
    plain: dict[str, Any] = {
        "code": code if isinstance(code, int) else _INTERNAL_ERROR,
        "message": message if isinstance(message, str) else "the client reported an error",
        "data": given.get("data"),
    }
    return {"id": fields["id"], "error": plain}  # defence: one-outcome-of-an-answer


def _of_today(fields: dict[str, Any]) -> dict[str, Any]:
    """Convert `session/set_model`, sent by clients that predate the session options, to the current option."""
    params = fields.get("params")
    if fields.get("method") != "session/set_model" or not isinstance(params, dict):
        return fields
    renamed = {"value" if name == "modelId" else name: value for name, value in cast(dict[str, Any], params).items()}
    return {**fields, "method": "session/set_config_option", "params": {**renamed, "configId": "model"}}


def _is_message(fields: dict[str, Any]) -> bool:
    rpc_id = fields.get("id")
    if rpc_id is not None and (isinstance(rpc_id, bool) or not isinstance(rpc_id, str | int)):
        return False
    return isinstance(fields.get("method"), str) or ("method" not in fields and rpc_id is not None)


def _dumped(message: dict[str, Any]) -> bytes:
    try:
        return jsonl.dump(message)
    except (TypeError, ValueError):  # the details of an error may hold objects that are not JSON
        return jsonl.dump(json_text.loads(json.dumps(message, default=str, skipkeys=True)))
