"""Notifies the user once when a file cannot be written, and once when it can be written again."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from kimi_tui.i18n import tr


class DiskMonitor:
    """Receives the errors of journals; `notify` gets a title, a body and whether it is bad news.

    The event loop sends the notification later: it is written to a journal too, and a journal is being written now.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, notify: Callable[[str, str, bool], None]) -> None:
        self._loop = loop
        self._notify = notify
        self._failing: set[Path] = set()

    def watch(self, file: Path) -> Callable[[OSError | None], None]:
        """Return a callback for that file's writer: call it with the error on the first failure, with None on
        recovery.
        """

        def on_trouble(error: OSError | None) -> None:
            self._loop.call_soon_threadsafe(self._note, file, error)

        return on_trouble

    def _note(self, file: Path, error: OSError | None) -> None:
        if error is None:
            self._failing.discard(file)
            if not self._failing:
                self._notify(tr("The session can be written to disk again"), tr("Nothing was lost."), False)
            return
        first = not self._failing
        self._failing.add(file)
        if first:  # defence: tell-disk-trouble-once
            why = f"{file.parent}: {error.strerror or error}"
            self._notify(tr("The session cannot be written to disk; it continues in memory"), why, True)
