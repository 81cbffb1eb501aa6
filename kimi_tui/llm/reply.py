"""Sends one request to a model and assembles the reply from the stream."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from kimi_tui.errors import EmptyResponseError, ProviderError
from kimi_tui.i18n import tr
from kimi_tui.llm.message import Message
from kimi_tui.llm.provider import Provider, ReplyCut, ReplyId, ReplyUsage, SpokenPart, ToolSpec
from kimi_tui.llm.reply_limits import MAX_ID, ReplySize
from kimi_tui.llm.surrogate_joiner import ReplySurrogateJoiner
from kimi_tui.wire.merge import Merger
from kimi_tui.wire.parts import (
    AudioURLPart,
    ImageURLPart,
    TextPart,
    ThinkPart,
    TokenUsage,
    ToolCall,
    ToolCallPart,
    VideoURLPart,
)

_MAX_TOKENS = 10**12


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply: the assistant's message, its usage (None: not reported), its id, and whether it was cut at its limit."""

    message: Message
    usage: TokenUsage | None = None
    id: str | None = None
    cut: bool = False


async def request_reply(
    provider: Provider,
    system_prompt: str,
    tools: Sequence[ToolSpec],
    history: Sequence[Message],
    *,
    on_part: Callable[[SpokenPart], None],
    drain: Callable[[], Awaitable[None]] | None = None,
) -> Reply:
    """Send one request and return the whole reply; `on_part` gets each piece as it arrives.

    After each piece it waits for `drain` before it reads on.

    Raises a ProviderError, also for a reply that exceeds a limit of `ReplySize`, and EmptyResponseError if the
    reply has neither text nor a tool call.
    """
    merger = Merger[SpokenPart]()
    characters = ReplySurrogateJoiner()
    parts: list[SpokenPart] = []
    usage: TokenUsage | None = None
    reply_id: str | None = None
    cut = False
    size = ReplySize()
    async with aclosing(provider.stream(system_prompt, tools, history)) as stream:
        async for delta in stream:
            match delta:
                case ReplyId():
                    reply_id = delta.id if len(delta.id) <= MAX_ID else reply_id  # defence: bound-reply-id
                case ReplyCut():
                    cut = True
                case ReplyUsage():
                    usage = delta.usage if is_plausible(delta.usage) else usage  # defence: believable-usage
                case _:
                    size.add(_length(delta), calls=isinstance(delta, ToolCall))
                    for part in characters.feed(delta):  # defence: join-cut-characters
                        on_part(part)
                        parts.extend(merger.add(part))
                    if drain is not None:
                        await drain()
    for part in characters.end():
        on_part(part)
        parts.extend(merger.add(part))
    parts.extend(merger.flush())
    content = tuple(part for part in parts if not isinstance(part, ToolCall | ToolCallPart))
    calls = tuple(part for part in parts if isinstance(part, ToolCall))
    has_answer = any(
        not isinstance(part, ThinkPart) and not (isinstance(part, TextPart) and not part.text.strip())
        for part in content
    )
    if not has_answer and not calls and cut:
        raise ProviderError(tr("the answer reached its length limit before any text"))
    if not has_answer and not calls:
        raise EmptyResponseError(tr("the model returned an empty answer"))
    return Reply(Message(role="assistant", content=content, tool_calls=calls or None), usage, reply_id, cut)


def is_plausible(usage: TokenUsage) -> bool:
    """Whether the counts are plausible: services that do not count report zero or impossible values."""
    counts = (usage.input_other, usage.output, usage.input_cache_read, usage.input_cache_creation)
    return usage.total > 0 and all(0 <= count <= _MAX_TOKENS for count in counts)


def _length(part: SpokenPart) -> int:
    match part:
        case TextPart():
            return len(part.text)
        case ThinkPart():
            return len(part.think) + len(part.encrypted or "")
        case ToolCall():
            return len(part.function.name) + len(part.function.arguments or "")
        case ToolCallPart():
            return len(part.arguments_part or "")
        case ImageURLPart():
            return len(part.image_url.url)
        case AudioURLPart():
            return len(part.audio_url.url)
        case VideoURLPart():
            return len(part.video_url.url)
