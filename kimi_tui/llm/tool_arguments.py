"""The arguments of a tool call as services want them back."""

from typing import cast

from kimi_tui import json_text
from kimi_tui.wire.parts import JsonObject, ToolCall


def valid_arguments(call: ToolCall) -> str:
    """The arguments of a call as the model gave them; `{}` if they are no JSON object, which services refuse."""
    text = call.function.arguments or ""
    try:
        return text if isinstance(json_text.loads(text), dict) else "{}"
    except ValueError:
        return "{}"


def arguments_of(call: ToolCall) -> JsonObject:
    """The same as an object."""
    return cast(JsonObject, json_text.loads(valid_arguments(call)))
