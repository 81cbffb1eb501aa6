"""Reads and writes files through the client, including its unsaved changes."""

import asyncio
import logging
from pathlib import Path

from acp import RequestError
from acp.interfaces import Client

_log = logging.getLogger(__name__)
_PATIENCE = 30.0
"""Timeout in seconds; files are local to the client, so a slower client is stuck."""


class ClientBuffers:
    """The buffers of one session. Files that the client cannot read are read from disk; a failed write is an error."""

    def __init__(self, client: Client, session_id: str, *, writes: bool) -> None:
        self._client = client
        self._session_id = session_id
        self.writes = writes

    async def read(self, real: Path) -> str | None:
        try:
            async with asyncio.timeout(_PATIENCE):
                return (await self._client.read_text_file(self._session_id, str(real))).content
        except (RequestError, ValueError, TimeoutError) as error:
            _log.info("the client has no text of %s: %s", real, error or "no answer")
            return None

    async def write(self, real: Path, text: str) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._client.write_text_file(self._session_id, str(real), text)
        except TimeoutError:
            raise OSError(f"The editor did not answer when `{real}` was to be written.") from None
        except (RequestError, ValueError) as error:
            raise OSError(f"The editor did not write `{real}`: {error}") from error
