"""HTTP error answers of model services, read into our errors."""

import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from kimi_tui.errors import ContextOverflowError, ProviderAuthError, ProviderStatusError

# What services say when a conversation is too long: OpenAI, Moonshot, vLLM, llama.cpp, LM Studio, Anthropic, Google.
_TOO_LONG = re.compile(
    r"context[_ ]?(length|window|size)|maximum context|exceeded model token limit|(prompt|input|request) is too long"
    r"|context the overflows|too many (input )?tokens|input token count|string_above_max_length"
    r"|input length and `?max_tokens`? exceed",
    re.IGNORECASE,
)
# A used-up account is a 429 like a rate limit, but waiting does not help.
_NO_MONEY = re.compile(r"insufficient_quota|exceeded_current_quota|insufficient balance", re.IGNORECASE)


def status_error(status: int, cause: str, *, code: str = "", retry_after: float | None = None) -> ProviderStatusError:
    """The error for an answer of HTTP `status`; `code` is the service's own word for it, if it has one."""
    if status in (401, 403):
        return ProviderAuthError(cause, status_code=status)
    says = f"{code} {cause}"
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(says)):
        return ContextOverflowError(cause, status_code=status)
    error = ProviderStatusError(cause, status_code=status, retry_after=retry_after)
    if status == 429 and retry_after is None and _NO_MONEY.search(says):
        error.retryable = False
    return error


def retry_after_of(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Seconds to wait by `Retry-After` (seconds or a date) or `retry-after-ms`; `now` is in Unix time."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or not value:
        return seconds
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, when.timestamp() - (time.time() if now is None else now))


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
