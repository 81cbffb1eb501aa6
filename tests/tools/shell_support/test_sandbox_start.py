"""Starts of the sandbox while another process replaces or deletes what it mounts."""

import asyncio
import os
import shlex
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support import mount_check
from kimi_tui.tools.shell_support.background import BackgroundTasks
from kimi_tui.tools.shell_support.node_command import NodeCommand, node_command
from kimi_tui.tools.shell_support.process_runner import run
from kimi_tui.tools.shell_support.sandbox import Sandbox
from kimi_tui.tools.shell_support.sandbox_probe import find_bwrap
from tests.tools.harness import ToolHarness
from tests.tools.shell_support.test_sandbox import ELSEWHERE, works

REPLACED = "sandbox: a folder was replaced while the sandbox started"
pytestmark = works


_CHANGES = """while read asked < asked; do
    read left < left
    if [ $left -gt 0 ]; then echo $((left - 1)) > left; mv covered gone$left; fi
    echo > answered
done"""


class Racer:
    """bubblewrap, with another process that deletes a folder after the mounts were computed and before they are made,
    as often as `starts` says. In the folder is a socket that listens, which the sandbox covers.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "racing-bwrap"
        self._server = socket.socket(socket.AF_UNIX)
        self.lose(0)
        for name in ("asked", "answered"):
            os.mkfifo(folder / name)
        self._changing = subprocess.Popen(["/bin/sh", "-c", _CHANGES], cwd=folder)  # bubblewrap can write little here
        self.program.write_text(
            f"#!/bin/sh\ncd {shlex.quote(str(folder))}\necho > asked; read answer < answered\n"
            "mkdir left-behind 2> /dev/null\n"  # as bubblewrap itself does where a folder became a link
            # Kills the comparison once the process that waits for it is there.
            "if [ -e uncompared ]; then\n"
            "children=/proc/$$/task/$$/children\ncomparison=$(cat $children)\nkill -STOP $comparison\n"
            "(until [ $(wc -w < $children) -gt 2 ]; do :; done; kill -KILL $comparison) &\nfi\n"
            f'exec {find_bwrap(())} "$@"\n'
        )
        self.program.chmod(0o755)

    def lose(self, starts: int) -> None:
        """Let as many starts fail; the folder is there again before each."""
        (self.folder / "left").write_text(f"{starts}\n")

    def put_back(self) -> None:
        """Let a program listen in the folder again."""
        (self.folder / "covered").mkdir()
        self._server.close()
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(self.folder / "covered/socket"))
        self._server.listen()

    def close(self) -> None:
        self._changing.kill()
        self._changing.wait()
        self._server.close()

    def sandbox(self, harness: ToolHarness, *, network: bool = True) -> Sandbox:
        program = str(self.program)
        config = SandboxConfig(network=network, hosts="none")
        return Sandbox(config, harness.workspace, find_bwrap=lambda _: program)


@pytest.fixture
def racer() -> Iterator[Racer]:
    folder = Path(tempfile.mkdtemp(prefix="race-", dir=ELSEWHERE))
    made = Racer(folder)
    try:
        yield made
    finally:
        made.close()
        shutil.rmtree(folder)


async def test_a_command_is_started_again_after_a_folder_vanished_while_the_sandbox_started(
    harness: ToolHarness, racer: Racer
) -> None:
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=racer.sandbox(harness))
    await harness.use(tool, command="true")
    racer.put_back()
    racer.lose(1)
    value = await harness.use(tool, command="echo ran; echo x >> runs")
    assert (racer.folder / "gone1").is_dir()
    assert (value.is_error, value.output) == (False, "ran\n")
    assert (harness.dir / "runs").read_text() == "x\n"


async def test_a_background_command_is_started_again_too(harness: ToolHarness, racer: Racer, tmp_path: Path) -> None:
    background = BackgroundTasks(tmp_path / "tasks")
    sandbox = racer.sandbox(harness)
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), background=background, sandbox=sandbox)
    await harness.use(tool, command="true")
    racer.put_back()
    racer.lose(1)
    await harness.use(tool, command="echo ran; echo x >> runs", run_in_background=True, description="x")
    [task] = background.tasks
    await task.ended.wait()
    assert (racer.folder / "gone1").is_dir()
    assert (task.status, task.log.read_text()) == ("done", "ran\n")
    assert (harness.dir / "runs").read_text() == "x\n"


async def test_the_test_of_the_sandbox_is_tried_again_too(harness: ToolHarness, racer: Racer) -> None:
    racer.put_back()
    racer.lose(1)
    sandbox = racer.sandbox(harness)
    assert await sandbox.works()
    assert (racer.folder / "gone1").is_dir()
    assert sandbox.tier == "full"
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    assert (await harness.use(tool, command="unshare -U true")).is_error, "it fell back to a weaker one"


async def test_a_start_that_fails_again_and_again_ends_with_its_reason(harness: ToolHarness, racer: Racer) -> None:
    sandbox = racer.sandbox(harness)
    assert await sandbox.works()
    racer.lose(100)
    printed: list[str] = []
    starts = 0
    env = sandbox.env(os.environ)
    racer.put_back()
    for command in sandbox.wrapped(["/bin/bash", "-c", "echo x >> runs"], git_alone=False):
        starts += 1
        printed.clear()
        ended = await run(command, cwd=harness.dir, env=env, on_text=lambda text: printed.append(text))
        assert not ended.started
        racer.put_back()
    assert 1 < starts < 10
    assert REPLACED in "".join(printed)
    assert not (harness.dir / "runs").exists()


@pytest.fixture
def failing(harness: ToolHarness) -> Iterator[tuple[Sandbox, Path]]:
    """A sandbox whose bubblewrap ends before it has made anything, as long as the file is there."""
    folder = Path(tempfile.mkdtemp(prefix="failing-", dir=ELSEWHERE))
    program, broken = folder / "failing-bwrap", folder / "broken"
    program.write_text(
        f"#!/bin/sh\n[ -e {shlex.quote(str(broken))} ] && {{ echo 'bwrap: no room' >&2; exit 1; }}\n"
        f'exec {find_bwrap(())} "$@"\n'
    )
    program.chmod(0o755)
    try:
        yield Sandbox(SandboxConfig(), harness.workspace, find_bwrap=lambda _: str(program)), broken
    finally:
        shutil.rmtree(folder)


async def test_a_command_whose_sandbox_did_not_start_has_no_status(
    harness: ToolHarness, failing: tuple[Sandbox, Path]
) -> None:
    sandbox, broken = failing
    assert await sandbox.works()
    broken.touch()
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    node_command.set(node := NodeCommand("true", "true", 9))
    value = await harness.use(tool, command="true")
    assert (value.is_error, value.message) == (True, "The command did not start: bwrap: no room")
    assert node.ended is None, "a flow would take a branch by the status of the sandbox"


async def test_a_background_command_whose_sandbox_did_not_start_has_no_status_either(
    harness: ToolHarness, failing: tuple[Sandbox, Path], tmp_path: Path
) -> None:
    sandbox, broken = failing
    assert await sandbox.works()
    broken.touch()
    background = BackgroundTasks(tmp_path / "tasks")
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), background=background, sandbox=sandbox)
    await harness.use(tool, command="true", run_in_background=True, description="x")
    [task] = background.tasks
    await task.ended.wait()
    assert (task.status, task.reason, task.exit_code) == ("failed", "it did not start", None)


async def test_a_command_that_prints_the_reason_of_a_failed_start_is_not_run_again(harness: ToolHarness) -> None:
    sandbox = Sandbox(SandboxConfig(), harness.workspace)
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    value = await harness.use(tool, command=f"echo x >> runs; echo {shlex.quote(REPLACED)} >&2; exit 1")
    assert REPLACED in str(value.output)
    assert (harness.dir / "runs").read_text() == "x\n"


async def test_a_command_whose_mounts_nobody_compares_any_more_is_not_started(
    harness: ToolHarness, racer: Racer
) -> None:
    """The comparison was killed, as it is with its command when the time is up: nothing starts then."""
    sandbox = racer.sandbox(harness)
    assert await sandbox.works()
    (racer.folder / "uncompared").touch()
    [command, *_] = sandbox.wrapped(["/bin/bash", "-c", "echo x >> runs"], git_alone=False)
    env = sandbox.env(os.environ)
    ended = await run(command, cwd=harness.dir, env=env, on_text=lambda _: None, seconds=2)
    assert ended.timed_out or ended.exit_code  # it waits, or ends by SIGPIPE
    assert not (harness.dir / "runs").exists()


@pytest.mark.parametrize("network", [True, False])
async def test_what_bubblewrap_makes_outside_while_it_starts_fails(
    harness: ToolHarness, racer: Racer, network: bool
) -> None:
    """A folder that becomes a link while the sandbox starts leads it elsewhere."""
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=racer.sandbox(harness, network=network))
    assert (await harness.use(tool, command="echo x >> ran; echo y > /tmp/y; cat /tmp/y")).output == "y\n"
    assert (harness.dir / "ran").read_text() == "x\n"
    assert not (racer.folder / "left-behind").exists()


async def test_mounts_of_a_process_without_a_sandbox_are_not_taken_for_those_of_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A folder of the workspace can be a mount outside too."""
    monkeypatch.setattr(mount_check, "_SECONDS", 0.1)
    waiting = await asyncio.create_subprocess_exec("sleep", "60")
    try:
        assert not mount_check.holds(waiting.pid, "/")
    finally:
        waiting.kill()
        await waiting.wait()
