"""The connection to a service with Anthropic's Messages API, through the official SDK. Importing it loads the SDK.

As in `openai_client`, replies are read as events.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from anthropic import AnthropicError, AsyncAnthropic, DefaultAsyncHttpxClient, Timeout
from anthropic.types.message_create_params import MessageCreateParamsStreaming

from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.llm.sdk_errors import map_sdk_errors, response_limit_hooks, stream_events, tls_verification
from kimi_tui.llm.sse import ServerEvent
from kimi_tui.wire.parts import JsonObject

# Only older models take these; the SDK has no arguments for them.
_WITHOUT_ARGUMENT = frozenset({"temperature", "top_p"})


class AnthropicConnection:
    """One client, used for all requests of a provider."""

    def __init__(self, settings: ProviderSettings, base_url: str) -> None:
        self._settings = settings
        self._base_url = base_url
        self._client = AsyncAnthropic(
            api_key=settings.api_key or "none",
            base_url=base_url,
            max_retries=0,
            timeout=Timeout(settings.idle_timeout_s, connect=settings.connect_timeout_s),
            # The SDK sends the key as a bearer token; other services than Anthropic expect it here.
            default_headers={"x-api-key": settings.api_key or "none", **settings.custom_headers},
            http_client=DefaultAsyncHttpxClient(
                event_hooks=response_limit_hooks(settings),
                verify=tls_verification(base_url),
                # A redirect would send the key, which is in a header of its own, and the conversation elsewhere.
                follow_redirects=False,  # defence: anthropic-redirect
            ),
        )
        # Access it here: the SDK imports a resource on first access, and this runs in a thread.
        _ = self._client.messages

    async def messages(self, body: JsonObject) -> AsyncGenerator[ServerEvent, None]:
        """The events of one message, up to the final one. `body` holds all but the model."""
        sampling = {name: body[name] for name in _WITHOUT_ARGUMENT & body.keys()}
        arguments = {name: value for name, value in body.items() if name not in sampling}
        params = cast(MessageCreateParamsStreaming, {"model": self._settings.model, "stream": True, **arguments})
        async with map_sdk_errors(self._settings, self._base_url, AnthropicError):
            request = self._client.messages.create(**params, extra_body=sampling)
            async with aclosing(stream_events(request, _is_end, self._settings)) as events:
                async for event in events:
                    yield event

    async def aclose(self) -> None:
        await self._client.close()


def _is_end(event: ServerEvent) -> bool:
    return event.name in ("message_stop", "error")
