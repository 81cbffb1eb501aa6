"""The demo's flow through the official SDK and a real HTTP server, and what becomes of a server that fails."""

import asyncio
import shutil
import sys
from pathlib import Path

import pytest

from kimi_tui.cli.modes.demo import FLOW
from kimi_tui.paths import bundled
from tests.llm.scripted_server import ScriptedServer
from tests.llm.servers import OpenAIServer, chat_reply, status

ASSETS = bundled("skills") / FLOW / "assets"


async def run(tmp_path: Path, base_url: str, *extra: str) -> tuple[int, str, str]:
    work_dir = tmp_path / "project"
    if not work_dir.exists():
        shutil.copytree(ASSETS / "project", work_dir)
    config = tmp_path / "config.yaml"
    config.write_text(
        f"providers: {{p: {{type: kimi, base_url: '{base_url}', api_key: sk-test-key}}}}\n"
        "models: {m: {provider: p, model: test, max_context_size: 100000}}\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "kimi_tui", "--print", "--work-dir", str(work_dir), "--config-file", str(config), *extra,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def test_the_flow_runs_through_the_sdk_with_tools_and_branches(tmp_path):
    async with ScriptedServer(ASSETS / "script.txt") as server:
        code, out, err = await run(tmp_path, server.base_url, "--flow", FLOW)
    assert code == 0, err
    assert "<choice>no</choice>" in out
    assert "All five tests pass" in out
    assert "max(" in (tmp_path / "project" / "busy.py").read_text()
    assert server.requests[0].json["model"] == "test"
    assert server.requests[0].headers["authorization"] == "Bearer sk-test-key"


async def test_a_429_a_500_and_a_cut_stream_are_got_over_without_text_twice(tmp_path):
    whole = chat_reply(["It ", "is ", "done."])
    async with OpenAIServer() as server:
        server.add(status(429, {"error": {"message": "slow"}}, retry_after="0"), status(500, "<html>oops</html>"))
        server.add(whole.cut(3), whole)
        code, out, _ = await run(tmp_path, server.base_url, "-p", "x", "--max-retries-per-step", "4", "--quiet")
    assert (code, out) == (0, "It is done.\n")
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("answer", "code", "cause"),
    [
        (status(503, {"error": {"message": "overloaded"}}), 75, "overloaded"),
        (status(401, {"error": {"message": "no"}}), 1, "no"),
    ],
)
async def test_a_service_that_keeps_failing_ends_with_a_clear_message_and_the_right_status(
    tmp_path, answer, code, cause
):
    async with OpenAIServer() as server:
        server.fallback = answer
        got, _, err = await run(tmp_path, server.base_url, "-p", "x", "--max-retries-per-step", "2")
    assert got == code
    assert cause in err
    assert "sk-test-key" not in err
    assert "Traceback" not in err


async def test_a_refused_connection_says_so(tmp_path):
    async with OpenAIServer() as server:
        gone = server.base_url
    code, _, err = await run(tmp_path, gone, "-p", "x", "--max-retries-per-step", "1")
    assert code == 75
    assert gone.split("/")[2] in err or "connect" in err.lower()
