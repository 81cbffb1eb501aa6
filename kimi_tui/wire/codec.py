"""Wire messages to JSON and back: the envelope `{"type": NAME, "payload": {...}}`."""

from dataclasses import dataclass
from typing import Any, cast, get_args

from pydantic import ConfigDict, TypeAdapter, ValidationError

from kimi_tui.errors import KimiTuiError
from kimi_tui.wire import events, flow_events, parts, requests
from kimi_tui.wire.parts import JsonObject, WireModel

ContentMessage = parts.TextPart | parts.ThinkPart | parts.ImageURLPart | parts.AudioURLPart | parts.VideoURLPart
FlowEvent = (
    flow_events.FlowBegin
    | flow_events.FlowNodeBegin
    | flow_events.FlowDecision
    | flow_events.FlowNodeEnd
    | flow_events.FlowPaused
    | flow_events.FlowResumed
    | flow_events.FlowControls
    | flow_events.FlowSpending
    | flow_events.FlowEnd
)
Event = (
    events.TurnBegin
    | events.TurnEnd
    | events.SteerInput
    | events.StepBegin
    | events.StepInterrupted
    | events.StepRetry
    | events.CompactionBegin
    | events.CompactionEnd
    | events.StatusUpdate
    | ContentMessage
    | parts.ToolCall
    | parts.ToolCallPart
    | parts.ToolResult
    | events.ApprovalResponse
    | events.SubagentEvent
    | events.BtwBegin
    | events.BtwEnd
    | events.PlanDisplay
    | events.HookTriggered
    | events.HookResolved
    | events.MCPLoadingBegin
    | events.MCPLoadingEnd
    | events.Notification
    | FlowEvent
)
Request = requests.ApprovalRequest | requests.ToolCallRequest | requests.QuestionRequest | requests.HookRequest
WireMessage = Event | Request

CONTENT_CLASSES: tuple[type[WireModel], ...] = get_args(ContentMessage)
FLOW_EVENTS: tuple[type[WireModel], ...] = get_args(FlowEvent)
MESSAGE_CLASSES = tuple(
    cls for cls in cast(tuple[type[WireModel], ...], get_args(WireMessage)) if cls not in CONTENT_CLASSES
)
_BY_NAME = {cls.__name__: cls for cls in MESSAGE_CLASSES} | {"ApprovalRequestResolved": events.ApprovalResponse}
_CONTENT = TypeAdapter[ContentMessage](parts.ContentPart, config=ConfigDict(defer_build=True))


class WireFormatError(KimiTuiError):
    """A message of a known type whose payload does not match the Wire's schema."""


@dataclass(frozen=True, slots=True)
class UnknownMessage:
    """A message of a type that is unknown to this version: kept unchanged and ignored."""

    type: str
    payload: JsonObject


def type_name(message: WireMessage) -> str:
    return "ContentPart" if isinstance(message, CONTENT_CLASSES) else type(message).__name__


def encode(message: WireMessage) -> JsonObject:
    """Return the envelope of `message` as plain JSON values; omits fields that are None."""
    payload = message.model_dump(mode="json", exclude_none=True)
    return {"type": type_name(message), "payload": payload}


def decode(envelope: object) -> WireMessage | UnknownMessage:
    """Return the message in an envelope. Raises WireFormatError if the envelope is invalid."""
    if not isinstance(envelope, dict):
        raise WireFormatError("a Wire message must be an object with type and payload")
    fields = cast(dict[str, Any], envelope)
    name, payload = fields.get("type"), fields.get("payload", {})
    if not isinstance(name, str) or not isinstance(payload, dict):
        raise WireFormatError("a Wire message must be an object with type and payload")
    try:
        if name == "ContentPart":
            return _CONTENT.validate_python(payload)
        cls = _BY_NAME.get(name)
        if cls is None:
            return UnknownMessage(name, cast(JsonObject, payload))
        return cast(WireMessage, cls.model_validate(payload))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise WireFormatError(f"{name}: {where + ': ' if where else ''}{first['msg']}") from error
