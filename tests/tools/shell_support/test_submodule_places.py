"""Where Git looks for submodules, whose settings it obeys, no command makes a repository."""

import asyncio
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support import submodule_places
from kimi_tui.tools.shell_support.background import BackgroundTask, BackgroundTasks
from kimi_tui.tools.shell_support.sandbox import Sandbox
from kimi_tui.tools.shell_support.submodule_places import SubmodulePlaces
from kimi_tui.wire.parts import ToolReturnValue
from tests.tools.harness import ToolHarness, git, repository_with_a_commit, until

_HASH = "1" * 40
_BRINGS = f"git update-index --add --cacheinfo 160000,{_HASH},a/s"


@dataclass
class _Session:
    """A session with a repository, and a program outside of it that a command's settings would name."""

    harness: ToolHarness
    shell: Shell
    background: BackgroundTasks
    program: Path

    @property
    def was_run(self) -> bool:
        return self.program.with_name("was-run").exists()

    async def use(self, command: str) -> ToolReturnValue:
        return await self.harness.use(self.shell, command=command)

    @asynccontextmanager
    async def running(self, command: str) -> AsyncGenerator[BackgroundTask]:
        """Run a command in the background until it has made the file `tried`, and then until the block ends."""
        tried = self.harness.dir / "tried"
        line = f"{command}\ntouch tried; sleep 60"
        await self.harness.use(self.shell, command=line, run_in_background=True, description="x")
        await until(tried.exists)
        task = self.background.tasks[-1]
        yield task
        await self.background.aclose()
        tried.unlink()

    def look(self) -> None:
        """Let the user's Git look, as a prompt does."""
        subprocess.run(["git", "status"], cwd=self.harness.dir, check=False, capture_output=True)


@pytest.fixture
async def session(harness: ToolHarness, tmp_path: Path) -> AsyncIterator[_Session]:
    repository_with_a_commit(harness.dir / "new")
    (harness.dir / "new/.git").rename(harness.dir / ".git")
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\n")
    program.chmod(0o755)
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace, trusted=True)
    if not await sandbox.works() or sandbox.tier != "full":
        pytest.skip("there is no full sandbox here")
    background = BackgroundTasks(tmp_path / "tasks")
    shell = Shell(harness.workspace, harness.approvals, ToolProgress(), background=background, sandbox=sandbox)
    yield _Session(harness, shell, background, program)
    await background.aclose()
    await sandbox.close()


def _makes_repository(program: Path) -> str:
    return (
        "rm -rf a; git clone -q . new-one; mkdir -p a/s; mv new-one/.git a/s/\n"
        f"git -C a/s config core.fsmonitor {program}"
    )


@pytest.mark.parametrize("before", ["", "mkdir -p a/s", "mkdir b; ln -s b a", "mkdir a; ln -s ../new a/s"])
async def test_no_command_makes_a_repository_where_the_users_git_looks_for_a_submodule(
    session: _Session, before: str
) -> None:
    if before:
        await session.use(before)
    await session.use(_BRINGS)
    async with session.running(_makes_repository(session.program)):
        assert not (session.harness.dir / "a/s/.git").exists()
        session.look()
    assert not session.was_run


async def test_a_file_in_place_of_a_submodule_is_not_replaced(session: _Session) -> None:
    await session.use("echo x > a")
    await session.use(_BRINGS)
    async with session.running(_makes_repository(session.program)):
        session.look()
    assert (session.harness.dir / "a").read_text() == "x\n"
    assert not session.was_run


async def test_a_link_of_the_users_in_place_of_a_submodule_stays(session: _Session) -> None:
    git(session.harness.dir, "update-index", "--add", "--cacheinfo", f"160000,{_HASH},s")
    (session.harness.dir / "s").symlink_to("new")
    await session.use("echo x > made")
    assert (session.harness.dir / "s").is_symlink()
    assert (session.harness.dir / "made").exists()


async def test_a_submodule_with_a_repository_can_be_changed_by_commands(session: _Session) -> None:
    inner = repository_with_a_commit(session.harness.dir / "a/s")
    git(session.harness.dir, "add", "a/s")
    await session.use("echo x > a/s/made; mkdir a/s/folder")
    assert (inner / "made").exists()
    assert (inner / "folder").exists()


@pytest.mark.parametrize("line", [_BRINGS, f"{_BRINGS}; sleep 60", "git add a/s"])
async def test_commands_in_the_background_end_when_a_line_of_git_brings_a_submodule(
    session: _Session, line: str
) -> None:
    await session.use("git clone -q . a/s")
    async with session.running("true") as task:
        bringing = asyncio.create_task(session.use(line))
        await until(lambda: not task.running)
        bringing.cancel()
        await asyncio.gather(bringing, return_exceptions=True)
    assert "a submodule came" in task.ending


async def test_commands_in_the_background_go_on_beside_other_lines_of_git(session: _Session) -> None:
    git(session.harness.dir, "update-index", "--add", "--cacheinfo", f"160000,{_HASH},s")
    async with session.running("echo x > other") as task:
        await session.use("git add other && git commit -qm x && git switch -qc y && git log")
        assert task.running
    assert subprocess.run(["git", "log", "-1", "--format=%s"], cwd=session.harness.dir, capture_output=True, text=True,
                          check=True).stdout == "x\n"  # fmt: skip


def _add_submodule(work: Path, source: Path) -> None:
    repository_with_a_commit(source)
    git(work, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(source), "s")
    git(work, "commit", "-qm", "submodule")


@pytest.mark.parametrize("place", ["../elsewhere", "inside"])
async def test_a_git_file_that_names_any_folder_is_as_read_only_as_git_itself(session: _Session, place: str) -> None:
    work, program = session.harness.dir, session.program
    (work / ".git").rename(work / place)
    (work / ".git").write_text(f"gitdir: {place}\n")
    git(work, "update-index", "--add", "--cacheinfo", f"160000,{_HASH},a/s")
    command = f"git config core.fsmonitor {program}; rm .git; {_makes_repository(program)}; mv a/s/.git ."
    async with session.running(command):
        session.look()
    assert not session.was_run
    assert (work / ".git").read_text() == f"gitdir: {place}\n"


async def test_the_submodules_of_a_submodule_are_found_by_its_git_file(session: _Session, tmp_path: Path) -> None:
    work, program = session.harness.dir, session.program
    _add_submodule(work, tmp_path / "source")
    git(work / "s", "update-index", "--add", "--cacheinfo", f"160000,{_HASH},a/s")
    await session.use("git -C s sparse-checkout set x")  # says elsewhere where the worktree is
    async with session.running(f"git clone -q . new-one; mkdir -p s/a/s; mv new-one/.git s/a/s/; "
                               f"git -C s/a/s config core.fsmonitor {program}"):  # fmt: skip
        session.look()
    assert not session.was_run


async def test_a_submodule_of_a_linked_worktree_can_be_changed_but_not_its_git_file(
    session: _Session, tmp_path: Path
) -> None:
    work = session.harness.dir
    _add_submodule(work, tmp_path / "source")
    git(work, "worktree", "add", "-q", "tree")
    git(work / "tree", "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
    await session.use("cp tree/f tree/s/made; rm -f tree/s/.git; mv tree/s tree/moved")
    assert (work / "tree/s/made").exists()
    assert (work / "tree/s/.git").is_file()


async def test_commands_in_the_background_end_when_anybody_brings_a_submodule(session: _Session) -> None:
    async with session.running("true") as task:
        git(session.harness.dir, "update-index", "--add", "--cacheinfo", f"160000,{_HASH},a/s")
        await until(lambda: not task.running)
    assert "a submodule came" in task.ending


@pytest.mark.parametrize("sleep", ["", "; sleep 60"])
async def test_a_line_that_takes_the_repository_of_a_submodule_away_ends_with_what_runs_beside(
    session: _Session, tmp_path: Path, sleep: str
) -> None:
    work = session.harness.dir
    _add_submodule(work, tmp_path / "source")
    async with session.running("true") as task:
        value = await session.use(f"git rm -q s; git restore --staged s{sleep}")
        assert not task.running
    assert value.is_error == bool(sleep)
    assert ("brought a submodule" in value.message) == bool(sleep)


def test_the_worktree_of_a_repository_with_too_many_submodules_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submodule_places, "_MAX_PLACES", 2)
    work = repository_with_a_commit(tmp_path.resolve() / "work")
    for name in "abc":
        git(work, "update-index", "--add", "--cacheinfo", f"160000,{_HASH},{name}")
    places = SubmodulePlaces()
    found = places.find([work / ".git"])
    assert len(found) == 1
    assert places.close(found, [tmp_path.resolve()]) == []
    assert places.closed == (work,)
    assert not (work / "a").exists()


def test_of_a_very_deep_submodule_a_folder_above_is_closed(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    places = SubmodulePlaces()
    assert places.close([root / ("d/" * 200 + name) for name in "abc"], [root]) == []
    assert len(places.closed) == 1
    assert len(places.closed[0].relative_to(root).parts) == 32
    assert not list(places.closed[0].iterdir())


def test_of_very_many_submodules_the_folders_around_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submodule_places, "_MAX_CLOSED", 1000)
    places = SubmodulePlaces()
    root = tmp_path.resolve()
    assert places.close([root / f"libs/{number}" for number in range(200)], [root]) == []
    assert places.closed == (root / "libs",)
    places.close([root / f"{number}/sub" for number in range(200)], [root])
    assert places.closed == (root,)
    monkeypatch.setattr(submodule_places, "_MAX_CLOSED", 1)
    places.close([root / "a/sub"], [root])
    assert places.closed == (root,)
