"""Searches while a command of the sandbox replaces folders by links."""

import ctypes
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools import grep as grep_module
from kimi_tui.tools.glob import Glob
from kimi_tui.tools.grep import Grep, GrepParams
from kimi_tui.tools.read_file import ReadFile
from kimi_tui.tools.shell_support.landlock import version
from kimi_tui.tools.shell_support.process_runner import run
from kimi_tui.tools.shell_support.sandbox import Sandbox
from tests.tools.harness import ToolHarness, git

needs_landlock = pytest.mark.skipif(version() < 1, reason="the kernel has no Landlock")
_HERE, _EXCHANGE = -100, 2


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home beside the workspace, with a file that is not in it."""
    folder = Path(tempfile.mkdtemp(dir=os.environ.get("KIMI_TUI_TEST_FOLDER", Path(__file__).parent)))
    (folder / "documents").mkdir()
    (folder / "documents/taxes").write_text("s3cret\n")
    (folder / "work/place").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("KIMI_TUI_HOME", str(folder / ".kimi-tui"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    yield folder
    shutil.rmtree(folder)


def exchange(one: Path, other: Path) -> None:
    """Put each in the place of the other, as a command can."""
    assert ctypes.CDLL(None).renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0


def search(harness: ToolHarness, sandbox: Sandbox | None = None) -> Grep:
    return Grep(harness.workspace, harness.approvals, sandbox or Sandbox(SandboxConfig(), harness.workspace))


def exchanging(monkeypatch: pytest.MonkeyPatch, one: Path, other: Path) -> None:
    """Exchange the two while ripgrep runs, after it was judged what is searched and before the result is."""

    async def exchanged(*args: Any, **kwargs: Any) -> Any:
        exchange(one, other)
        try:
            return await run(*args, **kwargs)
        finally:
            exchange(one, other)

    monkeypatch.setattr(grep_module, "run", exchanged)


def exchanging_when_opened(monkeypatch: pytest.MonkeyPatch, link: Path, place: Path) -> None:
    """Exchange the two while `place` is opened or listed by its path."""

    def exchanged(call: Any) -> Any:
        def during(path: Any, *more: Any, **named: Any) -> Any:
            if path not in (place, str(place)):
                return call(path, *more, **named)
            exchange(link, place)
            try:
                return call(path, *more, **named)
            finally:
                exchange(link, place)

        return during

    for name in ("open", "scandir", "listdir"):
        monkeypatch.setattr(os, name, exchanged(getattr(os, name)))


async def _found(grep: Grep, harness: ToolHarness, **more: Any) -> str:
    return str((await harness.use(grep, pattern="s3cret", output_mode="content", **more)).output)


@needs_landlock
@pytest.mark.parametrize("path", ["place", "place/taxes"])
async def test_a_search_reads_nothing_that_a_link_leads_to_which_a_command_makes_meanwhile(
    home: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    harness = ToolHarness(home / "work")
    (harness.dir / "place/taxes").write_text("mine\n")
    link = harness.dir / "link"
    link.symlink_to(home / "documents")
    exchanging(monkeypatch, link, harness.dir / "place")
    assert "s3cret" in await _found(Grep(harness.workspace, harness.approvals), harness, path=path)
    assert await _found(search(harness), harness, path=path) == ""


@needs_landlock
async def test_a_confined_search_reads_the_workspace_and_what_the_user_names(home: Path) -> None:
    harness = ToolHarness(home / "work")
    (harness.dir / "place/own").write_text("s3cret\n")
    (home / "added").mkdir()
    (home / "added/more").write_text("s3cret\n")
    harness.workspace.add_dir(home / "added")
    grep = search(harness)
    assert await _found(grep, harness) == "place/own:1:s3cret\n"
    assert await _found(grep, harness, path=str(home / "added")) == f"{home}/added/more:1:s3cret\n"
    assert await _found(grep, harness, path=str(home / "documents")) == f"{home}/documents/taxes:1:s3cret\n"
    assert await _found(grep, harness, path=str(home / "documents/taxes")) == f"{home}/documents/taxes:1:s3cret\n"


@needs_landlock
async def test_a_confined_search_leaves_out_what_files_above_the_workspace_and_of_the_user_ignore(home: Path) -> None:
    git(home, "init", "-q")
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/links/ignored\n")
    (home / "links").mkdir()
    (home / "links/ignored").symlink_to("../documents/excluded")
    (home / "documents/excluded").write_text("a1\n")
    (home / ".gitignore").write_text("a2\n")
    (home / ".ignore").write_text("a3\n")
    (home / ".git/info").mkdir(exist_ok=True)
    (home / ".git/info/exclude").write_text("a4\n")
    harness = ToolHarness(home / "work")
    for name in ("a1", "a2", "a3", "a4", "kept"):
        (harness.dir / name).write_text("s3cret\n")
    assert await _found(search(harness), harness) == "kept:1:s3cret\n"
    git(home, "commit", "-q", "--allow-empty", "-m", "first")
    git(home, "worktree", "add", "-q", str(home / "second"))
    second = ToolHarness(home / "second")
    for name in ("a1", "a4", "kept"):
        (second.dir / name).write_text("s3cret\n")
    assert await _found(search(second), second) == "kept:1:s3cret\n"


@needs_landlock
async def test_a_link_of_a_command_among_the_files_that_tell_what_is_ignored_opens_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = ToolHarness(home / "work")
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/dotfiles/ignored\n")
    (home / "dotfiles").symlink_to(harness.dir)
    (harness.dir / "ignored").symlink_to(home / "documents/taxes")
    (harness.dir / ".git/info").mkdir(parents=True)
    (harness.dir / ".git/info/exclude").symlink_to(home / "documents/taxes")
    (harness.dir / "place/taxes").write_text("mine\n")
    link = harness.dir / "link"
    link.symlink_to(home / "documents/taxes")
    exchanging(monkeypatch, link, harness.dir / "place/taxes")
    assert "s3cret" in await _found(Grep(harness.workspace, harness.approvals), harness, path="place/taxes")
    assert await _found(search(harness), harness, path="place/taxes") == ""


async def test_without_landlock_a_search_runs_in_the_box(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = ToolHarness(home / "work")
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace, trusted=True, landlock_version=lambda: 0)
    if not await sandbox.works():
        pytest.skip("there is no sandbox here")
    (harness.dir / "link").symlink_to(home / "documents")
    grep = search(harness, sandbox)

    def visible_program(*_: Path) -> str | None:
        return shutil.which("grep")

    def options(_: GrepParams) -> list[str]:
        return ["-rnZ", "s3cret"]

    monkeypatch.setattr(grep_module, "find_ripgrep", visible_program)
    monkeypatch.setattr(grep_module, "_options", options)
    exchanging(monkeypatch, harness.dir / "link", harness.dir / "place")
    unconfined = Grep(harness.workspace, harness.approvals)
    assert "s3cret" in await _found(unconfined, harness, path="place")
    assert "s3cret" not in await _found(grep, harness, path="place")


@pytest.mark.parametrize("pattern", ["place/*", "**"])
async def test_a_glob_lists_nothing_that_a_link_leads_to_which_a_command_makes_meanwhile(
    home: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    harness = ToolHarness(home / "work")
    link, place = harness.dir / "link", harness.dir / "place"
    link.symlink_to(home / "documents")
    (place / "own").touch()

    glob = Glob(harness.workspace, harness.approvals)
    directory = {"directory": str(place)} if pattern == "**" else {}
    exchanging_when_opened(monkeypatch, link, place)
    value = await harness.use(glob, pattern=pattern, **directory)
    assert "taxes" not in str(value.output)
    monkeypatch.undo()
    assert "own" in str((await harness.use(glob, pattern=pattern, **directory)).output)


async def test_a_file_that_is_not_there_is_not_looked_for_behind_a_link_that_a_command_makes_meanwhile(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = ToolHarness(home / "work")
    link, place = harness.dir / "link", harness.dir / "place"
    link.symlink_to(home / "documents")
    (place / "taxable").touch()
    read_file = ReadFile(harness.workspace, harness.approvals)
    assert "`taxable`" in (await harness.use(read_file, path="place/taxabl")).message
    (place / "taxable").unlink()
    exchanging_when_opened(monkeypatch, link, place)
    assert "`taxes`" not in (await harness.use(read_file, path="place/taxs")).message
