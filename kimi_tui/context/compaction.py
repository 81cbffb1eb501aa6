"""Compaction: a summary in place of the older part of a conversation. What is done with it is the soul's matter."""

from collections.abc import Sequence
from dataclasses import dataclass

from kimi_tui.context.dmail import is_checkpoint_mark
from kimi_tui.llm.message import Message, user_message
from kimi_tui.wire.parts import ContentPart, TextPart, ThinkPart

KEPT_MESSAGES = 2

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
class Threshold:
    """When to compact: at this share of the model's context, or when less than `reserved` tokens are left."""

    ratio: float = 0.85
    reserved: int = 50_000

    def reached(self, tokens: int, most: int) -> bool:
        """For a small model the reserve is at most a quarter of its context: else it would always be reached."""
        return tokens >= self.ratio * most or tokens + min(self.reserved, most // 4) >= most


def split(history: Sequence[Message]) -> tuple[Sequence[Message], Sequence[Message]]:
    """The part to summarise and the part to keep: the last two messages of user or assistant with what belongs to them.

    The first is empty where there is too little to be worth it.
    """
    seen = 0
    for index in range(len(history) - 1, -1, -1):
        if history[index].role != "tool" and not is_checkpoint_mark(history[index]):
            seen += 1
        if seen == KEPT_MESSAGES:
            return history[:index], history[index:]
    return (), history


def question(older: Sequence[Message], focus: str = "") -> Message:
    """What the model is asked, to get the summary of `older`."""
    blocks = [
        f"## Message {number}\nRole: {message.role}\nContent:\n{_told(message)}"
        for number, message in enumerate((one for one in older if not is_checkpoint_mark(one)), 1)
    ]
    wish = f"\n\nGive most room to this: {focus}" if focus else ""
    return user_message("\n\n".join(blocks) + f"\n\n{_INSTRUCTIONS}{wish}")


def compacted(summary: str, kept: Sequence[Message]) -> list[Message]:
    """The history that takes the old one's place.

    Reasoning of the kept messages is left out, and so are the marks of checkpoints that are no more.
    """
    notes = user_message((TextPart(text=_NOTE), TextPart(text=summary.strip())))
    return [notes, *(_without_thinking(message) for message in kept if not is_checkpoint_mark(message))]


def _told(message: Message) -> str:
    calls = "".join(
        f"\n[calls {call.function.name} {call.function.arguments or ''}]" for call in message.tool_calls or ()
    )
    media = "".join(f"\n[{part.type}]" for part in message.content if part.type not in ("text", "think"))
    return message.text + calls + media


def _without_thinking(message: Message) -> Message:
    content: tuple[ContentPart, ...] = tuple(part for part in message.content if not isinstance(part, ThinkPart))
    return message.model_copy(update={"content": content})
