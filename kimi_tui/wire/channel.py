"""The Wire: one sender, many listeners. Each gets the messages in order; an error in one does not affect the others."""

import logging
from collections.abc import Awaitable, Callable

from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.merge import Merger

Listener = Callable[[WireMessage], None]
Drain = Callable[[], Awaitable[None]]
_log = logging.getLogger(__name__)


class Wire:
    """Delivers messages to listeners synchronously, within `send`; a listener must be quick and may queue.

    A *raw* listener gets each streamed piece; a *merged* one gets the pieces of one part as one message, before the
    message that follows them.
    """

    def __init__(self) -> None:
        self._raw: list[Listener] = []
        self._whole: list[Listener] = []
        self._merger = Merger[WireMessage]()
        self._slow: list[Drain] = []

    def listen(self, listener: Listener, *, merged: bool = False) -> Callable[[], None]:
        """Call `listener` with every message from now on; returns a function that unsubscribes it."""
        listeners = self._whole if merged else self._raw
        listeners.append(listener)

        def unlisten() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return unlisten

    def wait_for(self, drain: Drain) -> Callable[[], None]:
        """Let `drain` hold the sender up while a listener's queue is full; returns a function that takes it back."""
        self._slow.append(drain)
        return lambda: self._slow.remove(drain)

    async def drain(self) -> None:
        """Wait while a listener is far behind: a sender of many messages calls it between them."""
        for drain in tuple(self._slow):
            await drain()  # defence: wait-for-slow-readers

    def send(self, message: WireMessage) -> None:
        for merged in self._merger.add(message):
            _deliver(self._whole, merged)
        _deliver(self._raw, message)

    def flush(self) -> None:
        """Send held-back pieces to the merged listeners."""
        for merged in self._merger.flush():
            _deliver(self._whole, merged)


def _deliver(listeners: list[Listener], message: WireMessage) -> None:
    for listener in tuple(listeners):
        try:
            listener(message)
        except Exception:  # noqa: BLE001 - a face that fails must not stop the soul, nor the other faces
            _log.exception("a listener failed on %s", type(message).__name__)
