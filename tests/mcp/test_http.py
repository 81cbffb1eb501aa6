"""Servers by HTTP that a test writes, most of them hostile, at the end of the real client."""

import asyncio
import json
import time

import httpx2
import pytest

from kimi_tui.mcp.config import ServerConfig
from kimi_tui.mcp.http_transport import FIRST_STREAMS, InsecureAddressError, check_address
from kimi_tui.mcp.oauth import NotAuthorizedError, session_auth
from kimi_tui.mcp.oauth_callback import authorize_server
from kimi_tui.mcp.rate_limit import FLOOD, MAX_MESSAGES
from kimi_tui.mcp.server_requests import MAX_FORMS
from kimi_tui.wire.requests import QuestionRequest
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


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "text/event-stream; charset=utf-7"])
async def test_an_answer_of_too_many_values_is_not_read(tmp_path, kind):
    async def odd(request: Request) -> bool:
        if request.message.get("method") != "tools/call":
            return False
        result = {"content": [{"type": "text", "text": ""}] * 300_000}
        body = json.dumps({"jsonrpc": "2.0", "id": request.message["id"], "result": result}).encode()
        if kind != "application/json":
            body = b"data: " + body.replace(b", ", b",\ndata: ", 2) + b"\n\n"
        if "utf-7" in kind:
            body = body.replace(b"{", b"+AHs-").replace(b"}", b"+AH0-").replace(b",", b"+ACw-")
        head = f"HTTP/1.1 200 it\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        request.writer.write(head.encode() + body)
        await request.writer.drain()
        return True

    async with http_server(odd) as served, mcp_harness(tmp_path, g={"url": served.url}) as at:
        assert (await at.use("mcp__g__t")).is_error


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


async def test_a_call_that_renewed_the_token_and_is_not_answered_holds_back_no_other_one():
    called = asyncio.Event()

    async def odd(request: Request) -> bool:
        if request.path == "/token":
            await request.answer(200, {"access_token": "renewed-0123456789", "token_type": "Bearer", "expires_in": 60})
        elif request.path == "/mcp" and not called.is_set():
            called.set()
        else:
            await request.answer(200)
        return True

    async with http_server(odd) as served:
        save_tokens("g", served.url, expires_at=1.0)
        async with httpx2.AsyncClient(auth=await session_auth("g", served.url), timeout=None) as client:
            slow, quick = (asyncio.create_task(client.post(served.url)) for _ in range(2))
            await called.wait()
            async with asyncio.timeout(10):
                assert (await quick).status_code == 200
            slow.cancel()
            await asyncio.gather(slow, return_exceptions=True)
    assert [request.path for request in served.requests] == ["/token", "/mcp", "/mcp"]


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


@pytest.mark.parametrize("status", [400, 404])
async def test_a_server_that_was_restarted_and_rejects_its_old_sessions_is_connected_to_again(tmp_path, status):
    sessions: list[str] = []
    is_restarted = False

    async def odd(request: Request) -> bool:
        if request.message.get("method") == "initialize":
            sessions.append(f"s{len(sessions)}")
            about = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "o", "version": "0"}}
            body = {"jsonrpc": "2.0", "id": request.message["id"], "result": {**about, "capabilities": {"tools": {}}}}
            await request.answer(200, body, Mcp_Session_Id=sessions[-1])
            return True
        is_unknown = is_restarted and request.headers.get("mcp-session-id") == "s0"
        is_mistake = request.message.get("params", {}).get("arguments") == {"mistake": True}
        if is_unknown or is_mistake:
            error = {"code": -32000, "message": "Session not found"}
            await request.answer(status, {"jsonrpc": "2.0", "id": request.message.get("id"), "error": error})
        return is_unknown or is_mistake

    async with http_server(odd) as served, mcp_harness(tmp_path, o={"url": served.url}) as at:
        assert (await at.use("mcp__o__t")).output == "done"
        assert (await at.use("mcp__o__t", mistake=True)).message.endswith(f"(HTTP {status})")
        assert at.state("o").status == "connected"
        is_restarted = True
        assert (await at.use("mcp__o__t")).message == "The MCP server `o` failed: it has forgotten the session"
        assert (await at.use("mcp__o__t", again=1)).output == "done"
    assert sessions == ["s0", "s1"]


async def test_a_server_without_sessions_stays_connected_whatever_it_rejects(tmp_path):
    async def odd(request: Request) -> bool:
        is_rejected = request.message.get("method") in ("tools/call", "ping")
        if is_rejected:
            await request.answer(
                400, {"jsonrpc": "2.0", "id": request.message["id"], "error": {"code": 1, "message": "no"}}
            )
        return is_rejected

    async with http_server(odd) as served, mcp_harness(tmp_path, o={"url": served.url}) as at:
        assert (await at.use("mcp__o__t")).message == "The MCP server `o` failed: no (HTTP 400)"
        assert at.state("o").status == "connected"


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


@pytest.mark.parametrize("transport", ["sse", "http"])
async def test_keys_in_an_entry_are_in_no_message_and_in_no_log(tmp_path, transport, monkeypatch, caplog):
    async def odd(request: Request) -> bool:
        _, equals, key = request.path.partition("=")
        await (request.answer(302, Location=f"/elsewhere?{key}") if equals else request.answer(500))
        return True

    monkeypatch.setenv("KEY_OF_A_SERVER", "abc-0123456789")
    caplog.set_level("INFO", "kimi_tui")
    async with http_server(odd) as served:
        web = {"url": f"{served.url}?key=${{KEY_OF_A_SERVER}}", "transport": transport}
        literal = {"url": f"{served.url}?key=literal-98765", "transport": transport}
        script = {"command": "sh", "args": ["-c", "echo $0 >&2; exit 3", "${KEY_OF_A_SERVER}"]}
        absent = {"command": "/absent/${KEY_OF_A_SERVER}"}
        async with mcp_harness(tmp_path, a=web, b=literal, c=script, d=absent) as at:
            assert {at.state(name).status for name in "abcd"} == {"failed"}
            logged = [record.getMessage() for record in caplog.records if record.name.startswith("kimi_tui")]
            shown = "\n".join((*(at.state(name).cause for name in "abcd"), str(at.told), *logged))
    assert served.requests
    assert "***" in shown
    assert "0123456789" not in shown
    assert "98765" not in shown


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


async def _open_stream(request: Request, *events: object) -> None:
    request.writer.write(b"HTTP/1.1 200 it\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
    await _send_events(request, *events)


async def _send_events(request: Request, *events: object) -> None:
    request.writer.write("".join(f"event: message\ndata: {json.dumps(event)}\n\n" for event in events).encode())
    await request.writer.drain()


async def _with_session(request: Request) -> bool:
    """Answer `initialize` with a session, so that the client opens a stream for it."""
    if request.message.get("method") != "initialize":
        return False
    result = {
        "protocolVersion": "2025-06-18",
        "serverInfo": {"name": "o", "version": "0"},
        "capabilities": {"tools": {"listChanged": True}},
    }
    await request.answer(200, {"jsonrpc": "2.0", "id": request.message["id"], "result": result}, Mcp_Session_Id="s")
    return True


async def test_streams_that_end_at_once_are_opened_again_at_a_pace(tmp_path):
    async def odd(request: Request) -> bool:
        if request.method == "GET":
            await _open_stream(request)
            request.writer.write(b"retry: 0\n\n")
            request.writer.close()
            return True
        return await _with_session(request)

    async with http_server(odd) as served:
        begun = time.monotonic()
        async with mcp_harness(tmp_path, g={"url": served.url}) as at:
            for _ in range(60):
                assert (await at.use("mcp__g__t")).output == "done"
        streams = sum(request.method == "GET" for request in served.requests)
        assert streams <= FIRST_STREAMS + time.monotonic() - begun + 1


async def test_a_server_whose_lists_change_without_end_is_asked_for_them_at_a_pace(tmp_path):
    streams: list[Request] = []
    lists = 0
    listed_again = asyncio.Event()

    async def odd(request: Request) -> bool:
        nonlocal lists
        changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        if request.method == "GET":
            streams.append(request)
            await _open_stream(request, changed)
            return True
        if request.message.get("method") == "tools/list":
            lists += 1
            if lists > 1:
                listed_again.set()
                await _send_events(streams[0], changed)
        return await _with_session(request)

    async with http_server(odd) as served, mcp_harness(tmp_path, g={"url": served.url}) as at:
        async with asyncio.timeout(20):
            await listed_again.wait()
        for _ in range(60):
            assert (await at.use("mcp__g__t")).output == "done"
        assert lists < 8


async def test_a_list_that_does_not_come_after_a_change_leaves_the_tools(tmp_path, caplog):
    lists = 0

    async def odd(request: Request) -> bool:
        nonlocal lists
        if request.method == "GET":
            await _open_stream(request, {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
            return True
        if request.message.get("method") == "tools/list":
            lists += 1
            if lists > 1:
                return True
        return await _with_session(request)

    caplog.set_level("INFO")
    async with (
        http_server(odd) as served,
        mcp_harness(tmp_path, g={"url": served.url, "connect_timeout_ms": 700}) as at,
    ):
        async with asyncio.timeout(20):
            while "no new list of its tools" not in caplog.text:
                await asyncio.sleep(0.01)
        assert (await at.use("mcp__g__t")).output == "done"
    assert "Traceback" not in caplog.text


async def test_a_flood_of_messages_by_http_ends_the_server(tmp_path):
    async def odd(request: Request) -> bool:
        if request.message.get("method") != "tools/call":
            return False
        token = request.message["params"]["_meta"]["progressToken"]
        params = {"progressToken": token, "progress": 1}
        await _open_stream(
            request, *[{"jsonrpc": "2.0", "method": "notifications/progress", "params": params}] * (MAX_MESSAGES + 1)
        )
        return True

    async with http_server(odd) as served, mcp_harness(tmp_path, g={"url": served.url}) as at:
        assert (await at.use("mcp__g__t")).message == f"The MCP server `g` failed: {FLOOD}"


async def test_a_server_shows_a_bounded_number_of_forms_within_one_call(tmp_path):
    answers: list[object] = []

    async def odd(request: Request) -> bool:
        if "method" not in request.message and "id" in request.message:
            answers.append(request.message["result"]["action"])
            if len(answers) == MAX_FORMS + 5:
                result = {"content": [{"type": "text", "text": "done"}]}
                await _send_events(calls[0], {"jsonrpc": "2.0", "id": calls[0].message["id"], "result": result})
        if request.message.get("method") != "tools/call":
            return False
        calls.append(request)
        form = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}
        asked = {"jsonrpc": "2.0", "method": "elicitation/create", "params": form}
        await _open_stream(request, *({**asked, "id": 100 + number} for number in range(MAX_FORMS + 5)))
        return True

    calls: list[Request] = []
    async with http_server(odd) as served, mcp_harness(tmp_path, g={"url": served.url}) as at:
        assert (await at.use("mcp__g__t")).output == "done"
        assert len(at.of(QuestionRequest)) == MAX_FORMS
    assert answers.count("decline") == 5
