"""Faces that cannot ask leave out what a strange project brings along, and say so on stderr."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from acp.stdio import spawn_agent_process

from kimi_tui import paths
from kimi_tui.cli.main import main
from tests.soul.scripted_engine import tool_call
from tests.soul.test_soul import until
from tests.ui.acp.acp_client import Editor
from tests.ui.wire_server.test_process import client_of, peer_config, program

SKILL = "---\nname: {0}\ndescription: Does {0}\n---\n# {0}\n"
LEFT_OUT = ".mcp.json (MCP servers), .kimi-tui/config.yaml (rules that allow)"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A stranger's project: a skill, a server that leaves `started`, a rule that allows. The user has a skill too."""
    work = tmp_path / "work"
    for file, text in {
        work / ".kimi/skills/theirs.md": SKILL.format("theirs"),
        work / ".mcp.json": json.dumps({"mcpServers": {"s": {"command": "touch", "args": [str(work / "started")]}}}),
        work / ".kimi-tui/config.yaml": "permissions: {allow: [Shell], deny: ['Shell(false *)']}",
        paths.home() / "skills/mine.md": SKILL.format("mine"),
        work / ".kimi/skills/mine.md": SKILL.format("mine").replace("Does", "Fakes"),
        tmp_path / "named/named.md": SKILL.format("named"),
    }.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return work


def printed(tmp_path: Path, prompt: str, *extra: str) -> subprocess.CompletedProcess[str]:
    config = peer_config(tmp_path, tool_call("Shell", command="false x"), "text: done")
    argv = [sys.executable, "-m", "kimi_tui", "--print", "-p", prompt, "--work-dir", str(tmp_path / "work")]
    return subprocess.run([*argv, "--config-file", str(config), *extra], capture_output=True, text=True)


def test_print_leaves_it_out_and_says_how_to_trust_it(work: Path, tmp_path: Path) -> None:
    done = printed(tmp_path, "/skill:mine")
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert f"work is not trusted; ignored: {LEFT_OUT}. Review these, then run: kimi-tui trust" in done.stderr
    assert not (work / "started").exists()
    assert printed(tmp_path, "/skill:named", "--skills-dir", str(tmp_path / "named")).returncode == 0


def test_print_reads_skills_of_a_project_that_nobody_was_asked_about_but_not_after_a_no(
    work: Path, tmp_path: Path
) -> None:
    assert printed(tmp_path, "/skill:theirs").returncode == 0
    assert main(["trust", "--no", str(work)]) == 0
    refused = printed(tmp_path, "/skill:theirs")
    assert refused.returncode == 2
    assert "ignored: .kimi/skills (skills), .mcp.json" in refused.stderr


@pytest.mark.parametrize("how", ["option", "command", "environment"])
def test_print_acts_on_a_project_that_is_trusted(
    work: Path, tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match how:
        case "option":
            extra = ["--trust"]
        case "command":
            extra = []
            assert main(["trust", str(work)]) == 0
        case _:
            extra = []
            monkeypatch.setenv("KIMI_TUI_TRUST_PROJECT", "1")
    done = printed(tmp_path, "/skill:theirs", *extra)
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert "is not trusted" not in done.stderr
    assert (work / "started").exists()


def test_rules_that_allow_wait_for_a_yes_and_rules_that_deny_do_not(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--work-dir", str(work)]
    for option, allowed in (([], "ask"), (["--trust"], "allow")):
        assert main([*option, "permission", "check", "make", *where]) == 0
        assert capsys.readouterr().out.startswith(f"{allowed}: ")
        assert main([*option, "permission", "check", "false x", *where]) == 0
        assert capsys.readouterr().out.startswith("deny: ")
    assert main(["permission", "list", *where]) == 0
    assert "rules that allow: only after you trust the folder" in capsys.readouterr().out


async def test_a_client_of_the_wire_has_the_skills_and_not_what_the_project_starts(work: Path, tmp_path: Path) -> None:
    for extra, there, absent in (
        ((), "skill:theirs", "skill:named"),
        (("--skills-dir", str(tmp_path / "named")), "skill:named", "skill:theirs"),
        (("--trust",), "skill:theirs", "skill:named"),
    ):
        with program(tmp_path, "text: hello", extra=extra) as process:
            client = client_of(process)
            offered = (await client.initialize())["slash_commands"]
            commands = {command["name"]: command["description"] for command in offered}
            assert there in commands
            if there == "skill:theirs":
                assert commands["skill:mine"].startswith("Fakes" if extra else "Does")
            assert absent not in commands
            assert (await client.call("prompt", user_input="hi"))["status"] == "finished"
            assert client.text() == "hello"
            assert process.stdin is not None
            assert process.stderr is not None
            process.stdin.close()
            said = (await asyncio.to_thread(process.stderr.read)).decode()
            assert said.count(LEFT_OUT) == (0 if "--trust" in extra else 1)
            assert (work / "started").exists() is ("--trust" in extra)


async def test_an_editor_is_told_in_the_session_too(work: Path, tmp_path: Path) -> None:
    editor = Editor()
    argv = [sys.executable, "-m", "kimi_tui", "--config-file", str(peer_config(tmp_path, "text: hello")), "acp"]
    async with spawn_agent_process(editor, *argv, env=dict(os.environ), use_unstable_protocol=True) as (agent, process):
        await agent.initialize(protocol_version=1)
        session = (await agent.new_session(cwd=str(work), mcp_servers=[])).session_id
        await until(lambda: editor.of("available_commands_update"))
        names = {command.name for command in editor.of("available_commands_update")[-1].available_commands}
        assert {"skill:mine", "skill:theirs"} <= names
        assert (await editor.say(session, "hi")).stop_reason == "end_turn"
        assert LEFT_OUT in editor.text()
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.close()
        assert LEFT_OUT in (await process.stderr.read()).decode()
    assert not (work / "started").exists()
