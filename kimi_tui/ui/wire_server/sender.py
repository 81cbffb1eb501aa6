"""Sends Wire messages as notifications and requests, as far as the client supports them."""

from collections.abc import Sequence
from pathlib import Path

from kimi_tui.jsonl import dump
from kimi_tui.ui.stdio import LineWriter
from kimi_tui.ui.wire_server import rpc
from kimi_tui.ui.wire_server.params import Capabilities
from kimi_tui.wire.codec import (
    FlowEvent,
    Request,
    UnknownMessage,
    WireFormatError,
    WireMessage,
    decode,
    encode,
)
from kimi_tui.wire.display import DiffBlock, DisplayBlock
from kimi_tui.wire.events import ApprovalResponse, Notification, StatusUpdate, StepInterrupted, SubagentEvent
from kimi_tui.wire.flow_events import FlowEnd
from kimi_tui.wire.parts import JsonObject, TextPart, ToolResult
from kimi_tui.wire.requests import ApprovalRequest, QuestionRequest

_ADDED = {
    "StatusUpdate": {"model"},
    "StepInterrupted": {"error_type", "status_code"},
    "ApprovalResponse": {"taken"},
    "ApprovalRequest": {"scope"},
}


class Sender:
    """A raw listener of the Wire that sends its messages on. It tracks unanswered requests by JSON-RPC id."""

    def __init__(self, writer: LineWriter, work_dir: Path) -> None:
        self._writer = writer
        self._work_dir = work_dir
        self._held_notifications: list[Notification] = []
        self._open_requests: dict[rpc.Id, Request] = {}
        self.capabilities = Capabilities()

    def __call__(self, message: WireMessage) -> None:
        if isinstance(message, ApprovalResponse):
            self._open_requests = {
                rpc_id: request for rpc_id, request in self._open_requests.items() if request.id != message.request_id
            }
        if isinstance(message, Request):
            self.ask(message)
        else:
            self._send_event(message)

    def ask(self, request: Request) -> None:
        """Send a request, or repeat it."""
        if self._show(request):
            self._open_requests[request.id] = request

    def again(self, message: WireMessage) -> bool:
        """Send a recorded message; a recorded request expects no answer. False if the client does not support the
        message.

        Approvals and notifications are not sent to a client of Kimi CLI, which does not record them.
        """
        if isinstance(message, ApprovalRequest | ApprovalResponse | Notification) and not self._knows_ours:
            return False
        return self._show(message) if isinstance(message, Request) else self._send_event(message)

    def answered(self, rpc_id: rpc.Id) -> Request | None:
        """Return the request for this answer; None if it is unknown or already settled."""
        return self._open_requests.pop(rpc_id, None)

    def send_held(self) -> None:
        """Send the messages held back during a turn, now that none runs."""
        notifications, self._held_notifications = self._held_notifications, []
        for message in notifications:
            self._send(message)

    @property
    def _knows_ours(self) -> bool:
        return self.capabilities.supports_flow

    def write(self, message: JsonObject) -> None:
        self._writer.write(dump(message))

    def _show(self, request: Request) -> bool:
        if isinstance(request, QuestionRequest) and not self.capabilities.supports_question:
            return False
        if isinstance(request, ApprovalRequest):
            display = absolute(request.display, self._work_dir)
            scope = request.scope if self._knows_ours else None
            request = request.model_copy(update={"scope": scope, "display": display})
        self.write(rpc.request(request.id, "request", encode(request)))
        return True

    def _send_event(self, message: WireMessage) -> bool:
        if isinstance(message, FlowEvent) and not self._knows_ours:
            if isinstance(message, FlowEnd) and message.status == "stopped":
                self._send(TextPart(text=f"The flow stopped: {message.reason or 'on request'}.\n"))
                return True
            return False
        if isinstance(message, Notification) and message.type == "sandbox" and not self._knows_ours:
            self._held_notifications.append(message)
            return True
        self._send(message)
        return True

    def _send(self, message: WireMessage) -> None:
        outgoing = message if self._knows_ours else _plain(message)
        self.write(rpc.notification("event", encode(_with_absolute_paths(outgoing, self._work_dir))))


def absolute(display: Sequence[DisplayBlock], work_dir: Path) -> tuple[DisplayBlock, ...]:
    """Return the blocks with absolute file paths."""
    return tuple(
        block.model_copy(update={"path": str(work_dir / block.path)}) if isinstance(block, DiffBlock) else block
        for block in display
    )


def _with_absolute_paths(message: WireMessage, work_dir: Path) -> WireMessage:
    match message:
        case ToolResult(return_value=value) if value.display:
            absolute_value = value.model_copy(update={"display": absolute(value.display, work_dir)})
            return message.model_copy(update={"return_value": absolute_value})
        case SubagentEvent(event={"type": "ToolResult" | "ApprovalRequest" | "SubagentEvent"}):
            try:
                inner = decode(message.event)
            except WireFormatError:
                return message
            if isinstance(inner, UnknownMessage):
                return message
            if isinstance(inner, ApprovalRequest):
                inner = inner.model_copy(update={"display": absolute(inner.display, work_dir)})
            return message.model_copy(update={"event": encode(_with_absolute_paths(inner, work_dir))})
        case _:
            return message


def _plain(message: WireMessage) -> WireMessage:
    """Return the message without the fields that Kimi CLI's protocol lacks."""
    match message:
        case StatusUpdate():
            return message.model_copy(update={"model": None})
        case StepInterrupted():
            return StepInterrupted()
        case ApprovalResponse():
            return message.model_copy(update={"taken": None})
        case SubagentEvent(event={"type": kind, "payload": dict(payload)}) if kind in _ADDED:
            fields = {name: value for name, value in payload.items() if name not in _ADDED[kind]}
            return message.model_copy(update={"event": {"type": kind, "payload": fields}})
        case _:
            return message
