"""Clients that are created on first use."""

import asyncio
import gc

from kimi_tui.llm.lazy_client import LazyClient


class Client:
    def __init__(self) -> None:
        self.collected = gc.isenabled()

    async def aclose(self) -> None: ...


async def test_requests_that_start_together_share_one_client() -> None:
    lazy = LazyClient(Client)
    first, second = await asyncio.gather(lazy.get(), lazy.get())
    assert first is second


async def test_no_garbage_is_collected_while_an_sdk_loads() -> None:
    assert gc.isenabled()
    assert not (await LazyClient(Client).get()).collected
    assert gc.isenabled()
