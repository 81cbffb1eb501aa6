"""The connection to a service that speaks OpenAI's APIs, through the official SDK. Importing it loads the SDK.

Requests go through `extra_body` and replies are read as raw events: the SDK's own reshaping of a request costs
0.2 ms a message, and its reshaping of a reply 0.1 ms a token.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager, suppress

import httpx2
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, AsyncOpenAI, Timeout

from kimi_tui.errors import ProviderConnectionError, ProviderError, ProviderTimeoutError
from kimi_tui.llm.settings import ProviderSettings
from kimi_tui.llm.sse import NotAnEventStreamError, ServerEvent, server_events
from kimi_tui.llm.status import answer_error, body_error
from kimi_tui.wire.parts import JsonObject


class OpenAIConnection:
    """One client, used for all requests of a provider."""

    def __init__(self, settings: ProviderSettings, base_url: str) -> None:
        self._settings = settings
        self._base_url = base_url
        self._client = AsyncOpenAI(
            # The SDK wants a key, servers on this machine mostly do not.
            api_key=settings.api_key or "none",
            base_url=base_url,
            max_retries=0,
            timeout=Timeout(settings.idle_timeout_s, connect=settings.connect_timeout_s),
            default_headers=dict(settings.custom_headers),
        )

    async def chat(self, body: JsonObject) -> AsyncGenerator[ServerEvent, None]:
        """The events of a chat completion, up to `[DONE]`, which is not among them."""
        async with self._errors():
            request = self._client.chat.completions.with_streaming_response.create(
                model=self._settings.model, messages=[], stream=True, extra_body=body
            )
            async with request as response, aclosing(server_events(response.iter_bytes())) as events:
                async for event in events:
                    if event.data.startswith(b"[DONE]"):
                        await _read_to_end(events)
                        return
                    yield event

    async def responses(self, body: JsonObject) -> AsyncGenerator[ServerEvent, None]:
        """The events of a response of the Responses API."""
        async with self._errors():
            request = self._client.responses.with_streaming_response.create(
                model=self._settings.model, stream=True, extra_body=body
            )
            async with request as response, aclosing(server_events(response.iter_bytes())) as events:
                async for event in events:
                    yield event

    async def aclose(self) -> None:
        await self._client.close()

    @asynccontextmanager
    async def _errors(self) -> AsyncGenerator[None, None]:
        try:
            yield
        except APIStatusError as error:
            raise answer_error(error.status_code, error.response.headers, error.response.text) from error
        except (APITimeoutError, httpx2.TimeoutException) as error:
            raise self._timeout(error) from error
        except (APIConnectionError, httpx2.RequestError) as error:
            raise self._cut(error) from error
        except NotAnEventStreamError as error:
            raise body_error(error.body) from error
        except APIError as error:
            raise ProviderError(f"the service's answer makes no sense: {error.message}") from error

    def _timeout(self, error: Exception) -> ProviderTimeoutError:
        cause = error.__cause__ or error
        if isinstance(cause, httpx2.ConnectTimeout):
            wait = self._settings.connect_timeout_s
            return ProviderTimeoutError(f"no connection to {self._base_url} within {wait:g} seconds")
        return ProviderTimeoutError(f"the service was silent for {self._settings.idle_timeout_s:g} seconds")

    def _cut(self, error: Exception) -> ProviderConnectionError:
        cause = error.__cause__ or error
        if isinstance(cause, httpx2.ConnectError):
            return ProviderConnectionError(f"cannot connect to {self._base_url}: {cause}")
        return ProviderConnectionError(f"the connection to the service broke: {cause or type(cause).__name__}")


async def _read_to_end(events: AsyncGenerator[ServerEvent, None]) -> None:
    """A body that is read to its end leaves its connection for the next request; most end at once."""
    with suppress(TimeoutError, httpx2.RequestError):
        async with asyncio.timeout(0.1):
            async for _ in events:
                pass
