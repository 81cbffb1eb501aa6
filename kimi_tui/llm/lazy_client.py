"""A client that is created on first use, in a thread: importing an SDK takes a third of a second."""

import asyncio
import gc
import sys
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar


class Closable(Protocol):
    async def aclose(self) -> None: ...


C = TypeVar("C", bound=Closable)


class LazyClient(Generic[C]):
    """Creates one C for all callers. After `aclose` the next call creates a new one."""

    def __init__(self, make: Callable[[], C]) -> None:
        self._make = make
        self._made: C | None = None
        self._making = asyncio.Lock()

    async def get(self) -> C:
        async with self._making:
            if self._made is None:
                self._made = await asyncio.to_thread(_load, self._make)
            return self._made

    async def aclose(self) -> None:
        client, self._made = self._made, None
        if client is not None:
            await client.aclose()


def _load(make: Callable[[], C]) -> C:
    """Call `make` without garbage collections: an SDK's objects live until exit and need no scans."""
    loaded, collecting = len(sys.modules), gc.isenabled()
    gc.disable()
    try:
        return make()
    finally:
        if len(sys.modules) > loaded:
            gc.freeze()
        if collecting:
            gc.enable()
