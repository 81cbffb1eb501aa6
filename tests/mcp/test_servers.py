"""Many servers at once: those that work are used, the others are told of."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kimi_tui import paths
from kimi_tui.errors import UsageError
from kimi_tui.mcp.config import check, load, start_folder
from kimi_tui.mcp.failure_notices import FailureNotices
from kimi_tui.mcp.start_env import env_outside
from kimi_tui.wire.events import MCPLoadingBegin, MCPLoadingEnd, StatusUpdate
from tests.mcp.harness import SERVERS, McpHarness, everyday, mcp_harness, odd
from tests.tools.harness import processes_with, until


async def test_servers_that_fail_are_told_of_and_the_others_work(tmp_path: Path) -> None:
    async with mcp_harness(
        tmp_path,
        good=odd("chatty"),
        crash=odd("crash"),
        hang=odd("hang", connect_timeout_ms=500),
        noise=odd("noise"),
        abyss=odd("abyss"),
        absent={"command": "no-such-command"},
        nowhere={"url": "http://127.0.0.1:9/mcp"},
        bare={"command": "x", "env": {"KEY": "${NO_SUCH_VARIABLE}"}},
        off=odd("crash", enabled=False),
    ) as at:
        causes = {state.name: state.cause for state in at.servers.states()}
        assert at.state("good").status == "connected"
        assert causes["crash"] == "ended with exit code 1: ModuleNotFoundError: no module named 'milk'"
        assert causes["hang"] == "no answer within 0.5 s"
        assert causes["noise"] == "it sent a flood of messages"
        assert causes["abyss"] == "it sent a message that cannot be read"
        assert causes["absent"] == "command not found: 'no-such-command'"
        assert "connection attempts failed" in causes["nowhere"]
        assert "env.KEY needs the variable NO_SUCH_VARIABLE" in causes["bare"]
        assert at.state("off").status == "disabled"
        assert {title.split()[2].rstrip(":") for title, _ in at.told} == set(causes) - {"good", "off"}
        assert (await at.use("mcp__good__ping")).output == "ping done"


async def test_the_wire_is_told_of_loading_and_status(tmp_path: Path) -> None:
    async with mcp_harness(tmp_path, good=odd("chatty"), crash=odd("crash")) as at:
        kinds = [type(message) for message in at.received]
        assert kinds[0] is MCPLoadingBegin
        assert kinds[-1] is MCPLoadingEnd
        first, *_, last = [message.mcp_status for message in at.of(StatusUpdate)]
        assert (first.loading, first.connected, first.total) == (True, 0, 2)
        assert (last.loading, last.connected, last.total, last.tools) == (False, 1, 2, 1)
        assert [(server.name, server.status, server.tools) for server in last.servers] == [
            ("good", "connected", ("ping",)),
            ("crash", "failed", ()),
        ]


async def test_a_turn_waits_no_longer_than_it_is_told_to(tmp_path: Path) -> None:
    at = McpHarness(tmp_path, {"hang": odd("hang")})
    await at.servers.ready(0.05)
    assert at.servers.status().loading
    await at.servers.aclose()
    await until(lambda: not processes_with(str(tmp_path)))


async def test_a_server_that_died_is_started_again_by_the_next_call(tmp_path: Path) -> None:
    async with mcp_harness(tmp_path, every=everyday()) as at:
        first = (await at.use("mcp__every__pid")).output
        died = await at.use("mcp__every__die")
        assert died.is_error
        assert died.message == "The MCP server `every` failed: ended with exit code 3: out of milk"
        await until(lambda: at.state("every").status == "failed")
        assert "mcp__every__pid" in at.toolset.names
        second = await at.use("mcp__every__pid")
        assert not second.is_error
        assert second.output != first
        assert at.state("every").status == "connected"


async def test_a_server_can_be_restarted_by_name(tmp_path: Path) -> None:
    async with mcp_harness(tmp_path, every=everyday(), off=odd("crash", enabled=False)) as at:
        first = (await at.use("mcp__every__pid")).output
        assert (await at.servers.restart("every")).status == "connected"
        assert (await at.use("mcp__every__pid")).output != first
        with pytest.raises(UsageError, match=r"no MCP server named 'other'. Available: every, off"):
            await at.servers.restart("other")
        with pytest.raises(UsageError, match="is disabled"):
            await at.servers.restart("off")


async def test_tools_that_a_server_gets_are_offered(tmp_path: Path) -> None:
    async with mcp_harness(tmp_path, every=everyday()) as at:
        assert "mcp__every__another" not in at.toolset.names
        await at.use("mcp__every__grow")
        await until(lambda: "mcp__every__another" in at.toolset.names)
        assert (await at.use("mcp__every__another")).output == "I am new"


async def test_a_short_name_is_understood_while_it_means_one_tool(tmp_path: Path) -> None:
    async with mcp_harness(tmp_path, a=odd("chatty"), b=odd("names")) as at:
        assert (await at.use("ping")).output == "ping done"
        assert (await at.use("same")).output == "same done"
    async with mcp_harness(tmp_path, a=odd("chatty"), b=odd("chatty")) as at:
        assert "There is no tool `ping`" in (await at.use("ping")).message


async def test_only_allowed_tools_are_offered(tmp_path: Path) -> None:
    async with mcp_harness(tmp_path, every=everyday(allowed_tools=["echo", "gone"])) as at:
        assert at.toolset.names == ("mcp__every__echo",)
        assert at.state("every").notes == ("gone: allowed, but it has no such tool",)


async def test_tools_stand_in_the_order_of_the_configuration(tmp_path: Path) -> None:
    async with mcp_harness(tmp_path, slow=everyday(allowed_tools=["echo"]), quick=odd("chatty")) as at:
        assert at.toolset.names == ("mcp__slow__echo", "mcp__quick__ping")


async def test_nothing_that_a_server_started_is_left(tmp_path: Path) -> None:
    async with mcp_harness(tmp_path, family=odd("family"), deaf=odd("deaf", connect_timeout_ms=300)) as at:
        (name,) = at.toolset.names
        child = Path("/proc") / name.rpartition("_")[2]
        assert child.exists()
    await until(lambda: not child.exists() or "Z (zombie)" in (child / "status").read_text())


def test_importing_the_configuration_does_not_load_the_sdk() -> None:
    modules = "kimi_tui.mcp.config, kimi_tui.mcp.servers, kimi_tui.cli.commands.mcp"
    code = f"import sys, {modules}; print([m for m in ('mcp', 'mcp_types', 'anyio') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


async def test_the_same_trouble_is_told_once_over_all_starts_until_the_server_has_worked(tmp_path: Path) -> None:
    file, script = tmp_path / "told.json", tmp_path / "server.py"

    async def start(code: str) -> list[tuple[str, str]]:
        script.write_text(code)
        async with mcp_harness(
            tmp_path, told=FailureNotices(file), it={"command": sys.executable, "args": [str(script)]}
        ) as at:
            return at.told

    bad, worse = "import sys; sys.exit('no key')", "import sys; sys.exit('no net')"
    works = f"import runpy; runpy.run_path({str(SERVERS / 'everyday.py')!r}, run_name='__main__')"
    told = [len(await start(code)) for code in (bad, bad, worse, worse, works, worse)]
    assert told == [1, 0, 1, 0, 0, 1]


async def test_an_invalid_tool_is_left_out_with_a_note_and_the_others_work(tmp_path: Path) -> None:
    async with mcp_harness(tmp_path, odd=odd("invalid")) as at:
        assert [tool.name for tool in at.state("odd").tools] == ["ping", "last"]
        assert at.state("odd").notes == tuple(
            f"{name}: ignored; its entry is invalid" for name in ("?", "bare", "text", "?")
        )
        assert (await at.use("mcp__odd__last")).output == "last done"


async def test_a_server_runs_nothing_that_a_command_left_in_the_project(tmp_path: Path) -> None:
    """`python -m` imports from the current folder first; so does `npx` look for programs."""
    (tmp_path / "json.py").write_text(f"import pathlib; pathlib.Path({str(tmp_path / 'ran')!r}).touch()")
    entry = {"command": sys.executable, "args": ["-m", "odd", "chatty"], "env": {"PYTHONPATH": str(SERVERS)}}
    async with mcp_harness(tmp_path, good=entry) as at:
        assert at.state("good").status == "connected"
    assert not (tmp_path / "ran").exists()


async def test_a_server_finds_no_program_and_no_module_in_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An activated virtual environment of the project is in `PATH`, and commands can write it."""
    ran = tmp_path / "ran"
    planted, own = tmp_path / ".venv/bin", tmp_path.parent / f"{tmp_path.name}-bin"
    for folder in (planted, own):
        folder.mkdir(parents=True)
    for file in (planted / "serve", planted / "python3", planted / "only-here"):
        file.write_text(f"#!/bin/sh\ntouch {ran}\n")
        file.chmod(0o755)
    (own / "serve").write_text(f"#!/bin/sh\npython3 -c pass && exec {sys.executable} {SERVERS / 'odd.py'} chatty\n")
    (own / "serve").chmod(0o755)
    (tmp_path / "json.py").write_text(f"import pathlib; pathlib.Path({str(ran)!r}).touch()")
    monkeypatch.setenv("PATH", f".venv/bin:{planted}:{own}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}")
    monkeypatch.setenv("NODE_OPTIONS", f"--max-old-space-size=99 --require={tmp_path}/x.js")
    monkeypatch.setenv("VIRTUAL_ENV", f"{planted.parent}")
    async with mcp_harness(tmp_path, good={"command": "serve"}, bad={"command": "only-here"}) as at:
        assert at.state("good").status == "connected"
        assert at.state("bad").cause == (
            f"`{planted / 'only-here'}` is in the project, where commands can change it: "
            "name its full path, or set `cwd`"
        )
    assert not ran.exists()
    env = {"PATH": f"bin::{planted}:/usr/bin", "PWD": f"{tmp_path}", "JAVA_TOOL_OPTIONS": f"-javaagent:/{tmp_path}/x"}
    assert env_outside([tmp_path], {**env, "X": "/usr", "Y": ""}) == {
        "PATH": "/usr/bin", "PWD": f"{tmp_path}", "X": "/usr", "Y": "",
    }  # fmt: skip


def test_a_server_starts_in_the_project_only_if_it_is_told_to(tmp_path: Path) -> None:
    elsewhere = paths.home() / "mcp"
    entries: list[tuple[dict[str, object], Path]] = [
        ({"command": "npx", "args": ["-y", "@scope/server", "--flag=x"]}, elsewhere),
        ({"command": "/opt/server", "args": ["/opt/lib/server.js"]}, elsewhere),
        ({"command": "npx", "args": ["-y", "server-filesystem", "."]}, tmp_path),
        ({"command": "serve", "args": ["--root=./docs"]}, tmp_path),
        ({"command": "node", "args": ["build/index.js"]}, tmp_path),
        ({"command": "bin/serve"}, tmp_path),
        ({"command": "npx", "args": ["-y", "x"], "cwd": "."}, tmp_path),
        ({"command": "npx", "args": ["-y", "x"], "cwd": "/opt"}, Path("/opt")),
    ]
    for entry, folder in entries:
        server = check("x", entry, "mcp.json")
        assert start_folder(server, server.config, tmp_path) == folder, entry
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"x": {"command": "npx"}}}')
    (server,) = load(tmp_path, trusted=True).servers
    assert start_folder(server, server.config, tmp_path) == tmp_path
