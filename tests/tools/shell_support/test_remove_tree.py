"""Deleting what commands left."""

import gc
import os
import tempfile
from pathlib import Path

import pytest

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support.remove_tree import (
    end_session_folder,
    make_session_folder,
    remove_left_folders,
    remove_tree,
)
from kimi_tui.tools.shell_support.sandbox import Sandbox
from tests.tools.harness import ToolHarness, until
from tests.tools.ordinary_user import run_as_ordinary_user
from tests.tools.shell_support.test_sandbox import works


def test_a_folder_is_deleted_with_files_links_and_folders_that_cannot_be_entered(tmp_path: Path) -> None:
    top, other = tmp_path / "top", tmp_path / "other"
    (top / "a/b").mkdir(parents=True)
    (top / "a/b/file").touch()
    other.mkdir()
    (other / "kept").touch()
    (top / "a/link").symlink_to(other)
    (top / "dangling").symlink_to("nowhere")
    os.mkfifo(top / "pipe")
    (top / "a/b").chmod(0)
    (top / "a").chmod(0)
    remove_tree(str(top))
    assert [path.name for path in tmp_path.iterdir()] == ["other"]
    assert [path.name for path in other.iterdir()] == ["kept"]
    assert other.stat().st_mode & 0o777 != 0o700


def test_a_folder_that_a_command_replaces_by_a_link_meanwhile_leads_to_no_deletion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top, other = tmp_path / "top", tmp_path / "other"
    (top / "a").mkdir(parents=True)
    (other / "folder").mkdir(parents=True)
    (other / "folder/kept").touch()
    (other / "kept").touch()
    other.chmod(0o755)
    rename = os.rename

    def renamed(old: str, new: str, **folders: int) -> None:
        (top / "a").rmdir()
        (top / "a").symlink_to(other)
        rename(old, new, **folders)

    monkeypatch.setattr(os, "rename", renamed)
    remove_tree(str(top))
    assert sorted(path.relative_to(other).as_posix() for path in other.rglob("*")) == ["folder", "folder/kept", "kept"]
    assert other.stat().st_mode & 0o777 == 0o755
    monkeypatch.undo()
    remove_tree(str(top))
    assert not top.exists()


def test_folders_of_an_ordinary_user_that_cannot_be_written_are_deleted_at_any_depth(tmp_path: Path) -> None:
    script = """if True:
        import os, sys
        from pathlib import Path
        from kimi_tui.tools.shell_support.remove_tree import remove_tree
        top = Path("top")
        (top / "a/b/c").mkdir(parents=True)
        (top / "a/b/c/file").touch()
        for mode, folder in ((0, "a/b/c"), (0o500, "a/b"), (0, "a")):
            (top / folder).chmod(mode)
        remove_tree("top")
        print(top.exists())
    """
    assert run_as_ordinary_user(["-c", script], tmp_path) == "False\n"


@works
async def test_folders_of_any_depth_in_the_sessions_tmp_are_deleted_with_it(harness: ToolHarness) -> None:
    sandbox = Sandbox(SandboxConfig(), harness.workspace)
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    deep = "for i in {1..60}; do d=$(printf 'd%.0s' {1..100}); mkdir $d; cd -P $d; done"
    value = await harness.use(tool, command=f"cd /tmp; {deep}; mkdir -p $(printf 'a/%.0s' {{1..1500}}); pwd | wc -c")
    assert int(str(value.output)) > 6000
    [command] = sandbox.wrapped(["true"], git_alone=False)
    private = Path(next(word for word in command if word.endswith("/var-tmp") and "\n" not in word)).parent
    assert private.is_dir()
    await sandbox.close()
    del sandbox, tool
    gc.collect()
    assert not private.exists()


@works
async def test_folders_of_killed_sessions_are_deleted_by_the_next_one_and_those_of_running_ones_stay(
    harness: ToolHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    running, lock = make_session_folder()
    (folder / "kimi-tui-other").mkdir()
    killed, descriptor = make_session_folder()
    (killed / "tmp/left").mkdir(parents=True)
    os.close(descriptor)  # as the kernel does
    remove_left_folders()
    assert {path.name for path in folder.iterdir()} == {running.name, "kimi-tui-other"}
    left, descriptor = make_session_folder()
    os.close(descriptor)
    sandbox = Sandbox(SandboxConfig(), harness.workspace)
    assert await sandbox.works()
    await until(lambda: not left.exists())
    assert running.exists()
    end_session_folder(str(running), lock)
    assert not running.exists()


@works
async def test_a_test_of_the_sandbox_that_is_killed_leaves_nothing_outside_of_the_folder_of_its_session(
    harness: ToolHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    made: list[str] = []
    mkdtemp = tempfile.mkdtemp

    def remembered(suffix: str | None = None, prefix: str | None = None, dir: Path | None = None) -> str:  # noqa: A002
        made.append(str(mkdtemp(suffix, prefix, dir)))
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", remembered)
    sandbox = Sandbox(SandboxConfig(), harness.workspace)
    assert await sandbox.works()
    [session] = folder.iterdir()
    assert any("probe" in one for one in made)
    assert all(Path(one).is_relative_to(session) for one in made if Path(one).is_relative_to(folder))
