"""Keys that are pressed before the panes are there."""

from collections.abc import Awaitable, Callable

from textual import events

_EDITING_KEYS = frozenset({"enter", "shift+enter", "alt+enter", "ctrl+j", "backspace", "left", "right", "ctrl+q"})


Deliver = Callable[[events.Event], Awaitable[None]]


class StartupInputBuffer:
    """Writing waits until there is something to write into, any other key until `release`, and what comes after a key
    that waits waits behind it.
    """

    def __init__(self) -> None:
        self._held: list[events.Key | events.Paste] = []
        self._released = False

    def buffer(self, event: events.Event, *, can_write: bool) -> bool:
        """Whether this one waits from now on."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if not self._held and (self._released or (can_write and _is_text_input(event))):
            return False
        self._held.append(event)
        return True

    async def flush_text(self, take: Deliver) -> None:
        """Have what was written so far taken, in its order."""
        while self._held and _is_text_input(self._held[0]):
            await self._deliver(take)

    async def flush_all(self, take: Deliver) -> None:
        """Have all of them taken, in their order, and hold nothing more."""
        self._released = True
        while self._held:
            await self._deliver(take)

    async def _deliver(self, take: Deliver) -> None:
        first = self._held[0]
        await take(first)
        if self._held and self._held[0] is first:  # nobody else has let go of it meanwhile
            del self._held[0]


def _is_text_input(event: events.Key | events.Paste) -> bool:
    return isinstance(event, events.Paste) or event.is_printable or event.key in _EDITING_KEYS
