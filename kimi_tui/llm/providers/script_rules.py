"""Rules of a scripted model: select the reply for the current situation of the conversation.

The situation is a text of consecutive entries, the newest last. Entries before the last message of the user
begin with `earlier `, so that `^user: ` finds the last one:

    user: TEXT
    assistant: TEXT
    call: NAME ARGUMENTS
    result: NAME TEXT
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kimi_tui.llm.message import Message
from kimi_tui.wire.parts import ToolCall

# Limits of the searched text in characters: of one entry, of the entries since the user's message, of those before it
MAX_ENTRY = 6_000
MAX_NOW = 60_000
MAX_EARLIER = 60_000

_FLAGS = re.DOTALL | re.MULTILINE


@dataclass(frozen=True, slots=True)
class Condition:
    """A `when:` line: matches if the situation contains the pattern, or with `absent` if it does not."""

    pattern: re.Pattern[str]
    absent: bool = False

    @classmethod
    def read(cls, payload: str) -> "Condition":
        """Parse `REGEX` or `not REGEX`. Raises ValueError if it is invalid."""
        absent = payload.startswith("not ")
        text = payload[4:].strip() if absent else payload
        if not text:
            raise ValueError("when: needs a pattern")
        try:
            return cls(re.compile(text, _FLAGS), absent)
        except re.error as error:
            raise ValueError(f"when: {text[:60]!r} is not a regular expression: {error}") from error

    def holds(self, situation: str) -> bool:
        return (self.pattern.search(situation) is None) is self.absent


def matched_text(history: Sequence[Message]) -> str:
    """Return the text that the patterns search. If it is too long, the oldest entries and the middle of long ones are
    cut.
    """
    begin = max((index for index, message in enumerate(history) if message.role == "user"), default=len(history))
    names = {call.id: call.function.name for message in history for call in message.tool_calls or ()}
    earlier = [f"earlier {entry}" for message in history[:begin] for entry in _entries(message, names)]
    prompt, *later = [entry for message in history[begin:] for entry in _entries(message, names)] or [""]
    return "\n".join([*_newest(earlier, MAX_EARLIER), prompt, *_newest(later, MAX_NOW)])


def renamed(call: ToolCall, history: Sequence[Message]) -> ToolCall:
    """Return the call with an unused id: a rule may apply several times in a conversation."""
    used = {past.id for message in history for past in message.tool_calls or ()}
    unique_id, count = call.id, 1
    while unique_id in used:
        count += 1
        unique_id = f"{call.id}-{count}"
    return call if unique_id == call.id else call.model_copy(update={"id": unique_id})


def _entries(message: Message, names: dict[str, str]) -> Iterator[str]:
    match message.role:
        case "tool":
            yield f"result: {names.get(message.tool_call_id or '', '?')} {_clipped(message.text)}"
        case "user":
            yield f"user: {_clipped(message.text)}"
        case "assistant":
            if message.text:
                yield f"assistant: {_clipped(message.text)}"
            for call in message.tool_calls or ():
                yield f"call: {call.function.name} {_clipped(call.function.arguments or '')}"


def _clipped(text: str) -> str:
    half = MAX_ENTRY // 2
    return text if len(text) <= MAX_ENTRY else f"{text[:half]}…{text[-half:]}"


def _newest(entries: list[str], limit: int) -> list[str]:
    kept_count = len(entries)
    while kept_count and (limit := limit - len(entries[kept_count - 1]) - 1) >= 0:
        kept_count -= 1
    return entries[kept_count:]
