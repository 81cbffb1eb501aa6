"""Maps HTTP error responses of model services to our errors."""

import json
import math
import re
import time
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import cast

from pydantic import JsonValue

from kimi_tui import json_text
from kimi_tui.errors import (
    ContextOverflowError,
    ProviderAuthError,
    ProviderConnectionError,
    ProviderError,
    ProviderStatusError,
)
from kimi_tui.i18n import tr
from kimi_tui.text_safety import is_safe

# Error texts for a conversation that is too long: OpenAI, Moonshot, vLLM, llama.cpp, LM Studio, Anthropic, Google.
_TOO_LONG = re.compile(
    r"context[_ ]?(length|window|size)|maximum context|exceeded model token limit|(prompt|input|request) is too long"
    r"|context the overflows|too many (input )?tokens|input token count|string_above_max_length"
    r"|input length and `?max_tokens`? exceed",
    re.IGNORECASE,
)
# An exhausted account is a 429 like a rate limit, but waiting does not help.
_NO_MONEY = re.compile(r"insufficient_quota|exceeded_current_quota|insufficient balance", re.IGNORECASE)
_KEY = re.compile(r"\b(sk|xai|gsk|pk)-[\w*.-]{6,}|\bAIza[\w-]{20,}|(?<=Bearer )\S+")
_HINTS = {
    401: tr("check the API key"),
    403: tr("check that the API key has access to this model"),
    404: tr("check base_url and the model name"),
}
# Error names of the services, with the HTTP status that each stands for.
_STATUS_BY_WORD = {
    "context_length": 400,
    "exceed_context": 400,
    "rate_limit": 429,
    "resource_exhausted": 429,
    "insufficient_quota": 429,
    "exceeded_current_quota": 429,
    "overloaded": 529,
    "unavailable": 503,
    "server_error": 500,
    "internal": 500,
    "api_error": 500,
    "authentication": 401,
    "invalid_api_key": 401,
    "unauthenticated": 401,
    "permission": 403,
    "not_found": 404,
    "request_too_large": 413,
    "timeout": 504,
    "deadline_exceeded": 504,
    "invalid": 400,
}


def status_error(status: int, cause: str, *, code: str = "", retry_after: float | None = None) -> ProviderStatusError:
    """Make the error for an HTTP `status`; `code` is the service's own error code, if any."""
    if status in (401, 403):  # defence: rejected-key
        return ProviderAuthError(cause, status_code=status)
    summary = f"{code} {cause}"
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(summary)):
        return ContextOverflowError(cause, status_code=status)
    error = ProviderStatusError(cause, status_code=status, retry_after=retry_after)
    if status == 429 and retry_after is None and _NO_MONEY.search(summary):
        error.retryable = False
    return error


def response_error(status: int, headers: Mapping[str, str], body: bytes | str) -> ProviderStatusError:
    """Make the error for an HTTP response of 400 or more: JSON of any service's shape, HTML, plain text or empty."""
    text = body if isinstance(body, str) else body.decode("utf-8", "replace")
    cause, code, retry_after = "", "", retry_after_seconds(headers)
    if text.lstrip().startswith(("{", "[")):
        cause, code, _, delay = _read(_json(text))
        retry_after = delay if retry_after is None else retry_after
    elif "<html" in text[:1000].lower() or text.lstrip().lower().startswith("<!doctype"):
        cause = ": ".join(filter(None, (tr("a web page"), _title(text))))
    else:
        cause = text
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    status_text = tr("the service answered {status}", status=f"{status} ({phrase})" if phrase else status)
    message = ": ".join(filter(None, (status_text, clean(cause))))
    hint = _HINTS.get(status, "")
    return status_error(status, "; ".join(filter(None, (message, hint))), code=code, retry_after=retry_after)


def service_message(body: bytes, *, secrets: Sequence[str] = ()) -> str:
    """Return the error message in a response body, on one line and without the secrets; "" if it has none."""
    text = body.decode("utf-8", "replace").strip()
    if text.startswith(("{", "[")):
        text = _read(_json(text))[0]
    elif text.startswith("<"):
        text = _title(text)
    for secret in secrets:
        if len(secret) >= 8:
            text = text.replace(secret, "***")
    return clean(text, 200)


def event_error(data: bytes) -> ProviderError:
    """Make the error that an event of a stream reports, whatever its JSON is."""
    return stream_error(_json(data.decode("utf-8", "replace")))  # defence: bad-json-in-error


def stream_error(data: JsonValue) -> ProviderError:
    """Make the error that a service reports within a stream, or in the body of a 200."""
    cause, code, status, retry_after = _read(data)
    cause = clean(cause) or clean(code) or tr("no reason given")
    if status is None:
        status = next((number for word, number in _STATUS_BY_WORD.items() if word in code.lower()), None)
    message = tr("the service reported an error: {cause}", cause=cause)
    if status is None and _TOO_LONG.search(cause):
        status = 400
    return (
        ProviderError(message) if status is None else status_error(status, message, code=code, retry_after=retry_after)
    )


def body_error(body: bytes) -> ProviderError:
    """Make the error for a 200 whose body is not an event stream."""
    text = body.decode("utf-8", "replace").strip()
    data = _json(text)
    if isinstance(data, dict) and any(key in data for key in ("error", "message", "detail", "code")):
        return stream_error(data)
    if text.startswith("<"):
        return ProviderError(tr("the service returned a web page instead of a reply; check base_url"))
    return ProviderError(
        tr(
            "the service did not return an event stream; check base_url. Response: {words}",
            words=clean(text)[:100],
        )
    )


def stream_ended_early() -> ProviderConnectionError:
    """Make the error for a stream that ended before the service's final event."""
    return ProviderConnectionError(tr("the connection closed before the answer was complete"))


def malformed_stream() -> ProviderConnectionError:
    """Make the error for a stream that cannot be parsed."""
    return ProviderConnectionError(tr("the service sent malformed data during its answer"))


def clean(text: str, limit: int = 500) -> str:
    """Return text from a service on one line: no control characters, no keys, not longer than `limit`."""
    text = "".join(char if is_safe(char) else " " for char in text[: limit * 4])
    text = _KEY.sub("***", " ".join(text.split()))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _title(page: str) -> str:
    """The title of a web page, found in one pass; "" where it has none."""
    begin = re.search("<title", page, re.IGNORECASE)
    _, _, behind = page[begin.end() if begin else len(page) :].partition(">")
    title, end, _ = behind.partition("</")
    return title if end else ""


def _json(text: str) -> JsonValue:
    try:
        return cast(JsonValue, json_text.loads(text))
    except ValueError:
        return text


def _read(data: JsonValue) -> tuple[str, str, int | None, float | None]:
    """Message, code, HTTP status and seconds to wait, from any of the shapes that services use."""
    if isinstance(data, list):
        data = data[0] if data else None
    if not isinstance(data, dict):
        return (data if isinstance(data, str) else ""), "", None, None
    inner = data.get("error")
    if isinstance(inner, str):
        data = {"message": inner, **data}
    elif isinstance(inner, dict):
        data = inner
    message = data.get("message") or data.get("detail") or data.get("error_description") or ""
    values = [data.get(key) for key in ("code", "type", "status")]
    code = " ".join(str(value) for value in values if isinstance(value, str))
    status = next((value for value in values if isinstance(value, int) and 400 <= value <= 599), None)
    delay = re.search(r'"retryDelay": ?"([\d.]+)s"', json.dumps(data.get("details") or ""))
    text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    return text, code, status, _number(delay.group(1)) if delay else None


def retry_after_seconds(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Return the seconds to wait by `Retry-After` (seconds or a date) or `retry-after-ms`; `now` is Unix time."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or not value:
        return seconds
    try:
        when = parsedate_to_datetime(value).timestamp()  # defence: retry-after-date
    except (ValueError, OverflowError):  # defence: date-out-of-range
        return None
    return max(0.0, when - (time.time() if now is None else now))


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
