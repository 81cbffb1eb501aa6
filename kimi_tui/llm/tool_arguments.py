"""A tool call's name and arguments in the form that services accept."""

import re
from typing import cast

from kimi_tui import json_text
from kimi_tui.wire.parts import JsonObject, ToolCall

MAX_NAME = 64
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")


def valid_name(call: ToolCall) -> str:
    """Return the tool name in characters that every service accepts: the model may have invented it."""
    name = _NOT_IN_NAMES.sub("_", call.function.name)  # defence: sendable-tool-name
    return (name if name[:1].isalpha() else f"tool_{name}")[:MAX_NAME]


def valid_arguments(call: ToolCall) -> str:
    """Return the arguments as the model wrote them; `{}` if they are not a JSON object, which services refuse."""
    text = call.function.arguments or ""
    try:
        return text if isinstance(json_text.loads(text), dict) else "{}"
    except ValueError:
        return "{}"


def parsed_arguments(call: ToolCall) -> JsonObject:
    """The result of `valid_arguments` as an object."""
    return cast(JsonObject, json_text.loads(valid_arguments(call)))
