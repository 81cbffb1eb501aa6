"""Formats a tool result as a message for the model: our text in a system tag, then the tool's output.

Tool output is untrusted data. It is enclosed in `<output>` tags, and a backslash escapes any text in it that looks like
one of our tags.
"""

import re

from kimi_tui.llm.message import Message
from kimi_tui.wire.parts import ContentPart, TextPart, ToolResult

EMPTY = "Tool output is empty."
_OUR_TAGS = re.compile(r"<(?=/?\s*(?:system(?:-reminder)?|output)\s*>)", re.IGNORECASE)


def result_message(result: ToolResult) -> Message:
    """Return the tool message that answers the call."""
    value = result.return_value
    message = value.message
    if value.is_error:
        message = f"ERROR: {message or 'the tool failed without saying why'}"
    output = _output(value.output)
    if not message and not output:
        message = EMPTY
    parts: list[ContentPart] = [TextPart(text=_tagged("system", message))] if message else []
    return Message(role="tool", content=(*parts, *output), tool_call_id=result.tool_call_id)


def _output(output: str | tuple[ContentPart, ...]) -> tuple[ContentPart, ...]:
    parts = (TextPart(text=output),) if isinstance(output, str) else output
    return tuple(_as_data(part) for part in parts if not (part.type == "text" and not part.text))


def _as_data(part: ContentPart) -> ContentPart:
    if part.type != "text":
        return part
    text = _without_tags(part.text)
    return TextPart(text="<output>\n" + text + ("" if text.endswith("\n") else "\n") + "</output>")


def _tagged(tag: str, text: str) -> str:
    return f"<{tag}>{_without_tags(text)}</{tag}>"


def _without_tags(text: str) -> str:
    return _OUR_TAGS.sub("<\\\\", text)
