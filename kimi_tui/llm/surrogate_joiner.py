"""Joins surrogate pairs that a service split between two pieces of one reply."""

from collections.abc import Iterator

from kimi_tui.llm.provider import SpokenPart
from kimi_tui.surrogates import SurrogateJoiner
from kimi_tui.wire.parts import TextPart, ThinkPart, ToolCallPart


class ReplySurrogateJoiner:
    """Passes pieces on, but holds a final high surrogate for the next piece of its kind; an unpaired one becomes
    U+FFFD.
    """

    def __init__(self) -> None:
        self._joiner = SurrogateJoiner()
        self._kind: type[SpokenPart] | None = None

    def feed(self, part: SpokenPart) -> Iterator[SpokenPart]:
        """Return the text that is complete after `part`."""
        if type(part) is not self._kind:
            yield from self.end()
            self._kind = type(part)
        match part:
            case TextPart():
                text = self._joiner.feed(part.text)
                yield part if text is part.text else TextPart(text=text)
            case ThinkPart():
                think = self._joiner.feed(part.think)
                yield part if think is part.think else ThinkPart(think=think, encrypted=part.encrypted)
            case ToolCallPart(arguments_part=str(arguments)):
                complete = self._joiner.feed(arguments)
                yield part if complete is arguments else ToolCallPart(arguments_part=complete)
            case _:
                yield part

    def end(self) -> Iterator[SpokenPart]:
        """Return the rest, after the last piece of its kind."""
        if not (rest := self._joiner.flush()):
            return
        if self._kind is TextPart:
            yield TextPart(text=rest)
        elif self._kind is ThinkPart:
            yield ThinkPart(think=rest)
        else:
            yield ToolCallPart(arguments_part=rest)
