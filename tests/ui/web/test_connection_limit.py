"""Neither connections nor tabs are without bound."""

import asyncio
import contextlib

import pytest

from kimi_tui.ui.web.connection_limit import MAX_UNAUTHENTICATED
from tests.ui.web.conftest import Served, serve

APP = "printf '__GANGLION__\\n'; head -c 1 > /dev/null"


async def is_closed(reader: asyncio.StreamReader) -> bool:
    with contextlib.suppress(ConnectionError):
        return await reader.read() == b""
    return True


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: 127.", b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 50])
async def test_a_connection_without_the_cookie_is_closed_after_its_time(sent: bytes) -> None:
    async with serve(lambda name: ["sh", "-c", APP, name], cookie_timeout_s=0.3) as served, asyncio.timeout(20):
        socket = await served.connect(await served.enter())
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(sent)
        assert await is_closed(reader)
        writer.close()
        with pytest.raises(TimeoutError):
            await socket.receive(timeout=0.5)  # it is open, and has nothing to say
        await socket.close()


async def test_of_too_many_connections_without_the_cookie_the_oldest_are_closed(served: Served) -> None:
    async with contextlib.AsyncExitStack() as stack, asyncio.timeout(20):
        socket = await served.connect(await served.enter())
        readers: list[asyncio.StreamReader] = []
        for _ in range(MAX_UNAUTHENTICATED + 10):
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            stack.callback(writer.close)
            readers.append(reader)
        for reader in readers[:10]:
            assert await is_closed(reader)
        assert not readers[-1].at_eof()
        assert (await served.get("/page.js")).status == 200
        await socket.receive()
        assert not socket.closed
        await socket.close()


async def test_the_tab_left_longest_ago_is_forgotten_and_an_open_one_is_not() -> None:
    async with serve(lambda name: ["sh", "-c", APP, name], max_tabs=3) as served, asyncio.timeout(20):
        first = await served.enter()
        socket = await served.connect(first)
        others = [(await served.get("/")).headers["Location"] for _ in range(4)]
        statuses = [(await served.get(tab)).status for tab in (first, *others)]
        assert statuses == [200, 404, 404, 200, 200]
        sockets = [await served.connect(tab) for tab in others[2:]]
        answer = await served.get("/")
        assert answer.status == 503
        assert "close one of their pages" in await answer.text()
        for one in (socket, *sockets):
            await one.close()
