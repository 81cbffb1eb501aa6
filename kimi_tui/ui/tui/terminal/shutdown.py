"""Shutdown on signals, and on a lost terminal or server.

The app is asked to exit normally. If it does not in time (a blocked loop, a hanging close), or if the signal repeats,
the process exits at once: messages are already on disk, and running tools end with it.
"""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Protocol

from kimi_tui.ui.tui.terminal import escape_sequences

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
_PATIENCE_S = 12.0
_AGAIN_S = 0.5
"""Signals closer together than this, in seconds, count as one."""
_GONE_CHECK_S = 0.5
_GONE_GRACE_S = 1.0
# Modes that the driver switched on, switched off again, in case the driver no longer can.
_ALL_OFF = "\x1b[?2004l\x1b[?7h\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"


class SavedTerminal(Protocol):
    """The terminal's state before the start; notified when the screen is up."""

    @property
    def attributes(self) -> list[int | list[bytes | int]]: ...
    def on_handover(self) -> None: ...
    def restore(self) -> None: ...


class ShutdownHandler:
    """Makes an app exit. `page`: the app is shown in a browser, and its server is watched instead of a terminal."""

    def __init__(self, terminal_state: SavedTerminal | None, *, page: bool) -> None:
        self._terminal_state, self._page = terminal_state, page
        self._parent = os.getppid()
        self._requested_at: float | None = None
        self._over = threading.Event()
        self._ask: Callable[[int], None] = lambda _status: None

    @contextmanager
    def received_signal(self) -> Generator[None]:
        """While this context is active, signals end the app, whatever the main thread is doing."""
        # defence: own-signal-handlers
        handlers = {number: signal.signal(number, self._on_signal) for number in SIGNALS}
        try:
            yield
        finally:
            self._over.set()
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def bind(self, end: Callable[[int], None]) -> None:
        """Attach to the app's running loop; `end` ends the app with a status, in that loop."""
        loop = asyncio.get_running_loop()

        def ask(status: int) -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(end, status)

        self._ask = ask
        threading.Thread(target=self._watch_display, name="display", daemon=True).start()

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._requested_at is None:
            self._requested_at = now
            self._ask(128 + number)
            threading.Thread(target=self._force_after_timeout, args=(number,), name="ending", daemon=True).start()
        elif now - self._requested_at > _AGAIN_S:
            self._force_exit(number)

    def _force_after_timeout(self, number: int) -> None:
        if not self._over.wait(_PATIENCE_S):
            self._force_exit(number)

    def _force_exit(self, number: int) -> None:
        if not self._page:
            with suppress(OSError):
                os.set_blocking(1, False)
                os.write(1, _ALL_OFF.encode())
                os.set_blocking(1, True)
            if self._terminal_state is not None:
                self._terminal_state.restore()
        os._exit(128 + number)

    def _watch_display(self) -> None:
        """Runs in a thread: the loop may be busy, or blocked by a write to a terminal that does not read."""
        while not self._over.wait(_GONE_CHECK_S):
            if self._display_is_gone():
                self._ask(128 + signal.SIGHUP)
                if not self._over.wait(_GONE_GRACE_S):
                    os._exit(128 + signal.SIGHUP)
                return

    def _display_is_gone(self) -> bool:
        if self._page:
            return os.getppid() != self._parent  # defence: end-without-server
        return escape_sequences.terminal_is_gone()  # defence: terminal-is-gone
