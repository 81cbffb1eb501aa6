"""The network of a session's sandboxed commands: servers of theirs are reached, hosts only by the proxy."""

import asyncio
import os
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.interaction.approvals import Source, asking_for
from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support.background import BackgroundTasks
from kimi_tui.tools.shell_support.host_access import HostAccess, RunningCommand
from kimi_tui.tools.shell_support.host_proxy import HostProxy
from kimi_tui.tools.shell_support.sandbox import Sandbox
from tests.tools.harness import ToolHarness, processes_with, until
from tests.tools.ordinary_user import run_as_ordinary_user

LINE = b"\r\n"
CONNECT = "import base64,os,socket,sys;from urllib.parse import urlsplit;u=urlsplit(os.environ['https_proxy']);"
CONNECT += "l=b'Proxy-Authorization: Basic '+base64.b64encode((u.username+':'+u.password).encode())+b'\\r\\n';"
CONNECT += "s=socket.create_connection((u.hostname,u.port),5);s.sendall({!r}+l+b'\\r\\n');f=s.makefile('rb');"
CONNECT += "print(f.readline());sys.stdout.write(f.read().decode())"


async def full(
    harness: ToolHarness, tmp_path: Path, *, tasks: BackgroundTasks | None = None, **settings: object
) -> tuple[Shell, Sandbox]:
    config = SandboxConfig.model_validate({"network": False, **settings})
    access = HostAccess(harness.approvals)
    sandbox = Sandbox(config, harness.workspace, trusted=True, allows_host=access.allows)
    if not await sandbox.works() or sandbox.tier != "full" or not sandbox.shares_network:
        pytest.skip("there is no full sandbox with a network of its own here")
    tasks = tasks or BackgroundTasks(tmp_path / "tasks")
    return Shell(harness.workspace, harness.approvals, ToolProgress(), background=tasks, sandbox=sandbox), sandbox


@pytest.fixture(autouse=True)
def _no_proxy_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    for name in ("HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def asks(head: bytes) -> str:
    """Return a command that sends the head of a request, with its password."""
    return f"python3 -c {shlex.quote(CONNECT.format(head.removesuffix(LINE)))}"


@pytest.mark.parametrize(("hosts", "shown"), [("none", "127.0.0.1"), ("ask", "127.0.0.1"), ("ask", "0.0.0.0")])
async def test_a_later_command_reaches_a_server_in_the_background(
    harness: ToolHarness, tmp_path: Path, hosts: str, shown: str
) -> None:
    """Servers show either address as theirs."""
    tasks = BackgroundTasks(tmp_path / "tasks")
    tool, sandbox = await full(harness, tmp_path, tasks=tasks, hosts=hosts)
    (harness.dir / "page").write_text("served\n")
    serve = "import http.server as h;s=h.ThreadingHTTPServer(('127.0.0.1',0),h.SimpleHTTPRequestHandler);"
    serve += "open('port.new','w').write(str(s.server_port));import os;os.rename('port.new','port');s.serve_forever()"
    started = await harness.use(
        tool, command=f"python3 -c {shlex.quote(serve)}", run_in_background=True, description="server"
    )
    assert not started.is_error
    await until((harness.dir / "port").exists)
    fetch = f"import urllib.request as u;print(u.urlopen('http://{shown}:'+open('port').read()+'/page').read())"
    value = await harness.use(tool, command=f"python3 -c {shlex.quote(fetch)}")
    assert "served" in str(value.output), value
    await tasks.aclose()
    await sandbox.close()


@pytest.mark.parametrize("hosts", ["none", "ask"])
async def test_hosts_that_cannot_be_allowed_are_told_before_the_first_command(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch, hosts: str
) -> None:
    async def no_network() -> None:
        return None

    monkeypatch.setattr("kimi_tui.tools.shell_support.session_network.make_session_network", no_network)
    told: list[str] = []
    config = SandboxConfig.model_validate({"network": False, "hosts": hosts})
    sandbox = Sandbox(config, harness.workspace, trusted=True, notify=lambda _, text: told.append(text))
    if not await sandbox.works():
        pytest.skip("there is no sandbox here")
    assert any("no hosts" in text for text in told) == (hosts == "ask")
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    value = await harness.use(tool, command="echo 'curl: (6) Could not resolve host: a.invalid'; exit 6")
    assert "it has no network" in value.message


async def test_no_command_reaches_this_machine_with_or_without_the_proxy(harness: ToolHarness, tmp_path: Path) -> None:
    tool, sandbox = await full(harness, tmp_path, hosts="ask")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        direct = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)"
        assert (await harness.use(tool, command=f"python3 -c {shlex.quote(direct)}")).is_error
        for host in ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "169.254.169.254"):
            value = await harness.use(tool, command=asks(b"CONNECT %s:%d HTTP/1.1\r\n\r\n" % (host.encode(), port)))
            assert "502 Refused by the sandbox" in str(value.output), (host, value)
    await sandbox.close()


async def test_a_host_is_asked_for_even_in_yolo_mode_and_a_yes_or_no_for_the_session_holds(
    harness: ToolHarness, tmp_path: Path
) -> None:
    tool, sandbox = await full(harness, tmp_path, hosts="ask")
    harness.approvals.yolo = True
    harness.answer = "reject"
    for _ in range(2):
        value = await harness.use(tool, command=asks(b"CONNECT a.invalid:443 HTTP/1.1\r\n\r\n"))
        assert "403 Refused by the sandbox: a.invalid is not allowed" in str(value.output)
    harness.answer = "approve_for_session"
    for _ in range(2):
        value = await harness.use(tool, command=asks(b"CONNECT b.invalid:443 HTTP/1.1\r\n\r\n"))
        assert "502" in str(value.output)
    assert [each.sender for each in harness.asked] == ["Network", "Network"]
    assert harness.asked[1].scope == "connections to b.invalid"
    assert "b.invalid" in harness.asked[1].description
    await sandbox.close()


async def test_a_yes_to_a_host_covers_one_command(harness: ToolHarness) -> None:
    access = HostAccess(harness.approvals)
    harness.answer = "approve"
    one, other = (RunningCommand(harness.call_of("Shell", {})) for _ in range(2))
    for command, asked in ((one, 1), (one, 1), (other, 2), (one, 2)):
        assert await access.allows("a.invalid", 443, command)
        assert len(harness.asked) == asked
    assert await access.allows("a.invalid", 8443, one)
    assert len(harness.asked) == 3


async def test_the_question_about_a_host_names_the_command_that_connects_and_a_yes_covers_no_other(
    harness: ToolHarness, tmp_path: Path
) -> None:
    """A command in the background, or a later one, does not use the yes to the command in the foreground."""
    tasks = BackgroundTasks(tmp_path / "tasks")
    tool, sandbox = await full(harness, tmp_path, tasks=tasks, hosts="ask")
    connects = asks(b"CONNECT a.invalid:443 HTTP/1.1\r\n\r\n")
    for file in ("go", "again"):
        await harness.use(
            tool,
            command=f"while ! [ -e {file} ]; do sleep 0.05; done; {connects}; touch {file}.ended; sleep 60",
            run_in_background=True,
            description="a server",
        )
    await harness.use(tool, command=f"touch go; while ! [ -e go.ended ]; do sleep 0.05; done; {connects}")
    await harness.use(tool, command="echo $https_proxy > left")
    (harness.dir / "again").touch()
    await until((harness.dir / "again.ended").exists)
    assert [each.tool_call_id for each in harness.asked] == ["call_1", "call_3", "call_2"]
    await tasks.aclose()
    await sandbox.close()


async def test_only_a_running_command_reaches_hosts_by_its_password(harness: ToolHarness, tmp_path: Path) -> None:
    """Another command may have read the password from a file."""
    tool, sandbox = await full(harness, tmp_path, hosts="ask")
    connects = asks(b"CONNECT a.invalid:443 HTTP/1.1\r\n\r\n")
    first = await harness.use(tool, command=f"echo $https_proxy > left; {connects}")
    assert "502" in str(first.output)
    later = await harness.use(tool, command=f"export https_proxy=$(cat left); {connects}")
    assert "407" in str(later.output)
    unknown = await harness.use(tool, command=f"export https_proxy=http://kimi-tui:x@${{https_proxy#*@}}; {connects}")
    assert "407" in str(unknown.output)
    assert len(harness.asked) == 1
    await sandbox.close()


async def test_the_question_about_a_host_names_the_agent_whose_command_connects(
    harness: ToolHarness, tmp_path: Path
) -> None:
    tool, sandbox = await full(harness, tmp_path, hosts="ask")

    async def use_as(agent: str | None) -> None:
        asking_for.set(None if agent is None else Source(agent))
        await harness.use(tool, command=asks(b"CONNECT a.invalid:443 HTTP/1.1\r\n\r\n"))

    for agent in ("one", None, "two"):
        await asyncio.create_task(use_as(agent))
    assert [each.agent_id for each in harness.asked] == ["one", None, "two"]
    await sandbox.close()


async def test_a_question_about_one_host_keeps_no_command_from_another_that_is_allowed(harness: ToolHarness) -> None:
    access, command = HostAccess(harness.approvals), RunningCommand(None)
    harness.answer = "approve_for_session"
    assert await access.allows("a.invalid", 443, command)
    harness.answer = None
    waiting = asyncio.create_task(access.allows("b.invalid", 443, command))
    await until(lambda: len(harness.asked) == 2)
    assert await asyncio.wait_for(access.allows("a.invalid", 443, command), 5)
    waiting.cancel()


@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("git") is None, reason="curl or git is missing")
@pytest.mark.parametrize("program", ["curl -sS https://a.invalid", "git ls-remote https://a.invalid/x"])
async def test_programs_tell_the_password_of_their_command(harness: ToolHarness, tmp_path: Path, program: str) -> None:
    tool, sandbox = await full(harness, tmp_path, hosts="ask")
    harness.answer = "reject"
    value = await harness.use(tool, command=program)
    assert "403" in str(value.output), value
    assert [each.tool_call_id for each in harness.asked] == ["call_1"]
    await sandbox.close()


async def test_rules_decide_on_hosts_without_a_question(harness: ToolHarness, tmp_path: Path) -> None:
    harness.approvals.policy = Policy(
        [parse_rule("Network(*.good.invalid)", Effect.ALLOW), parse_rule("Network(bad.*)", Effect.DENY)]
    )
    tool, sandbox = await full(harness, tmp_path, hosts="ask")
    for host, status in ((b"x.good.invalid", "502"), (b"bad.invalid", "403"), (b"BAD.Good.Invalid.", "403")):
        value = await harness.use(tool, command=asks(b"CONNECT %s:443 HTTP/1.1\r\n\r\n" % host))
        assert status in str(value.output), (host, value)
    assert harness.asked == []
    await sandbox.close()


async def test_a_rule_allows_https_only_unless_it_names_a_port(harness: ToolHarness) -> None:
    rules = [
        parse_rule(f"Network({text})", Effect.ALLOW) for text in ("good.invalid", "other.invalid:22", "any.invalid:*")
    ]
    harness.approvals.policy = Policy(rules)
    harness.answer = "reject"
    access = HostAccess(harness.approvals)
    for place, allowed in (
        ("good.invalid:443", True),
        ("good.invalid:22", False),
        ("other.invalid:22", True),
        ("other.invalid:443", False),
        ("any.invalid:9", True),
    ):
        host, _, port = place.partition(":")
        assert await access.allows(host, int(port), RunningCommand(None)) is allowed, place
    assert ["good.invalid:22" in each.description for each in harness.asked] == [True, False]


@pytest.mark.parametrize(
    ("rule", "host", "port", "allowed"),
    [
        ("2606:4700::22", "2606:4700::22", 443, True),
        ("2606:4700::22", "2606:4700::22", 22, False),
        ("[2606:4700::22]", "2606:4700::22", 22, False),
        ("[2606:4700::22]:22", "2606:4700::22", 22, True),
        ("[2606:4700::22]:*", "2606:4700::22", 9, True),
        ("https://[2606:4700:22::1]/", "2606:4700:22::1", 22, False),
        ("https://good.invalid:8443/*", "good.invalid", 8443, True),
        ("*:*", "good.invalid", 22, True),
        ("*", "2606:4700::22", 22, False),
    ],
)
async def test_what_ends_an_address_of_a_rule_is_no_port(
    harness: ToolHarness, rule: str, host: str, port: int, allowed: bool
) -> None:
    harness.approvals.policy = Policy([parse_rule(f"Network({rule})", Effect.ALLOW)])
    harness.answer = "reject"
    assert await HostAccess(harness.approvals).allows(host, port, RunningCommand(None)) is allowed
    assert bool(harness.asked) is not allowed


async def test_nobody_there_means_no_host(harness: ToolHarness, tmp_path: Path) -> None:
    tool, sandbox = await full(harness, tmp_path, hosts="ask")
    harness.approvals.attended = False
    value = await harness.use(tool, command=asks(b"CONNECT a.invalid:443 HTTP/1.1\r\n\r\n") + "; false")
    assert "403" in str(value.output)
    assert "Network(HOST)" in value.message
    await sandbox.close()


async def test_without_hosts_each_is_refused_and_nobody_is_asked(harness: ToolHarness, tmp_path: Path) -> None:
    harness.approvals.policy = Policy([parse_rule("Network(*)", Effect.ALLOW)])
    tool, sandbox = await full(harness, tmp_path)
    value = await harness.use(tool, command=asks(b"CONNECT a.invalid:443 HTTP/1.1\r\n\r\n"))
    assert "403 Refused by the sandbox: a.invalid is not allowed" in str(value.output)
    assert harness.asked == []
    await sandbox.close()


async def _proxied(head: bytes, port: int, *, allowed: bool = True) -> bytes:
    async def allows(host: str, _port: int, _password: str) -> bool:
        return allowed and host == "good.example"

    async def resolve(_host: str, _port: int) -> str:
        return "127.0.0.1"

    proxy = HostProxy(allows, resolve=resolve)
    listener = socket.create_server(("127.0.0.1", 0))
    await proxy.start(listener)
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.getsockname()[1])
    writer.write(head.replace(b"PORT", b"%d" % port))
    writer.write_eof()
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    await proxy.close()
    return answer


async def test_the_proxy_passes_both_directions_of_an_allowed_connection() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.read()).upper())
        writer.close()

    async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        answer = await _proxied(b"CONNECT Good.Example.:PORT HTTP/1.1\r\nA: b\r\n\r\nearly", port)
        assert answer == b"HTTP/1.1 200 Connection established\r\n\r\nEARLY"
        answer = await _proxied(b"CONNECT good.example:PORT HTTP/1.1\r\n\r\nx", port, allowed=False)
        assert b"403" in answer


async def _by_a_proxy(monkeypatch: pytest.MonkeyPatch, host: str, url: str, answer: bytes) -> tuple[bytes, list[bytes]]:
    """What a command gets that connects to the host, and the heads of requests at the proxy that `url` names."""
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        writer.write((await reader.read()).upper())
        writer.close()

    async def allows(_host: str, _port: int, _password: str) -> bool:
        return True

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        monkeypatch.setenv("https_proxy", url.replace("PORT", str(port)))
        proxy, listener = HostProxy(allows), socket.create_server(("127.0.0.1", 0))
        await proxy.start(listener)
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(f"CONNECT {host}:443 HTTP/1.1\r\n\r\nearly".encode())
        writer.write_eof()
        got = await asyncio.wait_for(reader.read(), 20)
        writer.close()
        await proxy.close()
    return got, heads


async def test_an_allowed_host_is_reached_by_the_proxy_of_the_users_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = "http://me:p%40ss@127.0.0.1:PORT"
    got, heads = await _by_a_proxy(monkeypatch, "inside.invalid", url, b"HTTP/1.0 200 OK\r\nVia: x\r\n\r\n")
    assert got == b"HTTP/1.1 200 Connection established\r\n\r\nEARLY"
    assert heads == [
        b"CONNECT inside.invalid:443 HTTP/1.1\r\nHost: inside.invalid:443\r\n"
        b"Proxy-Authorization: Basic bWU6cEBzcw==\r\n\r\n"
    ]


@pytest.mark.parametrize(
    ("host", "url", "why"),
    [
        ("inside.invalid", "http://127.0.0.1:PORT", b"of this machine answered HTTP/1.1 407 Login needed"),
        ("inside.invalid", "socks5://127.0.0.1:PORT", b"must name an http:// proxy"),
        ("inside.invalid", "http://127.0.0.1:PORT:x", b"must name an http:// proxy"),
        ("127.0.0.1", "http://127.0.0.1:PORT", b"is a private address"),
        ("localhost", "http://127.0.0.1:PORT", b"is a private address"),
    ],
)
async def test_a_proxy_that_does_not_connect_is_named_and_leads_to_no_private_host(
    monkeypatch: pytest.MonkeyPatch, host: str, url: str, why: bytes
) -> None:
    got, heads = await _by_a_proxy(monkeypatch, host, url, b"HTTP/1.1 407 Login needed\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 502 ")
    assert why in got
    assert len(heads) == (b"407" in why)


async def test_a_connection_ends_on_both_sides_when_the_command_resets_it() -> None:
    ended = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        ended.set()
        writer.close()

    async def allows(host: str, port: int, password: str) -> bool:
        return True

    async def here(host: str, port: int) -> str:
        return "127.0.0.1"

    proxy, listener = HostProxy(allows, resolve=here), socket.create_server(("127.0.0.1", 0))
    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        await proxy.start(listener)
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(b"CONNECT good.example:%d HTTP/1.1\r\n\r\n" % port)
        assert b"200" in await reader.readuntil(b"\r\n\r\n")
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        await asyncio.wait_for(ended.wait(), 20)
    await proxy.close()


@pytest.mark.parametrize(
    "head",
    [
        b"GET http://good.example/ HTTP/1.1\r\n\r\n",
        b"CONNECT good.example HTTP/1.1\r\n\r\n",
        b"CONNECT user@good.example:443 HTTP/1.1\r\n\r\n",
        b"CONNECT good.example:443 evil:1 HTTP/1.1\r\n\r\n",
        b"CONNECT good.example:99999 HTTP/1.1\r\n\r\n",
        b"CONNECT good_example:443 HTTP/1.1\r\n\r\n",
        b"CONNECT \xc3\xa9:443 HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01 tls\r\n\r\n",
    ],
)
async def test_the_proxy_refuses_whatever_is_no_plain_connect(head: bytes) -> None:
    assert (await _proxied(head, 0)).startswith((b"HTTP/1.1 426 Refused", b"HTTP/1.1 400 Refused"))


async def test_the_question_ends_when_the_command_goes_away() -> None:
    asked, ended = asyncio.Event(), asyncio.Event()

    async def allows(_host: str, _port: int, _password: str) -> bool:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return True

    proxy = HostProxy(allows)
    listener = socket.create_server(("127.0.0.1", 0))
    await proxy.start(listener)
    _, writer = await asyncio.open_connection("127.0.0.1", listener.getsockname()[1])
    writer.write(b"CONNECT a.example:443 HTTP/1.1\r\n\r\n")
    await asked.wait()
    writer.close()
    await asyncio.wait_for(ended.wait(), 10)
    await proxy.close()


async def test_the_network_is_the_sessions_own(harness: ToolHarness, tmp_path: Path) -> None:
    spaces: set[str] = set()
    for _ in range(2):
        tool, _ = await full(harness, tmp_path)
        values = [await harness.use(tool, command="readlink /proc/self/ns/net") for _ in range(2)]
        assert values[0].output == values[1].output
        spaces.add(str(values[0].output).strip())
    assert len({*spaces, str(Path("/proc/self/ns/net").readlink()), os.devnull}) == 4


async def test_no_socket_leads_to_the_host_of_a_virtual_machine(harness: ToolHarness, tmp_path: Path) -> None:
    tool, _ = await full(harness, tmp_path)
    for family in (socket.AF_ALG, getattr(socket, "AF_VSOCK", 40)):
        value = await harness.use(tool, command=f"python3 -c 'import socket; socket.socket({int(family)}, 1)'")
        assert "Address family not supported" in str(value.output)
    pair = "import socket; socket.socketpair(); socket.socket(2, 1); socket.socket(10, 2); socket.socket(16, 3)"
    assert not (await harness.use(tool, command=f"python3 -c {shlex.quote(pair)}")).is_error
    ring = "import ctypes; print(ctypes.CDLL(None, use_errno=True).syscall(425, 1, 0), ctypes.get_errno())"
    assert (await harness.use(tool, command=f"python3 -c {shlex.quote(ring)}")).output == "-1 38\n"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
async def test_curl_through_the_proxy_has_a_hint_though_it_does_not_print_the_reason(
    harness: ToolHarness, tmp_path: Path
) -> None:
    tool, sandbox = await full(harness, tmp_path, hosts="ask")
    for answer, hint in (("reject", "Network(HOST)"), ("approve", "its proxy did not reach `approve.invalid`")):
        harness.answer = answer
        value = await harness.use(tool, command=f"curl -sS https://{answer}.invalid/")
        assert value.is_error
        assert hint in value.message, (value.output, value.message)
    await sandbox.close()


async def test_hosts_are_reached_although_the_program_denies_others_access_to_itself() -> None:
    """An ordinary user's other processes cannot open the descriptors of such a program."""
    lines = [
        "import asyncio, pathlib",
        "from kimi_tui.cli.process_hardening import forbid_dumps",
        "from kimi_tui.config.schema import SandboxConfig",
        "from kimi_tui.tools.file_support.workspace import Workspace",
        "from kimi_tui.tools.shell_support.sandbox import Sandbox",
        "async def allows(host, port, command): return True",
        "async def run():",
        "    config = SandboxConfig.model_validate({'network': False, 'hosts': 'ask'})",
        "    box = Sandbox(config, Workspace(pathlib.Path.cwd()), trusted=True, allows_host=allows)",
        "    await box.works()",
        "    print(box.tier, box.shares_network, 'https_proxy' in box.env({}))",
        "    await box.close()",
        "forbid_dumps()",
        "asyncio.run(run())",
    ]
    with tempfile.TemporaryDirectory(dir="/tmp") as scratch:
        Path(scratch).chmod(0o755)
        output = run_as_ordinary_user(["-c", "\n".join(lines)], Path(scratch))
    if not output.startswith("full"):
        pytest.skip("there is no full sandbox here")
    assert output == "full True True\n"


async def test_commands_say_that_the_network_is_gone_when_its_process_was_killed(
    harness: ToolHarness, tmp_path: Path
) -> None:
    tool, sandbox = await full(harness, tmp_path)
    children = [int(pid) for each in Path("/proc/self/task").glob("*/children") for pid in each.read_text().split()]
    for holder in set(children) & set(processes_with("netns.py")):
        os.kill(holder, 9)
    value = await harness.use(tool, command="echo done")
    assert "the network of the session's commands is gone" in value.message
    assert "outside_sandbox" not in value.message  # no file or program is missing
    await sandbox.close()


@pytest.mark.parametrize("end", ["del made", "import os; os.kill(os.getpid(), 9)"])
async def test_the_process_that_keeps_the_network_ends_with_the_program(end: str) -> None:
    lines = [
        "import asyncio",
        "from kimi_tui.tools.shell_support.session_network import make_session_network",
        "made = asyncio.run(make_session_network())",
        "print(made.holder if made else '', flush=True)",
        end,
    ]
    ended = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=30)
    if not (holder := ended.stdout.strip()):
        pytest.skip("no namespaces can be made here")
    await until(lambda: not Path(f"/proc/{holder}/ns/net").exists())
