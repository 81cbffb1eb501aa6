"""Buffers input while the app starts, and after a key that opens a screen until that screen is mounted."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from textual import events
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

_NEWLINES = frozenset({"enter", "shift+enter", "alt+enter", "ctrl+j"})
_EDITING_KEYS = _NEWLINES | {"backspace", "left", "right", "ctrl+q"}


Deliver = Callable[[events.Event], Awaitable[None]]


class InputHost(Protocol):
    """The app: its top screen, the focus in it, and a timer."""

    @property
    def screen(self) -> Screen[object]: ...
    @property
    def screen_stack(self) -> list[Screen[Any]]: ...
    @property
    def focused(self) -> Widget | None: ...
    def set_timer(self, delay: float, callback: Callable[[], Awaitable[None]], /) -> Timer: ...


class KeyPassed(Message):
    """Follows a key on its way to the app, and a screen that it opened until that is mounted."""


_LONGEST_WAIT_S = 2.0


class InputBuffer:
    """Buffers text until the composer accepts it, and other keys until `flush_all`; after `hold`, everything until the
    opened screen is mounted. The order is kept.
    """

    def __init__(self, host: InputHost, deliver: Deliver) -> None:
        self._host, self._deliver = host, deliver
        self._buffered: list[events.Key | events.Paste] = []
        self._flushed = False
        self._opening: KeyPassed | None = None
        self._holds = 0
        self._passed: Screen[object] | None = None

    def buffer(self, event: events.Event, *, can_write: bool) -> bool:
        """Buffer the key if it has to wait; return whether it was buffered."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if not self._buffered and self._opening is None and (self._flushed or (can_write and _is_text_input(event))):
            return False
        self._buffered.append(event)
        return True

    def take_text(self) -> str:
        """Remove the buffered keys and return what they typed, because the app ends."""
        buffered, self._buffered = self._buffered, []
        text = ""
        for event in buffered:
            if isinstance(event, events.Paste):
                text += event.text
            elif event.is_printable:
                text += event.character or ""
            elif event.key == "backspace":
                text = text[:-1]
            elif event.key in _NEWLINES:
                text += "\n"
        return text

    async def flush_text(self) -> None:
        """Deliver the text typed so far, in order."""
        while self._buffered and self._opening is None and _is_text_input(self._buffered[0]):
            await self._deliver_first()

    async def flush_all(self) -> None:
        """Deliver the buffered keys, in order; those after a key that opens a screen wait for it."""
        self._flushed = True
        while self._buffered and self._opening is None:
            await self._deliver_first()

    def hold(self) -> None:
        """Buffer what follows a key that opens a screen or moves the focus, until that is done."""
        host = self._host
        self._opening = KeyPassed()
        self._holds += 1
        number = self._holds

        async def give_up() -> None:
            if self._opening is not None and self._holds == number and host.screen_stack:
                await self._release()

        host.set_timer(_LONGEST_WAIT_S, give_up)
        self._passed = host.screen
        if not (host.focused or host.screen).post_message(self._opening):  # the widget is being removed
            host.screen.post_message(self._opening)

    async def key_passed(self, event: KeyPassed) -> None:
        """Called when the key has come to the app, and again when the screen that it opened is mounted."""
        if event is not self._opening:
            return
        host = self._host
        if host.screen is not self._passed:
            self._passed, self._opening = host.screen, KeyPassed()
            host.screen.post_message(self._opening)
        else:
            await self._release()

    async def _release(self) -> None:
        self._opening = self._passed = None
        if self._flushed:
            await self.flush_all()

    async def _deliver_first(self) -> None:
        first = self._buffered[0]
        await self._deliver(first)
        if self._buffered and self._buffered[0] is first:  # not delivered by another call meanwhile
            del self._buffered[0]


def _is_text_input(event: events.Key | events.Paste) -> bool:
    return isinstance(event, events.Paste) or event.is_printable or event.key in _EDITING_KEYS
