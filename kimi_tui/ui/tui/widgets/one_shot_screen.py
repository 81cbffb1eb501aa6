"""A screen over the others that leaves once: what is pressed after its answer is not one for the screen below."""

from typing import TypeVar

from textual import events
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

Answer = TypeVar("Answer")


class OneShotModal(ModalScreen[Answer]):
    """Textual takes whatever screen is on top away, however often it is told: keys come faster than screens go."""

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_active else AwaitComplete()

    async def on_event(self, event: events.Event) -> None:
        if self.is_active or not isinstance(event, events.InputEvent):
            await super().on_event(event)
