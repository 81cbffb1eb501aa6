"""Base of the providers that use an official SDK. Importing it loads no SDK.

A provider defines its service's request format (`_body`, `_convert`), the connection (`_connect`, `_events`) and how
replies are parsed (`_reader`).
"""

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Annotated, Generic, Protocol, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ValidationError

from kimi_tui.errors import ProviderConnectionError, ProviderError
from kimi_tui.llm.error_mapping import malformed_stream, stream_ended_early
from kimi_tui.llm.history_converter import ConvertedMessage, HistoryConverter, call_ids, replace_unsupported_media
from kimi_tui.llm.lazy_client import Closable, LazyClient
from kimi_tui.llm.message import Message, estimate_tokens
from kimi_tui.llm.provider import StreamPart, ToolSpec
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.llm.stall_detection import StallDetector, adds_content
from kimi_tui.llm.time_slice import TimeSlice
from kimi_tui.surrogates import without_surrogates
from kimi_tui.wire.parts import JsonObject

C = TypeVar("C", bound=Closable)
E = TypeVar("E")
E_contra = TypeVar("E_contra", contravariant=True)
M = TypeVar("M", bound=BaseModel)
_MARGIN = 1024


class StreamReader(Protocol[E_contra]):
    """Converts the events of one reply to parts; `over` is true after the service has reported the reply's end."""

    @property
    def over(self) -> bool: ...
    def read(self, event: E_contra, /) -> Iterator[StreamPart]: ...
    def end(self) -> Iterator[StreamPart]:
        """The last parts of a finished reply. Raises if the reply did not end well."""
        ...


class SdkProvider(ABC, Generic[C, E]):
    """A model behind a service: C is the type of the connection, E that of the stream's events."""

    def __init__(self, settings: ProviderSettings, connection: LazyClient[C] | None = None) -> None:
        self._settings = settings
        self._connection = connection or LazyClient(self._connect)
        self._history = HistoryConverter(
            lambda message: self._convert(replace_unsupported_media(message, settings.capabilities))
        )

    @property
    def model_name(self) -> str:
        return self._settings.model

    def with_thinking(self, on: bool) -> Self:
        if self._settings.thinking is on:
            return self
        return type(self)(replace(self._settings, thinking=on), self._connection)

    async def prepare(self) -> None:
        """Load the SDK now, in a thread; otherwise the first request does."""
        await self._connection.get()

    async def aclose(self) -> None:
        await self._connection.aclose()

    async def stream(
        self, system_prompt: str, tools: Sequence[ToolSpec], history: Sequence[Message]
    ) -> AsyncGenerator[StreamPart, None]:
        connection = await self._connection.get()
        reader = self._reader(call_ids(history))
        try:
            async with aclosing(
                self._events(connection, self._body(system_prompt, _sendable(tools), history))
            ) as events:
                share, stalls = TimeSlice(), StallDetector(self._settings)
                try:
                    async for event in events:
                        has_content = False
                        for part in reader.read(event):
                            has_content = has_content or adds_content(part)
                            yield part
                            await share.pause()
                        await share.pause()
                        stalls.check(has_content=has_content)
                except ProviderConnectionError:
                    # A failure after the final event loses nothing but the usage.
                    if not reader.over:
                        raise
                except (ValueError, ArithmeticError, RecursionError) as error:  # defence: malformed-event
                    raise malformed_stream() from error
            if not reader.over:
                raise stream_ended_early()  # defence: stream-has-an-end
            for part in reader.end():
                yield part
        except ProviderError as error:
            error.args = (self._settings.without_secrets(str(error)),)  # defence: secret-in-event
            raise

    @abstractmethod
    def _connect(self) -> C:
        """Create the connection. It runs in a thread: the SDK is imported here."""

    @abstractmethod
    def _events(self, connection: C, body: JsonObject) -> AsyncGenerator[E, None]: ...

    @abstractmethod
    def _body(self, system_prompt: str, tools: Sequence[ToolSpec], history: Sequence[Message]) -> JsonObject: ...

    @abstractmethod
    def _convert(self, message: Message) -> ConvertedMessage: ...

    @abstractmethod
    def _reader(self, used_ids: set[str]) -> StreamReader[E]: ...

    def _room(self, system_prompt: str, history: Sequence[Message]) -> int:
        """The approximate number of tokens of the model's context that are left for a reply."""
        used = sum(estimate_tokens(message) for message in history) + len(system_prompt) // 4 + _MARGIN
        return max(1, self._settings.max_context_size - used)


def _sendable(tools: Sequence[ToolSpec]) -> list[ToolSpec]:
    return [ToolSpec(tool.name, *without_surrogates((tool.description, tool.parameters))) for tool in tools]


def _readable_count(value: object) -> int | None:
    """A count that a service reports; None for anything else, which must not cost the answer."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None  # defence: unreadable-count


def _object_or_none(value: object) -> object:
    return value if issubclass(type(value), dict | BaseModel) else None  # defence: unreadable-usage


Count = Annotated[int | None, BeforeValidator(_readable_count)]
"""A number of tokens in an event; None for what is not one."""
OBJECT_OR_NONE = BeforeValidator(_object_or_none)
"""Makes a usage that is not an object None."""


def parse_event(kind: type[M], data: bytes) -> M:
    """Parse an event's JSON. Raises ProviderConnectionError if it is invalid."""
    with suppress(ValidationError):
        return kind.model_validate_json(data)
    try:  # it may have half a character, with the other half in the next event
        return kind.model_validate(json.loads(_decode(data)))
    except (ValueError, RecursionError) as error:  # defence: malformed-stream
        raise malformed_stream() from error


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")
