"""Compacts a context with a summary from its own model. Invariant: a failure leaves the conversation unchanged."""

from collections.abc import Callable, Sequence
from typing import Literal

from kimi_tui.context.compaction import (
    SYSTEM_PROMPT,
    CompactionThreshold,
    compacted_history,
    question,
    shortened,
    split,
    without_marks,
)
from kimi_tui.context.context import Context
from kimi_tui.errors import ContextOverflowError, KimiTuiError, ProviderError
from kimi_tui.i18n import tr
from kimi_tui.llm.message import Message, estimate_tokens
from kimi_tui.llm.provider import Provider
from kimi_tui.llm.reply import Reply
from kimi_tui.llm.retry import RetryPolicy, request_reply_with_retries
from kimi_tui.soul.hooks.dispatcher import HookDispatcher
from kimi_tui.soul.notices import notice
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import CompactionBegin, CompactionEnd

Compacted = Literal["done", "nothing", "failed", "stopped"]
_SHRINKS = 3


class CompactionError(KimiTuiError):
    """A compaction that the user requested failed."""


class Compactor:
    """Compacts one context. It calls `on_reply` after each compaction, with the model's reply if there was one."""

    def __init__(
        self,
        context: Context,
        send: Callable[[WireMessage], None],
        hooks: HookDispatcher,
        *,
        threshold: CompactionThreshold,
        policy: RetryPolicy,
        on_reply: Callable[[Reply | None], None],
    ) -> None:
        self._context, self._send, self._hooks = context, send, hooks
        self._threshold, self._policy, self._on_reply = threshold, policy, on_reply
        self._not_below = 0

    def due(self, context_size: int) -> bool:
        """Whether the conversation is near the model's limit of `context_size` tokens.

        If the last compaction could not shorten it enough, the conversation has to grow before the next one.
        """
        return self._threshold.reached(self._context.token_count, context_size) and self._size() >= self._not_below

    async def compact(
        self,
        provider: Provider,
        context_size: int,
        *,
        requests: Sequence[Message] = (),
        step: int = 1,
        focus: str = "",
        trigger: Literal["auto", "manual"] = "auto",
        refused: bool = False,
    ) -> Compacted:
        """Compact and return the outcome. `requests` are messages kept verbatim; `refused`: the service has rejected
        the conversation for its length.

        An automatic compaction reports failure on the Wire; a manual one raises CompactionError.
        """
        older, requests_kept, recent = split(self._context.history, requests)
        size = self._size()
        tail = shortened(recent, min(size, context_size) // 4 if refused else context_size // 4)
        if not older and all(message is recent_message for message, recent_message in zip(tail, recent, strict=True)):
            return "nothing"
        verdict = await self._hooks.ask("PreCompact", trigger, trigger=trigger, focus=focus)
        if verdict.blocked:
            return self._failed(tr("A hook blocked compaction"), verdict.reason, trigger)
        self._send(CompactionBegin())
        end = CompactionEnd(compacted=False)
        try:
            reply = await self._summary(provider, older, context_size, step, focus) if older else None
            summary = reply.message.text.strip() if reply is not None else ""
            if reply is not None and not summary:
                raise ProviderError(tr("the model returned an empty summary"))
            messages = (
                compacted_history(summary, tail, requests=requests_kept) if reply is not None else without_marks(tail)
            )
            self._context.replace(messages)
            end = CompactionEnd()
            self._context.count_tokens(self._size())
            self._not_below = self._size() + context_size // 10
            self._on_reply(reply)
        except ProviderError as error:  # defence: failed-compaction
            title = tr("Compaction failed; the conversation is unchanged")
            return self._failed(title, str(error), trigger)
        finally:
            self._send(end)
        await self._hooks.ask("PostCompact", trigger, trigger=trigger, tokens=self._context.token_count)
        return "done"

    def _size(self) -> int:
        return sum(estimate_tokens(message) for message in self._context.history)

    def _failed(self, problem: str, why: str, trigger: str) -> Literal["failed"]:
        if trigger == "manual":
            raise CompactionError(f"{problem}{f': {why}' if why else ''}")
        self._send(notice(problem, why, severity="warning"))
        return "failed"

    async def _summary(
        self, provider: Provider, older: Sequence[Message], context_size: int, step: int, focus: str
    ) -> Reply:
        """Summarise `older`. If the summary request is too long, retry with the later half, and so on."""
        summary_limit = context_size // 2
        for shrinks_left in range(_SHRINKS, -1, -1):
            try:
                return await request_reply_with_retries(
                    provider,
                    SYSTEM_PROMPT,
                    (),
                    [question(older, focus, tokens=summary_limit)],
                    step=step,
                    on_part=lambda _: None,
                    on_retry=self._send,
                    policy=self._policy,
                )
            except ContextOverflowError:
                if not shrinks_left:
                    raise
                older, summary_limit = older[len(older) // 2 :], summary_limit // 2
        raise AssertionError("unreachable")
