"""A modal that dismisses once: keys after its answer do not reach the screen below."""

from typing import TypeVar

from textual import events
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

Answer = TypeVar("Answer")


class OneShotModal(ModalScreen[Answer]):
    """Textual pops the top screen on every call: keys arrive faster than screens close."""

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_active else AwaitComplete()

    async def on_event(self, event: events.Event) -> None:
        if self.is_active or not isinstance(event, events.InputEvent):
            await super().on_event(event)
