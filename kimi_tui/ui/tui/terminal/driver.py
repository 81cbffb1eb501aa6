"""Terminal driver that always restores terminal modes and survives a lost terminal.

It draws to stdout, which was checked, and not to stderr, which may be a file. A terminal that no longer accepts reads
or writes ends the app without an exception.
"""

import asyncio
import errno
import logging
import os
import re
import signal
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from contextlib import suppress
from selectors import EVENT_READ, SelectSelector
from threading import Event
from time import monotonic
from typing import IO, cast

from textual import events
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.terminal.bracketed_paste import BracketedPasteParser, PastedText, StartedKeys, UnfinishedPaste
from kimi_tui.ui.tui.terminal.drawn_reports import REQUEST
from kimi_tui.ui.tui.terminal.job_control import owns_terminal
from kimi_tui.ui.tui.terminal.key_sequences import ScreenDrawn, normalize_input, parse_keys
from kimi_tui.ui.tui.terminal.shutdown import SavedTerminal

_log = logging.getLogger(__name__)
_SAVE_TITLE, _RESTORE_TITLE = "\x1b[22;2t", "\x1b]2;\x07\x1b[23;2t"
"""Terminals that cannot save titles get an empty one: their own default."""
_READ = 1 << 12
_MOUSE = re.compile(r"\x1b\[<([0-9]+);")
_SIDE_BUTTON = 128
_POLL_S = 0.1
LAST_REPORT_S = 1.0
"""Seconds in which a requested report has to come; a later one is typed into the program that follows."""


class _Out:
    """The output for frames; `gone` is called when the terminal stops reading."""

    def __init__(self, file: IO[str], gone: Callable[[], None]) -> None:
        self._file, self._gone = file, gone

    def write(self, text: str) -> None:
        try:
            self._file.write(text)
        except (OSError, ValueError):
            self._gone()

    def flush(self) -> None:
        try:
            self._file.flush()
        except (OSError, ValueError):
            self._gone()

    def fileno(self) -> int:
        return self._file.fileno()


class _Parser(XTermParser):
    """Reads the mouse in cells: pixels would cause a hundred times as many events, and some terminals do not support
    them. Leaves out the side buttons, which Textual takes for the left one and its neighbours."""

    mouse_pixels = property(lambda _self: False, lambda _self, _value: None)

    def parse_mouse_code(self, code: str) -> Message | None:
        match = _MOUSE.match(code)
        if match is not None and int(match[1]) & _SIDE_BUTTON:  # defence: side-buttons
            return None
        return super().parse_mouse_code(code)


class TerminalDriver(LinuxDriver):
    """Restores the terminal's modes at the end. Set `saved_terminal` on the class before running the app."""

    saved_terminal: SavedTerminal | None = None

    def __init__(
        self, app: App[object], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._app_loop = asyncio.get_running_loop()
        self._title = ""
        self._on = self._is_gone = False
        self._reads = False
        self._requested_at, self._reported = 0.0, Event()
        self._reported.set()
        assert sys.__stdout__ is not None
        sys.__stdout__.reconfigure(errors="backslashreplace")  # pyright: ignore[reportAttributeAccessIssue]
        self._file = cast("IO[str]", _Out(sys.__stdout__, self._on_terminal_lost))
        signal.signal(signal.SIGTSTP, self._sigtstp_application)
        signal.signal(signal.SIGCONT, self._sigcont_application)

    # Start and end

    def start_application_mode(self) -> None:
        writer = self._writer_thread
        try:
            super().start_application_mode()
        except BaseException:  # some of the modes may be on by now
            super().stop_application_mode()  # defence: driver-that-fails
            raise
        if self._writer_thread is writer:  # another process owns the terminal now
            return
        self._on = self._reads = True
        if self.saved_terminal is not None:
            self.saved_terminal.on_handover()
            self.attrs_before = list(self.saved_terminal.attributes)
        if os.environ.get("TERM") != "linux":
            self.write(_SAVE_TITLE + self._title)

    def stop_application_mode(self) -> None:
        if not self._on:
            return
        self._on = False
        if os.environ.get("TERM") != "linux":
            super().write(_RESTORE_TITLE)
        super().stop_application_mode()

    def disable_input(self) -> None:
        """Stop reading, after the report that is on its way: the next program would read it as keys."""
        self._reads = False
        if not self._is_gone:
            # defence: last-report
            self._reported.wait(max(0.0, self._requested_at + LAST_REPORT_S - monotonic()))
        super().disable_input()

    def write(self, data: str) -> None:
        if data.startswith("\x1b]2;"):
            self._title = data
        if data == REQUEST:
            if not self._reads:
                return
            self._requested_at = monotonic()
            self._reported.clear()
        if self._writer_thread is not None and self._writer_thread.is_alive():  # else another process owns the terminal
            super().write(data)

    def _on_terminal_lost(self) -> None:
        """Called from any thread when the terminal is lost."""
        if not self._is_gone:
            self._is_gone = True
            self._call(self._app.exit, 128 + signal.SIGHUP)  # defence: exit-on-lost-terminal

    def _call(self, what: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._app_loop.call_soon_threadsafe(what, *arguments)

    # Stopped and continued

    def _sigtstp_application(self, *_: object) -> None:
        """Stop from the event loop: the signal handler would wait forever for a write in progress."""
        if self._on and self._auto_restart:
            self._call(self._stop)
        else:
            os.kill(os.getpid(), signal.SIGSTOP)

    def _sigcont_application(self, *_: object) -> None:
        self._call(self._resume)

    def _stop(self) -> None:
        self._app.app_suspend_signal.publish(self._app)
        self.suspend_application_mode()
        os.kill(os.getpid(), signal.SIGSTOP)

    def _resume(self) -> None:
        """Repaint over anything written meanwhile; SIGSTOP leaves no time to restore the modes first."""
        if self._app._exit or not self._auto_restart:  # pyright: ignore[reportPrivateUsage]
            return
        if not owns_terminal(self.fileno):  # no painting in the background
            os.kill(os.getpid(), signal.SIGSTOP)
            return
        if self._on:
            self.suspend_application_mode()
        self.resume_application_mode()
        if self._on:
            self._app.app_resume_signal.publish(self._app)
            self._app.refresh(layout=True)

    # Keys and the mouse

    def _enable_mouse_pixels(self) -> None: ...

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except OSError:
            self._on_terminal_lost()
        except Exception as error:  # noqa: BLE001 - the edge of a thread: the app tells of it
            self._call(self._app._handle_exception, error)  # pyright: ignore[reportPrivateUsage]

    def run_input_thread(self) -> None:
        """Read input until asked to stop. Invalid bytes do not end the thread.

        Keys that arrived together have the same time, however long reading them takes.
        """
        parser, pastes = _Parser(self._debug), BracketedPasteParser()
        decode = getincrementaldecoder("utf-8")("replace").decode
        came = monotonic()
        with SelectSelector() as selector:
            selector.register(self.fileno, EVENT_READ)
            while not self.exit_event.is_set():
                at_once = bool(selector.select(0))
                text = decode(self._read()) if at_once or selector.select(_POLL_S) else ""
                came = came if at_once else monotonic()
                try:
                    for message in [*self._messages_of(pastes.read(text), parser), *parser.tick()]:
                        message.time = came
                        self.process_message(message)
                except Exception:  # noqa: BLE001 - the edge: a library's fault, in what a terminal has sent
                    _log.exception("the terminal sent what cannot be read: %r", text)
                    parser = _Parser(self._debug)

    def process_message(self, message: Message) -> None:
        message = normalize_input(message)
        if isinstance(message, ScreenDrawn):
            self._reported.set()
        super().process_message(message)

    def _messages_of(self, pieces: list[str], parser: XTermParser) -> Iterator[Message]:
        for piece in pieces:
            messages = [events.Paste(piece)] if isinstance(piece, PastedText) else list(parse_keys(piece, parser.feed))
            if isinstance(piece, UnfinishedPaste):
                self._call(self._notify_of_unfinished_paste)
            if not isinstance(piece, StartedKeys):
                yield from messages

    def _notify_of_unfinished_paste(self) -> None:
        words = _("The terminal has not ended its paste, so keys are pasted too. Press Ctrl+C to end the paste.")
        self._app.notify(words, severity="warning", timeout=8, markup=False)

    def _read(self) -> bytes:
        if read := os.read(self.fileno, _READ):
            return read
        raise OSError(errno.EIO, os.strerror(errno.EIO))  # end of input
