"""What goes out: Wire messages as notifications and requests, as far as the client can take them."""

from kimi_tui.jsonl import dump
from kimi_tui.ui.stdio import LineWriter
from kimi_tui.ui.wire_server import rpc
from kimi_tui.ui.wire_server.params import Capabilities
from kimi_tui.wire.codec import FLOW_EVENTS, REQUESTS, Request, WireMessage, encode
from kimi_tui.wire.events import ApprovalResponse, StatusUpdate, SubagentEvent
from kimi_tui.wire.parts import JsonObject
from kimi_tui.wire.requests import ApprovalRequest, QuestionRequest

_ADDED = {"StatusUpdate": {"model"}, "ApprovalResponse": {"taken"}, "ApprovalRequest": {"scope"}}


class Outgoing:
    """A raw listener. Keeps which requests the client has not answered yet, by their JSON-RPC id."""

    def __init__(self, writer: LineWriter) -> None:
        self._writer = writer
        self._asked: dict[rpc.Id, Request] = {}
        self.capabilities = Capabilities()

    def __call__(self, message: WireMessage) -> None:
        if isinstance(message, ApprovalResponse):
            self._asked = {rpc_id: asked for rpc_id, asked in self._asked.items() if asked.id != message.request_id}
        if isinstance(message, REQUESTS):
            self.ask(message)
        else:
            self._tell(message)

    def ask(self, request: Request) -> None:
        """Send a request, or send it again."""
        if self._show(request):
            self._asked[request.id] = request

    def again(self, message: WireMessage) -> bool:
        """Send what was recorded; a request among it waits for nothing. False where the client cannot take it."""
        return self._show(message) if isinstance(message, REQUESTS) else self._tell(message)

    def answered(self, rpc_id: rpc.Id) -> Request | None:
        """The request that this is the answer to; none where it was not asked, or is settled already."""
        return self._asked.pop(rpc_id, None)

    def write(self, message: JsonObject) -> None:
        self._writer.write(dump(message))

    def _show(self, request: Request) -> bool:
        if isinstance(request, QuestionRequest) and not self.capabilities.supports_question:
            return False
        if isinstance(request, ApprovalRequest) and not self.capabilities.supports_flow:
            request = request.model_copy(update={"scope": None})
        self.write(rpc.request(request.id, "request", encode(request)))
        return True

    def _tell(self, message: WireMessage) -> bool:
        if isinstance(message, FLOW_EVENTS) and not self.capabilities.supports_flow:
            return False
        self.write(rpc.notification("event", encode(message if self.capabilities.supports_flow else _plain(message))))
        return True


def _plain(message: WireMessage) -> WireMessage:
    """The message without what the protocol of Kimi CLI does not have."""
    match message:
        case StatusUpdate():
            return message.model_copy(update={"model": None})
        case ApprovalResponse():
            return message.model_copy(update={"taken": None})
        case SubagentEvent(event={"type": kind, "payload": dict(payload)}) if kind in _ADDED:
            told = {name: value for name, value in payload.items() if name not in _ADDED[kind]}
            return message.model_copy(update={"event": {"type": kind, "payload": told}})
        case _:
            return message
