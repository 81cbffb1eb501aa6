"""What the soul needs of a model's service, whoever provides it."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from kimi_tui.llm.message import Message
from kimi_tui.wire.parts import (
    AudioURLPart,
    ImageURLPart,
    JsonObject,
    TextPart,
    ThinkPart,
    TokenUsage,
    ToolCall,
    ToolCallPart,
    VideoURLPart,
)

Capability = Literal["image_in", "video_in", "thinking", "always_thinking"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is told of it; `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, slots=True)
class ReplyId:
    """The service's own name for this reply."""

    id: str


@dataclass(frozen=True, slots=True)
class ReplyUsage:
    """What this request has used; the last one of a stream counts."""

    usage: TokenUsage


@dataclass(frozen=True, slots=True)
class ReplyCut:
    """The service ended this reply at its limit of length; what has come is not all."""


SpokenPart = TextPart | ThinkPart | ImageURLPart | AudioURLPart | VideoURLPart | ToolCall | ToolCallPart
StreamPart = SpokenPart | ReplyId | ReplyUsage | ReplyCut


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model as configured: `key` is its name there, `name` what is shown. `max_context_size` is in tokens."""

    name: str
    model: str
    key: str = ""
    max_context_size: int = 100_000
    capabilities: frozenset[Capability] = field(default_factory=frozenset[Capability])


class Provider(Protocol):
    """One model of one service. Raises only the leaves of ProviderError."""

    @property
    def model_name(self) -> str: ...

    def stream(
        self, system_prompt: str, tools: Sequence[ToolSpec], history: Sequence[Message]
    ) -> AsyncGenerator[StreamPart, None]:
        """One reply, piece by piece. A tool call's `ToolCallPart`s follow it directly.

        Closing it hangs up. It raises EmptyResponseError by itself only where
        the service says so; `llm.step` raises it for a reply that turned out to hold nothing.
        """
        ...

    def with_thinking(self, on: bool) -> "Provider":
        """The same model with thinking on or off, where it can."""
        ...

    async def aclose(self) -> None: ...


@runtime_checkable
class Preparable(Protocol):
    """A provider that has something slow to load, which a face may want done before the first request."""

    async def prepare(self) -> None: ...
