"""JSON-RPC 2.0: parses lines, and formats responses."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, cast

from kimi_tui import json_text
from kimi_tui.wire.parts import JsonObject

Id = str | int


class Code(IntEnum):
    """Error codes: those of JSON-RPC, then those of the Wire; FLOW_FAILED is our own."""

    NOT_JSON = -32700
    NOT_A_REQUEST = -32600
    NO_SUCH_METHOD = -32601
    BAD_PARAMS = -32602
    INTERNAL = -32603
    WRONG_STATE = -32000
    NO_MODEL = -32001
    MODEL_UNSUPPORTED = -32002
    MODEL_FAILED = -32003
    FLOW_FAILED = -32010


class RpcError(Exception):
    """The error response of a failed call."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Call:
    """A method call; a call without an id expects no response."""

    method: str
    params: JsonObject
    id: Id | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A response to our request: `error` is its message, if it is an error."""

    id: Id
    result: object = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """An invalid line from the client; `id` is its id, if any."""

    code: Code
    message: str
    id: Id | None = None


def read(line: bytes) -> Call | Answer | Fault:
    try:
        value: object = json_text.loads(line)
    except (ValueError, RecursionError):
        return Fault(Code.NOT_JSON, "this line is not JSON")
    if not isinstance(value, dict):
        return Fault(Code.NOT_A_REQUEST, "a message is one JSON object a line")
    fields = cast(dict[str, Any], value)
    raw_id, method, params = fields.get("id"), fields.get("method"), fields.get("params")
    rpc_id: Id | None = raw_id if isinstance(raw_id, str | int) and not isinstance(raw_id, bool) else None
    if raw_id is not None and rpc_id is None:
        return Fault(Code.NOT_A_REQUEST, "an id is a string or a whole number")
    if "method" not in fields and rpc_id is not None and ("result" in fields or "error" in fields):
        if (error := fields.get("error")) is not None:
            return Answer(rpc_id, None, _error_message(error))  # defence: error-is-no-result
        return Answer(rpc_id, fields.get("result"))
    if not isinstance(method, str):
        return Fault(Code.NOT_A_REQUEST, "this message has no method", rpc_id)
    if fields.get("jsonrpc", "2.0") != "2.0":
        return Fault(Code.NOT_A_REQUEST, "this is not JSON-RPC 2.0", rpc_id)
    if params is not None and not isinstance(params, dict):
        return Fault(Code.BAD_PARAMS, "params are an object of names and values", rpc_id)
    return Call(method, cast(JsonObject, params or {}), rpc_id)


def result(rpc_id: Id, value: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": rpc_id, "result": value}


def error(rpc_id: Id | None, code: Code, message: str) -> JsonObject:
    return {"jsonrpc": "2.0", "id": rpc_id, "error": {"code": int(code), "message": message}}


def notification(method: str, params: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def request(rpc_id: Id, method: str, params: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": rpc_id, "method": method, "params": params}


def _error_message(value: object) -> str:
    message = cast(dict[str, Any], value).get("message") if isinstance(value, dict) else None
    return message if isinstance(message, str) and message else "an error without a message"
