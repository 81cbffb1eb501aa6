"""The JSON Schema of Wire messages, for clients."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from kimi_tui.wire.codec import CONTENT_CLASSES, MESSAGE_CLASSES


def wire_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) of the envelope `{"type": NAME, "payload": {...}}` of each message.

    A client must accept names and fields that it does not know: later versions add some.
    """
    references, definitions = references_and_definitions((*MESSAGE_CLASSES, *CONTENT_CLASSES))
    messages = [envelope(cls.__name__, references[cls]) for cls in MESSAGE_CLASSES]
    content = envelope("ContentPart", {"oneOf": [references[cls] for cls in CONTENT_CLASSES]})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Wire message",
        "oneOf": [*messages, content],
        "$defs": definitions,
    }


def references_and_definitions(
    classes: Sequence[type[BaseModel]],
) -> tuple[dict[type[BaseModel], dict[str, Any]], dict[str, Any]]:
    """Return a `$ref` to each class, and the `$defs` that these refer to."""
    references, schema = models_json_schema([(cls, "serialization") for cls in classes])
    definitions: dict[str, Any] = schema["$defs"]
    for definition in definitions.values():
        for field in definition.get("properties", {}).values():
            items = field.get("items", {})
            if "oneOf" in items:  # the block of a later version fits beside each known one
                items["anyOf"] = items.pop("oneOf")
    return {cls: references[cls, "serialization"] for cls in classes}, definitions


def envelope(name: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a message of this type."""
    return {
        "type": "object",
        "title": name,
        "properties": {"type": {"const": name}, "payload": payload},
        "required": ["type", "payload"],
    }
