"""An MCP server that ignores the end of its input, and signals, is gone when we are, however that came about."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from tests.faults.terminal import Terminal
from tests.tools.harness import processes_with, until
from tests.ui.untrusted_folder import PROGRAM, options_for

pytestmark = pytest.mark.timeout(90)

DEAF = """
import signal, subprocess, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
if len(sys.argv) < 3:
    subprocess.Popen([sys.executable, __file__, sys.argv[1], "child"], start_new_session=True)
while True:
    time.sleep(60)
"""
ARGUMENTS = {"print": ["--print", "-p", "go"], "wire": ["--wire"], "acp": ["acp"]}
KILL, HUP, QUIT = signal.SIGKILL, signal.SIGHUP, signal.SIGQUIT


def options_with_deaf_server(tmp_path: Path) -> tuple[list[str], str]:
    """Options of a face with that server, and a word by which its processes are found."""
    mark = uuid4().hex
    script = tmp_path / "deaf.py"
    script.write_text(DEAF)
    servers = tmp_path / "mcp.json"
    servers.write_text(json.dumps({"mcpServers": {"deaf": {"command": sys.executable, "args": [str(script), mark]}}}))
    return [*options_for(tmp_path, "text: hi"), "--mcp-config-file", str(servers)], f"deaf.py\0{mark}"


async def gone(mark: str) -> None:
    try:
        await until(lambda: not processes_with(mark))
    finally:
        for pid in processes_with(mark):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("face", "number"), [("print", KILL), ("print", HUP), ("wire", KILL), ("wire", QUIT), ("acp", KILL)]
)
async def test_a_server_that_ignores_all_ends_with_a_face_without_a_screen(
    tmp_path: Path, face: str, number: signal.Signals
) -> None:
    options, mark = options_with_deaf_server(tmp_path)
    with subprocess.Popen(
        [*PROGRAM, *options, *ARGUMENTS[face]], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        for message in (
            {"id": 1, "method": "initialize", "params": {"protocolVersion": 1, "protocol_version": "1.10"}},
            {"id": 2, "method": "session/new", "params": {"cwd": str(tmp_path), "mcpServers": []}},
        ):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        process.stdin.flush()
        await until(lambda: processes_with(f"{mark}\0child"), seconds=30)
        process.send_signal(number)
        assert await asyncio.to_thread(process.wait, 20) in (-number, 128 + number)
    await gone(mark)


async def test_a_server_that_ignores_all_ends_with_the_screen(tmp_path: Path) -> None:
    options, mark = options_with_deaf_server(tmp_path)
    with Terminal(options, cwd=tmp_path) as terminal:
        await asyncio.to_thread(terminal.wait, lambda: processes_with(f"{mark}\0child"), seconds=30)
        os.kill(terminal.process.pid, KILL)
        await asyncio.to_thread(terminal.end)
    await gone(mark)
