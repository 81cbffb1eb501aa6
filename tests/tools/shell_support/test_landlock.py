"""The sandbox where there is no bubblewrap: Landlock, which holds files, TCP and signals."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support.landlock import version
from kimi_tui.tools.shell_support.sandbox import UNSCOPED_SIGNALS_LIMITS, UNSCOPED_SOCKETS_LIMITS, Sandbox
from tests.tools.harness import ToolHarness, git, repository_with_a_commit

pytestmark = pytest.mark.skipif(version() < 1, reason="the kernel has no Landlock")


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that is not for temporary files, with a home in it."""
    folder = Path(tempfile.mkdtemp(dir=os.environ.get("KIMI_TUI_TEST_FOLDER", Path(__file__).parent)))
    (folder / "home").mkdir()
    (folder / "work").mkdir()
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setenv("KIMI_TUI_HOME", str(folder / "home/.kimi-tui"))
    yield folder
    shutil.rmtree(folder)


def shell(harness: ToolHarness, told: list[str], **settings: object) -> Shell:
    sandbox = Sandbox(
        SandboxConfig.model_validate(settings), harness.workspace, find_bwrap=lambda _: None,
        notify=lambda title, text: told.append(f"{title}: {text}"),
    )  # fmt: skip
    return Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)


async def test_without_bubblewrap_the_kernel_keeps_files_and_the_user_is_told(place: Path) -> None:
    told: list[str] = []
    harness = ToolHarness(place / "work")
    tool = shell(harness, told)
    assert not (await harness.use(tool, command="mkdir -p a/b && echo 1 > a/b/c && mv a d && cat d/b/c")).is_error
    value = await harness.use(tool, command=f"echo x > {place}/outside")
    assert value.is_error
    assert "outside_sandbox" in value.message
    assert not (place / "outside").exists()
    assert told == [
        "Commands run in a sandbox that restricts file access only: bubblewrap (`bwrap`) is not installed"
    ]  # fmt: skip


async def test_a_home_that_is_shown_shows_neither_our_keys_nor_sessions(place: Path) -> None:
    (place / "home/.kimi-tui/sessions").mkdir(parents=True)
    (place / "home/.kimi-tui/sessions/wire.jsonl").write_text("s3cret")
    (place / "home/.kimi-tui/config.yaml").write_text("s3cret")
    (place / "home/notes").write_text("n0tes")
    harness = ToolHarness(place / "work")
    tool = shell(harness, [], readable=["~"])
    value = await harness.use(tool, command="cat ~/notes ~/.kimi-tui/config.yaml ~/.kimi-tui/sessions/wire.jsonl")
    assert "n0tes" in str(value.output)
    assert "s3cret" not in str(value.output)


async def test_with_the_network_off_nothing_leaves(place: Path) -> None:
    harness = ToolHarness(place / "work")
    tool = shell(harness, [], network=False)
    for kind in ("tcp", "udp"):
        value = await harness.use(tool, command=f"exec 3<>/dev/{kind}/127.0.0.1/9")
        assert "Address family not supported" in str(value.output)
        assert "network" in value.message


async def test_a_link_in_a_writable_folder_shows_nothing_of_the_home(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "home/secret").mkdir()
    (place / "home/secret/key").write_text("s3cret")
    (place / "home/tools/bin").mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{place}/home/tools/bin:{os.environ['PATH']}")
    harness = ToolHarness(place / "work")
    tool = shell(harness, [], writable=[str(place / "home/tools")])
    await harness.use(tool, command="cd ~/tools && rmdir bin && ln -s ../secret bin")
    value = await harness.use(tool, command="ls -l ~/tools; cat ~/tools/bin/key ~/secret/key")
    assert "bin -> ../secret" in str(value.output)
    assert "s3cret" not in str(value.output)


async def test_a_folder_of_the_workspace_that_becomes_a_link_at_the_last_moment_opens_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "work/added").mkdir()
    (place / "home/other").mkdir()
    (place / "home/other/file").write_text("s3cret")
    harness = ToolHarness(place / "work")
    harness.workspace.add_dir(place / "work/added")
    tool = shell(harness, [])
    await harness.use(tool, command="rmdir added && ln -s ~/other added")
    monkeypatch.setattr(Workspace, "kept_folders", Workspace.folders)
    value = await harness.use(tool, command="touch added/new; cat added/file; echo end")
    assert "end" in str(value.output)
    assert "s3cret" not in str(value.output)
    assert not (place / "home/other/new").exists()


def _as_on_a_kernel(interface: int, rules: str, command: str) -> str:
    """The output of a Bash command that is confined as by a kernel with this version of Landlock's interface."""
    code = (
        "import os, sys; from kimi_tui.tools.shell_support import landlock; "
        f"landlock.version = lambda: {interface}; landlock.confine(sys.argv[1]); "
        "os.execvp('bash', ['bash', '-c', sys.argv[2]])"
    )
    ended = subprocess.run([sys.executable, "-c", code, rules, command], capture_output=True, text=True, check=False)
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("interface", [1, 3])
def test_a_kernel_whose_landlock_knows_no_network_lets_nothing_leave_either(place: Path, interface: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = f"exec 3<>/dev/tcp/127.0.0.1/{server.getsockname()[1]} && echo reached"
        assert "reached" in _as_on_a_kernel(interface, "online\nr /", command)
        assert "reached" not in _as_on_a_kernel(interface, "offline\nr /", command)


@pytest.mark.parametrize("interface", [1, 2])
def test_a_kernel_whose_landlock_knows_no_sizes_keeps_files_from_being_emptied(place: Path, interface: int) -> None:
    (place / "file").write_text("mine")
    empty = f"import os; os.truncate('{place}/file', 0)"
    said = _as_on_a_kernel(interface, f"online\nr /\nw {place}/work", f'{sys.executable} -c "{empty}"; echo end')
    assert "end" in said
    assert (place / "file").read_text() == "mine"


async def test_what_an_old_kernel_does_not_confine_is_said(place: Path) -> None:
    for interface, is_said in ((5, True), (6, False)):
        sandbox = Sandbox(
            SandboxConfig(), ToolHarness(place / "work").workspace, find_bwrap=lambda _: None,
            landlock_version=lambda interface=interface: interface,
        )  # fmt: skip
        await sandbox.works()
        assert (UNSCOPED_SIGNALS_LIMITS in sandbox.limits) == is_said
        await sandbox.close()


@pytest.mark.parametrize("network", [False, True])
async def test_what_an_old_kernel_does_not_confine_beside_bubblewrap_is_said(place: Path, *, network: bool) -> None:
    config, workspace = SandboxConfig(network=network), ToolHarness(place / "work").workspace
    sandbox = Sandbox(config, workspace, landlock_version=lambda: 5)
    await sandbox.works()
    if sandbox.tier != "full":
        pytest.skip("there is no bubblewrap here")
    assert (UNSCOPED_SOCKETS_LIMITS in sandbox.limits) == network
    await sandbox.close()


async def test_settings_of_git_are_restored_when_the_command_ends(place: Path) -> None:
    harness = ToolHarness(place / "work")
    told: list[str] = []
    tool = shell(harness, told)
    assert not (await harness.use(tool, command="git init -q .")).is_error
    config = (harness.dir / ".git/config").read_bytes()
    value = await harness.use(tool, command="printf '[core]\\n\\tfsmonitor = true x\\n' >> .git/config")
    assert "The sandbox undid" in value.message
    assert (harness.dir / ".git/config").read_bytes() == config
    assert len(told) == 2


async def test_a_terminal_of_the_user_is_neither_read_nor_written(place: Path) -> None:
    harness = ToolHarness(place / "work")
    master, terminal = os.openpty()
    try:
        os.write(master, b"typed\n")
        name = os.ttyname(terminal)
        value = await harness.use(shell(harness, []), command=f"echo shown > {name}; head -c 5 < {name}; echo end")
        assert str(value.output).count("Permission denied") == 2
        assert "typed" not in str(value.output)
    finally:
        os.close(master)
        os.close(terminal)


async def test_the_repository_above_stays_as_it_is_though_a_command_removes_the_workspaces_own(place: Path) -> None:
    """It would be taken for the workspace's, with all that its user set up there as new."""
    top = place / "top"
    repository_with_a_commit(top)
    repository_with_a_commit(top / "inside")
    hook = top / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    git(top, "config", "core.sshCommand", "ssh -i mine")
    harness = ToolHarness(top / "inside")
    tool = shell(harness, [])
    await harness.use(tool, command="rm -rf .git")
    assert not (top / "inside/.git").exists()
    await harness.use(tool, command=f"git status; touch {top}/.git/new")
    assert hook.exists()
    assert "sshCommand = ssh -i mine" in (top / ".git/config").read_text()
    assert not (top / ".git/new").exists()
