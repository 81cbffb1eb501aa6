"""The Responses API, stateless: each request carries the whole conversation.

Reasoning is sent back as the service's encrypted items. Importing this module does not load the SDK.
"""

from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, JsonValue

from kimi_tui.errors import ProviderError
from kimi_tui.i18n import tr
from kimi_tui.llm.error_mapping import event_error, stream_error
from kimi_tui.llm.history_converter import ConvertedMessage
from kimi_tui.llm.message import Message
from kimi_tui.llm.provider import ReplyCut, ReplyId, ReplyUsage, StreamPart, ToolSpec
from kimi_tui.llm.providers.openai_chat import BASE_URLS
from kimi_tui.llm.providers.sdk_provider import OBJECT_OR_NONE, Count, SdkProvider, parse_event
from kimi_tui.llm.reasoning_tokens import tag, untag
from kimi_tui.llm.sse import ServerEvent
from kimi_tui.llm.tool_arguments import valid_arguments, valid_name
from kimi_tui.llm.tool_call_assembly import ToolCallOrder
from kimi_tui.surrogates import without_surrogates
from kimi_tui.wire.parts import ContentPart, JsonObject, TextPart, ThinkPart, TokenUsage

if TYPE_CHECKING:
    from kimi_tui.llm.providers.openai_client import OpenAIConnection

_SERVICE = "openai_responses"


class OpenAIResponses(SdkProvider["OpenAIConnection", ServerEvent]):
    """A model behind the Responses API."""

    def _connect(self) -> "OpenAIConnection":
        from kimi_tui.llm.providers.openai_client import OpenAIConnection

        return OpenAIConnection(self._settings, self._settings.base_url or BASE_URLS["openai_legacy"])

    def _events(self, connection: "OpenAIConnection", body: JsonObject) -> AsyncGenerator[ServerEvent, None]:
        return connection.responses(body)

    def _convert(self, message: Message) -> ConvertedMessage:
        return _converted(message)

    def _reader(self, used_ids: set[str]) -> "_Reader":
        return _Reader(used_ids)

    def _body(self, system_prompt: str, tools: Sequence[ToolSpec], history: Sequence[Message]) -> JsonObject:
        settings, options = self._settings, self._settings.generation
        body: JsonObject = {"store": False, "input": [*self._history.convert(history)]}
        if system_prompt:
            body["instructions"] = without_surrogates(system_prompt)
        if tools:
            body["tools"] = [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                    "strict": False,
                }
                for tool in tools
            ]
        if settings.thinking:
            body["reasoning"] = {"effort": "high", "summary": "auto"}
        if settings.thinking or settings.capabilities & {"thinking", "always_thinking"}:
            body["include"] = ["reasoning.encrypted_content"]
        if options.temperature is not None:
            body["temperature"] = options.temperature
        if options.top_p is not None:
            body["top_p"] = options.top_p
        if options.max_tokens is not None and options.max_tokens > 0:
            body["max_output_tokens"] = options.max_tokens
        if settings.cache_key:
            body["prompt_cache_key"] = settings.cache_key
        return body


def _converted(message: Message) -> ConvertedMessage:
    match message.role:
        case "user":
            return ConvertedMessage([{"type": "message", "role": "user", "content": _content(message.content)}])
        case "tool":
            is_text = all(isinstance(part, TextPart) for part in message.content)
            output: JsonValue = message.text if is_text else _content(message.content)
            call_id = message.tool_call_id or ""
            return ConvertedMessage([{"type": "function_call_output", "call_id": call_id, "output": output}])
        case "assistant":
            return ConvertedMessage([*_assistant_items(message)])


def _assistant_items(message: Message) -> Iterator[JsonObject]:
    for part in message.content:
        token = untag(_SERVICE, part.encrypted) if isinstance(part, ThinkPart) else None
        if isinstance(part, ThinkPart) and token:
            summary: list[JsonValue] = [{"type": "summary_text", "text": part.think}] if part.think else []
            yield {"type": "reasoning", "summary": summary, "encrypted_content": token}
    if message.text:
        text: JsonObject = {"type": "output_text", "text": message.text}
        yield {"type": "message", "role": "assistant", "content": [text]}
    for call in message.tool_calls or ():
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": valid_name(call),
            "arguments": valid_arguments(call),
        }


def _content(parts: Sequence[ContentPart]) -> list[JsonValue]:
    items: list[JsonValue] = []
    for part in parts:
        match part.type:
            case "text":
                items.append({"type": "input_text", "text": part.text})
            case "image_url":
                items.append({"type": "input_image", "image_url": part.image_url.url, "detail": "auto"})
            case "audio_url" | "video_url":
                items.append({"type": "input_text", "text": "(media that this service does not take)"})
            case "think":
                pass
    return items


class _Block(BaseModel):
    text: str | None = None
    refusal: str | None = None


class _Item(BaseModel):
    type: str
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    encrypted_content: str | None = None
    content: list[_Block] | None = None


class _InputDetails(BaseModel):
    cached_tokens: Count = None
    cache_write_tokens: Count = None


class _Usage(BaseModel):
    input_tokens: Count = None
    output_tokens: Count = None
    input_tokens_details: Annotated[_InputDetails | None, OBJECT_OR_NONE] = None

    def counted(self) -> TokenUsage:
        details = self.input_tokens_details or _InputDetails()
        cache_reads, cache_writes = details.cached_tokens or 0, details.cache_write_tokens or 0
        return TokenUsage(
            input_other=max(0, (self.input_tokens or 0) - cache_reads - cache_writes),
            output=self.output_tokens or 0,
            input_cache_read=cache_reads,
            input_cache_creation=cache_writes,
        )


class _Incomplete(BaseModel):
    reason: str | None = None


class _Response(BaseModel):
    id: str | None = None
    status: str | None = None
    usage: Annotated[_Usage | None, OBJECT_OR_NONE] = None
    error: JsonValue = None
    incomplete_details: _Incomplete | None = None


class _Event(BaseModel):
    type: str = ""
    delta: JsonValue = None
    output_index: int = 0
    summary_index: int = 0
    item: _Item | None = None
    response: _Response | None = None
    error: JsonValue = None


class _Reader:
    """Converts the events of one response to parts."""

    def __init__(self, used_ids: set[str]) -> None:
        self._calls = ToolCallOrder(used_ids)
        self._streamed: set[tuple[str, int]] = set()  # by kind too: some gateways give no index, which is 0 then
        self._cut = False
        self.over = False

    def read(self, event: ServerEvent) -> Iterator[StreamPart]:
        if not event.data.startswith(b"[DONE]"):
            yield from self._read(parse_event(_Event, event.data), event.data)

    def _read(self, event: _Event, data: bytes) -> Iterator[StreamPart]:
        delta = event.delta if isinstance(event.delta, str) else ""
        item = event.item
        match event.type:
            case "response.output_text.delta" | "response.refusal.delta":
                self._streamed.add(("message", event.output_index))
                yield TextPart(text=delta)
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield ThinkPart(think=delta)
            case "response.reasoning_summary_part.added" if event.summary_index:
                yield ThinkPart(think="\n\n")
            case "response.function_call_arguments.delta":
                self._streamed.add(("function_call", event.output_index))
                yield from self._calls.add(event.output_index, None, None, delta)
            case "response.output_item.added" if item and item.type == "function_call":
                yield from self._calls.add(event.output_index, item.call_id, item.name, None)
            case "response.output_item.done" if item:
                yield from self._finish_item(item, event.output_index)
            case "response.created" if event.response and event.response.id:
                yield ReplyId(event.response.id)
            case "response.completed" | "response.incomplete" if event.response:
                yield from self._finish_response(event.response)
            case "response.failed":
                raise stream_error({"error": event.response.error if event.response else None})
            case _ if event.error or event.type == "error":
                raise event_error(data)
            case _:
                pass

    def _finish_item(self, item: _Item, index: int) -> Iterator[StreamPart]:
        """The parts of a complete item that its deltas did not include."""
        if item.type == "reasoning" and item.encrypted_content:
            yield ThinkPart(think="", encrypted=tag(_SERVICE, item.encrypted_content))
        if (item.type, index) in self._streamed:
            return
        if item.type == "function_call":
            yield from self._calls.add(index, item.call_id, item.name, item.arguments)
        if item.type == "message":
            for block in item.content or ():
                yield TextPart(text=block.text or block.refusal or "")

    def _finish_response(self, response: _Response) -> Iterator[StreamPart]:
        reason = response.incomplete_details.reason if response.incomplete_details else None
        self._cut = reason is not None or response.status == "incomplete"
        if reason == "content_filter":
            raise ProviderError(tr("the service's content filter stopped the answer"))
        self.over = True
        if response.usage:
            yield ReplyUsage(response.usage.counted())

    def end(self) -> Iterator[StreamPart]:
        yield from self._calls.finish()
        if self._cut:
            yield ReplyCut()
