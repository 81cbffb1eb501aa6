"""What a server prints beside the protocol, in our log: so many lines and no more, without the secrets it was given."""

import logging

from kimi_tui.mcp.untrusted_text import one_line, without_secrets

_log = logging.getLogger(__name__)

MAX_LINES = 1_000


class ServerLog:
    """Of one server. `secrets` are what is covered up in all that it says."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._lines = 0
        self.secrets: tuple[str, ...] = ()

    def line(self, text: str) -> None:
        self._lines += 1
        if self._lines <= MAX_LINES:
            _log.info("MCP server %s: %s", self._server, self.told(text))
        elif self._lines == MAX_LINES + 1:
            _log.info("MCP server %s: what else it says is left out", self._server)

    def told(self, text: str) -> str:
        """Words of the server as they may be shown."""
        return one_line(without_secrets(text, self.secrets), most=400)
