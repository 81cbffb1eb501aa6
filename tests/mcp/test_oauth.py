"""OAuth against a service that grants it: the browser is a client that follows redirects."""

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from kimi_tui.mcp.config import ServerConfig
from kimi_tui.mcp.oauth import NotAuthorizedError, TokenFile, session_auth
from kimi_tui.mcp.oauth_callback import authorize_server, callback_server
from kimi_tui.mcp.token_store import forget_tokens, token_file
from tests.mcp.harness import mcp_harness, served


class Browser:
    """Opens what it is shown, and comes back; with `answer`, straight back with that."""

    def __init__(self, answer: dict[str, str] | None = None) -> None:
        self.pages: list[str] = []
        self._answer = answer
        self._tasks: list[asyncio.Task[None]] = []

    def show(self, address: str) -> None:
        self._tasks.append(asyncio.create_task(self._open(address)))

    async def _open(self, address: str) -> None:
        async with httpx2.AsyncClient(follow_redirects=True) as client:
            if self._answer is None:
                self.pages.append((await client.get(address)).text)
                return
            query = parse_qs(urlsplit(address).query)
            back = await client.get(query["redirect_uri"][0], params={"state": query["state"][0], **self._answer})
            self.pages.append(back.text)


async def test_a_server_is_unauthorized_until_a_person_has_been_to_the_browser(tmp_path: Path) -> None:
    async with served("guarded.py") as port:
        url = f"http://127.0.0.1:{port}/mcp"
        async with mcp_harness(tmp_path, g={"url": url, "auth": "oauth"}, plain={"url": url}) as at:
            assert at.state("g").status == "unauthorized"
            assert at.state("g").cause == "needs authorization: kimi-tui mcp auth g"
            assert at.state("plain").status == "unauthorized"
            assert '"auth": "oauth"' in at.state("plain").cause

            browser = Browser()
            await authorize_server("g", ServerConfig(url=url, transport="http", auth="oauth"), show=browser.show)
            assert "kimi-tui is authorized" in browser.pages[0]
            file = token_file("g", url)
            assert file.stat().st_mode & 0o777 == 0o600

            assert (await at.servers.restart("g")).status == "connected"
            assert (await at.use("mcp__g__secret")).output == "forty-two"
            before = json.loads(file.read_text())
            file.write_text(json.dumps({**before, "expires_at": 1.0}))
            assert (await at.servers.restart("g")).status == "connected"
            after = json.loads(file.read_text())
            assert after["tokens"]["access_token"] != before["tokens"]["access_token"]

            file.write_text(json.dumps({**after, "tokens": {"access_token": "revoked"}}))
            assert (await at.servers.restart("g")).status == "unauthorized"
            assert forget_tokens("g", url) is True
            assert forget_tokens("g", url) is False


async def test_a_sign_in_that_is_refused_in_the_browser_says_why() -> None:
    answer = {"error": "access_denied", "error_description": "no means no"}
    async with served("guarded.py") as port:
        config = ServerConfig(url=f"http://127.0.0.1:{port}/mcp", transport="http", auth="oauth")
        with pytest.raises(NotAuthorizedError, match="the service rejected the request: no means no"):
            await authorize_server("g", config, show=Browser(answer).show)


@pytest.mark.parametrize("answer", [{"code": "forged"}, {"error": "access_denied"}, {}])
async def test_another_page_neither_ends_nor_makes_a_sign_in(answer: dict[str, str]) -> None:
    async def others_first(address: str) -> None:
        redirect = parse_qs(urlsplit(address).query)["redirect_uri"][0]
        async with httpx2.AsyncClient() as client:
            for state in ({}, {"state": "another"}):
                assert (await client.get(redirect, params={**answer, **state})).status_code == 400
        browser.show(address)

    browser = Browser()
    pages: list[asyncio.Task[None]] = []
    async with served("guarded.py") as port:
        config = ServerConfig(url=f"http://127.0.0.1:{port}/mcp", transport="http", auth="oauth")
        await authorize_server(
            "g", config, show=lambda address: pages.append(asyncio.create_task(others_first(address)))
        )
        await asyncio.gather(*pages)
    assert "kimi-tui is authorized" in browser.pages[0]


async def test_a_token_is_renewed_only_where_it_came_from_although_the_sign_in_failed_behind_it(tmp_path: Path) -> None:
    async with served("leaking.py") as port:
        url = f"http://127.0.0.1:{port}/mcp"
        config = ServerConfig(url=url, transport="http", auth="oauth")
        with pytest.raises(NotAuthorizedError):
            await authorize_server("g", config, show=Browser().show)
        assert "refresh-me-elsewhere" in token_file("g", url).read_text("utf-8")
        async with mcp_harness(tmp_path, g={"url": url, "auth": "oauth"}) as at:
            assert at.state("g").status != "connected"
        async with httpx2.AsyncClient() as client:
            seen = (await client.get(f"http://127.0.0.1:{port}/seen")).json()
    assert [host for host, path, body in seen if "refresh-me-elsewhere" in body] == ["localhost"]


@pytest.mark.parametrize("issuer", [{}, {"authorization_server": {"issuer": 7}}, {"authorization_server": "x"}])
async def test_tokens_of_an_issuer_that_is_not_known_are_not_renewed(tmp_path: Path, issuer: dict[str, object]) -> None:
    file = tmp_path / "tokens.json"
    stored = {"tokens": {"access_token": "a", "refresh_token": "r"}}
    file.write_text(json.dumps({**stored, **issuer}))
    tokens = await TokenFile(file).get_tokens()
    assert tokens is not None
    assert (tokens.access_token, tokens.refresh_token) == ("a", None)
    file.write_text(json.dumps({**stored, "authorization_server": None}))  # that is the server itself
    tokens = await TokenFile(file).get_tokens()
    assert tokens is not None
    assert tokens.refresh_token == "r"


async def _signed_in(port: int) -> tuple[str, Path]:
    url = f"http://127.0.0.1:{port}/mcp"
    await authorize_server("g", ServerConfig(url=url, transport="http", auth="oauth"), show=Browser().show)
    return url, token_file("g", url)


async def _accepts(url: str, auth: httpx2.Auth) -> bool:
    async with httpx2.AsyncClient(auth=auth) as client:
        return (await client.post(url)).status_code != 401


async def test_sessions_that_have_read_the_same_expired_token_renew_it_once() -> None:
    async with served("guarded.py") as port:
        url, file = await _signed_in(port)
        file.write_text(json.dumps(json.loads(file.read_text()) | {"expires_at": 1.0}))
        late, *sessions = [await session_auth("g", url) for _ in range(4)]
        assert await asyncio.gather(*(_accepts(url, session) for session in sessions)) == [True] * 3
        assert await _accepts(url, late)


async def test_a_token_that_is_rejected_before_it_expires_is_renewed() -> None:
    async with served("guarded.py") as port:
        url, file = await _signed_in(port)
        stored = json.loads(file.read_text())
        del stored["expires_at"]
        stored["tokens"]["access_token"] = "revoked"
        file.write_text(json.dumps(stored))
        assert await _accepts(url, await session_auth("g", url))
        assert await _accepts(url, await session_auth("g", url))


async def test_a_connection_that_a_browser_opened_in_advance_ends_with_the_sign_in() -> None:
    ours = asyncio.all_tasks()
    async with asyncio.timeout(5), callback_server(None) as callback:
        idle, in_advance = await asyncio.open_connection("127.0.0.1", callback.port)
        reader, writer = await asyncio.open_connection("127.0.0.1", callback.port)
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert b"404" in await reader.read()
        writer.close()
    assert asyncio.all_tasks() == ours
    with suppress(ConnectionResetError):
        assert await idle.read() == b""
    in_advance.close()


async def test_a_request_that_is_no_address_does_not_disturb_a_sign_in(caplog: pytest.LogCaptureFixture) -> None:
    async with callback_server(None) as callback:
        for target in (b"//[", b"http://[::1", b"//\xff[", b""):
            reader, writer = await asyncio.open_connection("127.0.0.1", callback.port)
            writer.write(b"GET " + target + b" HTTP/1.1\r\n\r\n")
            assert (await reader.read()).startswith(b"HTTP/1.1 4")
            writer.close()
    assert caplog.text == ""
