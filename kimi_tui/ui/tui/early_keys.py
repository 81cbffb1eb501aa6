"""Keys that are pressed before the panes are there."""

from collections.abc import Awaitable, Callable

from textual import events

_WRITING = frozenset({"enter", "shift+enter", "alt+enter", "ctrl+j", "backspace", "left", "right", "ctrl+q"})


class EarlyKeys:
    """A key that is no writing waits until `release`, and what comes after it waits behind it."""

    def __init__(self) -> None:
        self._held: list[events.Key | events.Paste] = []
        self._released = False

    def hold(self, event: events.Event) -> bool:
        """Whether this one waits from now on."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        writes = isinstance(event, events.Paste) or event.is_printable or event.key in _WRITING
        if not self._held and (self._released or writes):
            return False
        self._held.append(event)
        return True

    async def release(self, take: Callable[[events.Event], Awaitable[None]]) -> None:
        """Have all of them taken, in their order, and hold nothing more."""
        self._released = True
        while self._held:
            await take(self._held[0])
            del self._held[0]
