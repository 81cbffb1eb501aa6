"""Compaction: summarises the older part of a conversation. The soul decides what to do with the summary."""

from collections.abc import Sequence
from dataclasses import dataclass

from kimi_tui.context.dmail import is_checkpoint_mark
from kimi_tui.llm.message import Message, estimate_tokens, user_message
from kimi_tui.wire.parts import ContentPart, TextPart, ThinkPart

KEPT_MESSAGES = 2
LEAST_RESULT_TOKENS = 200
"""Shortening never cuts a tool result below this many tokens."""

SYSTEM_PROMPT = (
    "You write the working notes with which a software engineering agent goes on after its memory was cleared. "
    "Exact names, paths, commands, numbers and error texts matter; pleasantries do not."
)

_INSTRUCTIONS = """\
Above is the older part of a conversation between a person and a software engineering agent. Write the notes that
the agent needs in its place, in the language of the conversation, under these headings:

<current_focus> what is being done right now, and the very next step </current_focus>
<environment> facts about the machine, the project and its tools that were found out </environment>
<completed_tasks> what is done and how it was checked </completed_tasks>
<active_issues> what fails or is open, with the exact messages, and what was already tried </active_issues>
<code_state> files that were made or changed, with the parts that matter </code_state>
<important_context> what the person asked for, prefers and forbade, in their words </important_context>

Leave out a heading that has nothing. Do not go on with the work itself."""

_NOTE = (
    "<system>The conversation before this point was summarised to save space. "
    "The notes below stand for it; go on from them.</system>"
)


@dataclass(frozen=True, slots=True)
class CompactionThreshold:
    """Compacts at this share of the model's context, or when fewer than `reserved` tokens are left."""

    ratio: float
    reserved: int

    def reached(self, tokens: int, limit: int) -> bool:
        """Whether to compact. The reserve is capped at a quarter of the context, so that small contexts do not always
        compact.
        """
        return tokens >= self.ratio * limit or tokens + min(self.reserved, limit // 4) >= limit


def split(
    history: Sequence[Message], requests: Sequence[Message] = ()
) -> tuple[Sequence[Message], Sequence[Message], Sequence[Message]]:
    """Return the messages to summarise, the requests among them, and the messages to keep.

    The messages to keep are the last two of user or assistant with their tool calls and results. `requests` are
    messages of the history that stay verbatim. The first list is empty if there is too little to summarise: earlier
    notes alone are not enough.
    """
    start = _start_of_kept(history)
    older = history[:start]
    kept_requests = [message for message in older if any(message is request for request in requests)]
    if all(
        is_checkpoint_mark(message) or _is_notes(message) or any(message is request for request in kept_requests)
        for message in older
    ):
        return (), (), history
    return older, kept_requests, history[start:]


def _start_of_kept(history: Sequence[Message]) -> int:
    tokens_seen = 0
    for index in range(len(history) - 1, -1, -1):
        if history[index].role != "tool" and not is_checkpoint_mark(history[index]):
            tokens_seen += 1
        if tokens_seen == KEPT_MESSAGES:
            return index
    return 0


def _is_notes(message: Message) -> bool:
    return bool(message.content) and message.content[0] == TextPart(text=_NOTE)


def question(older: Sequence[Message], focus: str = "", *, tokens: int | None = None) -> Message:
    """Return the prompt that asks for a summary of `older`; tool results are cut so that it has about `tokens`."""
    older = [message for message in older if not is_checkpoint_mark(message)]
    blocks = [
        f"## Message {number}\nRole: {message.role}\nContent:\n{_described(message)}"
        for number, message in enumerate(older if tokens is None else shortened(older, tokens), 1)
    ]
    wish = f"\n\nGive most room to this: {focus}" if focus else ""
    return user_message("\n\n".join(blocks) + f"\n\n{_INSTRUCTIONS}{wish}")


def compacted_history(summary: str, recent: Sequence[Message], *, requests: Sequence[Message] = ()) -> list[Message]:
    """Return the history that replaces the old one.

    It omits the reasoning of the kept messages and the marks of removed checkpoints. `requests` come between the notes
    and the kept messages.
    """
    notes = user_message((TextPart(text=_NOTE), TextPart(text=summary.strip())))
    return [notes, *requests, *(_without_thinking(message) for message in without_marks(recent))]


def without_marks(messages: Sequence[Message]) -> list[Message]:
    """Return the messages without checkpoint marks."""
    return [message for message in messages if not is_checkpoint_mark(message)]


def shortened(messages: Sequence[Message], tokens: int) -> list[Message]:
    """Cut the longest tool results until the messages have about `tokens` in all, as far as that is possible."""
    sizes = [estimate_tokens(message) for message in messages]
    results = sorted(size for size, message in zip(sizes, messages, strict=True) if message.role == "tool")
    budget = tokens - (sum(sizes) - sum(results))
    if sum(results) <= budget:
        return list(messages)
    limit = 0
    for remaining, size in zip(range(len(results), 0, -1), results, strict=True):
        limit = budget // remaining
        if size > limit:
            break
        budget -= size
    limit = max(limit, LEAST_RESULT_TOKENS)
    return [
        _cut(message, limit / size) if message.role == "tool" and size > limit else message
        for size, message in zip(sizes, messages, strict=True)
    ]


def _cut(result: Message, share: float) -> Message:
    """Cut a tool result to about this share: keeps the start and the end of its texts, drops media."""
    content = tuple(_cut_part(part, share) for part in result.content)
    return result if content == result.content else result.model_copy(update={"content": content})


def _cut_part(part: ContentPart, share: float) -> ContentPart:
    if not isinstance(part, TextPart):
        return TextPart(text=f"[{part.type}: left out when the conversation was compacted]")
    text, limit = part.text, int(len(part.text) * share)
    removed = len(text) - limit
    note = f"\n[... {removed:,} characters left out when the conversation was compacted ...]\n"
    if removed <= 2 * len(note):
        return part
    tail = limit // 3
    return TextPart(text=text[: limit - tail] + note + text[len(text) - tail :])


def _described(message: Message) -> str:
    calls = "".join(
        f"\n[calls {call.function.name} {call.function.arguments or ''}]" for call in message.tool_calls or ()
    )
    media = "".join(f"\n[{part.type}]" for part in message.content if part.type not in ("text", "think"))
    return message.text + calls + media


def _without_thinking(message: Message) -> Message:
    content = tuple(part for part in message.content if not isinstance(part, ThinkPart))
    return message if content == message.content else message.model_copy(update={"content": content})
