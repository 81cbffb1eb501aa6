"""A modal that dismisses once: keys after its answer do not reach the screen below."""

from typing import TypeVar

from textual import events
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

Answer = TypeVar("Answer")
LOW = 28
"""Terminals with fewer rows get no blank rows for spacing, and show one screen at a time."""
NARROW = 100
"""Terminals with fewer columns show one screen at a time."""


class OneShotModal(ModalScreen[Answer]):
    """Textual pops the top screen on every call: keys arrive faster than screens close.

    The previous screen shows dimmed around it, unless only fragments of that would be left.
    """

    DEFAULT_CSS = "OneShotModal.-alone { background: $background; }"

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < LOW or event.size.width < NARROW, "-alone")

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_active else AwaitComplete()

    async def on_event(self, event: events.Event) -> None:
        if self.is_active or not isinstance(event, events.InputEvent):
            await super().on_event(event)
