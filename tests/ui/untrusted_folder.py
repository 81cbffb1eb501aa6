"""Every face, started in a folder of somebody else: it has to come up, take a turn and end, each within a deadline."""

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp

from tests.faults.terminal import Terminal, scripted

PROGRAM = [sys.executable, "-P", "-m", "kimi_tui"]
_SECONDS = 40


def options_for(tmp_path: Path, *replies: str) -> list[str]:
    """Options of a scripted model that keeps out of the folder."""
    return scripted(tmp_path, *replies)[2:]


async def printed(folder: Path, options: list[str]) -> str:
    async with _started([*options, "--yolo", "--print", "-p", "go"], folder) as process:
        out, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
        return out.decode() + errors.decode()


async def wired(folder: Path, options: list[str]) -> str:
    async with _started([*options, "--yolo", "--wire"], folder) as process:
        _send(process, id=1, method="initialize", params={"protocol_version": "1.10"})
        _send(process, id=2, method="prompt", params={"user_input": "go"})
        return await _heard(process, 2) + await _left(process)


async def served(folder: Path, options: list[str]) -> str:
    async with _started([*options, "--yolo", "acp"], folder) as process:
        _send(process, id=1, method="initialize", params={"protocolVersion": 1})
        _send(process, id=2, method="session/new", params={"cwd": str(folder), "mcpServers": []})
        received = await _heard(process, 2)
        (session,) = re.findall(r'"sessionId": ?"([^"]+)"', received)[:1]
        prompt = [{"type": "text", "text": "go"}]
        _send(process, id=3, method="session/prompt", params={"sessionId": session, "prompt": prompt})
        return received + await _heard(process, 3) + await _left(process)


async def screened(folder: Path, options: list[str]) -> str:
    return await asyncio.to_thread(_screened, folder, options)


async def in_browser(folder: Path, options: list[str]) -> str:
    """The page that a browser draws, up to its first frame."""
    async with _started([*options, "web", "--no-open"], folder) as process:
        assert process.stdout is not None
        (address,) = re.findall(rb"http://127\.0\.0\.1:\d+/\?token=\S+", await process.stdout.readline())
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
            page = await client.get(address.decode())
            (ws,) = re.findall(r'"(ws://[^"]+)"', await page.text())
            socket = await client.ws_connect(f"{ws}?width=100&height=30", headers={"Origin": str(page.url.origin())})
            seen = b""
            while not _is_up(seen.decode("utf-8", "replace")):
                message = await socket.receive(_SECONDS)
                assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT), seen
                seen += message.data if message.type is aiohttp.WSMsgType.BINARY else b""
        process.send_signal(signal.SIGTERM)
        return seen.decode("utf-8", "replace") + (await process.communicate())[1].decode()


FACES: dict[str, Callable[[Path, list[str]], Awaitable[str]]] = {
    "print": printed,
    "wire": wired,
    "acp": served,
    "screen": screened,
    "web": in_browser,
}


def _screened(folder: Path, options: list[str]) -> str:
    with Terminal([*options, "--yolo"], cwd=folder) as terminal:
        terminal.wait(lambda: _is_up(terminal.text), seconds=_SECONDS)
        terminal.wait(
            lambda: "trust this folder" in terminal.text or "○ starting" not in terminal.text, seconds=_SECONDS
        )
        terminal.settle(1)
        if "trust this folder" in terminal.text:
            terminal.type(b"y")
            terminal.wait(lambda: "trust this folder" not in terminal.text)
            terminal.settle()
        terminal.type(b"go")
        terminal.settle()
        terminal.type(b"\r")
        terminal.wait_for("Alldone", seconds=_SECONDS)
        text = terminal.text
        os.kill(terminal.process.pid, signal.SIGTERM)
        terminal.end()
        return text


def _is_up(text: str) -> bool:
    """The first frame, or the question of whether the folder is trusted."""
    return "message" in text or "trust" in text.lower()


@asynccontextmanager
async def _started(arguments: list[str], folder: Path):
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, *arguments, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, limit=1 << 24
    )
    try:
        async with asyncio.timeout(_SECONDS):
            yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _send(process: asyncio.subprocess.Process, **message: object) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


async def _heard(process: asyncio.subprocess.Process, number: int) -> str:
    """All that was said up to the answer of this number, which is no error."""
    assert process.stdout is not None
    lines: list[str] = []
    while line := (await process.stdout.readline()).decode():
        lines.append(line)
        message = json.loads(line)
        if message.get("id") == number and "method" not in message:
            assert "error" not in message, line
            return "".join(lines)
    assert process.stderr is not None
    raise AssertionError((await process.stderr.read()).decode())


async def _left(process: asyncio.subprocess.Process) -> str:
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.close()
    return (await process.stderr.read()).decode()
