"""Servers that others publish, as they come from PyPI and npm; each is skipped where it is not installed.

    pip install mcp-server-time mcp-server-git mcp-server-fetch
    npm install @modelcontextprotocol/server-{filesystem,memory,everything}

They are looked for on PATH, and in the folders of KIMI_TUI_TEST_SERVERS (as PATH is written).
"""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from kimi_tui.tools.core.progress import Progress
from kimi_tui.wire.requests import QuestionRequest
from tests.mcp.harness import McpHarness, free_port, mcp_harness, odd
from tests.tools.harness import processes_with, until

FOLDERS = os.pathsep.join(filter(None, (os.environ.get("KIMI_TUI_TEST_SERVERS"), os.environ.get("PATH"))))


def published(name: str, *args: str, **more: Any) -> dict[str, Any]:
    return {"command": command_of(name), "args": list(args), "connect_timeout_ms": 60_000, **more}


def command_of(name: str) -> str:
    found = shutil.which(f"mcp-server-{name}", path=FOLDERS)
    if found is None:
        pytest.skip(f"mcp-server-{name} is not installed")
    return found


async def test_time(tmp_path: Path) -> None:
    async with mcp_harness(tmp_path, time=published("time", "--local-timezone", "Europe/Berlin")) as at:
        assert at.state("time").status == "connected", at.state("time").cause
        converted = await at.use(
            "convert_time", source_timezone="Europe/Berlin", time="12:00", target_timezone="Asia/Tokyo"
        )
        assert "Asia/Tokyo" in str(converted.output)
        assert "target" in str(converted.output)
        wrong = await at.use("get_current_time", timezone="Nowhere/Land")
        assert wrong.is_error
        assert "Nowhere/Land" in f"{wrong.output}{wrong.message}"


async def test_git(tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=n@example.org"]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "the very first"], check=True)
    async with mcp_harness(tmp_path, git=published("git", "--repository", str(tmp_path))) as at:
        (tmp_path / "new.txt").write_text("x")
        assert "new.txt" in str((await at.use("git_status", repo_path=str(tmp_path))).output)
        assert not (await at.use("git_add", repo_path=str(tmp_path), files=["new.txt"])).is_error
        assert "the very first" in str((await at.use("git_log", repo_path=str(tmp_path))).output)


async def test_fetch(tmp_path: Path) -> None:
    async def page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = b"<html><body><article><h1>Tides</h1><p>The sea comes and goes.</p></article></body></html>"
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n")
        writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(page, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with mcp_harness(tmp_path, fetch=published("fetch", "--ignore-robots-txt", "--allow-private-ips")) as at:
            got = await at.use("fetch", url=f"http://127.0.0.1:{port}/", raw=True)
            assert "The sea comes and goes." in str(got.output)


async def test_filesystem(tmp_path: Path) -> None:
    async with mcp_harness(tmp_path, fs=published("filesystem", str(tmp_path))) as at:
        path = str(tmp_path / "a.txt")
        assert not (await at.use("mcp__fs__write_file", path=path, content="salt")).is_error
        assert Path(path).read_text() == "salt"
        assert "salt" in str((await at.use("mcp__fs__read_text_file", path=path)).output)
        outside = await at.use("mcp__fs__read_text_file", path="/etc/hostname")
        assert outside.is_error
        assert "denied" in str(outside.output)


async def test_memory(tmp_path: Path) -> None:
    entry = published("memory", env={"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")})
    async with mcp_harness(tmp_path, memory=entry) as at:
        ship = {"name": "Argo", "entityType": "ship", "observations": ["has a keel of oak"]}
        assert not (await at.use("create_entities", entities=[ship])).is_error
    async with mcp_harness(tmp_path, memory=entry) as at:
        assert "keel of oak" in str((await at.use("search_nodes", query="Argo")).output)


async def everything_works(at: McpHarness) -> None:
    """One tool of each kind that there is."""
    assert at.state("all").status == "connected", at.state("all").cause
    assert "hello" in str((await at.use("echo", message="hello")).output)
    assert "5" in str((await at.use("get-sum", a=2, b=3)).output)
    parts = (await at.use("get-tiny-image")).output
    assert any(part.type == "image_url" for part in parts)
    structured = await at.use("get-structured-content", location="Chicago")
    assert "temperature" in str(structured.output)
    assert "demo://resource" in str((await at.use("get-resource-links", count=2)).output)
    wrong = await at.use("get-sum", a="two", b=3)
    assert wrong.is_error
    seen: list[Progress] = []
    unlisten = at.progress.listen(seen.append)
    done = await at.use("trigger-long-running-operation", duration=1, steps=4)
    unlisten()
    assert "completed" in str(done.output)
    assert any("/4" in line for progress in seen for line in progress.lines)


async def test_everything_over_stdio(tmp_path: Path) -> None:
    async with mcp_harness(tmp_path, all=published("everything", "stdio")) as at:
        await everything_works(at)
        assert tmp_path.as_uri() in str((await at.use("get-roots-list")).output)
        asked = asyncio.create_task(at.use("trigger-elicitation-request"))
        await until(lambda: bool(at.of(QuestionRequest)))
        assert not (await asked).is_error
        cancelled = asyncio.create_task(at.use("trigger-long-running-operation", duration=60, steps=60))
        await asyncio.sleep(0)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        assert "still here" in str((await at.use("echo", message="still here")).output)
    await until(lambda: not processes_with("mcp-server-everything"))


@asynccontextmanager
async def everything_on_a_port(how: str) -> AsyncIterator[int]:
    command, port = command_of("everything"), free_port()
    process = await asyncio.create_subprocess_exec(
        command, how, env=os.environ | {"PORT": str(port)}, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(30):
            while b"port" not in (line := await process.stderr.readline()).lower():
                assert line, "it ended"
        rest = asyncio.create_task(process.stderr.read())
        yield port
    finally:
        process.terminate()
        await process.wait()
    await rest


@pytest.mark.parametrize(("how", "path"), [("streamableHttp", "mcp"), ("sse", "sse")])
async def test_everything_over_http(tmp_path: Path, how: str, path: str) -> None:
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(everything_on_a_port(how))
        entry = {"url": f"http://127.0.0.1:{port}/{path}", "transport": "sse" if how == "sse" else "http"}
        await everything_works(await stack.enter_async_context(mcp_harness(tmp_path, all=entry)))


async def test_all_at_once_beside_one_that_crashes_one_that_hangs_and_one_that_floods(tmp_path: Path) -> None:
    entries = {
        "time": published("time"),
        "fs": published("filesystem", str(tmp_path)),
        "all": published("everything", "stdio"),
        "memory": published("memory", env={"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")}),
        "crash": odd("crash"),
        "hang": odd("hang", connect_timeout_ms=500),
        "flood": odd("noise"),
    }
    async with mcp_harness(tmp_path, **entries) as at:
        standing = {state.name: state.status for state in at.servers.states()}
        assert [name for name, status in standing.items() if status == "connected"] == ["time", "fs", "all", "memory"]
        assert {standing[name] for name in ("crash", "hang", "flood")} == {"failed"}
        assert len({json.dumps(spec.parameters) for spec in at.toolset.specs}) > 20
        assert "hi" in str((await at.use("echo", message="hi")).output)
