"""Tells the person once that something cannot be written, and once that it can be again."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from kimi_tui.i18n import tr


class DiskMonitor:
    """Journals report here; `tell` gets a title, a body and whether it is bad news.

    Telling waits for the loop: it is itself written into a journal, and one is being written just now.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, tell: Callable[[str, str, bool], None]) -> None:
        self._loop = loop
        self._tell = tell
        self._failing: set[Path] = set()

    def watch(self, file: Path) -> Callable[[OSError | None], None]:
        """What a writer of that file calls when it begins to fail (the error) and when it works again (None)."""

        def on_trouble(error: OSError | None) -> None:
            self._loop.call_soon_threadsafe(self._note, file, error)

        return on_trouble

    def _note(self, file: Path, error: OSError | None) -> None:
        if error is None:
            self._failing.discard(file)
            if not self._failing:
                self._tell(tr("The session is written to disk again"), tr("Nothing was lost."), False)
            return
        first = not self._failing
        self._failing.add(file)
        if first:
            why = f"{file.parent}: {error.strerror or error}"
            self._tell(tr("The session cannot be written to disk; it goes on in memory"), why, True)
