"""The connection to Google's Gemini API, through the official SDK. Importing it loads the SDK.

Replies are the SDK's own objects.
"""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, ClassVar, cast
from uuid import uuid4

import httpx2
from google.genai import Client
from google.genai.errors import APIError
from google.genai.types import (
    AutomaticFunctionCallingConfig,
    ContentDict,
    GenerateContentConfig,
    GenerateContentResponse,
    HttpOptions,
)
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from kimi_tui.bounded_http import BodyTooLargeError
from kimi_tui.errors import ProviderError
from kimi_tui.formats import byte_count
from kimi_tui.json_text import MAX_VALUES, has_too_many_values
from kimi_tui.llm.error_mapping import body_error, event_error, malformed_stream
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.llm.providers.sdk_provider import Count
from kimi_tui.llm.sdk_errors import (
    map_sdk_errors,
    next_before,
    refusal_error,
    response_before,
    response_limit_hooks,
    tls_verification,
)
from kimi_tui.llm.sse import MAX_LINE, LineSplitter
from kimi_tui.wire.parts import JsonObject

_TAG = "x-kimi-tui-request"
_USUAL_VERSION = "v1beta"
_VERSION = re.compile(r"/(v\d\w*)/?$")


class GoogleConnection:
    """One client, used for all requests of a provider."""

    def __init__(self, settings: ProviderSettings, base_url: str) -> None:
        self._settings = settings
        self._base_url = base_url
        self._transport = _Transport(base_url, settings.connect_timeout_s)
        self._http = httpx2.AsyncClient(transport=self._transport, event_hooks=response_limit_hooks(settings))
        address, version = _split_base_url(base_url)
        self._client = Client(
            api_key=settings.api_key or "none",
            vertexai=False,
            http_options=HttpOptions(
                base_url=address,
                api_version=version,
                headers=dict(settings.custom_headers),
                # The limit for each read from the network, in milliseconds.
                timeout=int(settings.idle_timeout_s * 1000),
                # Our own client keeps the SDK from using aiohttp, where it sleeps and retries by itself.
                httpx_async_client=self._http,
            ),
        )

    async def generate(self, body: JsonObject) -> AsyncGenerator[GenerateContentResponse, None]:
        """The chunks of one reply. `body` holds the `contents`, and a GenerateContentConfig as `config`."""
        tag = uuid4().hex
        options = GenerateContentConfig.model_validate(body["config"])
        options.http_options = HttpOptions(headers={_TAG: tag})
        options.automatic_function_calling = AutomaticFunctionCallingConfig(disable=True)
        has_started = False
        async with map_sdk_errors(self._settings, self._base_url, httpx2.HTTPError):
            try:
                request = self._client.aio.models.generate_content_stream(
                    model=self._settings.model, contents=cast(list[ContentDict], body["contents"]), config=options
                )
                chunks = await response_before(request, self._settings)
                while (chunk := await next_before(chunks, self._settings)) is not None:
                    has_started = True
                    self._transport.bodies[tag].size = 0
                    yield chunk
            except APIError as error:
                raise self._failure(error) from error
            except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
                # The SDK's errors for data that it cannot parse.
                page = str(error).partition("Raw response: ")[2]
                if page and not has_started:
                    raise body_error(self._settings.without_secrets(page).encode()) from error
                raise malformed_stream() from error
            finally:
                # The SDK leaves closing the connection to the garbage collector.
                reply_body = self._transport.bodies.pop(tag, None)
                if reply_body is not None:
                    await reply_body.aclose()

    async def aclose(self) -> None:
        await self._http.aclose()

    def _failure(self, error: APIError) -> ProviderError:
        response = cast(object, error.response)
        if isinstance(response, httpx2.Response):
            return refusal_error(response, self._settings)
        return event_error(json.dumps(error.details).encode())


class _Transport(httpx2.AsyncHTTPTransport):
    """Limits the connect time, which the SDK sets to that of a whole request, and tracks the open bodies."""

    def __init__(self, base_url: str, connect_timeout_s: float) -> None:
        super().__init__(verify=tls_verification(base_url))
        self._connect_timeout_s = connect_timeout_s
        self.bodies: dict[str, _Body] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        timeouts = cast(dict[str, float | None], request.extensions.get("timeout") or {})
        request.extensions["timeout"] = {**timeouts, "connect": self._connect_timeout_s}
        tag = request.headers.pop(_TAG, "")
        response = await super().handle_async_request(request)
        headers = response.headers.copy()
        for header in ("content-encoding", "content-length", "transfer-encoding"):
            headers.pop(header, None)
        self.bodies[tag] = body = _Body(response)
        return httpx2.Response(response.status_code, headers=headers, stream=body, extensions=response.extensions)


class _Body(httpx2.AsyncByteStream):
    """The decoded body of a response. `size`: bytes since the last chunk of the reply, which the SDK does not limit."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self.size = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        splitter = LineSplitter()
        async for piece in self._response.aiter_bytes():
            self.size += len(piece)
            if self.size > MAX_LINE:  # defence: bound-google-chunk
                raise BodyTooLargeError(f"a chunk is larger than {byte_count(MAX_LINE)}")
            if self._response.status_code >= 300:  # no stream of lines
                yield piece
                continue
            lines = splitter.feed(piece)
            if any(map(has_too_many_values, lines)):  # defence: bound-google-values
                raise BodyTooLargeError(f"a chunk has more than {MAX_VALUES} values")
            if lines:
                yield b"".join(_with_readable_usage(line) + b"\n" for line in lines)
        if splitter.rest:
            yield _with_readable_usage(splitter.rest)

    async def aclose(self) -> None:
        await self._response.aclose()


class _Usage(BaseModel):
    """The counts of a chunk that are used."""

    model_config: ClassVar[ConfigDict] = ConfigDict(alias_generator=to_camel)

    prompt_token_count: Count = None
    cached_content_token_count: Count = None
    candidates_token_count: Count = None
    thoughts_token_count: Count = None
    tool_use_prompt_token_count: Count = None


def _with_readable_usage(line: bytes) -> bytes:
    """Return the line of a chunk with the counts of its usage only: the SDK rejects a chunk for an invalid one."""
    if not line.startswith(b"data:") or b'"usageMetadata"' not in line:
        return line
    try:
        chunk: object = json.loads(line.removeprefix(b"data:"))
    except (ValueError, RecursionError):
        return line
    if not isinstance(chunk, dict):
        return line
    fields = cast(dict[str, Any], chunk)
    usage = fields.pop("usageMetadata", None)
    if isinstance(usage, dict):  # defence: google-usage-is-optional
        fields["usageMetadata"] = _Usage.model_validate(usage).model_dump(by_alias=True, exclude_none=True)
    return b"data: " + json.dumps(fields).encode()


def _split_base_url(base_url: str) -> tuple[str, str]:
    """Split the address into base URL and API version: the one at its end, else the one that every gateway supports."""
    version = _VERSION.search(base_url)
    return (base_url[: version.start()], version[1]) if version else (base_url, _USUAL_VERSION)
