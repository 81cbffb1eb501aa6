"""The JSON Schema of a line of `--output-format stream-json`, for programs that read it."""

from typing import Any

from kimi_tui.llm.message import Message
from kimi_tui.wire.codec import FLOW_EVENTS
from kimi_tui.wire.events import BtwEnd, Notification, PlanDisplay
from kimi_tui.wire.json_schema import envelope, references_and_definitions

_BUDGET = ("run", "node", "budget", "spent", "resume")
_WAITING = {
    "type": "object",
    "title": "waiting",
    "properties": {
        "type": {"const": "waiting"},
        "questions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "run": {"type": "string"},
                    "node": {"type": "string"},
                    "question": {"type": "string"},
                    "choices": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["run", "node", "question", "choices"],
            },
        },
        "budget": {
            "type": "object",
            "description": "The run waits for a higher budget; `resume` is the command that raises it.",
            "properties": {name: {"type": "string"} for name in _BUDGET},
            "required": [*_BUDGET],
        },
    },
    "required": ["type", "questions"],
}


def stream_json_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) of a line: a message, a notice, a plan, an event, or an open question.

    A reader must accept lines and fields that it does not know: later versions add some.
    """
    classes = (Message, Notification, PlanDisplay, BtwEnd, *FLOW_EVENTS)
    references, definitions = references_and_definitions(classes)
    # The content of a message that is one text is that text.
    definitions["Message"]["properties"]["content"] = {
        "anyOf": [{"type": "string"}, definitions["Message"]["properties"]["content"]]
    }
    events = [envelope(cls.__name__, references[cls]) for cls in (BtwEnd, *FLOW_EVENTS)]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of stream-json",
        "anyOf": [references[Message], references[Notification], references[PlanDisplay], *events, _WAITING],
        "$defs": definitions,
    }
