"""A Wire server on a real engine, and a client, joined by pipes within this process."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from kimi_tui.soul.assemble import EngineConfig
from kimi_tui.soul.engine import Engine
from kimi_tui.ui.stdio import LineReader, LineWriter
from kimi_tui.ui.wire_server.server import WireServer
from tests.soul.scripted_engine import engine_on
from tests.ui.wire_server.client import WireClient


@asynccontextmanager
async def served(made: EngineConfig) -> AsyncIterator[tuple[WireClient, Engine]]:
    """When this ends the client has closed its end, and the server has ended by itself."""
    to_server, from_client = os.pipe()
    to_client, from_server = os.pipe()
    async with engine_on(replace(made, autostart=False)) as (engine, _):
        writer = LineWriter(from_server)
        serving = asyncio.create_task(WireServer(engine, LineReader(to_server), writer).serve())
        client = WireClient(to_client, from_client)
        try:
            yield client, engine
        finally:
            with suppress(OSError):  # it may have closed it itself
                client.close()
            await serving
            await writer.close()
            os.close(from_server)
            await client.listening
            os.close(to_server)
            os.close(to_client)
