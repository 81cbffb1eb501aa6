"""Retries a model request after temporary failures."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from kimi_tui.errors import ProviderError, ProviderStatusError
from kimi_tui.llm.message import Message
from kimi_tui.llm.provider import Provider, SpokenPart, ToolSpec
from kimi_tui.llm.reply import Reply, request_reply
from kimi_tui.wire.events import StepRetry


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to retry; all times in seconds. `attempts` includes the first one."""

    attempts: int = 3
    initial_s: float = 0.3
    max_s: float = 5.0
    jitter_s: float = 0.5
    max_retry_after_s: float = 60.0


async def request_reply_with_retries(
    provider: Provider,
    system_prompt: str,
    tools: Sequence[ToolSpec],
    history: Sequence[Message],
    *,
    step: int,
    on_part: Callable[[SpokenPart], None],
    on_retry: Callable[[StepRetry], None],
    policy: RetryPolicy | None = None,
    drain: Callable[[], Awaitable[None]] | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Reply:
    """Call `request_reply`, and again after failures that are `retryable`.

    `on_retry` is called before each wait: it should discard the parts of the failed attempt. The wait follows the
    service's Retry-After, up to `max_retry_after_s`. After the last attempt its error is raised unchanged.
    """
    policy = policy or RetryPolicy()  # defence: cancel-a-wait
    backoff = wait_exponential(multiplier=policy.initial_s, max=policy.max_s) + wait_random(max=policy.jitter_s)

    def wait(state: RetryCallState) -> float:
        error = _error_of(state)
        if isinstance(error, ProviderStatusError) and error.retry_after is not None:
            return min(error.retry_after, policy.max_retry_after_s)
        return backoff(state)

    def report_retry(state: RetryCallState) -> None:
        error = _error_of(state)
        on_retry(
            StepRetry(
                n=step,
                next_attempt=state.attempt_number + 1,
                max_attempts=policy.attempts,
                wait_s=round(state.upcoming_sleep, 3),
                error_type=type(error).__name__,
                status_code=error.status_code if isinstance(error, ProviderStatusError) else None,
            )
        )

    retrying = AsyncRetrying(
        stop=stop_after_attempt(max(1, policy.attempts)),
        wait=wait,
        retry=retry_if_exception(lambda error: isinstance(error, ProviderError) and error.retryable),
        before_sleep=report_retry,  # defence: take-back-failed-attempt
        sleep=sleep,
        reraise=True,
    )
    return await retrying(request_reply, provider, system_prompt, tools, history, on_part=on_part, drain=drain)


def _error_of(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None
