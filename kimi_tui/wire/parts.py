"""The parts of messages: content, tool calls, results, usage."""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from kimi_tui.surrogates import without_surrogates
from kimi_tui.wire.display import DisplayBlock

JsonObject = dict[str, JsonValue]


class WireModel(BaseModel):
    """Base of all Wire types: frozen; drops fields that are unknown to this version.

    The validator of a class is built on first use: a session needs only a few of them.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class TextPart(WireModel):
    type: Literal["text"] = "text"
    text: str


class ThinkPart(WireModel):
    """Reasoning; `encrypted` is a provider's opaque token, to be sent back to the provider unchanged."""

    type: Literal["think"] = "think"
    think: str
    encrypted: str | None = None


class MediaURL(WireModel):
    """An http(s) or data URL; `id` distinguishes equal media."""

    url: str
    id: str | None = None


class ImageURLPart(WireModel):
    type: Literal["image_url"] = "image_url"
    image_url: MediaURL


class AudioURLPart(WireModel):
    type: Literal["audio_url"] = "audio_url"
    audio_url: MediaURL


class VideoURLPart(WireModel):
    type: Literal["video_url"] = "video_url"
    video_url: MediaURL


ContentPart = Annotated[TextPart | ThinkPart | ImageURLPart | AudioURLPart | VideoURLPart, Field(discriminator="type")]
UserInput = str | tuple[ContentPart, ...]


def text_of(content: UserInput) -> str:
    """Return the text of a user's input, without other parts."""
    if isinstance(content, str):
        return content
    return "\n".join(part.text for part in content if part.type == "text")


def encodable(content: UserInput) -> UserInput:
    """Return the same input with lone surrogates replaced: files and services reject them."""
    if isinstance(content, str):
        return without_surrogates(content)
    rows = [part.model_dump() for part in content]
    clean = [without_surrogates(row) for row in rows]
    return tuple(
        part if row == cleaned else type(part).model_validate(cleaned)
        for part, row, cleaned in zip(content, rows, clean, strict=True)
    )


class FunctionBody(WireModel):
    name: str
    arguments: str | None = None


class ToolCall(WireModel):
    """A tool call starts; `function.arguments` is JSON text, which may be incomplete."""

    type: Literal["function"] = "function"
    id: str
    function: FunctionBody
    extras: JsonObject | None = None

    def followed_by(self, part: "ToolCallPart") -> "ToolCall":
        """Return this call with `part` appended to its arguments."""
        if part.arguments_part is None:
            return self
        arguments = (self.function.arguments or "") + part.arguments_part
        return self.model_copy(update={"function": FunctionBody(name=self.function.name, arguments=arguments)})


class ToolCallPart(WireModel):
    """More of the arguments of the latest tool call."""

    arguments_part: str | None = None


class TokenUsage(WireModel):
    """Tokens of one request; `input_other` excludes the two cache figures."""

    input_other: int = 0
    output: int = 0
    input_cache_read: int = 0
    input_cache_creation: int = 0

    @property
    def input(self) -> int:
        return self.input_other + self.input_cache_read + self.input_cache_creation

    @property
    def total(self) -> int:
        return self.input + self.output

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            input_other=self.input_other + other.input_other,
            output=self.output + other.output,
            input_cache_read=self.input_cache_read + other.input_cache_read,
            input_cache_creation=self.input_cache_creation + other.input_cache_creation,
        )


class ToolReturnValue(WireModel):
    """The result of a tool: `output` and `message` for the model, `display` for the user."""

    is_error: bool
    output: str | tuple[ContentPart, ...] = ""
    message: str = ""
    display: tuple[DisplayBlock, ...] = ()
    extras: JsonObject | None = None


class ToolResult(WireModel):
    tool_call_id: str
    return_value: ToolReturnValue
