"""Anthropic's Messages API, also of compatible services. Importing this module does not load the SDK."""

import json
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, JsonValue

from kimi_tui.errors import ProviderError
from kimi_tui.i18n import tr
from kimi_tui.llm.data_url import parse_data_url
from kimi_tui.llm.error_mapping import event_error
from kimi_tui.llm.history_converter import ConvertedMessage, merged_turns
from kimi_tui.llm.message import Message
from kimi_tui.llm.provider import ReplyCut, ReplyId, ReplyUsage, StreamPart, ToolSpec
from kimi_tui.llm.providers.sdk_provider import OBJECT_OR_NONE, Count, SdkProvider, parse_event
from kimi_tui.llm.reasoning_tokens import tag, untag
from kimi_tui.llm.reply_limits import ReplySize
from kimi_tui.llm.sse import ServerEvent
from kimi_tui.llm.tool_arguments import parsed_arguments, valid_name
from kimi_tui.llm.tool_call_assembly import ToolCallOrder
from kimi_tui.surrogates import without_surrogates
from kimi_tui.wire.parts import ContentPart, JsonObject, TextPart, ThinkPart, TokenUsage

if TYPE_CHECKING:
    from kimi_tui.llm.providers.anthropic_client import AnthropicConnection

BASE_URL = "https://api.anthropic.com"
_SIGNED, _REDACTED = "anthropic", "anthropic_redacted"
_MAX_TOKENS, _OLD_MAX_TOKENS = 32_000, 8_192
_THINKING_BUDGET, _LEAST_BUDGET = 16_000, 1_024
_EPHEMERAL: JsonObject = {"type": "ephemeral"}
_VERSION = re.compile(r"claude-[a-z]+(?:-(\d)(?:-(\d)(?!\d))?)?")


class Anthropic(SdkProvider["AnthropicConnection", ServerEvent]):
    """A model behind the Messages API."""

    def _connect(self) -> "AnthropicConnection":
        from kimi_tui.llm.providers.anthropic_client import AnthropicConnection

        return AnthropicConnection(self._settings, self._settings.base_url or BASE_URL)

    def _events(self, connection: "AnthropicConnection", body: JsonObject) -> AsyncGenerator[ServerEvent, None]:
        return connection.messages(body)

    def _convert(self, message: Message) -> ConvertedMessage:
        return _converted(message)

    def _reader(self, used_ids: set[str]) -> "_Reader":
        return _Reader(used_ids)

    def _body(self, system_prompt: str, tools: Sequence[ToolSpec], history: Sequence[Message]) -> JsonObject:
        settings, options = self._settings, self._settings.generation
        limit = options.max_tokens if options.max_tokens and options.max_tokens > 0 else _MAX_TOKENS
        if "claude-3-" in settings.model:
            limit = min(limit, _OLD_MAX_TOKENS)
        limit = min(limit, self._room(system_prompt, history))
        messages = merged_turns(self._history.convert(history), "content")
        body: JsonObject = {"max_tokens": limit, "messages": [*_with_cache_mark(messages)]}
        if system_prompt:
            body["system"] = [{"type": "text", "text": without_surrogates(system_prompt), "cache_control": _EPHEMERAL}]
        if tools:
            specs: list[JsonObject] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in tools
            ]
            specs[-1]["cache_control"] = _EPHEMERAL
            body["tools"] = [*specs]
        thinks = settings.thinking and (_is_adaptive(settings.model) or not _began_without_thinking(messages))
        thinking = self._thinking(limit, on=False if settings.thinking and not thinks else settings.thinking)
        if not thinks:
            # With thinking on, the service sets the sampling.
            if options.temperature is not None:
                body["temperature"] = options.temperature
            if options.top_p is not None:
                body["top_p"] = options.top_p
        return body | thinking

    def _thinking(self, limit: int, *, on: bool | None) -> JsonObject:
        settings = self._settings
        if on:
            if _is_adaptive(settings.model):
                return {"thinking": {"type": "adaptive", "display": "summarized"}}
            budget = min(_THINKING_BUDGET, limit // 2)
            return {"thinking": {"type": "enabled", "budget_tokens": budget}} if budget >= _LEAST_BUDGET else {}
        is_off = on is False and settings.can_stop_thinking
        return {"thinking": {"type": "disabled"}} if is_off else {}


def _is_adaptive(model: str) -> bool:
    """Whether the model chooses its own thinking effort, as those since 4.6 do; older ones get a budget."""
    version = _VERSION.search(model)
    return bool(version) and (version[1] is None or (int(version[1]), int(version[2] or 0)) >= (4, 6))


def _began_without_thinking(messages: Sequence[JsonObject]) -> bool:
    """Whether the tool turn under way begins with a reply that holds no thinking block.

    With a thinking budget the service refuses every request that continues such a turn.
    """
    first = ""
    for message in reversed(messages):
        kind = _first_type(message)
        if message["role"] == "assistant":
            first = kind
        elif kind != "tool_result":
            break
    return first not in ("", "thinking", "redacted_thinking")


def _first_type(message: JsonObject) -> JsonValue:
    content = message["content"]
    assert isinstance(content, list)
    block = content[0]
    assert isinstance(block, dict)
    return block["type"]


def _converted(message: Message) -> ConvertedMessage:
    match message.role:
        case "user":
            return ConvertedMessage([{"role": "user", "content": _blocks(message.content) or [_text("(nothing)")]}])
        case "tool":
            result: JsonObject = {"type": "tool_result", "tool_use_id": _id(message.tool_call_id or "")}
            blocks = _blocks(message.content)
            if blocks:
                result["content"] = blocks
            return ConvertedMessage([{"role": "user", "content": [result]}])
        case "assistant":
            calls: list[JsonValue] = [
                {"type": "tool_use", "id": _id(call.id), "name": valid_name(call), "input": parsed_arguments(call)}
                for call in message.tool_calls or ()
            ]
            blocks = [*_blocks(message.content), *calls]
            return ConvertedMessage([{"role": "assistant", "content": blocks}] if blocks else [])


def _id(call_id: str) -> str:
    """Replace characters that the service rejects; ids of other services may contain them."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", call_id) or "_"


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _blocks(parts: Sequence[ContentPart]) -> list[JsonValue]:
    """Content blocks; reasoning only if the service has signed it, text only if it is not empty."""
    blocks: list[JsonValue] = []
    for part in parts:
        match part.type:
            case "text":
                if part.text.strip():
                    blocks.append(_text(part.text))
            case "think":
                signature, redacted = untag(_SIGNED, part.encrypted), untag(_REDACTED, part.encrypted)
                if signature:
                    blocks.append({"type": "thinking", "thinking": part.think, "signature": signature})
                elif redacted:
                    blocks.append({"type": "redacted_thinking", "data": redacted})
            case "image_url":
                blocks.append({"type": "image", "source": _source(part.image_url.url)})
            case "audio_url" | "video_url":
                blocks.append(_text("(media that this service does not take)"))
    return blocks


def _source(url: str) -> JsonObject:
    data = parse_data_url(url)
    if data is None:
        return {"type": "url", "url": url}
    return {"type": "base64", "media_type": data.media_type, "data": data.base64}


def _with_cache_mark(messages: list[JsonObject]) -> list[JsonObject]:
    """Mark the last block: the service caches the conversation up to it for the next request, which repeats it."""
    if not messages:
        return messages
    content = messages[-1]["content"]
    assert isinstance(content, list)
    last = content[-1]
    assert isinstance(last, dict)
    if last["type"] in ("thinking", "redacted_thinking"):
        return messages
    last_message: JsonObject = {**messages[-1], "content": [*content[:-1], {**last, "cache_control": _EPHEMERAL}]}
    return [*messages[:-1], last_message]


class _Block(BaseModel):
    type: str
    text: str = ""
    thinking: str = ""
    data: str = ""
    id: str | None = None
    name: str | None = None
    input: JsonValue = None


class _Delta(BaseModel):
    type: str = ""
    text: str = ""
    thinking: str = ""
    signature: str = ""
    partial_json: str = ""
    stop_reason: str | None = None


class _Usage(BaseModel):
    input_tokens: Count = None
    output_tokens: Count = None
    cache_read_input_tokens: Count = None
    cache_creation_input_tokens: Count = None


class _Message(BaseModel):
    id: str | None = None
    usage: Annotated[_Usage | None, OBJECT_OR_NONE] = None


class _Event(BaseModel):
    type: str = ""
    index: int = 0
    message: _Message | None = None
    content_block: _Block | None = None
    delta: _Delta | None = None
    usage: Annotated[_Usage | None, OBJECT_OR_NONE] = None
    error: JsonValue = None


class _Reader:
    """Converts the events of one message to parts."""

    def __init__(self, used_ids: set[str]) -> None:
        self._calls = ToolCallOrder(used_ids)
        self._inputs: dict[int, str] = {}
        self._size = ReplySize()  # of the inputs that are kept back
        self._usage: dict[str, int] = {}
        self._stop_reason: str | None = None

    @property
    def over(self) -> bool:
        return self._stop_reason is not None

    def read(self, event: ServerEvent) -> Iterator[StreamPart]:
        yield from self._read(parse_event(_Event, event.data), event.data)

    def _read(self, event: _Event, data: bytes) -> Iterator[StreamPart]:
        match event.type:
            case "message_start" if event.message:
                if event.message.id:
                    yield ReplyId(event.message.id)
                yield from self._count(event.message.usage)
            case "content_block_start" if event.content_block:
                yield from self._begin(event.content_block, event.index)
            case "content_block_delta" if event.delta:
                yield from self._continue_block(event.delta, event.index)
            case "content_block_stop" if event.index in self._inputs:
                # No delta followed: the initial value is complete.
                yield from self._calls.add(event.index, None, None, self._inputs.pop(event.index))
            case "message_delta":
                self._stop_reason = (event.delta and event.delta.stop_reason) or self._stop_reason
                yield from self._count(event.usage)
            case _ if event.error or event.type == "error":
                raise event_error(data)
            case _:
                pass

    def _begin(self, block: _Block, index: int) -> Iterator[StreamPart]:
        match block.type:
            case "text" if block.text:
                yield TextPart(text=block.text)
            case "thinking" if block.thinking:
                yield ThinkPart(think=block.thinking)
            case "redacted_thinking":
                yield ThinkPart(think="", encrypted=tag(_REDACTED, block.data))
            case "tool_use":
                self._inputs[index] = json.dumps(block.input or {}, ensure_ascii=False)
                self._size.add(len(self._inputs[index]))  # defence: bound-initial-input
                yield from self._calls.add(index, block.id, block.name, None)
            case _:
                pass

    def _continue_block(self, delta: _Delta, index: int) -> Iterator[StreamPart]:
        match delta.type:
            case "text_delta":
                yield TextPart(text=delta.text)
            case "thinking_delta":
                yield ThinkPart(think=delta.thinking)
            case "signature_delta" if delta.signature:
                yield ThinkPart(think="", encrypted=tag(_SIGNED, delta.signature))
            case "input_json_delta" if delta.partial_json:
                self._inputs.pop(index, None)
                yield from self._calls.add(index, None, None, delta.partial_json)
            case _:
                pass

    def _count(self, usage: _Usage | None) -> Iterator[StreamPart]:
        """Merge the counts of two events; the newest value of each count is valid."""
        if usage is None:
            return
        self._usage |= usage.model_dump(exclude_none=True)
        counted = TokenUsage(
            input_other=self._usage.get("input_tokens", 0),
            output=self._usage.get("output_tokens", 0),
            input_cache_read=self._usage.get("cache_read_input_tokens", 0),
            input_cache_creation=self._usage.get("cache_creation_input_tokens", 0),
        )
        yield ReplyUsage(counted)

    def end(self) -> Iterator[StreamPart]:
        if self._stop_reason == "refusal":
            raise ProviderError(tr("the model refused to answer"))
        yield from self._calls.finish()
        if self._stop_reason in ("max_tokens", "model_context_window_exceeded"):
            yield ReplyCut()
