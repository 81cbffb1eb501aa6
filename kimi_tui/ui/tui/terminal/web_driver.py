"""Web driver: sends frames to textual-serve's script over stdout, as packets that `ui.web` forwards.

Invariant: stdout receives packets only. The end of stdin means that the page is closed.
"""

import asyncio
import logging
import os
import re
import threading
import time
from collections.abc import Iterator

from textual import events, messages
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers._byte_stream import ByteStream
from textual.drivers.web_driver import WebDriver
from textual.message import Message

from kimi_tui.ui.tui.terminal.bracketed_paste import END, START
from kimi_tui.ui.tui.terminal.key_sequences import normalize_input

_log = logging.getLogger(__name__)
_MESSAGE_NAMES = re.compile(r"\a?\x1b\](2|9);([^\x07\x1b]*)\x07")
_KINDS = {"2": "title", "9": "notice"}
_AT_ONCE = 256
_PATIENCE_S = 2.0
_MAX_LOGGED = 200


class BrowserDriver(WebDriver):
    """Textual's web driver, which also ends the app when the page is closed, and writes whole packets.

    The page sends each paste as one packet, so no text in it can end the paste or be a key. The driver reads input only
    as fast as the app handles it: each key outside a paste is a separate event.
    """

    def __init__(
        self, app: App[object], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._loop = asyncio.get_running_loop()
        self._write = self._write_whole
        self._unchecked = 0

    def start_application_mode(self) -> None:
        super().start_application_mode()
        self.write("\x1b[?7l")  # no auto-wrap, as in a terminal: long rows do not continue in the next
        self._app.watch(self._app, "theme", self._send_colours)

    def write(self, data: str) -> None:
        """Send a title or a notification as a separate message; all else is a frame."""
        if word := _MESSAGE_NAMES.fullmatch(data):
            self.write_meta({"type": _KINDS[word[1]], "text": word[2]})
        else:
            super().write(data)

    def run_input_thread(self) -> None:
        """Read packets until asked to stop. Invalid input does not end the thread."""
        packets, parser = ByteStream(), XTermParser(self._debug)
        for data in self._input_reader:
            for kind, payload in packets.feed(data) if data else ():
                try:
                    if kind == "D":
                        for message in _parse_packet(payload.decode("utf-8", "replace"), parser):
                            self.process_message(message)
                    else:
                        self._on_meta(kind, payload)
                except Exception:  # noqa: BLE001 - the edge: a library's fault, in what a page has sent
                    _log.exception("the page sent what cannot be read: %r", payload[:_MAX_LOGGED])
                    parser = XTermParser(self._debug)  # defence: driver-of-odd-keys
            for message in parser.tick():
                self.process_message(message)
        if not self.exit_event.is_set():
            self._leave()

    def process_message(self, message: Message) -> None:
        super().process_message(normalize_input(message))

    def send_message(self, message: Message) -> None:
        if not self.exit_event.is_set() and not self._loop.is_closed():  # else the app takes no input any more
            super().send_message(message)
            self._wait_for_app()

    def on_meta(self, packet_type: str, payload: dict[str, object]) -> None:
        super().on_meta(packet_type, payload)
        self._wait_for_app()

    def _wait_for_app(self) -> None:
        """Runs in the input thread: after some events, wait until the focused widget has handled them."""
        self._unchecked += 1
        # defence: pace-browser-input
        if self._unchecked < _AT_ONCE:
            return
        self._unchecked = 0
        handled = threading.Event()

        def ask_focused() -> None:
            (self._app.focused or self._app.screen).call_later(handled.set)

        self._app.call_later(ask_focused)
        until = time.monotonic() + _PATIENCE_S
        while not handled.wait(0.05) and not self.exit_event.is_set() and time.monotonic() < until:
            pass

    def _send_colours(self) -> None:
        """Send the theme's colours for the page's margin and closing message."""
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
        """End the app, from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._app.post_message, messages.ExitApp())


def _parse_packet(text: str, parser: XTermParser) -> Iterator[Message]:
    """The keys of a packet; all that follows START is one paste, whatever it contains."""
    keys, start, pasted = text.partition(START)
    if keys:  # "" would end the parser
        yield from parser.feed(keys)
    if start:
        yield events.Paste(pasted.removesuffix(END))  # defence: paste-of-one-packet
