"""A message of the conversation, in the form that the model and `context.jsonl` use."""

from typing import Any, Literal

from pydantic import field_validator

from kimi_tui.wire.parts import ContentPart, TextPart, ToolCall, UserInput, WireModel

Role = Literal["user", "assistant", "tool"]


class Message(WireModel):
    """One message; only an assistant message has `tool_calls`, only a tool message has `tool_call_id`."""

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
        """The text without reasoning and media."""
        return "".join(part.text for part in self.content if part.type == "text")


def user_message(content: UserInput) -> Message:
    parts = (TextPart(text=content),) if isinstance(content, str) else tuple(content)
    return Message(role="user", content=parts)


def estimate_tokens(message: Message) -> int:
    """Estimated tokens: a quarter per ASCII character, one per other character, 2,000 per media part."""
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
