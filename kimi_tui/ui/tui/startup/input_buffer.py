"""Buffers input until the panes are mounted."""

from collections.abc import Awaitable, Callable

from textual import events

_EDITING_KEYS = frozenset({"enter", "shift+enter", "alt+enter", "ctrl+j", "backspace", "left", "right", "ctrl+q"})


Deliver = Callable[[events.Event], Awaitable[None]]


class StartupInputBuffer:
    """Buffers text until the composer accepts it, and other keys until `flush_all`; the order is kept."""

    def __init__(self) -> None:
        self._buffered: list[events.Key | events.Paste] = []
        self._flushed = False

    def buffer(self, event: events.Event, *, can_write: bool) -> bool:
        """Buffer the key if it has to wait; return whether it was buffered."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if not self._buffered and (self._flushed or (can_write and _is_text_input(event))):
            return False
        self._buffered.append(event)
        return True

    async def flush_text(self, deliver: Deliver) -> None:
        """Deliver the text typed so far, in order."""
        while self._buffered and _is_text_input(self._buffered[0]):
            await self._deliver(deliver)

    async def flush_all(self, deliver: Deliver) -> None:
        """Deliver all buffered keys, in order, and stop buffering."""
        self._flushed = True
        while self._buffered:
            await self._deliver(deliver)

    async def _deliver(self, deliver: Deliver) -> None:
        first = self._buffered[0]
        await deliver(first)
        if self._buffered and self._buffered[0] is first:  # not delivered by another call meanwhile
            del self._buffered[0]


def _is_text_input(event: events.Key | events.Paste) -> bool:
    return isinstance(event, events.Paste) or event.is_printable or event.key in _EDITING_KEYS
