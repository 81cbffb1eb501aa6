"""Commands in the background: started, read, waited for, stopped."""

import resource
from pathlib import Path
from uuid import uuid4

import pytest

from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.shell import Shell, ShellParams
from kimi_tui.tools.shell_support.background import BackgroundTask, BackgroundTasks
from kimi_tui.tools.shell_support.child_env import DEFAULT_ENV
from kimi_tui.tools.task_list import TaskList
from kimi_tui.tools.task_output import TaskOutput
from kimi_tui.tools.task_stop import TaskStop
from kimi_tui.wire.parts import ToolReturnValue
from tests.tools.harness import ToolHarness, processes_with, until


@pytest.fixture
def background(tmp_path: Path) -> BackgroundTasks:
    return BackgroundTasks(tmp_path / "tasks")


async def start(harness: ToolHarness, background: BackgroundTasks, command: str, **more: int) -> ToolReturnValue:
    shell = Shell(harness.workspace, harness.approvals, ToolProgress(), DEFAULT_ENV, background)
    return await harness.use(shell, command=command, run_in_background=True, description="a task", **more)


async def test_a_task_runs_on_and_its_output_is_read(harness: ToolHarness, background: BackgroundTasks) -> None:
    value = await start(harness, background, "echo begun; until [ -e go ]; do sleep 0.01; done; echo ended")
    (task,) = background.tasks
    assert f"task {task.id}" in value.message
    assert harness.asked[0].action == "run background command"
    output = TaskOutput(background)
    await until(lambda: task.log.read_text() == "begun\n")
    assert (await harness.use(output, task_id=task.id)).output == "begun\n"
    (harness.dir / "go").touch()
    value = await harness.use(output, task_id=task.id, block=True)
    assert value.output == "begun\nended\n"
    assert value.message.startswith(f"{task.id}  done, exit code 0")
    block = value.display[0].model_dump()
    assert (block["type"], block["task_id"], block["kind"], block["status"]) == (
        "background_task",
        task.id,
        "shell",
        "done",
    )


def test_the_foregrounds_limit_is_not_the_backgrounds() -> None:
    assert ShellParams(command="x").seconds == 60
    assert ShellParams(command="x", run_in_background=True, description="d").seconds == 86_400
    assert ShellParams(command="x", run_in_background=True, description="d", timeout=60).seconds == 60


async def test_the_card_of_a_task_says_where_it_runs(harness: ToolHarness, background: BackgroundTasks) -> None:
    value = await start(harness, background, "sleep 1000")
    (task,) = background.tasks
    brief = value.display[0].model_dump()
    assert brief["text"] == f"Runs in the background as task {task.id}"
    await background.aclose()


async def test_waiting_has_an_end(harness: ToolHarness, background: BackgroundTasks) -> None:
    await start(harness, background, "sleep 1000")
    (task,) = background.tasks
    value = await harness.use(TaskOutput(background), task_id=task.id, block=True, timeout=0)
    assert "running" in value.message
    await background.aclose()


async def test_stopping_asks_and_ends_the_whole_tree(harness: ToolHarness, background: BackgroundTasks) -> None:
    seconds = f"9{uuid4().int % 10**12}"
    await start(harness, background, f"setsid sleep {seconds} & sleep {seconds}")
    (task,) = background.tasks
    await until(lambda: len(processes_with(f"sleep\0{seconds}")) == 2)
    stop = TaskStop(harness.approvals, background)
    harness.answer = "reject"
    assert (await harness.use(stop, task_id=task.id)).is_error
    harness.answer = "approve"
    value = await harness.use(stop, task_id=task.id, reason="not needed")
    assert "stopped (not needed)" in value.message
    assert not processes_with(f"sleep\0{seconds}")
    assert "ended already" in (await harness.use(stop, task_id=task.id)).message


async def test_there_may_be_four(harness: ToolHarness, background: BackgroundTasks) -> None:
    for _ in range(4):
        assert not (await start(harness, background, "sleep 1000")).is_error
    value = await start(harness, background, "sleep 1000")
    assert "4 background tasks are running" in value.message
    assert len(str((await harness.use(TaskList(background))).output).splitlines()) == 4
    await background.aclose()
    assert (await harness.use(TaskList(background))).message == "No background task is running."
    value = await harness.use(TaskList(background), active_only=False, limit=2)
    assert value.message == "2 of 4 background tasks."
    assert str(value.output).count("stopped (the session ended)") == 2


async def test_a_time_limit_and_the_end_are_heard_of(harness: ToolHarness, background: BackgroundTasks) -> None:
    received: list[BackgroundTask] = []
    background.on_end = received.append
    await start(harness, background, "sleep 1000", timeout=1)
    await start(harness, background, "exit 3")
    await until(lambda: len(received) == 2)
    assert [(task.status, task.exit_code) for task in received] == [("failed", 3), ("timed out", None)]


async def test_only_the_end_of_a_long_output_is_shown(harness: ToolHarness, background: BackgroundTasks) -> None:
    await start(harness, background, "seq 1 20000")
    (task,) = background.tasks
    value = await harness.use(TaskOutput(background), task_id=task.id, block=True)
    assert len(str(value.output)) <= 32 << 10
    assert str(value.output).endswith("20000\n")
    assert f"ReadFile reads all of {task.log}" in value.message


async def test_output_that_a_full_disk_did_not_take_is_reported_as_lost(
    harness: ToolHarness, background: BackgroundTasks
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        await start(harness, background, "seq 1 20000")
        (task,) = background.tasks
        value = await harness.use(TaskOutput(background), task_id=task.id, block=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert str(value.output).startswith("1\n2\n")
    assert "done (part of its output was lost: File too large)" in value.message
    assert "lost" in task.ending


async def test_what_cannot_be_started_is_said(harness: ToolHarness, background: BackgroundTasks) -> None:
    shell = Shell(harness.workspace, harness.approvals, ToolProgress(), DEFAULT_ENV, background)
    value = await harness.use(shell, command="true", run_in_background=True)
    assert "needs a description" in value.message
    value = await start(harness, BackgroundTasks(None), "true")
    assert "cannot be run in the background here" in value.message
    assert "no background task `b1`" in (await harness.use(TaskOutput(background), task_id="b1")).message
