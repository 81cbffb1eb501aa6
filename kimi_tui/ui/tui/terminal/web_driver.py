"""Draws into a browser's page by way of stdout: packets that `ui.web` passes on, for textual-serve's own script.

Stdout takes nothing but packets, and a stdin that ends means that nobody looks any more.
"""

import asyncio
import os
import re

from textual import messages
from textual.app import App
from textual.drivers.web_driver import WebDriver

_MESSAGE_NAMES = re.compile(r"\a?\x1b\](2|9);([^\x07\x1b]*)\x07")
_KINDS = {"2": "title", "9": "notice"}


class BrowserDriver(WebDriver):
    """Textual's own driver for the web, that ends the app when the page is gone and writes packets whole."""

    def __init__(
        self, app: App[object], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._loop = asyncio.get_running_loop()
        self._write = self._write_whole

    def start_application_mode(self) -> None:
        super().start_application_mode()
        self.write("\x1b[?7l")  # as in a terminal: what is too wide for a row does not go on in the next
        self._app.watch(self._app, "theme", self._send_colours)

    def write(self, data: str) -> None:
        """A title or a call for attention is no picture: the page is told of it in words."""
        if word := _MESSAGE_NAMES.fullmatch(data):
            self.write_meta({"type": _KINDS[word[1]], "text": word[2]})
        else:
            super().write(data)

    def run_input_thread(self) -> None:
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._leave()

    def _send_colours(self) -> None:
        """What is no cell of the page, its edge and its last word, has the theme's colours."""
        colours = self._app.theme_variables
        for kind in ("background", "foreground"):
            self.write_meta({"type": kind, "text": colours.get(kind, "")})

    def _write_whole(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self.fileno, rest) :]
        except OSError:
            self._leave()

    def _leave(self) -> None:
        """End the app, from whatever thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._app.post_message, messages.ExitApp())
