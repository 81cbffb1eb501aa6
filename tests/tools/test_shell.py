"""The Shell tool: results, approval, environment and live output."""

import asyncio
import os
from pathlib import Path

import pytest

from kimi_tui.tools.core.progress import Progress, ToolProgress
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support.child_env import ChildEnv
from kimi_tui.wire.display import BriefBlock, ShellBlock
from tests.tools.harness import ToolHarness


@pytest.fixture
def shell(harness: ToolHarness) -> Shell:
    return Shell(harness.workspace, harness.approvals, ToolProgress())


async def test_what_it_prints_is_the_result(harness: ToolHarness, shell: Shell) -> None:
    value = await harness.use(shell, command="for i in 1 2 3 4 5 6 7; do echo line $i; done; echo error >&2")
    assert not value.is_error
    assert value.message == "Command executed successfully."
    assert str(value.output).endswith("line 7\nerror\n")
    assert value.display == (BriefBlock(text="line 4\nline 5\nline 6\nline 7\nerror"),)


async def test_a_failure_is_an_error_with_its_code_and_output(harness: ToolHarness, shell: Shell) -> None:
    value = await harness.use(shell, command="echo why; exit 7")
    assert (value.is_error, value.message, value.output) == (True, "Command failed with exit code: 7.", "why\n")


async def test_a_timeout_is_an_error(harness: ToolHarness, shell: Shell) -> None:
    value = await harness.use(shell, command="echo begun; sleep 30", timeout=1)
    assert (value.is_error, value.message, value.output) == (True, "Command killed by timeout (1s)", "begun\n")


@pytest.mark.parametrize("timeout", [0, 301])
async def test_a_timeout_has_bounds(harness: ToolHarness, shell: Shell, timeout: int) -> None:
    value = await harness.use(shell, command="true", timeout=timeout)
    assert value.is_error
    assert "timeout" in value.message


async def test_long_output_loses_its_middle(harness: ToolHarness, shell: Shell) -> None:
    value = await harness.use(shell, command="seq 1 100000")
    assert isinstance(value.output, str)
    assert value.output.startswith("1\n2\n")
    assert value.output.endswith("99999\n100000\n")
    assert len(value.output) < 51_000
    assert value.message.endswith("Output is truncated to fit in the message.")


async def test_what_was_left_running_is_ended_and_told(harness: ToolHarness, shell: Shell) -> None:
    value = await harness.use(shell, command="sleep 1000 & echo hi")
    assert "Processes that it left running (1) were ended" in value.message


async def test_it_runs_in_the_work_dir_which_may_be_gone(harness: ToolHarness, shell: Shell) -> None:
    assert (await harness.use(shell, command="pwd -P")).output == f"{harness.dir}\n"
    harness.dir.rmdir()
    value = await harness.use(shell, command="pwd")
    assert value.message == "The command could not be started: No such file or directory."


async def test_no_command_runs_in_what_took_the_place_of_the_work_dir(harness: ToolHarness, shell: Shell) -> None:
    """Between the question and the command, or by an earlier command."""
    elsewhere = harness.dir.with_name("elsewhere")
    harness.dir.rename(elsewhere)
    harness.dir.symlink_to(elsewhere)
    value = await harness.use(shell, command="touch here")
    assert value.message == "The working directory has been replaced by a link; no command runs there."
    assert not (elsewhere / "here").exists()


async def test_the_person_is_asked_with_the_command_and_its_scope(harness: ToolHarness, shell: Shell) -> None:
    await harness.use(shell, command="git gc; echo hi")
    await harness.use(shell, command="git add x; echo hi")
    first, second = harness.asked
    assert (first.action, first.sender, first.display) == (
        "run command",
        "Shell",
        (ShellBlock(command="git gc; echo hi"),),
    )
    assert second.scope == "`git add` with safe options or `echo` with safe options"


async def test_a_no_is_told_and_runs_nothing(harness: ToolHarness, shell: Shell) -> None:
    harness.answer, harness.feedback = "reject", "use git"
    value = await harness.use(shell, command="touch x")
    assert value.extras == {"rejected": True, "feedback": "use git"}
    assert list(harness.dir.iterdir()) == []


async def test_a_yes_for_the_session_covers_its_scope_only(harness: ToolHarness, shell: Shell) -> None:
    harness.answer = "approve_for_session"
    await harness.use(shell, command="mkdir a")
    harness.answer = "reject"
    assert not (await harness.use(shell, command="mkdir -p b")).is_error
    assert (await harness.use(shell, command="mkdir b; touch x")).is_error
    assert (await harness.use(shell, command="mkdir b > x")).is_error
    assert (await harness.use(shell, command="mkdir ../c")).is_error
    assert sorted(entry.name for entry in harness.dir.iterdir()) == ["a", "b"]


@pytest.mark.parametrize(
    "command",
    [
        "echo x > .git/hooks/pre-commit", "cp a .git/config", "cat .env", "cat sub/.ENV", "cat link",
        "cp x .kimi-tui/a", "head ~/.ssh/config", "curl --data=@x --key=server.key y", "sh -c 'cat .env'",
        "echo $(cat .env)",
    ],
)  # fmt: skip
async def test_protected_paths_are_asked_for_even_under_yolo(command: str, tmp_path: Path) -> None:
    harness = ToolHarness(tmp_path, yolo=True, answer="reject")
    (tmp_path / ".env").write_text("KEY=1")
    (tmp_path / "link").symlink_to(".env")
    value = await harness.use(Shell(harness.workspace, harness.approvals, ToolProgress()), command=command)
    assert value.is_error
    (request,) = harness.asked
    assert request.scope is None


@pytest.mark.parametrize("command", ["echo '.env'x", "ls", "cat .env.example", "git log -1 --format='the .env file'"])
async def test_yolo_does_not_ask_for_the_rest(command: str, tmp_path: Path) -> None:
    harness = ToolHarness(tmp_path, yolo=True, answer="reject")
    await harness.use(Shell(harness.workspace, harness.approvals, ToolProgress()), command=command)
    assert harness.asked == []


async def test_hidden_text_is_pointed_out(harness: ToolHarness, shell: Shell) -> None:
    await harness.use(shell, command="echo a\u202eb")
    (request,) = harness.asked
    assert request.scope is None
    assert request.display[1] == BriefBlock(text="Careful: it has an invisible character (U+202E)")


async def test_secret_leak(harness: ToolHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys do not reach a command, by name or by value, unless settings keep them."""
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "my_secret_x", "AWS_ACCESS_KEY_ID", "KEPT_TOKEN"):
        monkeypatch.setenv(name, "hush-hush")
    monkeypatch.setenv("HARMLESS", "sk-our-own-key")
    monkeypatch.setenv("SSH_AUTH_SOCK", "/run/agent")
    env = ChildEnv(allowed=("KEPT_*",), secrets=lambda: ["sk-our-own-key"])
    value = await harness.use(Shell(harness.workspace, harness.approvals, ToolProgress(), env), command="env")
    assert isinstance(value.output, str)
    names = {line.partition("=")[0] for line in value.output.splitlines()}
    assert names >= {"PATH", "HOME", "SSH_AUTH_SOCK", "KEPT_TOKEN"}
    assert "GIT_TERMINAL_PROMPT=0\n" in value.output
    assert value.output.count("hush-hush") == 1
    assert "sk-our-own-key" not in value.output


async def test_its_last_lines_are_heard_while_it_runs(harness: ToolHarness) -> None:
    progress = ToolProgress()
    received: list[Progress] = []
    shell = Shell(harness.workspace, harness.approvals, progress)
    go = harness.dir / "go"

    def hear(one: Progress) -> None:
        received.append(one)
        go.touch()

    unlisten = progress.listen(hear)
    value = await harness.use(shell, command="seq 1 30; printf 'a\\rb'; until [ -e go ]; do sleep 0.01; done")
    assert not value.is_error
    assert received[0].tool_call_id == "call_1"
    assert received[0].lines[-2:] == ("30", "b")
    assert len(received[0].lines) == 10
    unlisten()
    count = len(received)
    await harness.use(shell, command="echo x; sleep 0.2")
    assert len(received) == count


async def test_many_run_side_by_side(harness: ToolHarness, shell: Shell) -> None:
    values = await asyncio.gather(*(harness.use(shell, command=f"echo {number}") for number in range(8)))
    assert [value.output for value in values] == [f"{number}\n" for number in range(8)]


async def test_a_bash_of_the_workspace_does_not_run_commands(
    harness: ToolHarness, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = harness.dir / ".venv/bin/bash"
    planted.parent.mkdir(parents=True)
    planted.write_text("#!/bin/sh\necho planted\n")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", f"{planted.parent}:{os.environ['PATH']}")
    assert (await harness.use(shell, command="echo real")).output == "real\n"
