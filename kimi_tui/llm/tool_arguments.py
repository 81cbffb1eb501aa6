"""A tool call's name and arguments as services want them back."""

import re
from typing import cast

from kimi_tui import json_text
from kimi_tui.wire.parts import JsonObject, ToolCall

MAX_NAME = 64
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")


def valid_name(call: ToolCall) -> str:
    """The name that the model called, in what every service takes: it may have made one up."""
    name = _NOT_IN_NAMES.sub("_", call.function.name)
    return (name if name[:1].isalpha() else f"tool_{name}")[:MAX_NAME]


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
