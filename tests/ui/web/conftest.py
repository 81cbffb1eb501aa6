"""A real server on a free port, whose apps play a script."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import aiohttp
import pytest

from kimi_tui.ui.web.connection_limit import COOKIE_TIMEOUT_S
from kimi_tui.ui.web.server import MAX_TABS, WebServer


class Served:
    """`told` is what the apps said on stderr; `client` sends a cookie only where it is given one."""

    def __init__(self, server: WebServer, port: int, client: aiohttp.ClientSession, told: list[str]) -> None:
        self.server, self.port, self.client, self.told = server, port, client, told
        self.host = f"127.0.0.1:{port}"
        self.url = f"http://{self.host}"
        self.cookie = ""

    async def get(self, path: str, *, cookie: bool = True, **headers: str) -> aiohttp.ClientResponse:
        """A request as it stands, read to its end: `X_y="z"` is a header, redirects are not followed."""
        async with self.client.get(
            self.url + path, headers=self._headers(cookie, headers), allow_redirects=False, read_until_eof=True
        ) as answer:
            await answer.read()
            return answer

    async def enter(self) -> str:
        """Take the cookie, and a new tab: its path."""
        answer = await self.get(f"/?token={self.server.doorkeeper.token}")
        self.cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in answer.cookies.items())
        return (await self.get("/")).headers["Location"]

    async def connect(self, tab: str, *, cookie: bool = True, **headers: str) -> aiohttp.ClientWebSocketResponse:
        return await self.client.ws_connect(
            f"{self.url}{tab}/ws?width=90&height=30", headers=self._headers(cookie, {"Origin": self.url} | headers)
        )

    def _headers(self, cookie: bool, others: dict[str, str]) -> dict[str, str]:
        found = {name.replace("_", "-"): value for name, value in others.items() if value}
        return found | ({"Cookie": self.cookie} if cookie and self.cookie else {})


@contextlib.asynccontextmanager
async def serve(
    command: Callable[[str], list[str]], *, max_tabs: int = MAX_TABS, cookie_timeout_s: float = COOKIE_TIMEOUT_S
) -> AsyncIterator[Served]:
    told: list[str] = []
    server = WebServer(
        lambda name: lambda columns, rows: [*command(name), f"--page={columns}x{rows}"],
        title="a <title>",
        log_line=told.append,
        max_tabs=max_tabs,
        cookie_timeout_s=cookie_timeout_s,
    )
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as client, server.listen(0) as port:
        yield Served(server, port, client, told)


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    """Apps that have nothing to say."""
    async with serve(scripted(tmp_path, "text: Good morning.")) as one:
        yield one


def scripted(folder: Path, *replies: str) -> Callable[[str], list[str]]:
    """The command of an app whose model gives these replies, in a session that is called as the tab."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    (folder / "script.json").write_text(json.dumps(list(replies)), "utf-8")
    (folder / "config.yaml").write_text(
        f"providers: {{s: {{type: scripted, scripts: {folder / 'script.json'}}}}}\n"
        "models: {m: {provider: s, model: scripted}}\n"
    )
    program = [sys.executable, "-m", "kimi_tui", f"--work-dir={work}", f"--config-file={folder / 'config.yaml'}"]
    return lambda name: [*program, f"--session={name}"]


async def until(condition: Callable[[], object], seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


def lives(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False
