"""Commands that run at the same time."""

import asyncio
from pathlib import Path

import pytest

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support.background import BackgroundTasks
from kimi_tui.tools.shell_support.command_turns import CommandTurns
from kimi_tui.tools.shell_support.sandbox import Sandbox
from tests.tools.harness import ToolHarness, repository_with_a_commit, until

_MAKES = "ln -s .git link; touch made; while test ! -e ended; do sleep 0.01; done; rm link"
_WRITES = "sleep 1; git log --oneline > link/WRITTEN"


async def test_no_command_begins_before_the_one_that_keeps_others_out_ends() -> None:
    turns = CommandTurns()
    began: list[str] = []

    async def run(name: str, *, alone: bool = False) -> None:
        async with turns.take(keeps_others_out=alone):
            began.append(name)
            await asyncio.sleep(0)

    async with turns.take(keeps_others_out=True) as first:
        assert not first.others_run
        waiting = [asyncio.create_task(run(name, alone=name == "b")) for name in ("a", "b", "c")]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        assert began == []
    await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 5)
    assert sorted(began) == ["b", "c"]


async def test_one_that_keeps_others_out_waits_for_others_but_for_those_in_the_background() -> None:
    turns = CommandTurns()
    ended: list[str] = []

    async def run_alone() -> None:
        async with turns.take(keeps_others_out=True) as turn:
            assert turn.others_run
            ended.append("alone")

    async with turns.take(in_background=True):
        async with turns.take() as beside:
            assert beside.others_run
            alone = asyncio.create_task(run_alone())
            await asyncio.sleep(0)
            ended.append("beside")
        await asyncio.wait_for(alone, 5)
    assert ended == ["beside", "alone"]


async def test_commands_that_come_later_wait_for_one_that_waits_to_keep_others_out() -> None:
    turns = CommandTurns()
    began: list[str] = []

    async def run(name: str, *, alone: bool = False) -> None:
        async with turns.take(keeps_others_out=alone):
            began.append(name)

    async with turns.take():
        waiting = [asyncio.create_task(run(name, alone=name in "ab")) for name in "abc"]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        assert began == []
    await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 5)
    assert began == ["b", "c"]


async def test_a_command_that_only_reads_waits_for_none_and_is_no_other_but_may_meet_others() -> None:
    turns = CommandTurns()
    async with turns.take(only_reads=True) as reading:
        assert reading.others_run
        async with turns.take(keeps_others_out=True) as first:
            assert not first.others_run
            async with turns.take(only_reads=True) as other:
                assert other.others_run


async def _shell(harness: ToolHarness, tmp_path: Path) -> Shell:
    repository_with_a_commit(harness.dir / "new")
    (harness.dir / "new/.git").rename(harness.dir / ".git")
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace, trusted=True)
    if not await sandbox.works() or sandbox.tier != "full":
        pytest.skip("there is no full sandbox here")
    background = BackgroundTasks(tmp_path / "tasks")
    return Shell(harness.workspace, harness.approvals, ToolProgress(), background=background, sandbox=sandbox)


async def test_a_command_makes_no_link_for_a_line_of_git_that_begins_meanwhile(
    harness: ToolHarness, tmp_path: Path
) -> None:
    tool = await _shell(harness, tmp_path)
    await harness.use(tool, command=_MAKES, run_in_background=True, description="x")
    await until((harness.dir / "made").exists)
    (harness.dir / "link").rename(harness.dir / "moved")  # as it is read, it is no link yet
    writing = asyncio.create_task(harness.use(tool, command=_WRITES))
    await asyncio.sleep(0.3)
    (harness.dir / "moved").rename(harness.dir / "link")
    assert (await writing).is_error
    (harness.dir / "ended").touch()
    assert not (harness.dir / ".git/WRITTEN").exists()


@pytest.mark.parametrize("in_background", [False, True])
async def test_a_command_that_begins_after_a_line_of_git_makes_no_link_for_it(
    harness: ToolHarness, tmp_path: Path, *, in_background: bool
) -> None:
    tool = await _shell(harness, tmp_path)
    (harness.dir / "ended").touch()
    writing = asyncio.create_task(harness.use(tool, command=_WRITES))
    await asyncio.sleep(0.3)
    await harness.use(tool, command=_MAKES, run_in_background=in_background, description="x")
    assert writing.done()
    assert not (harness.dir / ".git/WRITTEN").exists()
