"""Writes a server's output outside the protocol to our log: a limited number of lines, without its secrets."""

import logging
import traceback
from collections.abc import Callable

from kimi_tui.mcp.untrusted_text import one_line, without_secrets

_log = logging.getLogger(__name__)

MAX_LINES = 1_000
_MAX_TRACEBACK = 20_000
_MOST_INDENT = 40


class ServerLog:
    """The log of one server. `secrets`, and those that `more_secrets` returns, are masked in its output."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._lines = 0
        self.secrets: tuple[str, ...] = ()
        self.more_secrets: Callable[[], tuple[str, ...]] = tuple

    def line(self, text: str) -> None:
        self._lines += 1
        if self._lines <= MAX_LINES:
            start = text.expandtabs()[:_MOST_INDENT]
            indent = " " * (len(start) - len(start.lstrip(" ")))
            _log.info("MCP server %s: %s%s", self._server, indent, self.shown(text))
        elif self._lines == MAX_LINES + 1:
            _log.info("MCP server %s: further output is left out", self._server)

    def failure(self, error: BaseException) -> None:
        """Log how the connection failed; the address in the error may hold a key."""
        text = without_secrets("".join(traceback.format_exception(error)), self._all_secrets())
        _log.info("MCP server %s failed\n%s", self._server, text[-_MAX_TRACEBACK:])

    def shown(self, text: str) -> str:
        """Return the server's text on one line, cut and without secrets, for display."""
        return one_line(without_secrets(text, self._all_secrets()), limit=400)

    def _all_secrets(self) -> tuple[str, ...]:
        return (*self.secrets, *self.more_secrets())  # defence: tokens-masked
