"""Runs a tool call with its hooks."""

from typing import cast

from kimi_tui.soul.hooks.dispatcher import HookDispatcher
from kimi_tui.tools.core.tool import failed
from kimi_tui.tools.core.toolset import Toolset, read_arguments
from kimi_tui.wire.parts import JsonValue, ToolCall, ToolResult

_OUTPUT_CHARS = 50_000


async def call_with_hooks(hooks: HookDispatcher, toolset: Toolset, call: ToolCall) -> ToolResult:
    """Return the tool's result, or the message of a hook that blocked the call."""
    if not hooks.any:
        return await toolset.handle(call)
    name = toolset.own_name(call.function.name) or call.function.name  # defence: hooks-by-own-name
    call_fields: dict[str, JsonValue] = {
        "tool_name": name,
        "tool_input": _arguments(call.function.arguments),
        "tool_call_id": call.id,
    }
    verdict = await hooks.ask("PreToolUse", name, **call_fields)
    if verdict.blocked:
        why = verdict.reason or "no reason given"
        value = failed(f"A hook did not let this call be made: {why}", brief=f"Blocked by a hook: {why}")
        return ToolResult(tool_call_id=call.id, return_value=value)
    result = await toolset.handle(call)
    value = result.return_value
    output = value.output if isinstance(value.output, str) else ""
    if value.is_error:
        await hooks.ask("PostToolUseFailure", name, **call_fields, error=(value.message or output)[:_OUTPUT_CHARS])
        return result
    post_result = await hooks.ask(
        "PostToolUse", name, **call_fields, tool_output=(output or value.message)[:_OUTPUT_CHARS]
    )
    if not post_result.blocked:
        return result
    note = f"{value.message}\nA hook says of this: {post_result.reason}".strip()
    return result.model_copy(update={"return_value": value.model_copy(update={"message": note})})


def _arguments(text: str | None) -> JsonValue:
    """The arguments as the tool reads them, so that a hook decides on what the call does."""
    try:
        return cast(JsonValue, read_arguments(text))  # defence: hooks-read-arguments
    except (ValueError, RecursionError):
        return text
