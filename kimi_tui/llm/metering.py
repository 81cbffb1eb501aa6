"""Meters the requests to a model: the meter admits each request, and records the usage of its reply.

`current_meter` is the meter of the running task and of the tasks that it starts; without one, nothing is metered.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from typing import Protocol

from kimi_tui.llm.message import Message, estimate_tokens
from kimi_tui.llm.provider import Provider, ReplyUsage, StreamPart, ToolSpec
from kimi_tui.llm.reply import is_plausible
from kimi_tui.wire.parts import TextPart, ThinkPart, TokenUsage, ToolCall, ToolCallPart

_CHARS_PER_TOKEN = 4


class Meter(Protocol):
    """Counts the replies of one run. `model` is the model's name in the configuration."""

    async def admit(self, model: str) -> None:
        """Wait until a request may be sent. Raises a KimiTuiError if none may."""
        ...

    def record(self, model: str, usage: TokenUsage, *, estimated: bool) -> None:
        """Count a reply, complete or not. `estimated`: the service did not report all of its usage."""
        ...


current_meter: ContextVar[Meter | None] = ContextVar("current_meter", default=None)


class MeteredProvider:
    """A provider whose requests pass a meter, each attempt separately."""

    def __init__(self, provider: Provider, model: str, meter: Meter) -> None:
        self._provider, self._model, self._meter = provider, model, meter

    @property
    def model_name(self) -> str:
        return self._provider.model_name

    async def stream(
        self, system_prompt: str, tools: Sequence[ToolSpec], history: Sequence[Message]
    ) -> AsyncGenerator[StreamPart, None]:
        await self._meter.admit(self._model)  # defence: no-request-over-budget
        usage: TokenUsage | None = None
        chars = 0
        received = complete = cancelled = False
        try:
            async with aclosing(self._provider.stream(system_prompt, tools, history)) as parts:
                async for part in parts:
                    received = True
                    if isinstance(part, ReplyUsage):
                        if is_plausible(part.usage):
                            usage, chars = part.usage, 0
                    else:
                        chars += _count_chars(part)
                    yield part
            complete = True
        except (asyncio.CancelledError, GeneratorExit):
            cancelled = True
            raise
        finally:
            reported = usage is not None and (complete or not chars)
            if received or cancelled:
                usage = usage or TokenUsage(input_other=_input(system_prompt, tools, history))
                if not reported:
                    usage += TokenUsage(output=_tokens(chars))
                self._meter.record(self._model, usage, estimated=not reported)  # defence: each-reply-counts

    def with_thinking(self, on: bool) -> "MeteredProvider":
        return MeteredProvider(self._provider.with_thinking(on), self._model, self._meter)

    async def aclose(self) -> None:
        """Do nothing: the creator of the wrapped provider closes it."""


def metered(provider: Provider, model: str) -> Provider:
    """Return the provider with the meter of the running task, if it has one."""
    meter = current_meter.get()
    return provider if meter is None else MeteredProvider(provider, model, meter)


def _tokens(chars: int) -> int:
    return -(-chars // _CHARS_PER_TOKEN)


def _input(system_prompt: str, tools: Sequence[ToolSpec], history: Sequence[Message]) -> int:
    """About how many tokens a request has."""
    specs = sum(len(tool.name) + len(tool.description) + len(json.dumps(tool.parameters)) for tool in tools)
    return sum(estimate_tokens(message) for message in history) + _tokens(len(system_prompt) + specs)


def _count_chars(part: StreamPart) -> int:
    match part:
        case TextPart():
            return len(part.text)
        case ThinkPart():
            return len(part.think)
        case ToolCall():
            return len(part.function.name) + len(part.function.arguments or "")
        case ToolCallPart():
            return len(part.arguments_part or "")
        case _:
            return 0
