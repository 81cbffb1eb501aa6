"""The folders of the workspace in a real sandbox, and its folders for temporary files, which file tools see too."""

import asyncio
import itertools
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.grep import Grep
from kimi_tui.tools.read_file import ReadFile
from kimi_tui.tools.shell import Shell, bash
from kimi_tui.tools.shell_support.background import BackgroundTasks
from kimi_tui.tools.shell_support.bwrap_args import (
    SandboxFeatures,
    Tier,
    folders_without_home,
    other_written_folders,
    sandbox_argv,
)
from kimi_tui.tools.shell_support.child_env import DEFAULT_ENV
from kimi_tui.tools.shell_support.git_watch import GitWatch
from kimi_tui.tools.shell_support.process_runner import run
from kimi_tui.tools.shell_support.repository_finder import RepositoryFinder
from kimi_tui.tools.shell_support.sandbox import Sandbox
from kimi_tui.tools.shell_support.sandbox_probe import find_bwrap
from kimi_tui.tools.str_replace_file import StrReplaceFile
from kimi_tui.tools.write_file import WriteFile
from tests.tools.harness import ToolHarness, git, until


def _no_bwrap(_: object) -> None:
    return None


async def boxed(harness: ToolHarness, tier: Tier = "full", **settings: object) -> Shell:
    return (await parts(harness, tier, **settings))[0]


async def parts(
    harness: ToolHarness, tier: Tier = "full", **settings: object
) -> tuple[Shell, Sandbox, BackgroundTasks]:
    config = SandboxConfig.model_validate({"network": False, **settings})
    find = find_bwrap if tier == "full" else _no_bwrap
    sandbox = Sandbox(config, harness.workspace, trusted=True, find_bwrap=find)
    if not await sandbox.works() or sandbox.tier != tier:
        pytest.skip(f"there is no sandbox of tier {tier} here")
    tasks = BackgroundTasks(harness.dir.parent / "tasks")
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), background=tasks, sandbox=sandbox)
    return tool, sandbox, tasks


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


@pytest.mark.parametrize("tier", ["full", "files"])
async def test_links_of_the_home_into_the_workspace_lead_no_further_than_commands_can_see(
    other: Path, tier: Tier
) -> None:
    """So it is where the workspace has the settings and tools of the user."""
    home, work = other.parent, other.parent / "dotfiles"
    for link, name in ((home / ".local/bin", "bin"), (home / ".kimi-tui/skills", "skills")):
        (work / name).mkdir(parents=True)
        (work / name / "tool").write_text("a tool\n")
        link.parent.mkdir()
        link.symlink_to(work / name)
    harness = ToolHarness(work)
    tool = await boxed(harness, tier)
    value = await harness.use(tool, command="cat ~/.local/bin/tool ~/.kimi-tui/skills/tool")
    assert str(value.output) == "a tool\n" * 2
    moved = await harness.use(tool, command="rm -r bin skills && ln -s ~/other bin && ln -s ~/other skills")
    assert not moved.is_error, moved.output
    value = await harness.use(tool, command="cat ~/.local/bin/secret ~/.kimi-tui/skills/secret; echo end")
    assert str(value.output).endswith("end\n")
    assert "s3cret" not in str(value.output)


@pytest.mark.parametrize("tier", ["full", "files"])
@pytest.mark.parametrize("setting", ["readable", "writable"])
async def test_a_setting_that_leads_through_the_workspace_opens_nothing_else(
    other: Path, tier: Tier, setting: str
) -> None:
    home, work = other.parent, other.parent / "dotfiles"
    (work / "vim").mkdir(parents=True)
    (work / "vim/vimrc").write_text("mine\n")
    (home / ".vim").symlink_to(work / "vim")
    harness = ToolHarness(work)
    tool = await boxed(harness, tier, **{setting: ["~/.vim"]})
    assert "mine" in str((await harness.use(tool, command="cat vim/vimrc")).output)
    await harness.use(tool, command="rm -r vim && ln -s ~/other vim")
    value = await harness.use(tool, command="cat ~/other/secret; touch ~/other/written; echo end")
    assert str(value.output).endswith("end\n")
    assert "s3cret" not in str(value.output)
    assert not (other / "written").exists()


async def test_the_folder_that_stands_for_tmp_stays_the_sessions_own_within_a_writable_folder(
    harness: ToolHarness, other: Path
) -> None:
    """Else a command could put a link there, and the next one write wherever it leads."""
    await boxed(harness)
    private = harness.dir / "temp/kimi-tui-x"
    for name in ("tmp", "var-tmp"):
        (private / name).mkdir(parents=True)
    box = SandboxFeatures(find_bwrap(()) or "", private)
    script = f"cd temp/kimi-tui-x && rmdir var-tmp; ln -s {other} var-tmp; cd ..; mv kimi-tui-x a; cd ..; mv temp a"
    argv = sandbox_argv(box, SandboxConfig(), harness.workspace, unstarted=private / "unstarted")
    command = [*argv, *bash(script, harness.workspace)]
    await run(command, cwd=harness.dir, env=DEFAULT_ENV.build(), on_text=lambda _: None)
    assert (private / "var-tmp").is_dir()
    assert not (private / "var-tmp").is_symlink()


async def test_the_configuration_stays_hidden_where_commands_may_write_to_the_folder_for_temporary_files(
    harness: ToolHarness, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await boxed(harness)
    home, temporary = other.parent / ".kimi-tui", other.parent / "temporary"
    for folder in (home, temporary):
        folder.mkdir(exist_ok=True)
    (home / "config.yaml").write_text("s3cret\n")
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    config = SandboxConfig(network=False, writable=(temporary,))
    sandbox = Sandbox(config, harness.workspace, trusted=True, hidden_files=[home / "config.yaml"])
    assert await sandbox.works()
    assert sandbox.tier == "full", sandbox.summary
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    value = await harness.use(tool, command=f"touch {temporary}/written; cat {home}/c*; touch {home}/x; ls {home}")
    assert "s3cret" not in str(value.output)
    assert (temporary / "written").exists()
    assert [path.name for path in home.iterdir() if path.name != "cache"] == ["config.yaml"]
    await sandbox.close()


@pytest.mark.parametrize("target", ["/proc/1/root", "a" * 300], ids=["unreadable", "impossible"])
async def test_a_link_that_cannot_be_followed_keeps_no_setting_of_git_from_being_undone(
    harness: ToolHarness, target: str
) -> None:
    """An ordinary user cannot read `/proc/1/root`, and no file has a name of 300 bytes."""
    tool = await boxed(harness)
    links = "; ".join(f"ln -s {target} {name}" for name in ("closed", ".git", ".claude", "HEAD", "a/.git/modules"))
    script = f"git init -q a; git -C a config core.fsmonitor ./x; {links}"
    (harness.dir / "script.sh").write_text(script)
    value = await harness.use(tool, command="bash script.sh")
    assert not value.is_error, value.output
    assert "fsmonitor" not in (harness.dir / "a/.git/config").read_text()
    assert not (await harness.use(tool, command="ls")).is_error


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A file in the machine's `/tmp`."""
    with tempfile.NamedTemporaryFile("w", dir="/tmp", prefix="of-the-machine-") as file:
        file.write("of the machine\n")
        file.flush()
        yield Path(file.name)


def files(harness: ToolHarness) -> tuple[ReadFile, StrReplaceFile, WriteFile]:
    used = (harness.workspace, harness.approvals)
    return (
        ReadFile(*used),
        StrReplaceFile(*used),
        WriteFile(*used),
    )


async def test_file_tools_read_and_edit_what_a_command_wrote_into_its_tmp(
    harness: ToolHarness, other: Path, temporary: Path
) -> None:
    tool = await boxed(harness)
    read_file, replace, _ = files(harness)
    await harness.use(tool, command=f"echo of a command > {temporary}; mkdir /tmp/made; echo b > /tmp/made/own")
    for path, expected in ((temporary, "of a command"), (Path("/tmp/made/own"), "b")):
        assert expected in str((await harness.use(read_file, path=str(path))).output)
    found = await harness.use(Grep(harness.workspace, harness.approvals), pattern="b", path="/tmp/made")
    assert "own" in str(found.output)
    value = await harness.use(replace, path=str(temporary), edit={"old": "of a command", "new": "edited"})
    assert not value.is_error, value.message
    assert (await harness.use(tool, command=f"cat {temporary}")).output == "edited\n"
    assert temporary.read_text() == "of the machine\n"


async def test_file_tools_read_the_files_of_the_user_in_tmp_and_say_that_commands_do_not_see_them(
    harness: ToolHarness, other: Path, temporary: Path
) -> None:
    tool = await boxed(harness)
    read_file, _, write_file = files(harness)
    assert "of the machine" in str((await harness.use(read_file, path=str(temporary))).output)
    missed = await harness.use(tool, command=f"cat {temporary}")
    assert "temporary files of its own" in missed.message
    new = temporary.with_name(f"{temporary.name}-new")
    try:
        written = await harness.use(write_file, path=str(new), content="x\n")
        assert "Commands do not see it" in written.message
        assert new.read_text() == "x\n"
    finally:
        new.unlink(missing_ok=True)


async def test_no_link_of_a_command_in_its_tmp_leads_file_tools_out_of_it(harness: ToolHarness, other: Path) -> None:
    """It leads elsewhere for the command than for kimi-tui."""
    tool = await boxed(harness)
    read_file, replace, write_file = files(harness)
    await harness.use(tool, command=f"ln -s {other} /tmp/folder; ln -s {other}/secret /tmp/file; ln -s /tmp/a /tmp/b")
    for path in ("/tmp/folder/secret", "/tmp/file", "/tmp/b", "/var/tmp/../../tmp/file"):
        for value in (
            await harness.use(read_file, path=path),
            await harness.use(write_file, path=path, content="written"),
            await harness.use(replace, path=path, edit={"old": "s3cret", "new": "written"}),
        ):
            assert value.is_error
            assert "link" in value.message
    assert (other / "secret").read_text() == "s3cret\n"
    assert not harness.asked


async def test_programs_in_the_home_stay_as_they_are_where_the_home_is_the_workspace(
    other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the user's next `ls` could be one of a command."""
    home = other.parent
    for name in ("sdk/bin", "Documents"):
        (home / name).mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{home}/sdk/bin:{os.environ['PATH']}")
    harness = ToolHarness(home)
    tool = await boxed(harness)
    await harness.use(tool, command="touch sdk/bin/ls; touch Documents/a")
    assert not (home / "sdk/bin/ls").exists()
    assert (home / "Documents/a").exists()


async def test_a_socket_that_a_program_of_the_user_opens_later_in_the_workspace_is_closed_to_commands(
    harness: ToolHarness, other: Path
) -> None:
    tool = await boxed(harness)
    reach = "import socket; socket.socket(socket.AF_UNIX).connect('{}')"
    await harness.use(tool, command="true")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(harness.dir / "socket"))
        server.listen()
        value = await harness.use(tool, command=f'python3 -c "{reach.format("socket")}"')
    assert value.is_error
    assert "ConnectionRefused" in str(value.output)


async def test_the_question_for_a_command_outside_names_a_program_that_commands_can_change(
    harness: ToolHarness, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a yes to `git status` runs a `git` that a command put into the project's folder of programs."""
    monkeypatch.setenv("PATH", f"{harness.dir}/.venv/bin:{os.environ['PATH']}")
    tool = await boxed(harness)
    await harness.use(tool, command="mkdir -p .venv/bin; ln -s /bin/true .venv/bin/git")
    harness.answer = "reject"
    await harness.use(tool, command="cd . && git status", outside_sandbox=True)
    assert f"{harness.dir}/.venv/bin/git" in str(harness.asked[-1].display)
    await harness.use(tool, command="ls -l", outside_sandbox=True)
    assert "commands can change" not in str(harness.asked[-1].display)


@pytest.mark.parametrize(
    "name",
    [
        *(".hg/hgrc", ".jj/repo/config.toml", ".jj/repo", "_darcs/prefs/defaults", ".lfsconfig"),
        *(".bzr/branch/branch.conf", ".bzr/branch/location"),
    ],
)
async def test_settings_by_which_other_version_control_runs_programs_are_kept_and_put_aside(
    harness: ToolHarness, other: Path, name: str
) -> None:
    tool = await boxed(harness)
    path = harness.dir / name
    top = harness.dir / Path(name).parts[0]
    await harness.use(tool, command=f"mkdir -p elsewhere/{Path(name).parent}; echo new > elsewhere/{name}")
    await harness.use(tool, command=f"ln -s elsewhere/{top.name} {top.name}")
    assert not os.path.lexists(top)
    await harness.use(tool, command=f"mkdir -p {path.parent}; echo new > {name}")
    assert not path.exists()
    path.write_text("old")
    await harness.use(
        tool, command=f"echo new > {name}; mv {top.name} moved && mkdir -p {path.parent}; echo new > {name}"
    )
    assert path.read_text() == "old"


@pytest.mark.parametrize("target", ["/proc/self/cwd/made", "made", "a" * 300, "/proc/1/root/a"])
@pytest.mark.parametrize("name", [".vscode", ".hg", ".jj", ".bzr/branch", ".pijul"])
async def test_a_link_to_what_starts_programs_is_put_aside_wherever_it_leads(
    harness: ToolHarness, other: Path, name: str, target: str
) -> None:
    """The program that follows it runs in another folder than kimi-tui, or later."""
    tool = await boxed(harness)
    value = await harness.use(tool, command=f"mkdir -p $(dirname {name}); ln -s {target} {name}")
    assert "put aside" in value.message
    assert not os.path.lexists(harness.dir / name)


@pytest.mark.parametrize(
    "change",
    [
        "ln -sfn evil .vscode",
        "ln -sfn evil link",
        "ln -sfn /proc/self/cwd/evil .vscode",
        "rm .vscode; mkdir .vscode; cp evil/settings.json .vscode",
    ],
)
async def test_a_link_to_what_starts_programs_that_leads_elsewhere_now_is_put_aside(
    harness: ToolHarness, other: Path, change: str
) -> None:
    (harness.dir / "good").mkdir()
    (harness.dir / "good/settings.json").write_text("{}")
    (harness.dir / "link").symlink_to("good")
    (harness.dir / ".vscode").symlink_to("link")
    tool = await boxed(harness)
    value = await harness.use(tool, command="touch made")
    assert "put aside" not in value.message
    value = await harness.use(tool, command=f"mkdir evil; echo evil > evil/settings.json; {change}")
    assert "put aside" in value.message
    assert not os.path.lexists(harness.dir / ".vscode/settings.json")


@pytest.mark.parametrize("link", [".vscode", ".vscode/tasks.json", ".idea"])
async def test_what_starts_programs_behind_a_link_that_led_nowhere_is_put_aside(
    harness: ToolHarness, other: Path, link: str
) -> None:
    leads = "made/tasks.json" if link.endswith(".json") else "made"
    (harness.dir / link).parent.mkdir(exist_ok=True)
    (harness.dir / link).symlink_to(harness.dir / leads)
    tool = await boxed(harness)
    value = await harness.use(tool, command="mkdir made; echo evil > made/tasks.json")
    assert "put aside" in value.message
    assert (harness.dir / link).is_symlink()
    assert not os.path.lexists(harness.dir / "made/tasks.json")


async def test_commands_ask_where_folders_are_left_out_of_the_search_for_repositories(
    harness: ToolHarness, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = await boxed(harness)
    await harness.use(tool, command="touch made")
    assert harness.asked == []
    monkeypatch.setattr("kimi_tui.tools.shell_support.repository_finder._MAX_FOLDERS", 10)
    subprocess.run("mkdir -p a/{1..20}", shell=True, cwd=harness.dir, check=True, executable="/bin/bash")
    tool = await boxed(harness)
    await harness.use(tool, command="touch made")
    assert len(harness.asked) == 1


async def test_after_a_check_that_failed_commands_ask_until_what_was_left_is_undone(
    harness: ToolHarness, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    sandbox = Sandbox(
        SandboxConfig(network=False), harness.workspace, trusted=True, notify=lambda _, text: told.append(text)
    )
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    git(harness.dir, "init", "-q")
    await harness.use(tool, command="true")
    with monkeypatch.context() as broken:
        broken.setattr(GitWatch, "undo_changes", refuse)
        value = await harness.use(tool, command="git init -q made; git -C made config core.fsmonitor ./evil")
    assert "its check failed" in value.message
    assert "a planted reason" in told[0]
    assert harness.asked == []
    value = await harness.use(tool, command="touch done")
    assert len(harness.asked) == 1
    assert "core.fsmonitor" in value.message
    assert "evil" not in (harness.dir / "made/.git/config").read_text()
    await harness.use(tool, command="touch done")
    assert len(harness.asked) == 1


def refuse(*_: object, **__: object) -> list[str]:
    raise PermissionError("a planted reason")


@pytest.mark.usefixtures("as_in_a_hook")
async def test_what_a_command_commits_does_not_change_where_git_lfs_uploads(harness: ToolHarness, other: Path) -> None:
    git(harness.dir, "init", "-q")
    tool = await boxed(harness)
    command = "printf '[lfs]\n\turl=https://x.example/\n' > .lfsconfig; git add .lfsconfig; rm .lfsconfig"
    value = await harness.use(tool, command=command)
    assert "Git LFS" in value.message
    file = harness.dir / ".lfsconfig"
    assert file.read_text().count("#") == len(file.read_text().splitlines())
    value = await harness.use(tool, command="rm -f .lfsconfig; git -c user.name=n -c user.email=a@b.c commit -qm x")
    assert "kimi-tui" in file.read_text()
    assert "Git LFS" not in value.message


ACTS = "mkdir -p d/{1..60}/{1..60}; git init -q r; git -C r config core.fsmonitor ./evil; touch done; sleep 100"


async def test_a_command_that_is_cancelled_again_and_again_is_checked_to_the_end(
    harness: ToolHarness, other: Path
) -> None:
    tool, sandbox, _ = await parts(harness)
    call = asyncio.create_task(harness.use(tool, command=ACTS))
    await until((harness.dir / "done").exists)
    while not call.done():
        call.cancel()
        await asyncio.sleep(0)
    await sandbox.close()
    assert "evil" not in (harness.dir / "r/.git/config").read_text()


async def test_what_a_background_command_did_is_undone_when_the_session_ends(harness: ToolHarness, other: Path) -> None:
    tool, sandbox, tasks = await parts(harness)
    await harness.use(tool, command=ACTS, run_in_background=True, description="x")
    await until((harness.dir / "done").exists)
    await tasks.aclose()
    await sandbox.close()
    assert "evil" not in (harness.dir / "r/.git/config").read_text()


@pytest.mark.usefixtures("as_in_a_hook")
async def test_repositories_with_thousands_of_modules_are_read_only_and_commands_run(
    harness: ToolHarness, other: Path
) -> None:
    """The paths to guard are arguments of one program, of which Linux takes only so many."""
    tool = await boxed(harness)
    for repository, module in itertools.product(range(12), range(70)):
        folder = harness.dir / f"r{repository:02}/.git/modules/{module:0120}"
        for name in ("hooks", "objects", "refs"):
            (folder / name).mkdir(parents=True)
        (folder / "HEAD").write_text("x")
        (folder / "config").touch()
    tried = "git --version && touch r00/.git/X && for r in r*; do touch $r/.git/y; done; touch */.git/modules/*/config"
    value = await harness.use(tool, command=tried)
    assert "git version" in str(value.output), value.message
    assert (harness.dir / "r00/.git/X").exists()
    assert "Read-only file system" in str(value.output)


async def test_the_hooks_and_settings_of_a_hundred_repositories_are_read_only(
    harness: ToolHarness, other: Path
) -> None:
    for number in range(100):
        folder = harness.dir / f"r{number:02}/.git"
        for name in ("hooks", "objects", "refs"):
            (folder / name).mkdir(parents=True)
        for name in ("HEAD", "config", "hooks/pre-commit"):
            (folder / name).touch()
    tool = await boxed(harness)
    for started in ("true", "git --version"):
        written = "for f in r*/.git/hooks/pre-commit r*/.git/config; do echo x > $f && echo $f; done"
        value = await harness.use(tool, command=f"({started}; {written}) 2>/dev/null")
        assert " r" not in f" {value.output}".replace("\n", " ")


async def test_commands_still_run_after_one_made_a_repository_hundreds_of_folders_deep(
    harness: ToolHarness, other: Path
) -> None:
    """The folders above a mount are mounts too, and arguments of one program."""
    tool = await boxed(harness)
    made = "for n in {1..450}; do mkdir a && cd a; done; mkdir -p .git/objects .git/refs; touch .git/HEAD"
    value = await harness.use(tool, command=made)
    assert not value.is_error, value
    value = await harness.use(tool, command="echo ran")
    assert "ran" in str(value.output), value.message


@pytest.mark.parametrize(
    "link",
    ["ln -s $XDG_CACHE_HOME/r x", "ln -s $XDG_CACHE_HOME x", "mkdir d; ln -s d/e/../r x; ln -s $XDG_CACHE_HOME/y d/e"],
)
async def test_a_repository_in_a_cache_runs_nothing_for_the_user_behind_a_link_of_the_project(
    harness: ToolHarness, link: str
) -> None:
    tool = await boxed(harness)
    made = "mkdir -p $XDG_CACHE_HOME/y; git init -q $XDG_CACHE_HOME/r"
    await harness.use(tool, command=made)
    planted = f"git -C $XDG_CACHE_HOME/r config core.fsmonitor 'touch {harness.dir}/PWNED'"
    await harness.use(tool, command=planted)
    await harness.use(tool, command=link)
    for folder in (harness.dir / "x", harness.dir / "x/r"):
        if folder.is_dir():
            subprocess.run(["git", "status"], cwd=folder, check=False, capture_output=True)
    assert not (harness.dir / "PWNED").exists()


async def test_repositories_in_folders_that_a_setting_makes_writable_run_nothing_for_the_user(
    harness: ToolHarness, other: Path
) -> None:
    library, bare = Path.home() / "library", Path.home() / "bare.git"
    git(harness.dir, "init", "-q", str(library))
    git(harness.dir, "init", "-q", "--bare", str(bare))
    script = f"""
import os
for file in ("{library}/.git/hooks/pre-commit", "{bare}/hooks/post-receive", "{library}/.git/config"):
    try:
        with open(file, "a") as opened:
            opened.write("[core]\\n\\tfsmonitor = x\\n")
        os.chmod(file, 0o755)
    except OSError:
        pass
"""
    (harness.dir / "made.py").write_text(script)
    tool = await boxed(harness, writable=[str(library), str(bare)])
    await harness.use(tool, command="python3 made.py")
    assert not (library / ".git/hooks/pre-commit").exists()
    assert not (bare / "hooks/post-receive").exists()
    assert "fsmonitor" not in (library / ".git/config").read_text()


@pytest.mark.skipif(find_bwrap(()) is None, reason="bubblewrap is not installed")
async def test_the_full_sandbox_works_where_temporary_files_are_in_the_workspace(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    (harness.dir / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(harness.dir / "temporary"))
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace)
    assert await sandbox.works()
    assert "write outside" not in (sandbox.why_not or "")


@pytest.mark.skipif(find_bwrap(()) is None, reason="bubblewrap is not installed")
async def test_a_workspace_that_contains_bubblewrap_is_the_reason_why_it_is_not_used() -> None:
    folder = Path(find_bwrap(()) or "").resolve().parent
    for workspace, reason in (
        (folder, f"bubblewrap (`{find_bwrap(())}`) is in a folder that commands may write"),
        (Path("/"), "commands may write everywhere: start kimi-tui in the folder of a project, not in `/`"),
    ):
        sandbox = Sandbox(SandboxConfig(), Workspace(workspace), landlock_version=lambda: 0)
        assert not await sandbox.works()
        assert reason in str(sandbox.why_not)


def test_a_workspace_that_contains_the_home_is_not_searched_as_a_whole(other: Path) -> None:
    """Of `/`, that would be all of the machine before and after each command."""
    home = Path.home().resolve()
    (home / "mine").mkdir()
    git(home, "init", "-q")
    workspace = Workspace(home.parent)
    assert home.parent not in folders_without_home(workspace)
    found = other_written_folders(SandboxConfig(), workspace)
    assert home / "mine" in found
    assert home not in found


def test_the_mounts_of_a_git_directory_around_the_workspace_are_compared_too(tmp_path: Path) -> None:
    """A command could replace a folder in it by a link while another one starts."""
    git(tmp_path, "init", "-q", "main")
    git(tmp_path / "main", "commit", "-q", "--allow-empty", "-m", "one")
    git(tmp_path / "main", "worktree", "add", "-q", "../tree")
    (tmp_path / "private").mkdir()
    box = SandboxFeatures("/usr/bin/bwrap", tmp_path / "private")
    argv = sandbox_argv(
        box, SandboxConfig(), Workspace(tmp_path / "tree"), git_alone=True, unstarted=tmp_path / "unstarted"
    )
    places = argv[argv.index(str(tmp_path / "unstarted")) - 2].split("\n")
    assert str(tmp_path / "main/.git/hooks") in places


MAPS = r"""
import hashlib, mmap, os, subprocess, time
os.makedirs("w/r")
os.chdir("w/r")
run = ["git", "-c", "user.name=n", "-c", "user.email=a@b.c"]
open("aaaaaaa", "w").write("x")
for words in (["init", "-q"], ["add", "aaaaaaa"], ["commit", "-qm", "x"]):
    subprocess.run([*run, *words], check=True)
data = open(".git/index", "rb").read()
with open(".git/index", "r+b") as file:
    index = mmap.mmap(file.fileno(), len(data))
index[:1] = index[:1]
open("../../mapped", "w")
while not os.path.exists("../../go"):
    time.sleep(0.01)
place = data.index(b"aaaaaaa")
index[place : place + 7] = b"../aaaa"
index[-20:] = hashlib.sha1(index[:-20]).digest()
"""


async def test_an_index_that_a_background_command_changes_in_its_memory_is_put_aside(
    harness: ToolHarness, other: Path
) -> None:
    """Such a change leaves no time in the file; the index names a file outside of the repository."""
    tool, sandbox, tasks = await parts(harness)
    (harness.dir / "maps.py").write_text(MAPS)
    await harness.use(tool, command="python3 maps.py", run_in_background=True, description="x")
    await until((harness.dir / "mapped").exists)
    await harness.use(tool, command="true")
    assert (harness.dir / "w/r/.git/index").exists()
    (harness.dir / "go").touch()
    (task,) = tasks.tasks
    await until(lambda: not task.running)
    await harness.use(tool, command="true")
    await sandbox.close()
    subprocess.run(["git", "checkout", "--", "."], cwd=harness.dir / "w/r", check=False, capture_output=True)
    assert not (harness.dir / "w/aaaa").exists()


async def test_a_command_that_starts_as_another_ends_does_not_take_its_changes_as_right(
    harness: ToolHarness, other: Path
) -> None:
    git(harness.dir, "init", "-q")
    _, sandbox, _ = await parts(harness)
    async with AsyncExitStack() as ending, AsyncExitStack() as starting:
        undone = await ending.enter_async_context(sandbox.watching())
        (harness.dir / ".git/hooks").mkdir(exist_ok=True)
        (harness.dir / ".git/hooks/pre-commit").write_text("#!/bin/sh\n")
        (harness.dir / ".git/hooks/pre-commit").chmod(0o755)
        start = asyncio.create_task(starting.enter_async_context(sandbox.watching()))
        await asyncio.sleep(0)  # its check is the next to run
        await ending.aclose()
        await start
    assert any("pre-commit" in each for each in (*undone, *start.result()))
    assert not (harness.dir / ".git/hooks/pre-commit").exists()


async def test_of_thousands_of_repositories_that_a_command_makes_most_are_put_aside(
    harness: ToolHarness, other: Path
) -> None:
    """Each one left is read before and after every later command."""
    (harness.dir / "mine/.git").mkdir(parents=True)
    (harness.dir / "makes.py").write_text("""
import os
for number in range(700):
    folder = f"r{number:03}/.git" if number % 2 else f"r{number:03}"
    for name in ("objects", "refs"):
        os.makedirs(f"{folder}/{name}")
    open(f"{folder}/HEAD", "w").write("ref: refs/heads/main\\n")
    open(f"{folder}/config", "w").write("[core]\\n\\tfsmonitor = evil\\n")
""")
    tool = await boxed(harness)
    value = await harness.use(tool, command="python3 makes.py")
    assert "200 new repositories were put aside" in f"{value.message}{value.output}"
    left = RepositoryFinder(lambda: [harness.dir]).find()
    assert len(left) == 501
    assert harness.dir / "mine/.git" in left
    assert not any("evil" in (entry / "config").read_text() for entry in left if entry.parent.name != "mine")
    value = await harness.use(tool, command="mkdir -p more/.git; rm -r r000 r002 r004")
    assert "put aside" not in f"{value.message}{value.output}"
    value = await harness.use(tool, command="mkdir -p a/.git b/.git c/.git; true")
    assert "1 new repository was put aside" in f"{value.message}{value.output}"
    assert not (harness.dir / "c/.git").exists()


@pytest.mark.parametrize("bare", [False, True])
async def test_a_repository_whose_path_is_too_long_to_check_is_put_aside_and_commands_run(
    harness: ToolHarness, other: Path, bare: bool
) -> None:
    (harness.dir / "makes.py").write_text(f"""
import os
os.mkdir("deep")
os.chdir("deep")
while len(os.getcwd()) < 4070:
    name = "x" * min(200, 4080 - len(os.getcwd()) - 1)
    os.mkdir(name)
    os.chdir(name)
if not {bare}:
    os.mkdir(".git")
    os.chdir(".git")
os.mkdir("objects")
os.mkdir("refs")
open("HEAD", "w").write("ref: refs/heads/main\\n")
open("config", "w").write("[core]\\n\\tfsmonitor = evil\\n")
""")
    tool = await boxed(harness)
    value = await harness.use(tool, command="python3 makes.py")
    assert "1 new repository was put aside" in value.message
    value = await harness.use(tool, command="echo fine; rm -r deep")
    assert str(value.output) == "fine\n"
