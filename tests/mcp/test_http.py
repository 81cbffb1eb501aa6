"""Servers by HTTP that a test writes, most of them hostile, at the end of the real client."""

import asyncio

import pytest

from kimi_tui.mcp.config import ServerConfig
from kimi_tui.mcp.http_transport import InsecureAddressError, check_address
from kimi_tui.mcp.oauth import NotAuthorizedError
from kimi_tui.mcp.oauth_callback import authorize_server
from tests.mcp.harness import mcp_harness
from tests.mcp.http_server import Request, http_server, save_tokens


@pytest.mark.parametrize("where", ["metadata", "refresh", "redirect"])
async def test_no_body_of_an_authorization_is_without_bound_whatever_it_calls_itself(tmp_path, where):
    async def odd(request: Request) -> bool:
        if where == "redirect" or request.path != "/mcp":
            await request.pour(307 if where == "redirect" else 200, "text/event-stream\r\nLocation: /mcp", 18)
        elif where == "metadata":
            await request.answer(401)
        return True

    async with http_server(odd) as served:
        save_tokens("g", served.url, **({"expires_at": 1.0} if where == "refresh" else {}))
        async with mcp_harness(tmp_path, g={"url": served.url, "auth": "oauth"}) as at:
            assert at.state("g").cause == "it sent a message of more than 16 MiB"


async def test_a_call_that_is_not_answered_holds_back_no_other_one(tmp_path):
    called = asyncio.Event()

    async def odd(request: Request) -> bool:
        is_slow = request.message.get("params", {}).get("arguments") == {"slow": True}
        if is_slow:
            called.set()
        return is_slow

    async with http_server(odd) as served:
        save_tokens("g", served.url)
        async with mcp_harness(tmp_path, g={"url": served.url, "auth": "oauth"}) as at:
            slow = asyncio.create_task(at.use("mcp__g__t", slow=True))
            await called.wait()
            async with asyncio.timeout(20):
                assert (await at.use("mcp__g__t")).output == "done"
            slow.cancel()
            await asyncio.gather(slow, return_exceptions=True)
        assert {request.headers["authorization"] for request in served.requests} == {"Bearer access-0123456789"}


async def test_a_token_refused_in_a_call_says_how_to_authorize(tmp_path):
    async def odd(request: Request) -> bool:
        is_call = request.message.get("method") == "tools/call"
        if is_call:
            await request.answer(401)
        return is_call

    async with http_server(odd) as served:
        save_tokens("g", served.url)
        async with mcp_harness(tmp_path, g={"url": served.url, "auth": "oauth"}) as at:
            assert "needs authorization: kimi-tui mcp auth g" in (await at.use("mcp__g__t")).message
            assert at.state("g").status == "unauthorized"


async def test_tokens_are_masked_in_what_a_server_says(tmp_path):
    async def odd(request: Request) -> bool:
        is_call = request.message.get("method") == "tools/call"
        if is_call:
            error = {"code": 1, "message": f"{request.headers['authorization']} is not enough"}
            await request.answer(200, {"jsonrpc": "2.0", "id": request.message["id"], "error": error})
        return is_call

    async with http_server(odd) as served:
        save_tokens("g", served.url)
        async with mcp_harness(tmp_path, g={"url": served.url, "auth": "oauth"}) as at:
            assert (await at.use("mcp__g__t")).message == "The MCP server `g` failed: Bearer *** is not enough"


async def test_an_authorization_on_the_local_network_is_not_asked_for(tmp_path):
    async def elsewhere(request: Request) -> bool:
        await request.answer(200, {})
        return True

    async with http_server(elsewhere) as inside:
        address = f"http://0.0.0.0:{inside.port}/admin"

        async def odd(request: Request) -> bool:
            metadata = f'Bearer resource_metadata="{address}?delete=all"'
            await request.answer(401 if request.path == "/mcp" else 404, WWW_Authenticate=metadata)
            return True

        async with http_server(odd) as served:
            save_tokens("g", served.url)
            async with mcp_harness(tmp_path, g={"url": served.url, "auth": "oauth"}) as at:
                assert at.state("g").status == "unauthorized"
        assert inside.requests == []


@pytest.mark.parametrize(
    ("server", "address", "fits"),
    [
        ("https://a.example/mcp", "https://login.example/x", True),
        ("https://a.example/mcp", "http://a.example/x", False),
        ("https://a.example/mcp", "http://127.0.0.1:8080/x", False),
        ("http://127.0.0.1:1/mcp", "http://localhost:2/x", True),
        ("http://[::1]:1/mcp", "http://127.0.0.9:2/x", True),
        ("http://box.example/mcp", "http://192.168.1.1/reboot", False),
        ("http://box.example/mcp", "file:///etc/passwd", False),
    ],
)
def test_an_address_of_an_authorization_is_https_or_on_the_servers_own_host(server, address, fits):
    if fits:
        check_address(address, server=server)
    else:
        with pytest.raises(InsecureAddressError):
            check_address(address, server=server)


async def test_a_page_to_open_that_is_on_the_local_network_is_not_shown():
    async def odd(request: Request) -> bool:
        host = f"http://{request.headers['host']}"
        match request.path:
            case "/.well-known/oauth-authorization-server":
                ends = {"authorization_endpoint": "http://192.168.1.1/reboot", "token_endpoint": f"{host}/token"}
                await request.answer(200, {"issuer": host, **ends, "response_types_supported": ["code"]})
            case "/register":
                await request.answer(201, {**request.message, "client_id": "us"})
            case "/mcp":
                await request.answer(401)
            case _:
                await request.answer(404)
        return True

    shown: list[str] = []
    async with http_server(odd) as served:
        config = ServerConfig(url=served.url, transport="http", auth="oauth")
        with pytest.raises(NotAuthorizedError, match=r"authorization at http://192\.168\.1\.1/reboot"):
            await authorize_server("g", config, show=shown.append)
    assert shown == []
