"""Summarises a tool call in one short line."""

from typing import Any

from kimi_tui import json_text
from kimi_tui.wire.parts import ToolCall

_TELLING = ("command", "path", "pattern", "url", "query", "description", "name")


def headline(call: ToolCall | None) -> str:
    """Return the tool's name and its most informative argument."""
    if call is None:
        return "a tool"
    try:
        arguments: Any = json_text.loads(call.function.arguments or "{}")
    except (ValueError, RecursionError):
        arguments = None
    if isinstance(arguments, dict):
        for key in _TELLING:
            value: Any = arguments.get(key)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
            if isinstance(value, str) and value.strip():
                return f"{call.function.name} {' '.join(value.split())}"
    return call.function.name
