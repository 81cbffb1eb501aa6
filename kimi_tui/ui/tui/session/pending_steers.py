"""What was said to the turn under way and waits for its next step."""

from collections.abc import Sequence

from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import SteerInput, StepInterrupted, TurnBegin, TurnEnd
from kimi_tui.wire.parts import UserInput, text_of


class PendingSteers:
    """Oldest first; the Wire tells when one has gone in."""

    def __init__(self) -> None:
        self._waiting: list[UserInput] = []

    @property
    def texts(self) -> Sequence[str]:
        return [text_of(content) for content in self._waiting]

    def add(self, content: UserInput) -> None:
        self._waiting.append(content)

    def take(self) -> list[UserInput]:
        """There is no turn any more that they could go into."""
        left, self._waiting = self._waiting, []
        return left

    def on_wire(self, message: WireMessage) -> list[UserInput]:
        """What did not go in before the turn was over."""
        match message:
            case SteerInput() if message.user_input in self._waiting:
                self._waiting.remove(message.user_input)
            case TurnBegin() | TurnEnd() | StepInterrupted():
                return self.take()
            case _:
                pass
        return []
