"""The sandbox: what a command can write, see and reach in it. Without bubblewrap only its command line is tested."""

import asyncio
import ctypes
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from kimi_tui import paths
from kimi_tui.config.schema import SandboxConfig
from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support import mount_check
from kimi_tui.tools.shell_support.background import BackgroundTasks
from kimi_tui.tools.shell_support.bwrap_args import SandboxFeatures, sandbox_argv
from kimi_tui.tools.shell_support.landlock import version
from kimi_tui.tools.shell_support.process_runner import run
from kimi_tui.tools.shell_support.safe_rename import ASIDE
from kimi_tui.tools.shell_support.sandbox import Sandbox
from kimi_tui.tools.shell_support.sandbox_home import visible_entries
from kimi_tui.tools.shell_support.sandbox_probe import find_bwrap
from tests.tools.harness import ToolHarness, processes_with, until


def _elsewhere() -> Path:
    """A folder that we may write and that is not for temporary files, as a checkout may be."""
    temp = [Path(folder).resolve() for folder in ("/tmp", "/var/tmp", tempfile.gettempdir())]
    given = os.environ.get("KIMI_TUI_TEST_FOLDER")
    for folder in (Path(given) if given else Path(__file__).resolve().parent, Path.home()):
        if os.access(folder, os.W_OK) and not any(folder.is_relative_to(one) for one in temp):
            return folder
    pytest.skip("every folder that can be written is one for temporary files", allow_module_level=True)


ELSEWHERE = _elsewhere()
MOUNT_CHECK = mount_check.__file__
OUTSIDE = ELSEWHERE / f"written-by-a-test-{os.getpid()}"


def _works() -> bool:
    program = shutil.which("bwrap")
    if program is None:
        return False
    tried = [program, "--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"]
    return subprocess.run(tried, check=False, capture_output=True).returncode == 0


works = pytest.mark.skipif(not _works(), reason="bubblewrap is not installed, or does not work in this container")


@pytest.fixture(autouse=True)
def _nothing_is_written_outside():
    yield
    assert not OUTSIDE.exists()


def shell(harness: ToolHarness, **settings: object) -> Shell:
    config = SandboxConfig.model_validate(settings)
    return Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=Sandbox(config, harness.workspace))


def bare_sandbox(config: SandboxConfig, harness: ToolHarness, told: list[str]) -> Sandbox:
    """Where there is neither Landlock nor bubblewrap."""
    return Sandbox(
        config,
        harness.workspace,
        notify=lambda _, text: told.append(text),
        find_bwrap=lambda _: None,
        landlock_version=lambda: 0,
    )


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@works
async def test_the_work_dir_added_folders_and_temp_can_be_written_and_nothing_else(
    harness: ToolHarness, tmp_path: Path
) -> None:
    added = tmp_path / "added"
    added.mkdir()
    harness.workspace.add_dir(added)
    tool = shell(harness)
    for folder in (harness.dir, added, Path("/tmp"), Path("/var/tmp")):
        value = await harness.use(tool, command=f"cd {folder} && echo x > sandboxed.$PPID && rm sandboxed.$PPID")
        assert not value.is_error, value.message
    value = await harness.use(tool, command=f"echo x > {OUTSIDE}")
    assert value.is_error
    assert "outside_sandbox" in value.message
    assert "Read-only file system" in str(value.output)


@works
async def test_a_configured_folder_can_be_written(harness: ToolHarness) -> None:
    OUTSIDE.mkdir()
    try:
        value = await harness.use(shell(harness, writable=[str(OUTSIDE)]), command=f"echo x > {OUTSIDE}/a")
        assert not value.is_error
        assert (OUTSIDE / "a").read_text() == "x\n"
    finally:
        shutil.rmtree(OUTSIDE)


@works
async def test_a_configured_path_that_a_command_made_a_link_opens_nothing(harness: ToolHarness) -> None:
    """Else the next command could write wherever the link leads."""
    other = Path.home() / "other"
    other.mkdir()
    (other / "secret").write_text("s3cret\n")
    tool = shell(harness, writable=[str(harness.dir / "out")], readable=[str(harness.dir / "in")])
    await harness.use(tool, command=f"ln -s {other} out; ln -s {other}/secret in")
    assert (harness.dir / "out").is_symlink()
    value = await harness.use(tool, command="touch out/written; cat in out/secret; true")
    assert not (other / "written").exists()
    assert "s3cret" not in str(value.output)


@works
async def test_outside_is_asked_for_with_the_reason_and_no_earlier_yes_covers_it(harness: ToolHarness) -> None:
    tool = shell(harness)
    harness.answer = "approve_for_session"
    await harness.use(tool, command="touch a")
    await harness.use(tool, command="touch b")
    assert len(harness.asked) == 1
    harness.answer = "reject"
    value = await harness.use(tool, command=f"touch {OUTSIDE}", outside_sandbox=True)
    assert "rejected" in value.message
    assert harness.asked[1].scope is None
    assert "outside the sandbox" in str(harness.asked[1].display)
    harness.answer = "approve"
    value = await harness.use(tool, command=f"touch {OUTSIDE}; rm {OUTSIDE}", outside_sandbox=True)
    assert not value.is_error


@works
async def test_git_works_and_what_it_runs_cannot_be_changed(harness: ToolHarness) -> None:
    git(harness.dir, "init", "-q")
    git(harness.dir, "config", "user.email", "a@b.c")
    git(harness.dir, "config", "user.name", "a")
    config = (harness.dir / ".git/config").read_bytes()
    shutil.rmtree(harness.dir / ".git/hooks")
    harness.approvals.yolo = True
    tool = shell(harness)
    work = "echo 1 > a && git add a && git commit -qm one && git switch -qc other && git commit -q --amend -m two"
    value = await harness.use(tool, command=work)
    assert not value.is_error, value.output
    assert git(harness.dir, "log", "--format=%s") == "two\n"
    for attack in (
        "echo x > .git/index",
        "touch .git/x",
        "git config core.pager 'touch x'",
        "git status; echo x > .git/config",
        "cd .git; echo x > config",
        "cd .git; rm -f config; echo x > config",
        "cd .git; echo x > hooks/pre-commit",
        "cd .git; rm -rf hooks; mkdir hooks && echo x > hooks/pre-commit",
        "mv .git g && cp -r g .git && echo x > .git/config",
    ):
        harness.answer = "approve"
        assert (await harness.use(tool, command=attack)).is_error, attack
    assert (harness.dir / ".git/config").read_bytes() == config
    assert not (harness.dir / ".git/hooks/pre-commit").exists()


@works
@pytest.mark.usefixtures("as_in_a_hook")
async def test_what_other_programs_keep_in_a_git_directory_cannot_be_changed(harness: ToolHarness) -> None:
    git(harness.dir, "init", "-q")
    settings = harness.dir / ".git/lazygit.yml"
    settings.write_text("gui: {}\n")
    harness.approvals.yolo = True
    tool = shell(harness)
    for attack in ("git status; echo x > .git/lazygit.yml", "git status && rm .git/lazygit.yml"):
        assert (await harness.use(tool, command=attack)).is_error, attack
    assert settings.read_text() == "gui: {}\n"


@works
async def test_a_linked_worktree_can_commit_and_a_forged_one_opens_nothing(
    harness: ToolHarness, tmp_path: Path
) -> None:
    main = ELSEWHERE / f"repository-{os.getpid()}"
    try:
        main.mkdir()
        for words in (("init", "-q"), ("config", "user.email", "a@b.c"), ("config", "user.name", "a")):
            git(main, *words)
        git(main, "commit", "-q", "--allow-empty", "-m", "one")
        shutil.rmtree(harness.dir)
        git(main, "worktree", "add", "-q", str(harness.dir))
        harness.approvals.yolo = True
        value = await harness.use(shell(harness), command="echo 1 > a && git add a && git commit -qm two")
        assert not value.is_error, value.output
        value = await harness.use(shell(harness), command=f"echo x > {main}/.git/config")
        assert value.is_error
        (harness.dir / ".git").write_text(f"gitdir: {main}\n")
        value = await harness.use(shell(harness), command=f"echo x > {main}/written")
        assert value.is_error
        assert not (main / "written").exists()
    finally:
        shutil.rmtree(main)


@works
async def test_protected_files_stay_though_their_folders_are_moved(harness: ToolHarness) -> None:
    flow = harness.dir / "skills/flow/SKILL.md"
    flow.parent.mkdir(parents=True)
    flow.write_text("right\n")
    (harness.dir / ".kimi-tui").mkdir()
    harness.approvals.yolo = True
    with harness.workspace.protecting(flow):
        for attack in ("cd skills/flow; echo x > SKIL*", "mv skills s; cp -r s skills; cd skills/flow; echo x > SK*.md",
                       "cd .kimi-tu?; echo x > config.yaml"):  # fmt: skip
            assert (await harness.use(shell(harness), command=attack)).is_error, attack
    assert flow.read_text() == "right\n"
    assert not (await harness.use(shell(harness), command="cd skills/flow; echo x > SKIL*")).is_error


@works
async def test_our_keys_cannot_be_read(harness: ToolHarness) -> None:
    home = paths.home()
    home.mkdir(parents=True)
    (home / "config.yaml").write_text("api_key: sk-hidden\n")
    (home / "skills").mkdir()
    (home / "skills/a").write_text("seen\n")
    harness.approvals.yolo = True
    harness.workspace.protected.add(home.resolve())
    value = await harness.use(
        shell(harness), command=f"cd {home.parent}; cat .k*/*.yaml .k*/skills/a; echo x > .k*/config.yaml"
    )
    assert "sk-hidden" not in str(value.output)
    assert "seen" in str(value.output)
    assert (home / "config.yaml").read_text() == "api_key: sk-hidden\n"


@works
async def test_processes_outside_are_not_seen_and_those_inside_end_with_the_command(harness: ToolHarness) -> None:
    value = await harness.use(
        shell(harness), command="ls -d /proc/[0-9]* | wc -l; setsid sleep 987.123 & kill -0 $PPID"
    )
    assert int(str(value.output).split()[0]) < 10
    assert processes_with("sleep 987.123") == []
    value = await harness.use(shell(harness), command="trap 'echo told; exit' TERM; sleep 987.123 & wait", timeout=1)
    assert "timeout" in value.message
    assert "told" in str(value.output)
    assert processes_with("sleep 987.123") == []


@works
async def test_without_network_there_is_none_and_the_result_says_why(harness: ToolHarness) -> None:
    connect = "import socket; socket.create_connection(('192.0.2.1', 9), 2)"
    value = await harness.use(shell(harness, network=False), command=f'python3 -c "{connect}"')
    assert "it has no network" in value.message
    value = await harness.use(shell(harness, network=False), command="ls /sys/class/net; exit 3")
    assert "sandbox" not in value.message


@works
@pytest.mark.skipif(os.geteuid() != 0, reason="only root could")
async def test_root_cannot_mount_itself_out(harness: ToolHarness) -> None:
    for attack in ("mount -o remount,rw /", "umount /proc", "unshare -Urm mount -o remount,rw,bind /"):
        assert (await harness.use(shell(harness), command=f"{attack} && echo x > {OUTSIDE}")).is_error


@works
async def test_a_locale_that_is_not_installed_costs_no_sandbox(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "xx_XX.UTF-8")
    told: list[str] = []
    sandbox = Sandbox(SandboxConfig(), harness.workspace, notify=lambda _, text: told.append(text))
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    assert not (await harness.use(tool, command="true")).is_error
    assert (told, sandbox.tier) == ([], "full")


@pytest.mark.parametrize("mode", ["auto", "require"])
async def test_without_bubblewrap_one_line_says_so(harness: ToolHarness, mode: str) -> None:
    told: list[str] = []
    config = SandboxConfig.model_validate({"mode": mode})
    sandbox = Sandbox(
        config,
        harness.workspace,
        notify=lambda _, text: told.append(text),
        find_bwrap=lambda _: None,
        landlock_version=lambda: 0,
    )
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    values = [await harness.use(tool, command=f"echo {number}") for number in range(2)]
    assert told == ["bubblewrap (`bwrap`) is not installed"]
    assert [value.is_error for value in values] == [mode == "require"] * 2
    assert ("there is none" in values[0].message) is (mode == "require")


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("echo 'bwrap: No permissions to create new namespace' >&2; exit 1", "No permissions to create new namespace"),
        ('while [ "$1" != -- ]; do shift; done; shift; exec "$@"', "bubblewrap does not work here: it "),
        ("exit 0", "no reason given"),
    ],
)
async def test_what_does_not_hold_is_not_used(harness: ToolHarness, tmp_path: Path, program: str, why: str) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text(f"#!/bin/sh\n{program}\n")
    fake.chmod(0o755)
    told: list[str] = []
    sandbox = Sandbox(
        SandboxConfig(),
        harness.workspace,
        notify=lambda _, text: told.append(text),
        find_bwrap=lambda _: str(fake),
        landlock_version=lambda: 0,
    )
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    assert not (await harness.use(tool, command="true")).is_error
    assert len(told) == 1
    assert told[0].startswith("bubblewrap does not work here: ")
    assert why in told[0]


def test_a_bubblewrap_that_commands_could_write_is_not_found(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (harness.dir / "bin", Path(tempfile.gettempdir()) / f"programs-{os.getpid()}"):
        folder.mkdir()
        try:
            shutil.copy(shutil.which("true") or "/bin/true", folder / "bwrap")
            monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
            found = find_bwrap([harness.dir])
            assert found is None or not found.startswith(str(folder))
        finally:
            shutil.rmtree(folder)


def test_a_bubblewrap_in_a_folder_of_the_home_that_commands_may_write_is_not_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The configured path begins with `~`."""
    monkeypatch.setattr("kimi_tui.tools.shell_support.sandbox_probe._FOLDERS", ())
    monkeypatch.setenv("HOME", str(OUTSIDE))
    monkeypatch.setenv("PATH", str(OUTSIDE / "tools/bin"))
    try:
        (OUTSIDE / "tools/bin").mkdir(parents=True)
        shutil.copy(shutil.which("true", path=os.defpath) or "/bin/true", OUTSIDE / "tools/bin/bwrap")
        assert find_bwrap(()) == str(OUTSIDE / "tools/bin/bwrap")
        assert find_bwrap([Path("~/tools")]) is None
    finally:
        shutil.rmtree(OUTSIDE)


def test_the_command_line_closes_what_it_opened_before(harness: ToolHarness) -> None:
    (harness.dir / ".kimi-tui").mkdir()
    box = SandboxFeatures("bwrap", harness.dir)
    argv = sandbox_argv(box, SandboxConfig(network=False), harness.workspace, unstarted=harness.dir / "unstarted")
    argv = argv[argv.index("bwrap") :]
    work, ours = str(harness.dir), str(harness.dir / ".kimi-tui")
    assert argv[:3] == ["bwrap", "--unshare-pid", "--unshare-ipc"]
    assert "--unshare-net" in argv
    binds = [tuple(argv[at : at + 3]) for at in range(len(argv))]
    places = [binds.index(found) for found in (
        ("--ro-bind", "/", "/"), ("--ro-bind", "/proc/sys", "/proc/sys"), ("--bind", work, work),
        ("--ro-bind", ours, ours))]  # fmt: skip
    assert places == sorted(places)
    assert argv[-3:] == ["--chdir", work, "--"]


@works
async def test_settings_of_the_kernel_are_mounted_read_only(harness: ToolHarness) -> None:
    value = await harness.use(shell(harness), command="cat /proc/self/mountinfo; grep . /proc/self/uid_map")
    options = {line.split()[4]: line.split()[5].split(",") for line in str(value.output).splitlines() if "/" in line}
    for name in ("sys", "sysrq-trigger", "irq", "bus", "fs"):
        if Path("/proc", name).exists():
            assert "ro" in options[f"/proc/{name}"], name
    value = await harness.use(shell(harness), command="mount -o remount,rw /proc/sys || umount /proc/sys")
    assert value.is_error


@works
@pytest.mark.parametrize("how", ["yolo", "rule", "session"])
async def test_nothing_allows_a_command_outside_without_a_question(harness: ToolHarness, how: str) -> None:
    tool = shell(harness)
    if how == "yolo":
        harness.approvals.yolo = True
    elif how == "rule":
        harness.approvals.policy = Policy([parse_rule("Shell", Effect.ALLOW)])
    else:
        harness.answer = "approve_for_session"
        await harness.use(tool, command="pwd", outside_sandbox=True)
        harness.asked.clear()
    harness.answer = "reject"
    value = await harness.use(tool, command="pwd", outside_sandbox=True)
    assert len(harness.asked) == 1
    assert "rejected" in value.message


@works
async def test_a_setting_keeps_every_command_inside(harness: ToolHarness) -> None:
    value = await harness.use(shell(harness, outside="never"), command="pwd", outside_sandbox=True)
    assert value.is_error
    assert harness.asked == []
    value = await harness.use(shell(harness, outside="never"), command=f"echo x > {OUTSIDE}")
    assert "outside_sandbox" not in value.message


@works
async def test_keys_and_tokens_of_the_home_are_hidden_and_can_be_given_back(harness: ToolHarness) -> None:
    home = Path.home()
    secrets = (".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml", ".never-heard-of/token",
               ".bash_history", ".docker/config.json", "Documents/taxes")  # fmt: skip
    for name in secrets:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("s3cret\n")
    (home / ".ssh/known_hosts").write_text("host key\n")
    (home / ".gitconfig").write_text("[user]\nname = seen\n")
    (home / ".npmrc").write_text("//registry/:_authToken=s3cret\n")
    (home / ".local/bin").mkdir(parents=True)
    (home / ".local/bin/tool").write_text("seen\n")
    harness.approvals.yolo = True
    everything = 'cd; find . -type f -exec cat {} + ; cd ~/.ssh && cat known_hosts; git config user.name; echo "done"'
    harness.answer = "approve"
    value = await harness.use(shell(harness), command=everything)
    assert "s3cret" not in str(value.output)
    assert str(value.output).count("seen") == 3
    assert "host key" in str(value.output)
    value = await harness.use(shell(harness), command="cat ~/.aws/credentials")
    assert "of the user's home it sees only" in value.message
    value = await harness.use(shell(harness, readable=["~/.aws"]), command="cat ~/.aws/credentials")
    assert "s3cret" in str(value.output)
    value = await harness.use(shell(harness), command='h=$HOME; echo x > "$h"/.profile; echo x > "$h"/new')
    assert value.is_error
    assert not (home / "new").exists()


@works
async def test_tools_and_settings_of_the_home_show_no_keys_with_them(harness: ToolHarness) -> None:
    home = Path.home()
    keys = {
        ".gem/credentials": "s3cret",
        ".local/share/gem/credentials": "s3cret",
        ".local/share/uv/credentials/credentials.toml": "s3cret",
        ".dotnet/corefx/cryptography/x509stores/my/a.pfx": "s3cret",
        ".bashrc": "export STRIPE_KEY=s3cret",
        ".bash_profile": "export MYSQL_PWD=s3cret",
        ".condarc": "https://conda.example/t/ac-s3cret/main",
        ".config/pip/pip.conf": "index-url = https://s3cret@pypi.example/simple",
        ".config/git/config": "[http]\nextraHeader = AUTHORIZATION: basic s3cret",
    }
    for name, text in {**keys, ".local/share/uv/tools/tool": "seen", ".gem/ruby/3.3.0/gem": "seen"}.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    signing = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFakeFakeFakeFakeFakeFakeFakeFakeFake"
    rewrite = '[url "ssh://git@example.org/"]\n\tinsteadOf = https://example.org/'
    (home / ".gitconfig").write_text(f"[user]\n\tname = seen\n\tsigningKey = {signing}\n{rewrite}\n")
    harness.approvals.yolo = True
    value = await harness.use(shell(harness), command="cd; find . -type f -exec cat {} + ; true")
    assert "s3cret" not in str(value.output)
    assert str(value.output).count("seen") == 3


@works
async def test_a_command_does_not_see_the_projects_beside_its_own(harness: ToolHarness) -> None:
    code = Path.home() / "code"
    for name in ("mine/sub", "other"):
        (code / name).mkdir(parents=True)
    (code / "mine/.git").mkdir()
    (code / "mine/shared").write_text("seen\n")
    (code / "other/.env").write_text("s3cret\n")
    workspace = Workspace(code / "mine/sub")
    tool = Shell(workspace, harness.approvals, ToolProgress(), sandbox=Sandbox(SandboxConfig(), workspace))
    harness.approvals.yolo = True
    value = await harness.use(tool, command="cat ../shared; cat ../../other/.*; ls ../..")
    assert "seen" in str(value.output)
    assert "s3cret" not in str(value.output)
    assert "other" not in str(value.output).splitlines()


@works
async def test_a_folder_of_programs_shows_no_project_beside_it(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path.home()
    for name in ("work/other/.env", "work/other/main.py", "work/lib/private/.git/config", "src/x/.env",
                 "tools/etc/token", "go/src/example.org/private/main.go", "sdk/private/main.c",
                 ".npm-global/etc/npmrc"):  # fmt: skip
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("s3cret\n")
    (home / "src/x/.git").mkdir()
    for name in ("work/bin/a", "work/scripts/a", "tools/bin/a", "tools/lib/a", "go/bin/a", "jdk/bin/a", "jdk/conf/a",
                 "jdk/lib/a", "jdk/release"):  # fmt: skip
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("seen\n")
    folders = [str(home / name) for name in ("work/bin", "work/scripts", "src", "tools/bin", "go/bin", "jdk/bin")]
    monkeypatch.setenv("PATH", ":".join([*folders, os.environ["PATH"]]))
    harness.approvals.yolo = True
    value = await harness.use(shell(harness), command="cd; find . -type f -exec cat {} + ; true")
    assert "s3cret" not in str(value.output)
    assert str(value.output).count("seen") == 9


def test_a_home_of_somebody_else_shows_no_more_than_ones_own(tmp_path: Path) -> None:
    for name in ("bin/a", ".ssh/id_rsa", "code/a", ".local/bin/a"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    shown = visible_entries(tmp_path, (), [f"{tmp_path}/bin"])
    assert sorted(shown) == [tmp_path / ".local/bin", tmp_path / "bin"]


@works
def test_a_key_in_the_users_session_keyring_is_not_found(harness: ToolHarness) -> None:
    """Keyrings are inherited: this one is made in a process of its own."""
    calls = {"x86_64": (248, 250), "aarch64": (217, 219)}.get(os.uname().machine)
    if calls is None:
        pytest.skip("the numbers of the calls are not known here")
    add, control = calls
    search = f"import ctypes; print(ctypes.CDLL(None).syscall({control}, 10, -3, b'user', b'kimi-tui-test', 0) > 0)"
    for name in ("tmp", "var-tmp"):
        (harness.dir.parent / "private" / name).mkdir(parents=True)
    argv = sandbox_argv(
        SandboxFeatures(str(find_bwrap(())), harness.dir.parent / "private", own_users=True),
        SandboxConfig(),
        harness.workspace,
        unstarted=harness.dir.parent / "private/unstarted",
    )
    program = f"""
import ctypes, json, subprocess, sys
libc = ctypes.CDLL(None)
if libc.syscall({control}, 1, None) < 0 or libc.syscall({add}, b"user", b"kimi-tui-test", b"x", 1, -3) < 0:
    sys.exit(77)
for argv in ([], json.loads(sys.argv[1])):
    subprocess.run([*argv, "python3", "-c", {search!r}], check=True)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program, json.dumps(argv)], check=False, capture_output=True, text=True
    )
    if ended.returncode == 77:
        pytest.skip("keys cannot be made here")
    assert ended.stdout.split() == ["True", "False"], ended.stderr


@works
@pytest.mark.parametrize("network", [True, False])
async def test_a_key_in_a_keyring_of_the_user_is_not_read_by_its_number(harness: ToolHarness, network: bool) -> None:
    """No namespace separates the keyrings of a user, which `/proc/keys` lists."""
    calls = {"x86_64": (248, 250), "aarch64": (217, 219)}.get(os.uname().machine)
    if calls is None:
        pytest.skip("the numbers of the calls are not known here")
    add, control = calls
    libc = ctypes.CDLL(None)
    key = libc.syscall(add, b"user", b"kimi-tui-test", b"s3cret", 6, -4)
    ring = libc.syscall(control, 0, -4, 0)
    if key < 0 or ring < 0:
        pytest.skip("keys cannot be made here")
    (harness.dir / "keys.py").write_text(f"""
import ctypes
libc = ctypes.CDLL(None)
found = ctypes.create_string_buffer(99)
print("linked", libc.syscall({control}, 8, {ring}, -3))
print("read", libc.syscall({control}, 11, {key}, found, 99), found.value)
print("added", libc.syscall({add}, b"user", b"kimi-tui-planted", b"x", 1, {ring}))
""")
    try:
        value = await harness.use(shell(harness, network=network), command="python3 keys.py")
        assert str(value.output).splitlines() == ["linked -1", "read -1 b''", "added -1"]
    finally:
        libc.syscall(control, 9, key, -4)


@works
async def test_a_link_named_git_makes_nothing_visible(harness: ToolHarness) -> None:
    secret = Path.home() / "kept/secret"
    secret.parent.mkdir(parents=True, exist_ok=True)
    secret.write_text("s3cret\n")
    tool = shell(harness)
    (harness.dir / ".git").symlink_to(Path.home())
    value = await harness.use(tool, command=f"cat {secret} .git/kept/secret; true")
    assert "s3cret" not in str(value.output)


@works
async def test_a_folder_replaced_by_a_link_while_the_sandbox_starts_opens_nothing(harness: ToolHarness) -> None:
    """bubblewrap follows links: what it mounts is then elsewhere, at a place that is a folder again."""
    other = Path.home() / "other"
    repository(other)
    repository(harness.dir / "v")
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace)
    assert await sandbox.works()
    async with sandbox.watching():
        [command, *_] = sandbox.wrapped(["/bin/bash", "-c", "touch v/written; echo ran"], git_alone=True)
        at = next(at for at, word in enumerate(command) if word == "--bind" and command[at + 1].endswith("/v"))
        assert command[at + 1] in command[command.index(MOUNT_CHECK) + 1].splitlines()
        command[at + 1] = str(other)
        printed: list[str] = []
        env = sandbox.env(os.environ)
        ended = await run(command, cwd=harness.dir, env=env, on_text=lambda text: printed.append(text))
    assert ended.exit_code != 0
    assert "ran" not in "".join(printed)
    assert not (other / "written").exists()


@works
async def test_mounts_that_differ_when_all_are_made_are_not_waited_for() -> None:
    """Else a command that starts late, on a busy machine, is held up for seconds, and again at each attempt."""
    info, info_end = os.pipe()
    block, release = os.pipe()
    options = ["--info-fd", str(info_end), "--block-fd", str(block), "--ro-bind", "/", "/", "--unshare-pid"]
    command = [find_bwrap(()) or "", *options, "--proc", "/proc", "true"]
    with subprocess.Popen(command, pass_fds=(info_end, block)) as process:
        os.close(info_end)
        with os.fdopen(info, "rb") as file:
            pid = json.load(file)["child-pid"]
        proc = mount_check.read_mounts(b"self")[b"/proc"]
        await until(lambda: mount_check.read_mounts(str(pid).encode()).get(b"/proc", proc) != proc)
        began = time.monotonic()
        held = mount_check.holds(pid, "/usr")
        took = time.monotonic() - began
        os.write(release, b"x")
    assert not held
    assert took < 3
    os.close(block)
    os.close(release)
    assert process.returncode == 0


@works
async def test_a_background_command_cannot_change_the_settings_of_git(harness: ToolHarness, tmp_path: Path) -> None:
    """What it changes would act until it ends, which may take a day."""
    repository(harness.dir)
    background = BackgroundTasks(tmp_path / "tasks")
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace)
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), background=background, sandbox=sandbox)
    await harness.use(tool, command="git remote add made ./elsewhere", run_in_background=True, description="x")
    await background.tasks[0].ended.wait()
    assert "made" not in (harness.dir / ".git/config").read_text()
    await harness.use(tool, command="git remote add made ./elsewhere")
    assert "made" in (harness.dir / ".git/config").read_text()
    await sandbox.close()


@works
async def test_while_a_background_command_runs_git_by_itself_uses_no_new_repository_in_the_work_dir(
    harness: ToolHarness, tmp_path: Path
) -> None:
    """The background command could make it anew, with settings that run a program, after it was checked."""
    repository(harness.dir.parent)
    background = BackgroundTasks(tmp_path / "tasks")
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace)
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), background=background, sandbox=sandbox)
    await harness.use(tool, command="git init -q .")
    line = "git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m x"
    assert not (await harness.use(tool, command=line)).is_error
    await harness.use(tool, command="sleep 600", run_in_background=True, description="x")
    value = await harness.use(tool, command=line)
    assert "Read-only file system" in str(value.output)
    await background.aclose()
    await sandbox.close()


@works
async def test_programs_beside_git_write_nothing_in_its_directory_and_git_by_itself_does(harness: ToolHarness) -> None:
    repository(harness.dir)
    (harness.dir / "check.sh").write_text("mkdir .git/rebase-merge; echo x > .git/MERGE_MSG\n")
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace, trusted=True)
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    before = sorted(path.name for path in (harness.dir / ".git").iterdir())
    for line in ("sh check.sh; git status", "git stash list && sh check.sh", "git status $(sh check.sh)"):
        await harness.use(tool, command=line)
        assert sorted(path.name for path in (harness.dir / ".git").iterdir()) == before
    value = await harness.use(tool, command="sh check.sh; git add -A && git commit -qm two")
    assert "call Git's commands by themselves" in value.message
    value = await harness.use(tool, command="git add -A && git commit -qm two && git log --oneline | wc -l")
    assert str(value.output).strip() == "2"
    assert harness.asked == []
    await sandbox.close()


@works
async def test_a_git_that_the_project_has_on_path_does_not_write_in_its_directory(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(harness.dir)
    (harness.dir / "bin").mkdir()
    (harness.dir / "bin/git").write_text("#!/bin/sh\ntouch .git/PWNED\n")
    (harness.dir / "bin/git").chmod(0o755)
    hook = harness.dir / ".git/hooks/pre-commit"  # with hooks Git finds the project's programs
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o755)
    monkeypatch.setenv("PATH", f"{harness.dir}/bin:{os.environ['PATH']}")
    harness.answer = "approve"
    await harness.use(shell(harness, network=False), command="git status")
    assert not (harness.dir / ".git/PWNED").exists()


@works
async def test_a_link_in_the_folder_for_temporary_files_leads_no_line_of_git_into_its_directory(
    harness: ToolHarness,
) -> None:
    repository(harness.dir)
    tool = shell(harness, network=False)
    links = 'ln -s "$PWD/.git" /tmp/one && ln -s /tmp/one /tmp/two && ln -s /tmp/one here && mkdir /tmp/plain'
    await harness.use(tool, command=links)
    for name in ("/tmp/one", "/tmp/two", "here", "/tmp/plain/../one"):
        value = await harness.use(tool, command=f"git status -s && echo x > {name}/MERGE_MSG")
        assert value.is_error, name
        assert not (harness.dir / ".git/MERGE_MSG").exists(), name
    plain = "echo x > /tmp/message && git commit -q --allow-empty -F /tmp/message && git log -1 > /tmp/plain/x"
    assert not (await harness.use(tool, command=plain)).is_error


@works
async def test_a_repository_that_a_program_made_holds_no_operation_that_stopped(harness: ToolHarness) -> None:
    """Git, and prompts of shells, would go on with it where the user enters that folder."""
    tool = shell(harness, network=False)
    made = "git init -q new && git -C new commit -q --allow-empty -m x; mkdir new/.git/rebase-merge; sh -c true"
    user = "-c user.name=a -c user.email=a@b.c"
    value = await harness.use(tool, command=made.replace("git -C", f"git {user} -C"))
    assert "new/.git/rebase-merge` was put aside" in value.message
    assert (harness.dir / "new/.git/COMMIT_EDITMSG").exists()
    value = await harness.use(tool, command=f"git init -q own && git -C own {user} commit -q --allow-empty -m x")
    value = await harness.use(tool, command="cd own && git bisect start")
    assert (harness.dir / "own/.git/BISECT_START").exists(), value


@works
async def test_a_sparse_clone_keeps_its_settings(harness: ToolHarness) -> None:
    repository(harness.dir / "source")
    value = await harness.use(shell(harness, network=False), command="git clone -q --sparse source clone")
    assert (harness.dir / "clone/.git/config.worktree").exists(), value


@works
async def test_git_by_itself_obeys_no_repository_that_a_branch_holds(harness: ToolHarness) -> None:
    repository(harness.dir)
    program = "printf '#!/bin/sh\ntouch .git/PWNED $PWD/../.git/PWNED\n' > x; chmod +x x"
    held = "mkdir -p b/objects b/refs; touch b/objects/k b/refs/k; echo ref: refs/heads/main > b/HEAD"
    settings = "printf '[remote \"o\"]\nurl = .\nuploadpack = ../x\n' > b/config"
    made = f"{program}; mkdir b; touch b/k; git add -A; git commit -qm k; git checkout -qb evil; {held}; {settings}"
    subprocess.run(
        ["/bin/bash", "-c", f"{made}; git add -A; git commit -qm evil; git checkout -q -"], cwd=harness.dir, check=True
    )
    line = "cd b && git checkout -q evil && git fetch o"
    value = await harness.use(shell(harness, network=False), command=line)
    assert "safe.bareRepository is 'explicit'" in str(value.output)
    assert not (harness.dir / ".git/PWNED").exists(), value


@works
async def test_git_by_itself_runs_no_hook_of_a_repository_to_which_it_pushes(harness: ToolHarness) -> None:
    repository(harness.dir)
    made = f"git init -q --bare /tmp/b; printf '#!/bin/sh\ntouch {harness.dir}/.git/PWNED\n' > /tmp/b/hooks/update"
    tool = shell(harness, network=False)
    await harness.use(tool, command=f"{made}; chmod +x /tmp/b/hooks/update")
    value = await harness.use(tool, command="git push -q /tmp/b HEAD:refs/heads/x")
    assert "transport 'file' not allowed" in str(value.output)
    assert "a push reaches no repository on this machine" in value.message
    assert not (harness.dir / ".git/PWNED").exists()


@works
async def test_repositories_that_a_command_makes_do_not_open_those_of_the_user(harness: ToolHarness) -> None:
    repository(harness.dir / "deep/down/user")
    tool = shell(harness, network=False)
    await harness.use(tool, command="git init -q a; for i in {1..100}; do cp -r a a$i; done")
    value = await harness.use(tool, command="touch deep/down/user/.git/x")
    assert "Read-only file system" in str(value.output)


@works
async def test_abstract_sockets_of_other_programs_do_not_answer_with_the_network_on(harness: ToolHarness) -> None:
    """A display listens on one, and through it a command could type into the user's terminals."""
    if version() < 6:
        pytest.skip("this kernel does not confine abstract sockets")
    harness.approvals.yolo = True
    name = f"kimi-tui-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{name}")
        server.listen()
        code = f"import socket; socket.socket(socket.AF_UNIX).connect(chr(0) + '{name}')"
        value = await harness.use(shell(harness, network=True), command=f'python3 -c "{code}"')
    assert "Operation not permitted" in str(value.output)


@works
async def test_sockets_of_other_programs_do_not_answer(harness: ToolHarness) -> None:
    home = Path.home()
    (home / ".local/bin").mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir="/tmp") as shared:
        places = [Path(shared) / "agent", home / ".local/bin/agent", harness.dir / "agent"]
        servers = [socket.socket(socket.AF_UNIX) for _ in places]
        try:
            for server, place in zip(servers, places, strict=True):
                server.bind(str(place))
                server.listen()
            for place in places:
                code = f"import socket; socket.socket(socket.AF_UNIX).connect('{place}')"
                value = await harness.use(shell(harness), command=f'python3 -c "{code}"')
                assert value.is_error, place
        finally:
            for server in servers:
                server.close()


@works
async def test_the_folder_for_temporary_files_is_the_sessions_own(harness: ToolHarness) -> None:
    tool = shell(harness)
    with tempfile.NamedTemporaryFile(dir="/tmp") as outside:
        value = await harness.use(tool, command=f"echo 1 > /tmp/kept-{os.getpid()}; ls /tmp; ls {outside.name}")
        assert Path(outside.name).name not in str(value.output).split()
    value = await harness.use(tool, command=f"cat /tmp/kept-{os.getpid()}")
    assert value.output == "1\n"
    assert not Path(f"/tmp/kept-{os.getpid()}").exists()


@works
async def test_a_workspace_below_a_temp_folder_cannot_be_moved_away(harness: ToolHarness) -> None:
    for above in (harness.dir, harness.dir.parent, harness.dir.parent.parent):
        await harness.use(
            shell(harness), command=f"mv {above} {above}.moved; mkdir -p {harness.dir}; touch {harness.dir}/new"
        )
    assert harness.dir.is_dir()
    assert not harness.dir.with_name("work.moved").exists()


@works
async def test_in_a_home_as_workspace_what_starts_something_stays(tmp_path: Path) -> None:
    home = Path.home()
    (home / "project").mkdir()
    (home / "bin").mkdir()
    (home / ".bashrc").write_text("right\n")
    (home / ".ssh").mkdir()
    (home / ".ssh/id_rsa").write_text("s3cret\n")
    harness = ToolHarness(home, yolo=True)
    for attack in ("echo x >> ~/.bashr[c]", "echo x > ~/.bash_logi*n", "echo x > ~/.config*", "cd bin; echo x > ls",
                   "cd ~; mv .bashrc .b", "cat ~/.s*/id*"):  # fmt: skip
        value = await harness.use(shell(harness), command=attack)
        assert value.is_error, attack
        assert "s3cret" not in str(value.output)
    assert sorted(each.name for each in home.iterdir() if each.name != ".kimi-tui") == [
        ".bashrc", ".ssh", "bin", "project"]  # fmt: skip
    assert not (await harness.use(shell(harness), command="cd project; echo 1 > a")).is_error


@works
async def test_no_namespace_can_be_made_inside(harness: ToolHarness) -> None:
    for kind in ("U", "Ur", "Urm", "Urp --fork", "Urn"):
        assert (await harness.use(shell(harness), command=f"unshare -{kind} true")).is_error, kind


@works
async def test_the_file_with_the_configuration_is_hidden_wherever_it_is(harness: ToolHarness) -> None:
    file = ELSEWHERE / f"written-by-a-test-{os.getpid()}.yaml"
    file.write_text("api_key: s3cret\n")
    try:
        sandbox = Sandbox(SandboxConfig(), harness.workspace, hidden_files=(file,))
        tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
        value = await harness.use(tool, command=f"cat {file}")
        assert "s3cret" not in str(value.output)
    finally:
        file.unlink()


@works
async def test_our_home_stays_hidden_when_a_file_in_it_is_replaced_meanwhile(harness: ToolHarness) -> None:
    home = paths.home()
    home.mkdir(parents=True)
    for name in ("config.yaml", "config.json.bak", "sessions/a/wire.jsonl"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("s3cret\n")
    harness.approvals.yolo = True
    ready = harness.dir / "ready"
    sandbox = Sandbox(SandboxConfig(), harness.workspace)
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    assert await sandbox.works()
    waiting = asyncio.create_task(
        harness.use(
            tool, command=f"touch ready; until [ -e go ]; do sleep 0.02; done; cd {home.parent}; grep -r . .k*/"
        )
    )
    await until(ready.exists)
    (home / "fresh").write_text("s3cret\n")
    (home / "fresh").replace(home / "config.yaml")
    (harness.dir / "go").touch()
    value = await waiting
    assert "s3cret" not in str(value.output)


EVIL = "[core]\n\tfsmonitor = touch PWNED\n\thooksPath = h\n\tsshCommand = touch PWNED\n[alias]\n\tst = !touch PWNED\n"


def repository(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for words in (("init", "-q", "-b", "main"), ("config", "user.email", "a@b.c"), ("config", "user.name", "a")):
        git(folder, *words)
    (folder / "a").write_text("1\n")
    git(folder, "add", "a")
    git(folder, "commit", "-q", "-m", "one")


def evil_config(folder: str) -> str:
    return f"printf %s {shlex.quote(EVIL)} >> {folder}/config"


EVIL_FILE = "<(printf '[core]\n\tfsmonitor = touch PWNED\n')"
DEEP_MODULE = (
    'mkdir sub; python3 -c \'import os\nos.makedirs(".git/modules", exist_ok=True)\nos.chdir(".git/modules")\n'
    'for _ in range(1100): os.mkdir("a"); os.chdir("a")\nos.system("git init -q --bare e; '
    'git config --file e/config core.bare false; git config --file e/config core.fsmonitor \\"touch PWNED\\"")\n\'; '
    'python3 -c \'print("gitdir: ../.git/modules/" + "a/" * 1100 + "e")\' > sub/.git'
)
HOOK = "printf '#!/bin/sh\\ntouch PWNED\\n' > {0}/pre-commit; chmod +x {0}/pre-commit"


@works
@pytest.mark.parametrize(
    ("made", "attack"),
    [
        ("nothing", f"git init -q . && {evil_config('.git')}"),
        ("nothing", f"git init -q . && {HOOK.format('.git/hooks')}"),
        ("nothing", f"git init -q --bare b && {evil_config('b')} && echo 'gitdir: b' > .git"),
        ("nothing", f"git init -q --bare b && {evil_config('b')} && ln -s b .git"),
        ("nothing", f"git init -q . && git init -q x && {evil_config('x/.git')} && cp -r x/.git y"),
        ("repository", f"git init -q sub/deep && {evil_config('sub/deep/.git')}"),
        ("repository", f"git status; mkdir -p .husky; {HOOK.format('.husky')}"),
        ("repository", "git status; printf '[core]\n\tfsmonitor = touch PWNED\n' > inc"),
        ("repository", f"git status; {evil_config('.git')}; cat .git/config > .git/config.worktree"),
        ("repository", f"git init -q --bare b; {evil_config('b')}; echo ../b > .git/commondir; git status"),
        ("repository", "git config core.fsmonitor 'touch PWNED'"),
        ("repository", "git branch x; git config alias.status '!touch PWNED'"),
        ("nested", f"{evil_config('vendor/x/.git')}; git status"),
        ("nested", HOOK.format("vendor/x/.git/hooks")),
        ("nested", f"mv vendor v; cp -r v vendor; {evil_config('vendor/x/.git')}"),
        ("module", f"git status; {evil_config('.git/modules/lib/deep')}"),
        ("module", f"git status; {HOOK.format('.git/modules/lib/deep/hooks')}"),
        ("repository", f"git status; {DEEP_MODULE}"),
        ("nothing", f"git init -q x; {evil_config('x/.git')}; mkdir y; mv x y; chmod 300 y/x y"),
        ("nothing", f"git init -q x; mkdir y; mv x y; {evil_config('y/x/.git')}; chmod 444 y"),
        ("nothing", f"git init -q x; {evil_config('x/.git')}; chmod 555 x/.git"),
        ("nothing", f"git init -q x; mkdir -p x/.git/hooks; {HOOK.format('x/.git/hooks')}; chmod 555 x/.git/hooks"),
        ("repository", f"git init -q x; yes '# ' | head -c 9000000 >> x/.git/config; {evil_config('x/.git')}"),
        ("repository", f"git status; yes '# ' | head -c 9000000 > .git/config.worktree; cat {EVIL_FILE} "
         ">> .git/config.worktree"),
        ("repository", f"git status; git init -q --bare .git/worktrees/w; {evil_config('.git/worktrees/w')}; "
         "mkdir sub; echo 'gitdir: ../.git/worktrees/w' > sub/.git"),
        ("repository", f"git status; git worktree add -q tree; cat {EVIL_FILE} > .git/worktrees/tree/config.worktree"),
        ("repository", f"mkdir x y y/objects y/refs; echo 'ref: refs/heads/a' > x/HEAD; {evil_config('y')}; "
         "echo ../y > x/commondir"),
        ("repository", f"git init -q --bare .git/objects/ab/r; {evil_config('.git/objects/ab/r')}; "
         "sed -i s/true/false/ .git/objects/ab/r/config; ln -s .git/objects/ab/r x"),
        ("user hooks", f"mkdir .githooks; {HOOK.format('.githooks')}"),
        ("link", f"{evil_config('real')}; git status"),
        ("link", f"rm .git; cp -r real other; {evil_config('other')}; ln -s other .git; git status"),
    ],
)  # fmt: skip
async def test_no_command_makes_the_users_next_git_command_run_a_program(
    harness: ToolHarness, made: str, attack: str
) -> None:
    if made != "nothing":
        repository(harness.dir)
        (harness.dir / ".gitignore").write_text("PWNED\n")
        git(harness.dir, "config", "core.hooksPath", ".husky")
        git(harness.dir, "config", "include.path", "../inc")
        git(harness.dir, "config", "extensions.worktreeConfig", "true")
    if made == "user hooks":
        git(harness.dir, "config", "--unset", "core.hooksPath")
        git(harness.dir, "config", "--global", "core.hooksPath", ".githooks")
    if made == "nested":
        repository(harness.dir / "vendor/x")
    if made == "module":
        git(harness.dir, "init", "-q", "--bare", ".git/modules/lib/deep")
        git(harness.dir, "config", "--file", ".git/modules/lib/deep/config", "core.worktree", "../../../../lib/deep")
    if made == "link":
        (harness.dir / ".git").rename(harness.dir / "real")
        (harness.dir / ".git").symlink_to("real")
    await harness.use(shell(harness), command=attack)
    for made_inside in found_below(harness.dir, "PWNED"):
        made_inside.unlink()
    if (harness.dir / "y/x").is_dir():
        subprocess.run(["git", "status"], cwd=harness.dir / "y/x", check=False, capture_output=True)
        subprocess.run(["chmod", "700", "y", "y/x"], cwd=harness.dir, check=False)
    for entry in (
        harness.dir,
        *filter(Path.exists, [harness.dir / ".git/modules/lib/deep"]),
        *filter(Path.exists, (harness.dir / "sub", harness.dir / "x", harness.dir / "tree")),
        *(one.parent for one in found_below(harness.dir, ".git")),
    ):
        for words in ("status", "st", "add -A", "commit -q --allow-empty -m x", "fetch ssh://127.0.0.1:1/x"):
            subprocess.run(["git", *words.split()], cwd=entry, check=False, capture_output=True)
    assert found_below(harness.dir, "PWNED") == []
    subprocess.run(["rm", "-rf", harness.dir / ".git"], check=True)  # too deep for Python


def found_below(folder: Path, name: str) -> list[Path]:
    """Like `glob`, in folders of any depth."""
    found = subprocess.run(["find", folder, "-name", name], check=True, capture_output=True, text=True)
    return [Path(line) for line in found.stdout.splitlines()]


@works
@pytest.mark.parametrize("setting", [
    "[core]\n\thooksPath = .hooks\n", "[core]\n\thooksPath = .hooks ; ours\n", "[core] hooksPath = .hooks\n",
    "[core]\n\thooksPath = .ho\\\noks\n", '[core]\n\thooksPath = ".ho"oks\n', "[core]\n\thooksPath = ~/mine/.hooks\n",
    "# a comment\n" * 10_000 + "[core]\n\thooksPath = .hooks\n",
])  # fmt: skip
@pytest.mark.parametrize("first", ["true", "git status"])
async def test_hooks_in_the_worktree_stay_as_they_are(harness: ToolHarness, setting: str, first: str) -> None:
    top = Path.home() / "mine"
    repository(top)
    (top / ".hooks").mkdir()
    with (top / ".git/config").open("a") as file:
        file.write(setting)
    workspace = Workspace(top)
    tool = Shell(workspace, harness.approvals, ToolProgress(), sandbox=Sandbox(SandboxConfig(), workspace))
    await harness.use(tool, command=f"{first}; {HOOK.format('.hooks')}")
    git(top, "commit", "-q", "--allow-empty", "-m", "x")
    assert found_below(top, "PWNED") == []


@works
@pytest.mark.parametrize("setting", ["hooksPath = ~/settings/new/hooks", "[init]\n\ttemplateDir = ~/settings/new"])
@pytest.mark.parametrize("named", ["by a link in the home", "by the environment"])
async def test_the_users_settings_of_git_stay_though_they_are_in_the_workspace(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch, setting: str, named: str
) -> None:
    """A folder for settings, with hooks for all repositories or for new ones."""
    top = Path.home() / "settings"
    repository(top)
    (top / "new/hooks").mkdir(parents=True)
    (top / "gitconfig").write_text(f"[user]\n\tname = a\n\temail = a@b.c\n[core]\n\t{setting}\n")
    (Path.home() / ".gitconfig").unlink(missing_ok=True)
    if named == "by the environment":
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(top / "gitconfig"))
    else:
        (Path.home() / ".gitconfig").symlink_to(top / "gitconfig")
    workspace = Workspace(top)
    tool = Shell(workspace, harness.approvals, ToolProgress(), sandbox=Sandbox(SandboxConfig(), workspace))
    await harness.use(tool, command=f"cat {EVIL_FILE} >> gitconfig; {HOOK.format('new/hooks')}")
    repository(harness.dir)
    assert found_below(Path.home(), "PWNED") == found_below(harness.dir, "PWNED") == []


@works
@pytest.mark.usefixtures("as_in_a_hook")
@pytest.mark.parametrize("where", ["sub", "tree"])
async def test_the_repository_around_the_workspace_is_watched_too(
    harness: ToolHarness, tmp_path: Path, where: str
) -> None:
    """The workspace is a folder of a repository, or a worktree of one elsewhere."""
    top = harness.dir / "top"
    repository(top)
    inside = harness.dir / where if where == "tree" else top / where
    if where == "tree":
        git(top, "worktree", "add", "-q", str(inside))
    inside.mkdir(exist_ok=True)
    box = Sandbox(SandboxConfig(), Workspace(inside))
    attack = f"git status; cd {top}/.git; mkdir e; cp -r HEAD objects refs e; {evil_config('e')}; echo e > commondir"
    tool = Shell(Workspace(inside), harness.approvals, ToolProgress(), sandbox=box)
    value = await harness.use(tool, command=attack)
    assert "commondir" in value.message
    for folder in (top, inside):
        subprocess.run(["git", "status"], cwd=folder, check=False, capture_output=True)
    assert list(harness.dir.glob("**/PWNED")) == []


@works
async def test_the_repository_elsewhere_of_a_worktree_in_a_subfolder_is_watched_too(harness: ToolHarness) -> None:
    """A hook of the user's runs a file of the worktree, as many do, while Git may write its settings."""
    top, inside = harness.dir / "top", harness.dir / "work"
    repository(top)
    git(top, "worktree", "add", "-q", str(inside / "tree"))
    hook = top / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexec sh ./check\n")
    hook.chmod(0o755)
    parts = top / ".git/worktrees/tree"
    kept = {name: (parts / name).read_text() for name in ("commondir", "gitdir")}
    (inside / "tree/check").write_text(
        f"git config core.fsmonitor 'touch {top}/PWNED; false'\n"
        f"echo {top}/x/.git | tee {parts}/commondir > {parts}/gitdir\n"
    )
    box = Sandbox(SandboxConfig(), Workspace(inside))
    tool = Shell(Workspace(inside), harness.approvals, ToolProgress(), sandbox=box)
    value = await harness.use(tool, command="git -C tree commit -q --allow-empty -m x")
    assert {name: (parts / name).read_text() for name in kept} == kept
    assert "core.fsmonitor" in value.message
    subprocess.run(["git", "status"], cwd=top, check=True, capture_output=True)
    assert not (top / "PWNED").exists()


@works
@pytest.mark.parametrize(
    ("where", "cut"),
    [("sub", "ln -s x {git}/config.worktree"), ("tree", "mv {git}/worktrees {git}/w"), ("tree", "rm {inside}/.git")],
)
async def test_a_command_that_cuts_the_tie_to_the_repository_around_cannot_keep_its_settings(
    harness: ToolHarness, where: str, cut: str
) -> None:
    """A hook of the user's runs a file of the project, as many do, while Git may write its settings."""
    top = harness.dir / "top"
    repository(top)
    inside = harness.dir / where if where == "tree" else top / where
    if where == "tree":
        git(top, "worktree", "add", "-q", str(inside))
    inside.mkdir(exist_ok=True)
    hook = top / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec sh {inside}/check\n")
    hook.chmod(0o755)
    names = {"git": top / ".git", "inside": inside}
    (inside / "check").write_text(f"git config core.fsmonitor 'touch {top}/PWNED; false'; {cut.format(**names)}\n")
    box = Sandbox(SandboxConfig(), Workspace(inside))
    tool = Shell(Workspace(inside), harness.approvals, ToolProgress(), sandbox=box)
    value = await harness.use(tool, command="git commit -q --allow-empty -m x")
    assert "core.fsmonitor" in value.message
    subprocess.run(["git", "status"], cwd=top, check=True, capture_output=True)
    assert not (top / "PWNED").exists()


@works
async def test_the_repository_above_a_submodule_stays_as_it_is_though_a_command_removes_the_git_file(
    harness: ToolHarness,
) -> None:
    """It would be taken for the workspace's, with all that its user set up there as new."""
    top, inside = harness.dir / "top", harness.dir / "top/inside"
    repository(top)
    repository(inside)
    (top / ".gitmodules").write_text('[submodule "inside"]\n\tpath = inside\n\turl = ./inside\n')
    git(top, "add", ".gitmodules", "inside")
    git(top, "submodule", "absorbgitdirs", "inside")
    git(top, "config", "core.sshCommand", "ssh -i mine")
    hook = top / ".git/modules/inside/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec sh {inside}/check.sh\n")
    hook.chmod(0o755)
    (inside / "check.sh").write_text(f"rm -f {inside}/.git")
    workspace = Workspace(inside)
    tool = Shell(workspace, harness.approvals, ToolProgress(), sandbox=Sandbox(SandboxConfig(), workspace))
    await harness.use(tool, command="git commit -q --allow-empty -m x")
    assert git(top, "config", "core.sshCommand") == "ssh -i mine\n"
    await harness.use(tool, command=f"git status; touch {top}/.git/new")
    assert not (top / ".git/new").exists()


@works
@pytest.mark.parametrize("command", ["mv .git x", "git status; mv .git x", "git commit -q --allow-empty -m x"])
async def test_no_command_removes_the_git_file_of_a_workspace_that_is_a_worktree(
    harness: ToolHarness, command: str
) -> None:
    """Nor does what a hook of the user's runs."""
    top, tree = harness.dir / "top", harness.dir / "tree"
    repository(top)
    git(top, "worktree", "add", "-q", str(tree))
    hook = top / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexec sh ./check.sh\n")
    hook.chmod(0o755)
    (tree / "check.sh").write_text("mv .git x")
    tool = Shell(Workspace(tree), harness.approvals, ToolProgress(), sandbox=Sandbox(SandboxConfig(), Workspace(tree)))
    await harness.use(tool, command=command)
    assert (tree / ".git").is_file()


@works
@pytest.mark.usefixtures("as_in_a_hook")
async def test_a_link_in_a_git_directory_that_leads_out_of_it_is_removed(harness: ToolHarness) -> None:
    """Git would append to a start file of the shell what a branch is called."""
    repository(harness.dir)
    profile = Path.home() / ".bashrc"
    profile.write_text("# mine\n")
    attack = f"git checkout -q -b 'x$(touch${{IFS}}PWNED)'; ln -sf {profile} .git/logs/HEAD"
    value = await harness.use(shell(harness), command=attack)
    assert "logs/HEAD" in value.message
    git(harness.dir, "checkout", "-q", "main")
    assert profile.read_text() == "# mine\n"


@works
@pytest.mark.usefixtures("as_in_a_hook")
async def test_a_link_among_the_objects_overwrites_no_file(harness: ToolHarness) -> None:
    repository(harness.dir)
    mine = Path.home() / "mine"
    mine.write_text("# mine\n")
    attack = f"git status; mkdir -p .git/objects/info; ln -s {mine} .git/objects/info/commit-graph"
    value = await harness.use(shell(harness), command=attack)
    assert "objects/info/commit-graph" in value.message
    git(harness.dir, "commit-graph", "write", "--reachable")
    assert mine.read_text() == "# mine\n"


@works
@pytest.mark.usefixtures("as_in_a_hook")
async def test_a_link_deep_in_a_git_directory_of_another_name_is_removed(harness: ToolHarness) -> None:
    repository(harness.dir)
    git(harness.dir, "config", "core.logAllRefUpdates", "true")
    (harness.dir / ".git").rename(harness.dir / ".bare")
    (harness.dir / ".git").write_text("gitdir: ./.bare\n")
    mine = Path.home() / "mine"
    mine.write_text("# mine\n")
    value = await harness.use(shell(harness), command=f"git status; ln -sf {mine} .bare/logs/HEAD")
    assert ".bare/logs/HEAD` was removed" in value.message
    git(harness.dir, "commit", "-q", "--allow-empty", "-m", "two")
    assert mine.read_text() == "# mine\n"


@works
async def test_a_link_in_a_worktree_within_a_bare_repository_stays(harness: ToolHarness) -> None:
    repository(harness.dir / "made")
    git(harness.dir, "clone", "-q", "--bare", "made", "bare")
    git(harness.dir / "bare", "worktree", "add", "-q", "tree", "-b", "topic")
    command = "git version; mkdir bare/tree/bin; ln -s ../a bare/tree/bin/a; ln -s x bare/tree/y"
    value = await harness.use(shell(harness), command=command)
    assert not value.is_error, value
    assert (harness.dir / "bare/tree/bin/a").read_text() == "1\n"
    assert (harness.dir / "bare/tree/y").is_symlink()


@works
@pytest.mark.usefixtures("as_in_a_hook")
@pytest.mark.parametrize("name", ["objects/ab", "x/objects/ab", "x/.git/objects/ab"])
async def test_a_submodule_that_is_named_like_a_folder_of_objects_runs_no_hook_of_a_command(
    harness: ToolHarness, name: str
) -> None:
    repository(harness.dir)
    folder = f".git/modules/{name}"
    attack = (
        f"git clone -q --bare . {folder}; mkdir -p {folder}/hooks; git config -f {folder}/config core.bare false; "
        f"printf '#!/bin/sh\\ntouch {harness.dir}/PWNED\\n' > {folder}/hooks/post-checkout; "
        f"chmod +x {folder}/hooks/post-checkout; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),v; "
        f"printf '[submodule \"{name}\"]\\n\\tpath = v\\n\\turl = ./a\\n' > .gitmodules"
    )
    value = await harness.use(shell(harness), command=attack)
    assert f"{folder}/hooks/post-checkout` was put aside" in value.message
    git(harness.dir, "submodule", "update", "--init")
    assert (harness.dir / "v/a").exists()
    assert not (harness.dir / "PWNED").exists()


@works
@pytest.mark.usefixtures("as_in_a_hook")
@pytest.mark.parametrize("before", ["", "head -c 4300000 /dev/zero | tr '\\0' '#'; "])
async def test_a_command_adds_no_program_to_a_rebase_that_the_user_continues(harness: ToolHarness, before: str) -> None:
    repository(harness.dir)
    git(harness.dir, "checkout", "-q", "-b", "topic")
    for branch, text in (("topic", "2"), ("main", "3")):
        git(harness.dir, "checkout", "-q", branch)
        (harness.dir / "a").write_text(text)
        git(harness.dir, "commit", "-qam", text)
    subprocess.run(["git", "rebase", "topic"], cwd=harness.dir, check=False, capture_output=True)
    attack = f"git status --short; ({before}echo; echo 'exec touch PWNED') >> .git/rebase-merge/git-rebase-todo"
    value = await harness.use(shell(harness), command=attack)
    assert "what runs programs" in value.message
    git(harness.dir, "add", "a")
    git(harness.dir, "-c", "core.editor=true", "rebase", "--continue")
    assert not (harness.dir / "PWNED").exists()


@works
async def test_a_command_that_may_read_secrets_which_it_does_not_name_needs_an_approval(harness: ToolHarness) -> None:
    (harness.dir / ".env").write_text("KEY=secret\n")
    (harness.dir / "src").mkdir()
    (harness.dir / "src" / "a.py").write_text("KEY=1\n")
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace, trusted=True)
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    assert "KEY" in (await harness.use(tool, command="grep -r KEY src")).output
    assert harness.asked == []
    harness.answer = "reject"
    for command in ("grep -r KEY .", "cd src && grep -r KEY ..", "grep -r KEY . | head"):
        assert "secret" not in (await harness.use(tool, command=command)).output
    assert len(harness.asked) == 3
    assert all("it may read files with secrets" in str(one.display) for one in harness.asked)


@works
async def test_a_remote_of_git_is_moved_only_with_an_approval(harness: ToolHarness) -> None:
    """Else the user's next push would go wherever a command that nobody saw wants it."""
    repository(harness.dir)
    git(harness.dir, "remote", "add", "origin", "https://example.org/a.git")
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace, trusted=True)
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    await harness.use(tool, command="git remote -v; git branch topic; git branch -u origin/main topic")
    assert harness.asked == []
    harness.answer = "reject"
    for command in ("git remote add fork ./fork.git", "git submodule sync",
                    "git remote set-url origin https://evil.example/a", 'x=set-url; git remote "$x" origin evil',
                    "git -C . remote rename fork origin2", "git remote rm origin"):  # fmt: skip
        value = await harness.use(tool, command=command)
        assert value.is_error
    assert len(harness.asked) == 6
    assert all("where a push of yours goes" in str(one.display) for one in harness.asked)
    assert git(harness.dir, "remote", "get-url", "origin") == "https://example.org/a.git\n"


@works
@pytest.mark.parametrize(
    "attack", ["set-url origin https://evil.example/a", "set-url --add fork https://evil.example/a"]
)
async def test_an_approved_change_of_a_remote_covers_no_other_one(harness: ToolHarness, attack: str) -> None:
    """A hook of the user's runs a script of the project."""
    repository(harness.dir)
    git(harness.dir, "remote", "add", "origin", "https://example.org/a.git")
    hook = harness.dir / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexec sh ./check.sh\n")
    hook.chmod(0o755)
    (harness.dir / "check.sh").write_text(f"git remote {attack}")
    tool = shell(harness)
    value = await harness.use(tool, command="git remote add fork ../fork.git && git commit -q --allow-empty -m x")
    assert "push would go elsewhere" in value.message
    assert "evil" not in git(harness.dir, "remote", "-v")
    (harness.dir / "check.sh").write_text("")
    for moved in ("add fork ../fork.git && git commit -q --allow-empty -m x", "rename origin upstream",
                  "set-url --push fork 'https://example.org/b#c.git'", "rm fork", "add --mirror=push copy ../copy.git",
                  "set-url --add copy ../other.git", "set-url --delete copy 'copy[.]git'"):  # fmt: skip
        value = await harness.use(tool, command=f"git remote {moved}")
        assert "undid" not in value.message
    assert git(harness.dir, "remote").split() == ["copy", "upstream"]


@works
@pytest.mark.parametrize(
    ("attack", "undone"),
    [
        ("git config remote.origin.url https://evil.example/a", "remote.origin.url"),
        ("git config --add remote.origin.pushUrl https://evil.example/a", "remote.origin.pushurl"),
        ("git config remote.pushDefault https://evil.example/a", "remote.pushdefault"),
        ("git config branch.main.pushRemote https://evil.example/a", "branch.main.pushremote"),
        ("git config branch.main.pushRemote public", "branch.main.pushremote"),
        ("git config branch.main.remote public", "branch.main.remote"),
        ("git remote add evil https://evil.example/a; git config branch.main.remote evil", "branch.main.remote"),
        ("git config remote.origin.mirror true", "remote.origin.mirror"),
        ("git config remote.origin.gh-resolved evil/a", "remote.origin.gh-resolved"),
        ("git config --worktree remote.origin.pushUrl https://evil.example/a", "remote.origin.pushurl"),
        ("cd ../tree; git config --worktree branch.x.remote https://evil.example/a", "branch.x.remote"),
    ],
)
async def test_a_program_that_git_starts_changes_nothing_about_where_a_push_goes(
    harness: ToolHarness, attack: str, undone: str
) -> None:
    """A hook of the user's runs a script of the project, while Git may write its settings."""
    top, tree = harness.dir / "top", harness.dir / "tree"
    repository(top)
    git(top, "remote", "add", "origin", "https://example.org/a.git")
    git(top, "remote", "add", "public", "https://example.org/b.git")
    git(top, "config", "branch.main.remote", "origin")
    git(top, "config", "extensions.worktreeConfig", "true")
    git(top, "worktree", "add", "-q", "-b", "x", str(tree))
    hook = top / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nunset GIT_DIR GIT_INDEX_FILE\nexec sh ./check.sh\n")
    hook.chmod(0o755)
    (top / "check.sh").write_text(attack)
    workspace = Workspace(top, [tree])
    tool = Shell(workspace, harness.approvals, ToolProgress(), sandbox=Sandbox(SandboxConfig(), workspace))
    value = await harness.use(tool, command="git commit -q --allow-empty -m x")
    assert undone in value.message
    for folder in (top, tree):
        settings = git(folder, "config", "--list")
        assert "evil" not in settings
        assert "=public" not in settings


@works
@pytest.mark.parametrize(
    "line",
    ["git push -q -u other main", "git branch -u other/main", "git branch --set-upstream-to=other/main main",
     "git checkout -q -B main --track other/main", "git checkout -q -b new --track other/main",
     "git branch -m main renamed && git branch -u other/main renamed"],
)  # fmt: skip
async def test_a_command_line_that_names_a_remote_gives_it_to_a_branch(harness: ToolHarness, line: str) -> None:
    repository(harness.dir)
    for remote in ("origin", "other"):
        git(harness.dir.parent, "init", "-q", "--bare", f"{remote}.git")
        git(harness.dir, "remote", "add", remote, str(harness.dir.parent / f"{remote}.git"))
        git(harness.dir, "push", "-q", "-u", remote, "main")
    git(harness.dir, "branch", "-u", "origin/main")
    harness.workspace.add_dir(harness.dir.parent / "other.git")
    value = await harness.use(shell(harness), command=line)
    assert not value.is_error, value.output
    assert git(harness.dir, "rev-parse", "--abbrev-ref", "@{upstream}").startswith("other/")


@works
async def test_a_new_repository_writes_no_files_outside_the_workspace(harness: ToolHarness) -> None:
    attack = "git init -q n && cd n && git config core.worktree ../../../.."
    value = await harness.use(shell(harness), command=attack)
    assert "core.worktree" in value.message
    assert git(harness.dir / "n", "rev-parse", "--show-toplevel").strip() == str(harness.dir / "n")


@works
async def test_what_an_editor_runs_at_once_cannot_be_written(harness: ToolHarness) -> None:
    (harness.dir / ".vscode").mkdir()
    (harness.dir / ".vscode/settings.json").write_text("{}")
    attack = "echo x > .vscode/settings.json; echo x > .vscode/tasks.json; mkdir .idea .roo; "
    attack += "echo x | tee .vscode/more.json opencode.json"
    await harness.use(shell(harness), command=attack)
    assert (harness.dir / ".vscode/settings.json").read_text() == "{}"
    assert not (harness.dir / ".vscode/tasks.json").exists()
    assert not (harness.dir / ".idea").exists()
    assert not (harness.dir / ".roo").exists()
    assert not (harness.dir / "opencode.json").exists()
    assert (harness.dir / ".vscode/more.json").exists()


@works
async def test_the_names_of_undone_settings_are_safe_to_show(harness: ToolHarness) -> None:
    attack = 'n=$(printf \'a\\nb\\033]0;x\\377\'); git init -q "$n"; git -C "$n" config core.fsmonitor x'
    value = await harness.use(shell(harness), command=attack)
    assert "core.fsmonitor" in value.message
    assert value.message.isprintable()


@works
async def test_what_was_undone_is_told_and_kept_aside(harness: ToolHarness) -> None:
    told: list[str] = []
    tool = Shell(
        harness.workspace,
        harness.approvals,
        ToolProgress(),
        sandbox=Sandbox(SandboxConfig(), harness.workspace, notify=lambda _, text: told.append(text)),
    )
    value = await harness.use(tool, command=f"git init -q x && {evil_config('x/.git')}")
    assert not value.is_error
    assert "core.fsmonitor" in value.message
    assert "core.fsmonitor" in told[0]
    assert "fsmonitor" in (harness.dir / f"x/.git/config{ASIDE}").read_text()
    assert git(harness.dir / "x", "status", "--short") == ""


@works
async def test_git_of_daily_work_needs_no_way_out(harness: ToolHarness) -> None:
    repository(harness.dir)
    beside = harness.dir.parent / "origin.git"
    git(harness.dir.parent, "init", "-q", "--bare", "-b", "main", str(beside))
    harness.workspace.add_dir(beside)
    repository(harness.dir / "lib-source")
    tool = shell(harness)
    for work in (
        f"git remote add origin {beside}",
        "git push -q -u origin main",
        "git checkout -q -b topic --track origin/main",
        "git commit -q --allow-empty -m two && git push -q origin HEAD:topic",
        "git switch -q main && git branch -D topic",
        "git -c protocol.file.allow=always submodule status",
        "git worktree add -q wt",
        "cd wt && git commit -q --allow-empty -m three",
        "git tag v1 && git stash list && git log --oneline",
        f"git clone -q {beside} copy && cd copy && git pull -q",
        "cd copy && echo 1 > b && git add b && git -c user.name=a -c user.email=a@b.c commit -qm b",
    ):
        value = await harness.use(tool, command=work)
        assert not value.is_error, (work, value.output)
        assert "could not" not in str(value.output), (work, value.output)
        assert "undid" not in value.message, (work, value.message)
    assert git(harness.dir, "config", "branch.main.remote") == "origin\n"


@works
async def test_a_lost_setting_of_git_is_told_though_the_command_succeeds(harness: ToolHarness) -> None:
    repository(harness.dir)
    value = await harness.use(shell(harness), command="git config alias.x status || true")
    assert "outside_sandbox" in value.message


@works
async def test_in_a_full_sandbox_without_a_network_a_trusted_folders_commands_run_unasked(harness: ToolHarness) -> None:
    for settings, trusted, asked in (
        ({"network": False}, True, 0),
        ({"network": False}, False, 1),
        ({"network": True}, True, 1),
        ({"network": False, "ask_inside": True}, True, 1),
    ):
        harness.asked.clear()
        sandbox = Sandbox(SandboxConfig.model_validate(settings), harness.workspace, trusted=trusted)
        tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
        assert not (await harness.use(tool, command="echo 1 > a; x=1; echo $x")).is_error
        assert len(harness.asked) == asked, settings
        harness.asked.clear()
        harness.answer = "reject"
        await harness.use(tool, command="touch a", outside_sandbox=True)
        await harness.use(tool, command="cat .env")
        assert len(harness.asked) == 2
        harness.answer = "approve"


async def test_a_rule_that_asks_or_denies_counts_in_a_full_sandbox_too(harness: ToolHarness) -> None:
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace, trusted=True)
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    harness.approvals.policy = Policy(
        [parse_rule("Shell(touch *)", Effect.ASK), parse_rule("Shell(rm *)", Effect.DENY)]
    )
    await harness.use(tool, command="touch a")
    assert len(harness.asked) == 1
    assert "not allowed" in (await harness.use(tool, command="rm a")).message


async def test_yolo_without_a_sandbox_takes_one_yes_a_session(harness: ToolHarness) -> None:
    harness.approvals.yolo = True
    tool = Shell(
        harness.workspace, harness.approvals, ToolProgress(), sandbox=bare_sandbox(SandboxConfig(), harness, [])
    )
    harness.answer = "reject"
    assert (await harness.use(tool, command="touch a")).is_error
    harness.answer = "approve"
    for _ in range(3):
        assert not (await harness.use(tool, command="touch a")).is_error
    assert len(harness.asked) == 2
    assert "there is no sandbox" in str(harness.asked[0].display)
    off = bare_sandbox(SandboxConfig(mode="off"), harness, [])
    await harness.use(Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=off), command="touch a")
    assert len(harness.asked) == 2


async def test_yolo_turned_on_without_a_sandbox_does_not_answer_the_command_that_waits(harness: ToolHarness) -> None:
    tool = Shell(
        harness.workspace, harness.approvals, ToolProgress(), sandbox=bare_sandbox(SandboxConfig(), harness, [])
    )
    harness.answer = None
    call = asyncio.create_task(harness.use(tool, command="touch a"))
    await until(lambda: bool(harness.asked))
    harness.approvals.yolo = True
    assert harness.approvals.pending == (harness.asked[0],)
    harness.approvals.settle(harness.asked[0].id, "reject")
    assert (await call).is_error
    assert not (harness.dir / "a").exists()


@works
async def test_a_command_leaves_nothing_that_starts_programs_later(harness: ToolHarness) -> None:
    (harness.dir / ".claude").mkdir()
    harness.answer = "approve"
    value = await harness.use(shell(harness), command="cd .clau*e && echo x > settings.json")
    assert value.is_error
    value = await harness.use(
        shell(harness), command="echo x > .mcp.jso; mv .mcp.jso .mcp.json; mkdir .agent; mv .agent .agents"
    )
    assert "The sandbox undid" in value.message
    assert not (harness.dir / ".mcp.json").exists()
    assert not (harness.dir / ".agents").exists()


async def test_without_a_sandbox_and_a_user_yolo_runs_only_what_rules_allow_or_what_reads(harness: ToolHarness) -> None:
    harness.approvals.yolo = True
    harness.approvals.attended = False
    harness.approvals.policy = Policy([parse_rule("Shell(touch *)", Effect.ALLOW)])
    tool = Shell(
        harness.workspace, harness.approvals, ToolProgress(), sandbox=bare_sandbox(SandboxConfig(), harness, [])
    )
    for command, refused in (("rm a", True), ("touch a", False), ("ls", False), ("touch b; rm b", True)):
        value = await harness.use(tool, command=command)
        assert ("--no-sandbox" in value.message) is refused, command
    assert (harness.dir / "a").exists()
    off = bare_sandbox(SandboxConfig(mode="off"), harness, [])
    value = await harness.use(Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=off), command="rm a")
    assert not value.is_error
    assert harness.asked == []
