"""The connection to a service with OpenAI's APIs, through the official SDK. Importing it loads the SDK.

Requests go through `extra_body` and replies are read as raw events: the SDK's conversion of a request costs 0.2 ms a
message, and that of a reply 0.1 ms a token.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import httpx2

from kimi_tui.llm.lazy_import import defer_imports
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.llm.sdk_errors import bounds_of, map_sdk_errors, stream_events
from kimi_tui.llm.sse import ServerEvent
from kimi_tui.wire.parts import JsonObject

with defer_imports("openai.types"):
    from openai import APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient, OpenAIError, Timeout

_LAST = frozenset({"response.completed", "response.incomplete", "response.failed", "error"})


class OpenAIConnection:
    """One client, used for all requests of a provider."""

    def __init__(self, settings: ProviderSettings, base_url: str) -> None:
        self._settings = settings
        self._base_url = base_url
        self._client = AsyncOpenAI(
            # The SDK requires a key, local servers mostly do not.
            api_key=settings.api_key or "none",
            base_url=base_url,
            max_retries=0,
            timeout=Timeout(settings.idle_timeout_s, connect=settings.connect_timeout_s),  # defence: idle-timeout
            default_headers=dict(settings.custom_headers),
            http_client=DefaultAsyncHttpxClient(event_hooks=bounds_of(settings)),
        )
        # Access it here: the SDK imports a resource on first access, and this runs in a thread.
        with defer_imports("openai.types"):
            _ = self._client.responses if settings.type == "openai_responses" else self._client.chat.completions

    async def chat(self, body: JsonObject) -> AsyncGenerator[ServerEvent, None]:
        """The events of a chat completion, up to `[DONE]`."""
        async with map_sdk_errors(self._settings, self._base_url, OpenAIError, _answered):
            request = self._client.chat.completions.with_streaming_response.create(
                model=self._settings.model, messages=[], stream=True, extra_body=body
            )
            async with aclosing(stream_events(request, _is_done, self._settings)) as events:
                async for event in events:
                    yield event

    async def responses(self, body: JsonObject) -> AsyncGenerator[ServerEvent, None]:
        """The events of a Responses API response, up to the final one."""
        async with map_sdk_errors(self._settings, self._base_url, OpenAIError, _answered):
            request = self._client.responses.with_streaming_response.create(
                model=self._settings.model, stream=True, extra_body=body
            )
            async with aclosing(stream_events(request, _is_end, self._settings)) as events:
                async for event in events:
                    yield event

    async def aclose(self) -> None:
        await self._client.close()


def _answered(error: Exception) -> httpx2.Response | None:
    return error.response if isinstance(error, APIStatusError) else None


def _is_done(event: ServerEvent) -> bool:
    return event.data.startswith(b"[DONE]")


def _is_end(event: ServerEvent) -> bool:
    return event.name in _LAST
