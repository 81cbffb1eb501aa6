"""Google's Gemini API. Importing this module does not load the SDK.

The service signs its thoughts; signatures are sent back with the parts that they came with, those of tool calls in
`ToolCall.extras`.
"""

import base64
import json
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import TYPE_CHECKING

from pydantic import JsonValue

from kimi_tui.errors import EmptyResponseError, ProviderError
from kimi_tui.i18n import tr
from kimi_tui.llm.data_url import parse_data_url
from kimi_tui.llm.history_converter import ConvertedMessage, merged_turns
from kimi_tui.llm.lazy_client import LazyClient
from kimi_tui.llm.message import Message
from kimi_tui.llm.provider import ReplyCut, ReplyId, ReplyUsage, SpokenPart, StreamPart, ToolSpec
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.llm.providers.sdk_provider import SdkProvider
from kimi_tui.llm.reasoning_tokens import tag, untag
from kimi_tui.llm.tool_arguments import parsed_arguments, valid_name
from kimi_tui.llm.tool_call_assembly import UniqueIds, bounded_name
from kimi_tui.surrogates import without_surrogates
from kimi_tui.wire.parts import (
    ContentPart,
    FunctionBody,
    ImageURLPart,
    JsonObject,
    MediaURL,
    TextPart,
    ThinkPart,
    TokenUsage,
    ToolCall,
)

if TYPE_CHECKING:
    from google.genai.types import GenerateContentResponse, GenerateContentResponseUsageMetadata, Part

    from kimi_tui.llm.providers.google_client import GoogleConnection

BASE_URL = "https://generativelanguage.googleapis.com"
_SERVICE = "google_genai"
_SIGNATURE = "thought_signature"
# Models since 3 refuse a call without their signature; the service defines this value for calls of other models.
_UNSIGNED = "skip_thought_signature_validator"
_SIGNING = re.compile(r"gemini-([3-9]|\d\d)")


class Google(SdkProvider["GoogleConnection", "GenerateContentResponse"]):
    """A model behind the Gemini API."""

    def __init__(self, settings: ProviderSettings, connection: "LazyClient[GoogleConnection] | None" = None) -> None:
        super().__init__(settings, connection)
        self._tools_called: dict[str, str] = {}

    def _connect(self) -> "GoogleConnection":
        from kimi_tui.llm.providers.google_client import GoogleConnection

        return GoogleConnection(self._settings, self._settings.base_url or BASE_URL)

    def _events(
        self, connection: "GoogleConnection", body: JsonObject
    ) -> "AsyncGenerator[GenerateContentResponse, None]":
        return connection.generate(body)

    def _reader(self, used_ids: set[str]) -> "_Reader":
        return _Reader(used_ids)

    def _body(self, system_prompt: str, tools: Sequence[ToolSpec], history: Sequence[Message]) -> JsonObject:
        config: JsonObject = {}
        if system_prompt:
            config["systemInstruction"] = {"parts": [{"text": without_surrogates(system_prompt)}]}
        if tools:
            declared: list[JsonValue] = [
                {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}
                for tool in tools
            ]
            config["tools"] = [{"functionDeclarations": declared}]
        options = self._settings.generation
        if options.temperature is not None:
            config["temperature"] = options.temperature
        if options.top_p is not None:
            config["topP"] = options.top_p
        if options.max_tokens is not None and options.max_tokens > 0:
            config["maxOutputTokens"] = options.max_tokens
        thinking = self._thinking()
        if thinking:
            config["thinkingConfig"] = thinking
        return {"contents": [*merged_turns(self._history.convert(history), "parts")], "config": config}

    def _thinking(self) -> JsonObject:
        settings = self._settings
        if settings.thinking:
            return {"includeThoughts": True}
        if settings.thinking is None or not settings.can_stop_thinking:
            return {}
        return {"thinkingLevel": "low"} if _SIGNING.search(settings.model) else {"thinkingBudget": 0}

    def _convert(self, message: Message) -> ConvertedMessage:
        match message.role:
            case "user":
                return ConvertedMessage([{"role": "user", "parts": _parts(message.content) or [{"text": "(nothing)"}]}])
            case "tool":
                return self._convert_result(message)
            case "assistant":
                pass
        parts = _parts(message.content)
        for number, call in enumerate(message.tool_calls or ()):
            self._tools_called[call.id] = valid_name(call)
            function_call: JsonObject = {"id": call.id, "name": valid_name(call), "args": parsed_arguments(call)}
            part: JsonObject = {"functionCall": function_call}
            signature = (call.extras or {}).get(_SIGNATURE)
            if not signature and number == 0 and _SIGNING.search(self._settings.model):
                signature = _UNSIGNED
            if signature:
                part["thoughtSignature"] = signature
            parts.append(part)
        return ConvertedMessage([{"role": "model", "parts": parts}] if parts else [])

    def _convert_result(self, message: Message) -> ConvertedMessage:
        call_id = message.tool_call_id or ""
        response: JsonObject = {
            "id": call_id,
            "name": self._tools_called.get(call_id, "unknown"),
            "response": {"output": message.text},
        }
        media = _parts([part for part in message.content if not isinstance(part, TextPart | ThinkPart)])
        media_messages: list[JsonObject] = [{"role": "user", "parts": media}] if media else []
        return ConvertedMessage([{"role": "user", "parts": [{"functionResponse": response}]}], media_messages)


def _parts(content: Sequence[ContentPart]) -> list[JsonValue]:
    parts: list[JsonValue] = []
    for part in content:
        match part.type:
            case "text":
                if part.text:
                    parts.append({"text": part.text})
            case "think":
                token = untag(_SERVICE, part.encrypted)
                if token and part.think:
                    parts.append({"text": part.think, "thought": True, "thoughtSignature": token})
                elif token:
                    parts.append({"text": "", "thoughtSignature": token})
            case "image_url":
                parts.append(_media(part.image_url.url))
            case "audio_url":
                parts.append(_media(part.audio_url.url))
            case "video_url":
                parts.append(_media(part.video_url.url))
    return parts


def _media(url: str) -> JsonObject:
    data = parse_data_url(url)
    if data is None:
        return {"fileData": {"fileUri": url}}
    return {"inlineData": {"mimeType": data.media_type, "data": data.base64}}


class _Reader:
    """Converts the chunks of one reply to parts."""

    def __init__(self, used_ids: set[str]) -> None:
        self._unique = UniqueIds(used_ids)
        self._id: str | None = None
        self._finish_reason: str | None = None

    @property
    def over(self) -> bool:
        return self._finish_reason is not None

    def read(self, chunk: "GenerateContentResponse") -> Iterator[StreamPart]:
        if chunk.response_id and self._id is None:
            self._id = chunk.response_id
            yield ReplyId(chunk.response_id)
        if chunk.prompt_feedback and chunk.prompt_feedback.block_reason:
            raise ProviderError(
                tr("the service blocked the request: {words}", words=chunk.prompt_feedback.block_reason.value)
            )
        for candidate in (chunk.candidates or ())[:1]:
            for part in (candidate.content and candidate.content.parts) or ():
                yield from self._spoken(part)
            if candidate.finish_reason:
                self._finish_reason = candidate.finish_reason.value
        if chunk.usage_metadata:
            yield ReplyUsage(_counted(chunk.usage_metadata))

    def _spoken(self, part: "Part") -> Iterator[SpokenPart]:
        signature = base64.b64encode(part.thought_signature).decode("ascii") if part.thought_signature else None
        if part.function_call:
            call = part.function_call
            yield ToolCall(
                id=self._unique(call.id),
                function=FunctionBody(
                    name=bounded_name(call.name),
                    arguments=json.dumps(without_surrogates(call.args or {}), ensure_ascii=False),
                ),
                extras={_SIGNATURE: signature} if signature else None,
            )
            return
        if part.text:
            yield ThinkPart(think=part.text) if part.thought else TextPart(text=part.text)
        if part.inline_data and part.inline_data.data:
            data = base64.b64encode(part.inline_data.data).decode("ascii")
            yield ImageURLPart(image_url=MediaURL(url=f"data:{part.inline_data.mime_type};base64,{data}"))
        if signature:
            yield ThinkPart(think="", encrypted=tag(_SERVICE, signature))

    def end(self) -> Iterator[StreamPart]:
        match self._finish_reason:
            case "MAX_TOKENS":
                yield ReplyCut()
            case "STOP" | "FINISH_REASON_UNSPECIFIED":
                yield from ()
            case "FUNCTION_CALL" | "TOOL_CALLS":  # gateways report this for a reply that ends with calls
                pass
            case "MALFORMED_FUNCTION_CALL" | "MALFORMED_RESPONSE" | "UNEXPECTED_TOOL_CALL":
                raise EmptyResponseError(tr("the model's answer could not be read: {words}", words=self._finish_reason))
            case reason:
                raise ProviderError(tr("the service stopped the answer: {words}", words=reason))


def _counted(usage: "GenerateContentResponseUsageMetadata") -> TokenUsage:
    cached = usage.cached_content_token_count or 0
    prompt_tokens = (usage.prompt_token_count or 0) + (usage.tool_use_prompt_token_count or 0)
    return TokenUsage(
        input_other=max(0, prompt_tokens - cached),
        output=(usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
        input_cache_read=cached,
    )
