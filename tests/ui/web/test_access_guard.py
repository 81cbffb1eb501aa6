"""Nothing is served to who has not the printed address, to other pages, nor by other names."""

import re

import aiohttp
import pytest

from kimi_tui.ui.web.access_guard import AccessGuard
from tests.ui.web.conftest import Served

PATHS = ("/", "/s/0", "/s/0/ws", "/page.js", "/page.css", "/static/js/textual.js", "/static/css/xterm.css", "/nothing")


@pytest.mark.parametrize("path", PATHS)
async def test_without_the_cookie_nothing_is_served(served: Served, path: str) -> None:
    for headers in ({}, {"Cookie": "kimi-tui=x"}, {"Origin": served.url}):
        answer = await served.get(path, cookie=False, **headers)
        assert answer.status == 403
        assert "printed" in await answer.text()
        assert not answer.cookies


@pytest.mark.parametrize("token", ["", "x", "ü" * 43, "%ff", "A" * 43])
async def test_a_wrong_token_opens_nothing(served: Served, token: str) -> None:
    answer = await served.get(f"/?token={token}")
    assert answer.status == 403
    assert not answer.cookies


async def test_the_token_gives_a_cookie_and_goes_out_of_sight(served: Served) -> None:
    answer = await served.get(f"/?token={served.server.doorkeeper.token}")
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    (morsel,) = answer.cookies.values()
    assert morsel["httponly"]
    assert morsel["samesite"] == "Strict"
    assert morsel.value != served.server.doorkeeper.token
    tab = await served.enter()
    page = await served.get(tab)
    assert page.status == 200
    assert served.server.doorkeeper.token not in await page.text()


async def test_the_cookie_has_to_be_the_one_that_was_given(served: Served) -> None:
    tab = await served.enter()
    name, _, worth = served.cookie.partition("=")
    for wrong in (f"{name}=", f"{name}=x", f"{name}={worth}x", f"{name}={worth.swapcase()}", f"x{name}={worth}"):
        assert (await served.get(tab, cookie=False, Cookie=wrong)).status == 403


async def test_a_token_for_a_browser_of_ours_is_good_once_and_soon() -> None:
    now = [0.0]
    doorkeeper = AccessGuard(clock=lambda: now[0])
    early, late = doorkeeper.opening_link(), doorkeeper.opening_link()
    response = aiohttp.web.Response()
    doorkeeper.set_cookie(early, response)
    assert response.cookies
    for spent in (early, late):
        with pytest.raises(aiohttp.web.HTTPForbidden):
            doorkeeper.set_cookie(spent, aiohttp.web.Response())
        now[0] = 61


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "x@127.0.0.1:{port}", "127.1:{port}",
     "127.0.0.1:x", "127.0.0.1:0", "[::1", "localhost.:{port}", "0.0.0.0:{port}", "127.0.0.1:{port}/x",
     "127.0.0.1:{port},evil"],
)  # fmt: skip
async def test_another_name_for_this_machine_is_refused(served: Served, host: str) -> None:
    tab = await served.enter()
    name = host.format(port=served.port)
    for path in (tab, f"/?token={served.server.doorkeeper.token}", "/static/js/textual.js"):
        answer = await served.get(path, Host=name)
        assert answer.status == 403
        assert not answer.cookies
    with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
        await served.connect(tab, Host=name, Origin=f"http://{name}")


async def test_localhost_and_the_other_end_of_a_tunnel_are_this_machine(served: Served) -> None:
    tab = await served.enter()
    for name in (f"localhost:{served.port}", "127.0.0.1:9", "LOCALHOST:9", "localhost"):
        page = await served.get(tab, Host=name)
        assert page.status == 200
        assert f'"ws://{name}{tab}/ws"' in await page.text()
        assert f"ws://{name};" in page.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://evil.example",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1:1",
        "http://localhost:{port}",
        "file://",
    ],
)
async def test_another_page_is_refused(served: Served, origin: str) -> None:
    tab = await served.enter()
    other = origin.format(port=served.port)
    assert (await served.get(tab, Origin=other)).status == 403
    assert (await served.get("/page.js", Origin=other)).status == 403
    with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
        await served.connect(tab, Origin=other)


async def test_a_websocket_needs_the_cookie_and_says_where_it_is_from(served: Served) -> None:
    tab = await served.enter()
    for refused in (served.connect(tab, cookie=False), served.connect(tab, Origin="")):
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await refused


async def test_a_request_with_several_origins_is_refused(served: Served) -> None:
    tab = await served.enter()
    for others in (["http://evil.example", served.url], [served.url, "http://evil.example"], [served.url] * 2):
        headers = [("Cookie", served.cookie), *(("Origin", origin) for origin in others)]
        async with served.client.get(served.url + tab, headers=headers, allow_redirects=False) as answer:
            assert answer.status == 403


async def test_another_sites_page_can_link_here_but_not_embed(served: Served) -> None:
    tab = await served.enter()
    assert (await served.get(tab, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")).status == 200
    for site in ("cross-site", "same-site"):
        assert (await served.get("/page.js", Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors")).status == 403


async def test_all_answers_forbid_frames_strangers_and_keeping(served: Served) -> None:
    tab = await served.enter()
    for path in (tab, "/", "/page.js", "/static/js/textual.js", "/s/none", "/static/", "/static/%2e%2e/server.py"):
        for cookie in (True, False):
            answer = await served.get(path, cookie=cookie)
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Cache-Control"] == "no-store"
            assert "aiohttp" not in answer.headers["Server"]


async def test_unknown_tabs_folders_and_files_outside_are_not_there(served: Served) -> None:
    await served.enter()
    for path in (
        "/s/none",
        "/s/none/ws",
        "/static/",
        "/static/js/",
        "/static/../server.py",
        "/static/%2e%2e/server.py",
    ):
        assert (await served.get(path, Origin=served.url)).status in (403, 404)


async def test_what_is_served_names_no_other_server(served: Served) -> None:
    tab = await served.enter()
    text = await (await served.get(tab)).text()
    assert "a &lt;title&gt;" in text
    linked = re.findall(
        r"(?:src|href|(?<!-)url)[=(][\"']?([^\"')>]+)", text + await (await served.get("/page.css")).text()
    )
    assert len(linked) >= 6
    for address in linked:
        assert address.startswith(("/", "data:")), address
        if address.startswith("/"):
            assert (await served.get(address)).status == 200, address
