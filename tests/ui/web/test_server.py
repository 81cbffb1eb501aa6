"""A page has an app of its own, which ends with it; loaded again, it goes on with the session."""

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
from pathlib import Path

import aiohttp
import pyte
import pytest

from kimi_tui import paths
from kimi_tui.ui.web.app_process import AppProcess
from tests.soul.scripted_engine import tool_call
from tests.tools.harness import processes_with
from tests.ui.web.conftest import Served, lives, scripted, serve, until


class Page:
    """What a browser's page does, on a terminal of pyte."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.told: list[list[str]] = []
        self.screen = pyte.Screen(90, 30)
        self._stream = pyte.ByteStream(self.screen)
        self.requests = 0

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    async def wait_for(self, text: str) -> None:
        async with asyncio.timeout(20):
            while text not in self.text:
                await self.read()

    async def end(self) -> str:
        """Read to the end; why it ended."""
        async with asyncio.timeout(20):
            while not self.socket.closed:
                await self.read()
        return next(text for kind, text in self.told if kind in ("ended", "over"))

    async def write(self, text: str) -> None:
        """Type it, see it, and press Enter."""
        await self.send("stdin", text)
        await self.wait_for(text)
        await self.send("stdin", "\r")

    async def read(self) -> None:
        message = await self.socket.receive()
        if message.type is aiohttp.WSMsgType.BINARY:
            self._stream.feed(message.data)
            self.requests += message.data.count(b"\x1b[5n")
        elif message.type is aiohttp.WSMsgType.TEXT:
            self.told.append(json.loads(message.data))
        else:
            assert self.socket.closed, self.text

    async def send(self, *message: object) -> None:
        await self.socket.send_json(message)


def the_app(folder: Path) -> int:
    (pid,) = processes_with(f"--work-dir={folder}/work")
    return pid


def status(pid: int) -> str:
    return Path(f"/proc/{pid}/status").read_text("utf-8")


def seconds_used(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def test_a_page_shows_the_app_takes_keys_and_ends_it_when_it_is_closed(served: Served, tmp_path: Path) -> None:
    page = Page(await served.connect(await served.enter()))
    await page.wait_for("message")
    await page.send("focus")
    await page.send("stdin", "Grüße, 世界")
    await page.wait_for("Grüße, 世")
    await page.send("stdin", "\r")
    await page.wait_for("Good morning.")
    app = the_app(tmp_path)
    await page.socket.close()
    await until(lambda: not lives(app))
    (log,) = paths.home().rglob("wire.jsonl")
    assert "Grüße" in log.read_text("utf-8")
    assert served.told == []
    assert ["title", "kimi-tui · work"] in page.told


async def test_a_page_loaded_again_goes_on_with_its_session(served: Served, tmp_path: Path) -> None:
    tab = await served.enter()
    page = Page(await served.connect(tab))
    await page.wait_for("message")
    await page.write("remember me")
    await page.wait_for("Good morning.")
    await page.socket.close()
    again = Page(await served.connect(tab))
    await again.wait_for("remember me")
    await again.socket.close()


async def test_who_opens_the_same_page_elsewhere_has_it(served: Served, tmp_path: Path) -> None:
    tab = await served.enter()
    page = Page(await served.connect(tab))
    await page.wait_for("message")
    await page.write("first")
    await page.wait_for("Good morning.")
    first = the_app(tmp_path)
    other = asyncio.create_task(served.connect(tab))
    assert "another tab" in await page.end()
    second = Page(await other)
    await second.wait_for("first")
    assert not lives(first)
    await second.socket.close()


async def test_the_page_is_asked_whether_an_approval_is_drawn_and_its_report_is_no_key(tmp_path: Path) -> None:
    async with serve(scripted(tmp_path, tool_call("Shell", command="touch made"), "text: Good morning.")) as served:
        page = Page(await served.connect(await served.enter()))
        await page.wait_for("message")
        while not page.requests:
            await page.read()
        await page.send("stdin", "\x1b[0n")
        await page.write("touch it")
        begun = page.requests
        await page.wait_for("Yes, this once")
        async with asyncio.timeout(20):
            while page.requests == begun:
                await page.read()
        await page.send("stdin", "\x1b[0n")
        await page.send("stdin", "\x1b[0n still here")
        await page.wait_for("› still here")
        await page.socket.close()


async def test_leaving_the_app_ends_the_page(served: Served, tmp_path: Path) -> None:
    page = Page(await served.connect(await served.enter()))
    await page.wait_for("message")
    app = the_app(tmp_path)
    await page.send("stdin", "\x11")
    assert await page.end() == ""
    assert not lives(app)


async def test_an_app_that_cannot_start_says_why_on_the_page(tmp_path: Path) -> None:
    command = scripted(tmp_path)
    async with serve(lambda name: [*command(name), "--model=none"]) as served:
        page = Page(await served.connect(await served.enter()))
        await page.wait_for("none")
        await page.send("stdin", "\x11")
        await page.end()
    async with serve(lambda name: [*command(name), "--flow=x", "--prompt-flow=y"]) as served:
        page = Page(await served.connect(await served.enter()))
        assert "cannot be combined" in await page.end()
        await until(lambda: served.told)
        assert "cannot be combined" in served.told[0]


async def test_rubbish_on_the_websocket_changes_nothing(served: Served) -> None:
    page = Page(await served.connect(await served.enter()))
    await page.wait_for("message")
    for rubbish in (
        "", "{", "[]", "7", '["stdin"]', '["stdin", 7]', '["resize", {}]', '["stdin", "\\ud800"]', "[" * 5000,
        '["resize", {"width": -5, "height": 99999999}]', '["quit"]', '[["stdin"], "x"]',
    ):  # fmt: skip
        await page.socket.send_str(rubbish)
    await page.socket.send_bytes(b"\x00\xff")
    await page.send("resize", {"width": 90, "height": 30})
    await page.send("stdin", "still here")
    await page.wait_for("still here")
    await page.socket.close()


@pytest.mark.parametrize(
    "pasted", ["\x1b[31mred\r", "red\x1b[201~\r", "\x1b[200~red\r", "red\x1b", "\x1bred", "red\r\x1b[20", "red\x1b[H"]
)
async def test_no_text_of_a_paste_is_a_key(served: Served, pasted: str) -> None:
    page = Page(await served.connect(await served.enter()))
    await page.wait_for("message")
    await page.send("stdin", f"\x1b[200~{pasted}\x1b[201~")
    await page.send("stdin", "then more")
    await page.wait_for("then more")
    await page.send("stdin", "\r")
    await page.wait_for("Good morning.")
    (log,) = paths.home().rglob("wire.jsonl")
    (said,) = (line for line in log.read_text("utf-8").splitlines() if "TurnBegin" in line)
    assert re.search(r"ed.*then more", said)
    await page.socket.close()


@pytest.mark.parametrize("odd", ["\x1b[99999999999u", "\x1b[1114112u", "\x1b[:u", "\x1b[1;2:3;5u"])
async def test_an_odd_key_does_not_end_the_app(served: Served, odd: str) -> None:
    page = Page(await served.connect(await served.enter()))
    await page.wait_for("message")
    await page.send("stdin", odd)
    await page.send("stdin", "still here")
    await page.wait_for("still here")
    await page.socket.close()


async def test_the_end_of_the_server_ends_the_apps_and_what_they_run(tmp_path: Path) -> None:
    sleep = "sleep 986.71"
    command = scripted(tmp_path, tool_call("Shell", command=sleep))
    async with serve(lambda name: [*command(name), "--yolo", "--prompt=do it"]) as served:
        page = Page(await served.connect(await served.enter()))
        reading = asyncio.create_task(page.end())
        await until(lambda: processes_with(sleep))
        app = the_app(tmp_path)
    assert not lives(app)
    assert "ended" in await reading
    assert [kind for kind, _text in page.told if kind in ("ended", "over")] == ["over"]
    assert processes_with(sleep) == []
    (log,) = paths.home().rglob("context.jsonl")
    assert [json.loads(line) for line in log.read_text("utf-8").splitlines()]


async def test_an_app_whose_server_is_gone_ends(tmp_path: Path) -> None:
    command = scripted(tmp_path, "text: Good morning.")
    process = await AppProcess.start([*command("one"), "--page=90x30"], grace_s=60)

    class Nobody:
        async def draw(self, data: bytes) -> None:
            assert process.process.stdin is not None
            process.process.stdin.close()

        async def send(self, kind: str, text: str) -> None:
            pass

    async with asyncio.timeout(20):
        assert await process.run(Nobody()) == ""


async def test_a_page_that_sends_more_keys_than_the_app_takes_is_closed_with_its_app(
    served: Served, tmp_path: Path
) -> None:
    page = Page(await served.connect(await served.enter()))
    await page.wait_for("message")
    app = the_app(tmp_path)
    reading = asyncio.create_task(page.end())
    with contextlib.suppress(aiohttp.ClientError, ConnectionError):
        for _ in range(20):
            await page.send("stdin", "x" * (1 << 20))
    assert "more keys" in await reading
    await until(lambda: not lives(app), 30)


async def test_a_message_that_is_longer_than_a_paste_ends_the_page(served: Served, tmp_path: Path) -> None:
    page = Page(await served.connect(await served.enter()))
    await page.wait_for("message")
    app = the_app(tmp_path)
    with contextlib.suppress(ConnectionError):
        await page.send("stdin", "\x1b[200~" + "x" * (5 << 20) + "\x1b[201~")
    await until(lambda: not lives(app), 30)


async def test_the_server_ends_while_an_app_has_more_keys_than_it_handled(tmp_path: Path) -> None:
    async with serve(scripted(tmp_path, "text: Good morning.")) as served:
        page = Page(await served.connect(await served.enter()))
        await page.wait_for("message")
        app = the_app(tmp_path)
        await page.send("stdin", "x" * (3 << 20))
        await page.wait_for("xxx")
        begun = asyncio.get_running_loop().time()
    assert not lives(app)
    assert asyncio.get_running_loop().time() - begun < 25


async def test_an_app_reads_no_more_keys_than_it_handles(tmp_path: Path) -> None:
    command = scripted(tmp_path, "text: Good morning.")
    process = await AppProcess.start([*command("one"), "--page=90x30"], grace_s=15)
    typed = asyncio.Event()

    class Typing:
        async def draw(self, data: bytes) -> None:
            if not typed.is_set() and b"message" in data:
                for _ in range(4096):
                    process.type("x" * 4096)
                typed.set()

        async def send(self, kind: str, text: str) -> None:
            pass

    running = asyncio.create_task(process.run(Typing()))
    await typed.wait()
    begun = seconds_used(process.process.pid)
    await until(lambda: seconds_used(process.process.pid) > begun + 3, 60)
    await process.end()
    assert await running == ""
    assert process.process.returncode == 0  # it came to the request to end, behind what it had read


async def test_a_page_is_free_although_another_process_holds_the_output_of_its_app() -> None:
    seconds = "986.73"
    app = f"sleep {seconds} & printf '__GANGLION__\\n'; head -c 1 > /dev/null"
    async with serve(lambda name: ["sh", "-c", app, name]) as served:
        try:
            tab = await served.enter()
            for _ in range(2):
                socket = await served.connect(tab)
                await until(lambda: processes_with("head -c 1"))
                await socket.close()
                await until(lambda: not processes_with("head -c 1"))
        finally:
            for left in processes_with(seconds):
                os.kill(left, signal.SIGKILL)
            await until(lambda: not processes_with(seconds))


async def test_the_server_ends_although_its_page_reads_nothing() -> None:
    talks = (
        "import os, signal\nsignal.signal(15, signal.SIG_IGN)\nos.write(1, b'__GANGLION__\\n')\n"
        "while True: os.write(1, b'D' + (32749).to_bytes(4, 'big') + b'x' * 32749)"
    )
    async with serve(lambda name: [sys.executable, "-c", talks, name]) as served:
        await served.connect(await served.enter())
        await until(lambda: processes_with("32749"))
        (app,) = processes_with("32749")
        looks = iter(range(20))
        await until(lambda: "\nState:\tS" in status(app) and next(looks, None) is None)
    assert not lives(app)


async def test_an_app_that_is_stuck_ends_with_its_server(tmp_path: Path) -> None:
    """Its input stays open, and its output is full: only its parent tells it."""
    program = [*scripted(tmp_path, "text: Good morning.")("one"), "--page=90x30"]
    (theirs, _ours), (output, shown) = os.pipe(), os.pipe()
    starts = f"import subprocess, time\nsubprocess.Popen({program!r}, stdin={theirs}, stdout={shown})\ntime.sleep(99)"
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", starts, pass_fds=(theirs, shown))
    assert b"__GANGLION__" in await asyncio.to_thread(os.read, output, 12)
    (app,) = {*processes_with(f"--work-dir={tmp_path}/work")} - {server.pid}
    server.kill()
    await server.wait()
    await until(lambda: not lives(app))


async def test_an_app_that_does_not_leave_is_ended() -> None:
    deaf = 'import signal, time\nsignal.signal(15, 1)\nprint("__GANGLION__", flush=True)\ntime.sleep(99)'
    process = await AppProcess.start(["python3", "-c", deaf], grace_s=0.2)
    assert await process.wait_until_ready()
    await asyncio.wait_for(process.end(), 5)
    assert process.process.returncode == -9
