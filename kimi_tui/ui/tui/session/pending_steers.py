"""Steering messages not yet delivered to the running turn."""

from collections.abc import Sequence

from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import SteerInput, StepInterrupted, TurnBegin, TurnEnd
from kimi_tui.wire.parts import UserInput, text_of


class PendingSteers:
    """The undelivered steering messages, oldest first; Wire messages report the delivery."""

    def __init__(self) -> None:
        self._waiting: list[UserInput] = []

    @property
    def texts(self) -> Sequence[str]:
        return [text_of(content) for content in self._waiting]

    def add(self, content: UserInput) -> None:
        self._waiting.append(content)

    def take(self) -> list[UserInput]:
        """Remove and return all messages: the turn has ended, so they cannot be delivered."""
        left, self._waiting = self._waiting, []
        return left

    def on_wire(self, message: WireMessage) -> list[UserInput]:
        """Return the messages that were not delivered before the turn ended."""
        match message:
            case SteerInput() if message.user_input in self._waiting:
                self._waiting.remove(message.user_input)
            case TurnBegin() | TurnEnd() | StepInterrupted():
                return self.take()
            case _:
                pass
        return []
