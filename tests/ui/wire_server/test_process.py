"""`kimi-tui --wire` as a program: its pipes, its end, and what it leaves behind."""

import asyncio
import json
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.soul.test_soul import until
from tests.ui.sleeper import sleeper
from tests.ui.wire_server.client import WireClient


def peer_config(tmp_path, *replies):
    """A configuration as clients of the reference peer write it."""
    scripts = tmp_path / "scripts.json"
    scripts.write_text(json.dumps(list(replies)))
    config = tmp_path / "config.json"
    value = {
        "default_model": "scripted",
        "models": {"scripted": {"provider": "p", "model": "scripted_echo", "max_context_size": 100000}},
        "providers": {
            "p": {
                "type": "_scripted_echo",
                "base_url": "",
                "api_key": "",
                "env": {"KIMI_SCRIPTED_ECHO_SCRIPTS": str(scripts)},
            }
        },
    }
    config.write_text(json.dumps(value))
    return config


@contextmanager
def program(tmp_path, *replies, extra=()):
    work_dir = tmp_path / "work"
    work_dir.mkdir(exist_ok=True)
    config = peer_config(tmp_path, *replies)
    argv = [sys.executable, "-m", "kimi_tui", "--wire", "--config-file", str(config), "--work-dir", str(work_dir)]
    argv += ["--yolo", "--session", "s1", *extra]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def client_of(process):
    return WireClient(process.stdout.fileno(), process.stdin.fileno())


@pytest.mark.parametrize("end", ["stdin", signal.SIGTERM])
async def test_the_end_in_the_middle_of_a_tool_leaves_no_process_and_a_session_that_loads(tmp_path, end):
    sleep, sleeps = sleeper()
    with program(tmp_path, sleep) as process:
        client = client_of(process)
        turn = client.begin("prompt", user_input="go")
        await until(lambda: (tmp_path / "work" / "begun").exists() and sleeps())
        if end == "stdin":
            process.stdin.close()
        else:
            process.send_signal(end)
        assert await turn == {"status": "cancelled"}
        assert await asyncio.to_thread(process.wait) == (0 if end == "stdin" else 128 + end)
        assert process.stderr.read() == b""
    assert not sleeps()
    with program(tmp_path, "text: back again") as process:
        client = client_of(process)
        assert (await client.call("replay"))["status"] == "finished"
        assert client.types[-1] == "StepInterrupted"
        assert await client.call("prompt", user_input="go on") == {"status": "finished"}


async def test_nobody_reading_any_more_ends_it(tmp_path):
    with program(tmp_path, "text: " + "word " * 20_000) as process:
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"prompt","params":{"user_input":"hi"}}\n')
        process.stdin.flush()
        process.stdout.read(10)
        process.stdout.close()
        assert await asyncio.to_thread(process.wait) == 0
        assert process.stderr.read() == b""


async def test_a_huge_line_of_garbage_is_an_error_and_half_a_line_at_the_end_too(tmp_path):
    with program(tmp_path, "text: still here") as process:
        client = client_of(process)
        await asyncio.to_thread(client.send_bytes, b"x" * (50 << 20) + b"\n")
        assert (await client.faults.get())["code"] == -32700
        assert await client.call("prompt", user_input="hi") == {"status": "finished"}
        client.send_bytes(b'{"jsonrpc": "2.0", "id": 3, "met')
        process.stdin.close()
        assert (await client.faults.get())["code"] == -32700
        assert await asyncio.to_thread(process.wait) == 0


def test_what_is_wrong_before_it_begins_is_told_on_stderr_alone(tmp_path):
    with program(tmp_path, extra=("--print",)) as process:
        out, errors = process.communicate()
        assert (process.returncode, out) == (2, b"")
        assert errors == b"kimi-tui: --wire, --acp and --print cannot be combined\n"
