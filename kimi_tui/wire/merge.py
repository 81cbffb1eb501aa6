"""Merges streamed pieces: text with text, thinking with thinking, arguments with their call."""

from typing import Generic, TypeVar

from kimi_tui.wire.parts import TextPart, ThinkPart, ToolCall, ToolCallPart

M = TypeVar("M")


class Merger(Generic[M]):
    """Holds back one piece until the next one shows that it is complete.

    Text is kept as a list of pieces while it grows: the cost is linear in the streamed length.
    """

    def __init__(self) -> None:
        self._held: list[M] = []

    def add(self, message: M) -> list[M]:
        """Return the messages that are complete now that `message` has arrived."""
        if self._held and _belongs(self._held[-1], message):
            self._held.append(message)
            return []
        complete = self.flush()
        if isinstance(message, TextPart | ThinkPart | ToolCall | ToolCallPart):
            self._held = [message]
            return complete
        complete.append(message)
        return complete

    def flush(self) -> list[M]:
        """Return the held-back piece as one message, or nothing."""
        pending, self._held = self._held, []
        return [_joined(pending)] if pending else []


class StreamedCall:
    """A tool call whose arguments arrive in pieces; the time is linear in their length."""

    def __init__(self, call: ToolCall) -> None:
        self._call = call
        self._pieces: list[str] = []

    def add(self, part: ToolCallPart) -> None:
        if part.arguments_part:
            self._pieces.append(part.arguments_part)  # defence: arguments-in-pieces

    @property
    def call(self) -> ToolCall:
        """The call with all arguments so far."""
        if self._pieces:
            self._call = self._call.followed_by(ToolCallPart(arguments_part="".join(self._pieces)))
            self._pieces.clear()
        return self._call


def _belongs(first: object, second: object) -> bool:
    match first, second:
        case (TextPart(), TextPart()) | (ToolCall() | ToolCallPart(), ToolCallPart()):
            return True
        case ThinkPart(), ThinkPart():
            return first.encrypted is None
        case _:
            return False


def _joined(parts: list[M]) -> M:
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    result: object
    match first:
        case TextPart():
            result = TextPart(text="".join(p.text for p in parts if isinstance(p, TextPart)))
        case ThinkPart():
            thoughts = [p for p in parts if isinstance(p, ThinkPart)]
            result = ThinkPart(think="".join(p.think for p in thoughts), encrypted=thoughts[-1].encrypted)
        case _:
            arguments = "".join(p.arguments_part or "" for p in parts if isinstance(p, ToolCallPart))
            merged_part = ToolCallPart(arguments_part=arguments)
            result = first.followed_by(merged_part) if isinstance(first, ToolCall) else merged_part
    return result  # pyright: ignore[reportReturnType]
