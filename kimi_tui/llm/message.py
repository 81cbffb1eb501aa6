"""A message of the conversation as the model sees it, and as `context.jsonl` keeps it."""

from typing import Any, Literal

from pydantic import field_validator

from kimi_tui.wire.parts import ContentPart, TextPart, ToolCall, UserInput, WireModel

Role = Literal["user", "assistant", "tool"]


class Message(WireModel):
    """One message; `tool_calls` only of an assistant, `tool_call_id` only of a tool's result."""

    role: Role
    content: tuple[ContentPart, ...] = ()
    tool_calls: tuple[ToolCall, ...] | None = None
    tool_call_id: str | None = None

    @field_validator("content", mode="before")
    @classmethod
    def _text_is_a_part(cls, value: Any) -> Any:
        if isinstance(value, str):
            return (TextPart(text=value),) if value else ()
        return value

    @property
    def text(self) -> str:
        """What it says, without reasoning and media."""
        return "".join(part.text for part in self.content if part.type == "text")


def user_message(content: UserInput) -> Message:
    parts = (TextPart(text=content),) if isinstance(content, str) else tuple(content)
    return Message(role="user", content=parts)


def estimate_tokens(message: Message) -> int:
    """Tokens before a service has counted them: a quarter of ASCII, one each otherwise, 2,000 a medium."""
    total = 0
    texts: list[str] = [call.function.arguments or "" for call in message.tool_calls or ()]
    for part in message.content:
        match part.type:
            case "text":
                texts.append(part.text)
            case "think":
                texts.append(part.think)
            case "image_url" | "audio_url" | "video_url":
                total += 2000
    for text in texts:
        ascii_count = sum(char.isascii() for char in text) if not text.isascii() else len(text)
        total += ascii_count // 4 + (len(text) - ascii_count) + 1
    return total
