"""Chat Completions, the API of Kimi, OpenAI and most servers for local models.

Importing this module does not load the SDK; the first request does, in a thread.
"""

import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, JsonValue

from kimi_tui.errors import ProviderError
from kimi_tui.i18n import tr
from kimi_tui.llm.error_mapping import event_error
from kimi_tui.llm.history_converter import ConvertedMessage
from kimi_tui.llm.lazy_client import LazyClient
from kimi_tui.llm.message import Message
from kimi_tui.llm.provider import ReplyCut, ReplyId, ReplyUsage, SpokenPart, StreamPart, ToolSpec
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.llm.providers.sdk_provider import OBJECT_OR_NONE, Count, SdkProvider, parse_event
from kimi_tui.llm.sse import ServerEvent
from kimi_tui.llm.tool_arguments import valid_arguments, valid_name
from kimi_tui.llm.tool_call_assembly import ToolCallOrder
from kimi_tui.surrogates import without_surrogates
from kimi_tui.wire.parts import ContentPart, JsonObject, TextPart, ThinkPart, TokenUsage

if TYPE_CHECKING:
    from kimi_tui.llm.providers.openai_client import OpenAIConnection

BASE_URLS = {"kimi": "https://api.moonshot.ai/v1", "openai_legacy": "https://api.openai.com/v1"}
USUAL_REASONING_KEY = "reasoning_content"


class OpenAIChat(SdkProvider["OpenAIConnection", ServerEvent]):
    """A model behind Chat Completions; `settings.type` is `kimi` or `openai_legacy`."""

    def __init__(self, settings: ProviderSettings, connection: "LazyClient[OpenAIConnection] | None" = None) -> None:
        super().__init__(settings, connection)
        self._is_kimi = settings.type == "kimi"
        self._base_url = settings.base_url or BASE_URLS[settings.type]

    def _connect(self) -> "OpenAIConnection":
        from kimi_tui.llm.providers.openai_client import OpenAIConnection

        return OpenAIConnection(self._settings, self._base_url)

    def _events(self, connection: "OpenAIConnection", body: JsonObject) -> AsyncGenerator[ServerEvent, None]:
        return connection.chat(body)

    def _reader(self, used_ids: set[str]) -> "_Reader":
        return _Reader(self._settings.reasoning_key, used_ids)

    def _body(self, system_prompt: str, tools: Sequence[ToolSpec], history: Sequence[Message]) -> JsonObject:
        messages: list[JsonValue] = [*self._history.convert(history)]
        if system_prompt:
            messages.insert(0, {"role": "system", "content": without_surrogates(system_prompt)})
        body: JsonObject = {"messages": messages, "stream_options": {"include_usage": True}}
        if tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
                }
                for tool in tools
            ]
        options = self._settings.generation
        if options.temperature is not None:
            body["temperature"] = options.temperature
        if options.top_p is not None:
            body["top_p"] = options.top_p
        if options.max_tokens is not None and options.max_tokens > 0:
            is_openai = self._is_kimi or "api.openai.com" in self._base_url
            body["max_completion_tokens" if is_openai else "max_tokens"] = min(
                options.max_tokens, self._room(system_prompt, history)
            )
        if self._is_kimi and self._settings.cache_key:
            body["prompt_cache_key"] = self._settings.cache_key
        return body | self._thinking()

    def _thinking(self) -> JsonObject:
        on = self._settings.thinking
        if on is None or (not on and "always_thinking" in self._settings.capabilities):
            return {}
        if not self._is_kimi:
            return {"reasoning_effort": "high"} if on else {}
        thinking_keep = self._settings.generation.thinking_keep
        keep_option: JsonObject = {"keep": thinking_keep} if on and thinking_keep else {}
        return {"thinking": {"type": "enabled" if on else "disabled", **keep_option}}

    def _convert(self, message: Message) -> ConvertedMessage:
        match message.role:
            case "user":
                return ConvertedMessage([{"role": "user", "content": _content(message.content)}])
            case "tool":
                return self._convert_result(message)
            case "assistant":
                pass
        spoken = [part for part in message.content if not isinstance(part, ThinkPart)]
        item: JsonObject = {"role": "assistant", "content": _content(spoken) or None}
        reasoning = "".join(part.think for part in message.content if isinstance(part, ThinkPart))
        key = USUAL_REASONING_KEY if self._settings.reasoning_key is None else self._settings.reasoning_key
        if reasoning and key:
            item[key] = reasoning
        if message.tool_calls:
            item["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": valid_name(call), "arguments": valid_arguments(call)},
                }
                for call in message.tool_calls
            ]
        return ConvertedMessage([item])

    def _convert_result(self, message: Message) -> ConvertedMessage:
        """Convert a tool's result: Kimi accepts media in it; others get them in a user message after the results."""
        text = [part for part in message.content if isinstance(part, TextPart)]
        media = [part for part in message.content if not isinstance(part, TextPart | ThinkPart)]
        item: JsonObject = {"role": "tool", "tool_call_id": message.tool_call_id or ""}
        if self._is_kimi or not media:
            return ConvertedMessage([{**item, "content": _content(message.content)}])
        note = TextPart(text=f"What the tool call {message.tool_call_id} returned beside its text:")
        media_message: JsonObject = {"role": "user", "content": _content([note, *media])}
        return ConvertedMessage([{**item, "content": _content(text) or "(see the next user message)"}], [media_message])


def _content(parts: Sequence[ContentPart]) -> JsonValue:
    if len(parts) == 1 and isinstance(parts[0], TextPart):  # nearly all messages of a long history
        return parts[0].text
    if all(isinstance(part, TextPart) for part in parts):
        return "".join(part.text for part in parts if isinstance(part, TextPart))
    items: list[JsonValue] = []
    for part in parts:
        match part.type:
            case "text":
                items.append({"type": "text", "text": part.text})
            case "image_url":
                items.append({"type": "image_url", "image_url": {"url": part.image_url.url}})
            case "audio_url":
                items.append({"type": "audio_url", "audio_url": {"url": part.audio_url.url}})
            case "video_url":
                items.append({"type": "video_url", "video_url": {"url": part.video_url.url}})
            case "think":
                pass
    return items


class _Piece(BaseModel):
    """Base of a chunk's parts; only the outermost one builds a validator."""

    model_config: ClassVar[ConfigDict] = ConfigDict(defer_build=True)


class _Function(_Piece):
    name: str | None = None
    arguments: str | JsonObject | None = None


class _CallDelta(_Piece):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Delta(_Piece):
    """Keeps extra fields: one of them is the reasoning."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow")

    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_CallDelta] | None = None


class _Details(_Piece):
    cached_tokens: Count = None


class _Usage(_Piece):
    prompt_tokens: Count = None
    completion_tokens: Count = None
    cached_tokens: Count = None
    prompt_tokens_details: Annotated[_Details | None, OBJECT_OR_NONE] = None

    def counted(self) -> TokenUsage:
        details = self.prompt_tokens_details
        cached = (details and details.cached_tokens) or self.cached_tokens or 0
        uncached = max(0, (self.prompt_tokens or 0) - cached)
        return TokenUsage(input_other=uncached, output=self.completion_tokens or 0, input_cache_read=cached)


class _Choice(_Piece):
    index: int | None = 0
    delta: _Delta | None = None
    finish_reason: str | None = None
    usage: Annotated[_Usage | None, OBJECT_OR_NONE] = None


class _Chunk(_Piece):
    id: str | None = None
    choices: list[_Choice] | None = None
    usage: Annotated[_Usage | None, OBJECT_OR_NONE] = None
    error: JsonValue = None
    object: str | None = None


class _Reader:
    """Converts the chunks of one reply to parts."""

    def __init__(self, reasoning_key: str | None, used_ids: set[str]) -> None:
        self._keys = (USUAL_REASONING_KEY, "reasoning") if reasoning_key is None else (reasoning_key,)
        self._calls = ToolCallOrder(used_ids)
        self._id: str | None = None
        self._finish_reason: str | None = None

    @property
    def over(self) -> bool:
        return self._finish_reason is not None

    def read(self, event: ServerEvent) -> Iterator[StreamPart]:
        if event.data.startswith(b"[DONE]"):
            return
        chunk = parse_event(_Chunk, event.data)
        if chunk.error or chunk.object == "error":
            raise event_error(event.data)
        if chunk.id and self._id is None:
            self._id = chunk.id
            yield ReplyId(chunk.id)
        for choice in chunk.choices or ():
            if choice.index:
                continue
            if choice.delta:
                yield from self._spoken(choice.delta)
            if choice.usage:
                yield ReplyUsage(choice.usage.counted())
            self._finish_reason = choice.finish_reason or self._finish_reason
        if chunk.usage:
            yield ReplyUsage(chunk.usage.counted())

    def _spoken(self, delta: _Delta) -> Iterator[SpokenPart]:
        for key in self._keys:
            reasoning = (delta.model_extra or {}).get(key)
            if isinstance(reasoning, str) and reasoning:
                yield ThinkPart(think=reasoning)
                break
        text = delta.content or delta.refusal
        if text:
            yield TextPart(text=text)
        for call in delta.tool_calls or ():
            function = call.function or _Function()
            arguments = function.arguments
            if isinstance(arguments, dict):
                arguments = json.dumps(arguments, ensure_ascii=False)
            yield from self._calls.add(call.index, call.id, function.name, arguments)

    def end(self) -> Iterator[StreamPart]:
        if self._finish_reason == "content_filter":
            raise ProviderError(tr("the service's content filter stopped the answer"))
        yield from self._calls.finish()
        if self._finish_reason in ("length", "max_tokens"):
            yield ReplyCut()
