"""The folders of the workspace in a real sandbox: a command that replaces one of them by a link opens nothing."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.shell import Shell, bash
from kimi_tui.tools.shell_support.bwrap_args import BoxSettings, Tier, sandbox_argv
from kimi_tui.tools.shell_support.child_env import DEFAULT_ENV
from kimi_tui.tools.shell_support.process_runner import run
from kimi_tui.tools.shell_support.sandbox import Sandbox
from kimi_tui.tools.shell_support.sandbox_probe import find_bwrap
from tests.tools.harness import ToolHarness


def _no_bwrap(_: object) -> None:
    return None


async def boxed(harness: ToolHarness, tier: Tier = "full", **settings: object) -> Shell:
    config = SandboxConfig.model_validate({"network": False, **settings})
    find = find_bwrap if tier == "full" else _no_bwrap
    sandbox = Sandbox(config, harness.workspace, trusted=True, find=find)
    if not await sandbox.works() or sandbox.tier != tier:
        pytest.skip(f"there is no sandbox of tier {tier} here")
    return Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of the user that is neither in the workspace nor in a folder for temporary files."""
    home = Path(tempfile.mkdtemp(dir=os.environ.get("KIMI_TUI_TEST_FOLDER", Path(__file__).parent)))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("KIMI_TUI_HOME", str(home / ".kimi-tui"))
    other = home / "other"
    other.mkdir()
    (other / "secret").write_text("s3cret\n")
    (other / ".claude").mkdir()
    yield other
    shutil.rmtree(home)


@pytest.mark.parametrize("configured", [False, True])
async def test_a_command_cannot_replace_a_workspace_within_another_writable_folder(
    tmp_path: Path, other: Path, configured: bool
) -> None:
    """Else the next command could write wherever the link leads."""
    work = tmp_path / "top/between/work"
    work.mkdir(parents=True)
    harness = ToolHarness(work)
    if not configured:
        harness.workspace.add_dir(tmp_path / "top")
    tool = await boxed(harness, writable=[str(tmp_path / "top")] if configured else [])
    for folder in ("work", "between"):
        moved = await harness.use(tool, command=f"cd {tmp_path}/top; cd between; [ {folder} = work ] || cd ..; "
                                  f"mv {folder} moved && mkdir -p ../between && ln -s {other} {work}")  # fmt: skip
        assert moved.is_error, moved.output
    await harness.use(tool, command=f"touch written {other}/written")
    assert not (other / "written").exists()
    assert (work / "written").exists()


@pytest.mark.parametrize("tier", ["full", "files"])
async def test_an_added_folder_that_became_a_link_opens_nothing(harness: ToolHarness, other: Path, tier: Tier) -> None:
    added = harness.dir / "added"
    added.mkdir()
    harness.workspace.add_dir(added)
    tool = await boxed(harness, tier)
    added.rmdir()
    await harness.use(tool, command=f"ln -s {other} added")
    assert added.is_symlink()
    value = await harness.use(tool, command="touch added/written; cat added/secret; true")
    assert "s3cret" not in str(value.output)
    assert [path.name for path in sorted(other.iterdir())] == [".claude", "secret"]


async def test_the_folder_that_stands_for_tmp_stays_the_sessions_own_within_a_writable_folder(
    harness: ToolHarness, other: Path
) -> None:
    """Else a command could put a link there, and the next one write wherever it leads."""
    await boxed(harness)
    private = harness.dir / "temp/kimi-tui-x"
    for name in ("tmp", "var-tmp"):
        (private / name).mkdir(parents=True)
    box = BoxSettings(find_bwrap(()) or "", private)
    script = f"cd temp/kimi-tui-x && rmdir var-tmp; ln -s {other} var-tmp; cd ..; mv kimi-tui-x a; cd ..; mv temp a"
    command = [*sandbox_argv(box, SandboxConfig(), harness.workspace), *bash(script, harness.workspace)]
    await run(command, cwd=harness.dir, env=DEFAULT_ENV.build(), on_text=lambda _: None)
    assert (private / "var-tmp").is_dir()
    assert not (private / "var-tmp").is_symlink()
