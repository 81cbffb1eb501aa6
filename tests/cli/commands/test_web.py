"""`kimi-tui web`: a server of this machine, its address and its end."""

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from kimi_tui.cli.main import main
from kimi_tui.cli.option_args import to_argv
from kimi_tui.cli.options import parse, parser
from tests.faults.terminal import scripted
from tests.tools.harness import processes_with

CLI = [sys.executable, "-m", "kimi_tui"]


@contextlib.asynccontextmanager
async def started(*arguments: str, **env: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """The program and the address that it prints."""
    process = await asyncio.create_subprocess_exec(
        *CLI, *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | env
    )
    assert process.stdout is not None
    try:
        first = (await process.stdout.readline()).decode()
        (address,) = re.findall(r"^kimi-tui is at (http://127\.0\.0\.1:\d+/\?token=\S{43})$", first.rstrip())
        yield process, address
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def opened(client: aiohttp.ClientSession, address: str) -> aiohttp.ClientWebSocketResponse:
    """What a browser does with the address; the app has drawn something when this returns."""
    page = await client.get(address)
    assert page.status == 200
    (ws,) = re.findall(r'"(ws://[^"]+)"', await page.text())
    page_socket = await client.ws_connect(f"{ws}?width=80&height=24", headers={"Origin": str(page.url.origin())})
    while (message := await page_socket.receive(20)).type is not aiohttp.WSMsgType.BINARY:
        assert message.type is aiohttp.WSMsgType.TEXT
    return page_socket


async def gone(text: str) -> None:
    async with asyncio.timeout(15):
        while processes_with(text):
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
async def test_a_signal_ends_the_server_and_its_apps_in_order(tmp_path: Path, number: signal.Signals) -> None:
    arguments = scripted(tmp_path, "text: Good morning.")
    async with (
        started("web", *arguments, "--no-open", "-p", "hello") as (process, address),
        aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client,
    ):
        page = await opened(client, address)
        seen = b""
        async with asyncio.timeout(20):
            while b"Good morning" not in seen:
                message = await page.receive()
                seen += message.data if message.type is aiohttp.WSMsgType.BINARY else b""
        process.send_signal(number)
        assert process.stderr is not None
        assert await asyncio.wait_for(process.wait(), 15) == 128 + number
        assert await process.stderr.read() == b""
        assert processes_with(f"--config-file={tmp_path}") == []
    (log,) = Path(os.environ["KIMI_TUI_HOME"]).rglob("wire.jsonl")
    assert log.read_bytes().endswith(b"\n")
    assert b"TurnEnd" in log.read_bytes()


async def test_the_death_of_the_server_ends_its_apps(tmp_path: Path) -> None:
    arguments = scripted(tmp_path)
    async with (
        started("web", *arguments, "--no-open") as (process, address),
        aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client,
    ):
        await opened(client, address)
        assert processes_with(f"--config-file={tmp_path}")
        process.kill()
        await gone(f"--config-file={tmp_path}")


async def test_the_browser_is_given_an_address_of_its_own_that_is_good_once(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    browser = tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\necho \"$1\" > '{asked}.new' && mv '{asked}.new' '{asked}'\n")
    browser.chmod(0o755)
    async with (
        started("--demo", "web", BROWSER=str(browser)) as (_, address),
        aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as client,
    ):
        async with asyncio.timeout(10):
            while not asked.exists():
                await asyncio.sleep(0.02)
        own = asked.read_text().strip()
        assert own.startswith(address.partition("token")[0])
        assert own != address
        statuses = [(await client.get(url, allow_redirects=False)).status for url in (own, own, address, address)]
        assert statuses == [303, 403, 303, 303]


def test_a_port_that_is_taken_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["--demo", "web", "--no-open", "--port", str(port)]) == 2
    assert capsys.readouterr() == ("", f"kimi-tui: port {port} of 127.0.0.1 is not available: Address already in use\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("web -w /none", "no such folder"),
        ("web --continue", "no session to resume"),
        ("--print web", "cannot be combined with --print"),
        ("web --port 70000", "--port: 70000 is not a port"),
        ("web --flow a --prompt-flow b", "cannot be combined"),
    ],
)
def test_what_is_wrong_with_the_options_is_told_before_anything_is_served(
    capsys: pytest.CaptureFixture[str], arguments: str, told: str
) -> None:
    assert main(arguments.split()) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert told in error


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "textual_serve", None)
    assert main(["web"]) == 2
    assert "python -m pip install 'kimi-tui[web]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        "",
        "--demo",
        "--session",
        "--session abc --yolo --no-thinking --plain",
        "--thinking --add-dir a --add-dir=-b --max-ralph-iterations -1 --prompt=--x",
        "-w /x --mcp-config {} --agent okabe --replay s --speed 2.5",
    ],
)
def test_options_are_said_again_as_they_were(line: str) -> None:
    options = parse(line.split())
    again = parse(to_argv(options, parser()))
    assert vars(again) == vars(options)
    assert vars(parse(["--debug", "web", *line.split()])) == vars(parse([*line.split(), "--debug", "web"]))


async def test_requests_of_garbage_are_answered_and_not_told_on_stderr() -> None:
    async with started("web", "--demo", "--no-open") as (process, address):
        port = int(re.findall(r":(\d+)/", address)[0])
        for garbage in (
            b"\x16\x03\x01\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n",
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(garbage)
            assert b" 400 " in await reader.readline()
            writer.close()
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 130
        assert process.stderr is not None
        assert await process.stderr.read() == b""
