"""Compacts a context by asking its own model for a summary. What fails leaves the conversation as it was."""

from collections.abc import Callable, Sequence
from typing import Literal

from kimi_tui.context.compaction import SYSTEM_PROMPT, compacted, question, split
from kimi_tui.context.context import Context
from kimi_tui.errors import ContextOverflowError, KimiTuiError, ProviderError
from kimi_tui.llm.message import Message, estimate_tokens
from kimi_tui.llm.provider import Provider
from kimi_tui.llm.retry import RetryPolicy, take_reply_with_retries
from kimi_tui.llm.step import Reply
from kimi_tui.said import said
from kimi_tui.soul.hooks import Hooks
from kimi_tui.soul.notice import notice
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import CompactionBegin, CompactionEnd

Compacted = Literal["done", "nothing", "failed"]
_SHRINKS = 3


class CompactionError(KimiTuiError):
    """A compaction that a person asked for came to nothing."""


async def compact(
    context: Context,
    provider: Provider,
    send: Callable[[WireMessage], None],
    hooks: Hooks,
    *,
    summarised: Callable[[Reply], None],
    step: int,
    policy: RetryPolicy,
    focus: str = "",
    trigger: Literal["auto", "manual"] = "auto",
) -> Compacted:
    """What came of it. `summarised` is given the model's reply.

    What fails by itself is told to the Wire; what a person asked for raises CompactionError.
    """
    older, kept = split(context.history)
    if not older:
        return "nothing"
    verdict = await hooks.ask("PreCompact", trigger, trigger=trigger, focus=focus)
    if verdict.blocked:
        return _failed(said("A hook did not let the conversation be compacted"), verdict.reason, send, trigger)
    send(CompactionBegin())
    try:
        reply = await _summary(older, provider, send, step, policy, focus)
        summary = reply.message.text.strip()
        if not summary:
            raise ProviderError(said("the model gave an empty summary"))
        messages = compacted(summary, kept)
        context.replace(messages)
        context.count_tokens(sum(estimate_tokens(message) for message in messages))
        summarised(reply)
    except ProviderError as error:
        return _failed(said("The conversation could not be compacted and is kept as it was"), str(error), send, trigger)
    finally:
        send(CompactionEnd())
    await hooks.ask("PostCompact", trigger, trigger=trigger, tokens=context.token_count)
    return "done"


def _failed(what: str, why: str, send: Callable[[WireMessage], None], trigger: str) -> Literal["failed"]:
    if trigger == "manual":
        raise CompactionError(f"{what}{f': {why}' if why else ''}")
    send(notice(what, why, severity="warning"))
    return "failed"


async def _summary(
    older: Sequence[Message],
    provider: Provider,
    send: Callable[[WireMessage], None],
    step: int,
    policy: RetryPolicy,
    focus: str,
) -> Reply:
    """A summary of `older`; of its later half, and so on, where even the summary's question is too long."""
    for shrinks_left in range(_SHRINKS, -1, -1):
        try:
            return await take_reply_with_retries(
                provider,
                SYSTEM_PROMPT,
                (),
                [question(older, focus)],
                step=step,
                on_part=lambda _: None,
                on_retry=send,
                policy=policy,
            )
        except ContextOverflowError:
            if not shrinks_left or len(older) < 2:
                raise
            older = older[len(older) // 2 :]
    raise AssertionError("unreachable")
