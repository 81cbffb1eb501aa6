import asyncio
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from kimi_tui.cli.log_file import log_file
from kimi_tui.cli.main import main
from tests.mcp.harness import SERVERS, odd
from tests.mcp.http_server import Request, http_server

EVERYDAY = [sys.executable, str(SERVERS / "everyday.py")]


def home_file() -> Path:
    return Path(os.environ["KIMI_TUI_HOME"]) / "mcp.json"


def test_add_list_remove(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "add", "every", "-e", "KEY=hidden=value", "--", *EVERYDAY, "--token=hidden-0123"]) == 0
    assert (
        main(
            ["mcp", "add", "web", "https://me:hidden@example.com/mcp?key=hidden", "-H", "Authorization: Bearer hidden"]
        )
        == 0
    )
    assert main(["mcp", "add", "old", "-t", "sse", "-a", "oauth", "https://example.com/sse"]) == 0
    assert json.loads(home_file().read_text("utf-8"))["mcpServers"] == {
        "every": {"command": EVERYDAY[0], "args": [EVERYDAY[1], "--token=hidden-0123"], "env": {"KEY": "hidden=value"}},
        "web": {
            "url": "https://me:hidden@example.com/mcp?key=hidden",
            "transport": "http",
            "headers": {"Authorization": "Bearer hidden"},
        },
        "old": {"url": "https://example.com/sse", "transport": "sse", "auth": "oauth"},
    }
    capsys.readouterr()
    assert main(["mcp", "list"]) == 0
    assert main(["mcp", "list", "--json"]) == 0
    shown = capsys.readouterr().out
    assert "hidden" not in shown
    assert "old  sse  https://example.com/sse  (oauth)" in shown
    assert main(["mcp", "remove", "old"]) == 0
    assert main(["mcp", "remove", "old"]) == 2


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["add", "x", "-t", "http", "--", "npx"], "--transport http needs a URL"),
        (["add", "x", "-e", "KEY", "--", "npx"], "--env 'KEY': write it as NAME=VALUE"),
        (["add", "x", "-H", "nothing", "http://a/mcp"], "--header 'nothing': write it as Name: value"),
        (["add", "x", "-a", "oauth", "--", "npx"], "need a server with a URL"),
        (["add", "\x1b[2J", "--", "npx"], "a server name must be 1 to 100 printable characters"),
        (["test", "absent"], "no MCP server named 'absent'. Available: none"),
        (["auth", "absent"], "no MCP server named 'absent'"),
        ([], "required: COMMAND"),
    ],
)
def test_what_is_wrong_is_said(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    where = ["--work-dir", str(tmp_path)] if arguments and arguments[0] == "test" else []
    assert main(["mcp", *arguments, *where]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert "\x1b" not in said


def test_a_server_is_tested(capsys: pytest.CaptureFixture[str]) -> None:
    entries = {"every": {"command": EVERYDAY[0], "args": EVERYDAY[1:]}, "crash": odd("crash")}
    named = ["--mcp-config", json.dumps({"mcpServers": entries})]
    assert main(["mcp", "test", "every", *named]) == 0
    assert "  echo  Say it again.\n" in capsys.readouterr().out
    assert main(["mcp", "test", "crash", *named]) == 1
    said = capsys.readouterr().err
    assert said == "kimi-tui: crash: failed: ended with exit code 1: ModuleNotFoundError: no module named 'milk'\n"


def test_a_server_is_tested_with_the_sandbox_and_the_secrets_of_the_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = tmp_path / "written"
    written.mkdir()
    (written / "tool").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{written}:{os.environ['PATH']}")
    monkeypatch.setenv("PLAIN", "key-of-the-config")
    home_file().parent.mkdir(exist_ok=True)
    home_file().with_name("config.yaml").write_text(
        f"sandbox: {{writable: [{written}]}}\n"
        "models: {m: {provider: p, model: m}}\nproviders: {p: {type: kimi, api_key: key-of-the-config}}\n"
    )
    teller = "import os, sys; sys.exit(3 if 'PLAIN' in os.environ else 4)"
    entries = {"tool": {"command": "tool"}, "teller": {"command": sys.executable, "args": ["-c", teller]}}
    named = ["--mcp-config", json.dumps({"mcpServers": entries})]
    assert main(["mcp", "test", "tool", *named]) == 1
    assert f"`{written}/tool` is in the project, where commands can change it" in capsys.readouterr().err
    assert main(["mcp", "test", "teller", *named]) == 1
    assert "exit code 4" in capsys.readouterr().err


def test_a_projects_servers_are_tested_once_it_is_trusted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"theirs": odd("chatty")}}), "utf-8")
    where = ["--work-dir", str(tmp_path)]
    assert main(["mcp", "test", "theirs", *where]) == 2
    assert "is not trusted yet" in capsys.readouterr().err
    assert main(["mcp", "list", *where]) == 0
    assert "(untrusted: kimi-tui trust)" in capsys.readouterr().out
    assert main(["trust", str(tmp_path)]) == 0
    assert main(["mcp", "test", "theirs", *where]) == 0
    assert main(["trust", str(tmp_path), "--undo"]) == 0
    assert main(["mcp", "test", "theirs", *where]) == 2
    assert main(["--trust", "mcp", "test", "theirs", *where]) == 0


def test_help_needs_no_sdk() -> None:
    code = (
        "import sys\n"
        "from kimi_tui.cli.options import parser\n"
        "parser().format_help()\n"
        "print([name for name in ('mcp', 'pydantic', 'asyncio') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("command", "name"), [(["mcp", "add", "web", "https://example.com/mcp"], "mcp.json"), (["trust"], "trusted.json")]
)
def test_a_full_disk_is_reported_with_the_file(tmp_path: Path, command: list[str], name: str) -> None:
    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = subprocess.run(
        [sys.executable, "-B", "-m", "kimi_tui", *command],
        capture_output=True,
        text=True,
        preexec_fn=no_room,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert done.returncode == 1
    assert str(home_file().with_name(name)) in done.stderr


@pytest.mark.parametrize("action", ["test", "auth"])
async def test_what_a_library_says_of_a_failure_is_in_the_log_and_not_on_the_terminal(action: str) -> None:
    async def failing(request: Request) -> bool:
        if request.method == "POST":
            await request.answer(500 if action == "test" else 401)
        elif action == "test":
            request.writer.write(b"HTTP/1.1 200 it\r\nContent-Type: text/event-stream\r\n\r\n")
            request.writer.write(b"event: endpoint\ndata: /post\n\n")
        else:
            await request.answer(404)
        return True

    async with http_server(failing) as served:
        kind = {"transport": "sse"} if action == "test" else {"auth": "oauth"}
        entry = {"url": served.url, "connect_timeout_ms": 1000, **kind}
        words = ["mcp", action, "g", "--mcp-config", json.dumps({"mcpServers": {"g": entry}})]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "kimi_tui", *words, stderr=asyncio.subprocess.PIPE
        )
        _, said = await process.communicate()
    assert said.decode().startswith("kimi-tui: g: ")
    assert said.count(b"\n") == 1
    assert "Traceback" in log_file().read_text("utf-8")
