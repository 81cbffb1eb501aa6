"""The user's editor beside commands in the sandbox, which could lead it elsewhere by a link."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.file_support.client_editor import Editor
from kimi_tui.tools.read_file import ReadFile
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support.background import BackgroundTasks
from kimi_tui.tools.shell_support.sandbox import Sandbox
from kimi_tui.tools.write_file import WriteFile
from tests.tools.harness import ToolHarness, until
from tests.tools.shell_support.test_sandbox import works


class _Buffers:
    """An editor that follows links; `used` are the paths that it was asked for."""

    writes = True

    def __init__(self) -> None:
        self.used: list[Path] = []

    async def read(self, real: Path) -> str | None:
        self.used.append(real)
        return real.read_text() if real.exists() else None

    async def write(self, real: Path, text: str) -> None:
        self.used.append(real)
        real.write_text(text)


@works
async def test_while_a_command_runs_in_the_sandbox_the_editor_reads_and_writes_nothing(harness: ToolHarness) -> None:
    buffers, tasks = _Buffers(), BackgroundTasks(harness.dir.parent / "tasks")
    editor = Editor(buffers)
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace, trusted=True)
    shell = Shell(
        harness.workspace, harness.approvals, ToolProgress(), background=tasks, sandbox=sandbox, editor=editor
    )
    write = WriteFile(harness.workspace, harness.approvals, editor=editor)
    read = ReadFile(harness.workspace, harness.approvals, editor=editor)
    await harness.use(shell, command="sleep 60", run_in_background=True, description="a server")
    value = await harness.use(write, path="a.txt", content="on the disk\n")
    assert not value.is_error
    assert "on the disk" in str((await harness.use(read, path="a.txt")).output)
    assert buffers.used == []
    await tasks.aclose()
    await sandbox.close()

    async def is_used() -> bool:
        await harness.use(read, path="a.txt")
        return bool(buffers.used)

    async with asyncio.timeout(10):
        while not await is_used():  # the check after the command ends first
            await asyncio.sleep(0)
    await harness.use(write, path="a.txt", content="in the editor\n")
    assert buffers.used[-1] == harness.dir / "a.txt"


async def test_a_command_begins_when_the_editor_has_answered() -> None:
    buffers = _Buffers()
    editor = Editor(buffers)
    running = asyncio.Event()

    async def command() -> None:
        async with editor.command_running():
            running.set()

    async with AsyncExitStack() as using:
        assert await using.enter_async_context(editor.using_buffers()) is buffers
        beginning = asyncio.create_task(command())
        for _ in range(10):
            await asyncio.sleep(0)
        assert not running.is_set()
    await until(running.is_set)
    await beginning


async def test_an_edit_is_written_to_the_disk_if_a_command_began_before_its_approval(harness: ToolHarness) -> None:
    buffers, harness.answer = _Buffers(), None
    editor = Editor(buffers)
    (harness.dir / "a.txt").write_text("old\n")
    write = WriteFile(harness.workspace, harness.approvals, editor=editor)
    writing = asyncio.create_task(harness.use(write, path="a.txt", content="new\n"))
    await until(lambda: bool(harness.asked))
    async with editor.command_running():
        harness.approvals.settle(harness.asked[0].id, "approve", None)
        assert not (await writing).is_error
    assert (harness.dir / "a.txt").read_text() == "new\n"
    assert buffers.used == [harness.dir / "a.txt"]  # before the question
