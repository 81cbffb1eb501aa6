"""The client's files, with what is not saved yet: read and written by its own methods."""

import asyncio
import logging
from pathlib import Path

from acp import RequestError
from acp.interfaces import Client

_log = logging.getLogger(__name__)
_PATIENCE = 30.0
"""Seconds; a file is at hand, so a client that takes longer is stuck."""


class ClientBuffers:
    """Of one session. What the client cannot read is the disk's; what it cannot write is an error."""

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
