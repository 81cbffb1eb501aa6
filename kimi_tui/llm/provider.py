"""The soul's interface to a model service."""

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
    """A tool's description for the model; `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, slots=True)
class ReplyId:
    """The service's own id of this reply."""

    id: str


@dataclass(frozen=True, slots=True)
class ReplyUsage:
    """Token usage of this request; the last one of a stream counts."""

    usage: TokenUsage


@dataclass(frozen=True, slots=True)
class ReplyCut:
    """The service stopped this reply at its length limit; the reply is incomplete."""


SpokenPart = TextPart | ThinkPart | ImageURLPart | AudioURLPart | VideoURLPart | ToolCall | ToolCallPart
StreamPart = SpokenPart | ReplyId | ReplyUsage | ReplyCut


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A configured model: `key` is its name in the configuration, `name` is shown. `max_context_size` is in tokens."""

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
        """Stream one reply. A tool call's `ToolCallPart`s follow it directly.

        Closing the generator closes the connection. It raises EmptyResponseError itself only if the service reports it;
        `llm.reply` raises it for a reply without content.
        """
        ...

    def with_thinking(self, on: bool) -> "Provider":
        """The same model with thinking on or off, if it supports that."""
        ...

    async def aclose(self) -> None: ...


@runtime_checkable
class Preparable(Protocol):
    """A provider with a slow load that a user interface may start before the first request."""

    async def prepare(self) -> None: ...
