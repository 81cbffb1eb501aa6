"""Shared by the SDK clients: maps their failures to our errors, and reads streams so that connections stay usable.

Importing it loads httpx2, which the SDKs are built on.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Protocol, TypeVar, runtime_checkable
from urllib.parse import urlsplit

import httpx2

from kimi_tui.bounded_http import ERROR_SECONDS, BodyTooLargeError, Hooks, response_hooks
from kimi_tui.errors import ProviderConnectionError, ProviderError, ProviderTimeoutError
from kimi_tui.i18n import tr
from kimi_tui.llm.error_mapping import body_error, clean, malformed_stream, response_error
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.llm.sse import NotAnEventStreamError, ServerEvent, server_events
from kimi_tui.llm.stall_detection import seconds_to_wait


class _Answer(Protocol):
    """An SDK's `AsyncStream`."""

    @property
    def response(self) -> httpx2.Response: ...
    async def close(self) -> None: ...


@runtime_checkable
class _StatusError(Protocol):
    """An SDK's `APIStatusError`."""

    @property
    def response(self) -> httpx2.Response: ...


T = TypeVar("T")


def response_limit_hooks(settings: ProviderSettings) -> Hooks:
    """Return the `event_hooks` that limit the size of a service's responses."""
    return response_hooks(error_seconds=min(ERROR_SECONDS, settings.idle_timeout_s))


def tls_verification(base_url: str) -> ssl.SSLContext | bool:
    """Return a client's `verify`: the system's certificates. They take 40 ms to load, so a plain HTTP client omits
    them.

    Such a client trusts no certificate at all: a redirect to HTTPS fails.
    """
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if urlsplit(base_url).scheme == "http" else True


@asynccontextmanager
async def map_sdk_errors(
    settings: ProviderSettings, base_url: str, sdk_error: type[Exception] = httpx2.RequestError
) -> AsyncGenerator[None, None]:
    """Convert errors of an SDK, whose base class is `sdk_error`, or its HTTP client to ProviderError."""
    try:
        yield
    except NotAnEventStreamError as error:
        body = settings.without_secrets(error.body.decode("utf-8", "replace"))
        raise body_error(body.encode()) from error
    except BodyTooLargeError as error:
        raise malformed_stream() from error
    except (sdk_error, httpx2.RequestError) as error:
        if isinstance(error, _StatusError):
            raise refusal_error(error.response, settings) from error
        raise _without_answer(error, settings, base_url) from error


def refusal_error(response: httpx2.Response, settings: ProviderSettings) -> ProviderError:
    """Make the error for an HTTP response of 400 or more, without the secrets that some services repeat in it."""
    text = settings.without_secrets(response.text)
    return response_error(response.status_code, response.headers, text)


def _without_answer(error: Exception, settings: ProviderSettings, base_url: str) -> ProviderError:
    match error if isinstance(error, httpx2.RequestError) else error.__cause__ or error:
        case httpx2.ConnectTimeout():
            return ProviderTimeoutError(
                tr(
                    "no connection to {address} within {seconds:g} seconds",
                    address=base_url,
                    seconds=settings.connect_timeout_s,
                )
            )
        case httpx2.TimeoutException():
            return ProviderTimeoutError(
                tr("no data from the service for {seconds:g} seconds", seconds=settings.idle_timeout_s)
            )
        case httpx2.ConnectError() as cause:
            return ProviderConnectionError(
                tr("cannot connect to {address}: {cause}", address=base_url, cause=clean(str(cause)))
            )
        case httpx2.LocalProtocolError() | httpx2.UnsupportedProtocol():
            # Its text may contain a header, and so the key.
            return ProviderError(tr("the request cannot be sent; check base_url, api_key and custom_headers"))
        case httpx2.RequestError() as cause:
            reason = clean(str(cause)) or type(cause).__name__
            return ProviderConnectionError(tr("the connection to the service failed: {words}", words=reason))
        case cause:
            return ProviderError(tr("the request failed: {cause}", cause=clean(str(cause))))


async def response_before(answer: Awaitable[T], settings: ProviderSettings) -> T:
    """Return the response once its headers have arrived. Raises ProviderTimeoutError if that takes too long.

    The client's own timeout limits silence only; headers may arrive one character at a time.
    """
    seconds = seconds_to_wait(settings)
    try:
        async with asyncio.timeout(seconds):  # defence: deadline-for-headers
            return await answer
    except TimeoutError as error:
        raise ProviderTimeoutError(tr("no answer from the service for {seconds:g} seconds", seconds=seconds)) from error


async def stream_events(
    request: Awaitable[_Answer], is_last: Callable[[ServerEvent], bool], settings: ProviderSettings
) -> AsyncGenerator[ServerEvent, None]:
    """Yield the events of the response up to the final one, then close it.

    Raises ProviderTimeoutError if no response, or nothing but comments and pings, arrives for too long.
    """
    answer = await response_before(request, settings)
    try:
        async with aclosing(events_until(answer.response.aiter_bytes(), is_last)) as events:
            while (event := await next_before(events, settings, passed_over=_is_ping)) is not None:
                yield event
    finally:
        await answer.close()


async def next_before(
    events: AsyncIterator[T], settings: ProviderSettings, *, passed_over: Callable[[T], bool] = lambda event: False
) -> T | None:
    """Return the next relevant event, None at the end. Raises ProviderTimeoutError if it takes too long.

    The client's own timeout limits silence; this one limits a stream without events.
    """
    seconds = seconds_to_wait(settings)
    try:
        async with asyncio.timeout(seconds):  # defence: deadline-for-event
            async for event in events:
                if not passed_over(event):
                    return event
    except TimeoutError as error:
        raise ProviderTimeoutError(tr("no event from the service for {seconds:g} seconds", seconds=seconds)) from error
    return None


def _is_ping(event: ServerEvent) -> bool:
    return event.name == "ping"


async def events_until(
    chunks: AsyncIterator[bytes], is_last: Callable[[ServerEvent], bool]
) -> AsyncGenerator[ServerEvent, None]:
    """The events of a body up to and including the final one."""
    async with aclosing(server_events(chunks)) as events:
        async for event in events:
            last = is_last(event)
            if last:
                await _read_to_end(events)
            yield event
            if last:
                return


async def _read_to_end(events: AsyncGenerator[ServerEvent, None]) -> None:
    """Read the body to its end, so that the next request can use the connection; most end at once."""
    with suppress(TimeoutError, httpx2.RequestError):
        async with asyncio.timeout(0.1):
            async for _ in events:
                pass
