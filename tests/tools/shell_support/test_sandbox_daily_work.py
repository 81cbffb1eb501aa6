"""Daily work inside a full sandbox without a network: what a developer does all day works, and says so."""

import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support.background import BackgroundTasks
from kimi_tui.tools.shell_support.bwrap_args import Tier
from kimi_tui.tools.shell_support.host_access import RunningCommand
from kimi_tui.tools.shell_support.sandbox import Sandbox
from kimi_tui.tools.shell_support.sandbox_hints import hint, reports_failed_write
from tests.tools.harness import ToolHarness, git, until
from tests.tools.ordinary_user import python_for_all


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [name for name in programs if shutil.which(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


@pytest.fixture
def tasks(tmp_path: Path) -> BackgroundTasks:
    return BackgroundTasks(tmp_path / "tasks")


@pytest.fixture
async def tool(harness: ToolHarness, tasks: BackgroundTasks) -> Shell:
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace, trusted=True)
    if not await sandbox.works() or sandbox.tier != "full":
        pytest.skip("there is no full sandbox here")
    return Shell(harness.workspace, harness.approvals, ToolProgress(), background=tasks, sandbox=sandbox)


async def done(harness: ToolHarness, tool: Shell, *commands: str) -> str:
    """What the last command prints; none may fail, be asked about, name the sandbox, or be undone."""
    output = ""
    for command in commands:
        value = await harness.use(tool, command=command, timeout=120)
        assert not value.is_error, (command, value.output, value.message)
        assert "sandbox" not in value.message, (command, value.message)
        output = str(value.output)
    assert harness.asked == []
    return output


def start(harness: ToolHarness) -> None:
    for words in (("init", "-q", "-b", "main"), ("config", "user.name", "a"), ("config", "user.email", "a@b.c"),
                  ("commit", "-q", "--allow-empty", "-m", "one")):  # fmt: skip
        git(harness.dir, *words)


async def test_branches_worktrees_stashes_and_a_bare_repository_beside(harness: ToolHarness, tool: Shell) -> None:
    start(harness)
    await done(harness, tool, "git init -q --bare -b main beside.git")
    harness.workspace.add_dir(harness.dir / "beside.git")
    await harness.use(tool, command="git remote add origin ./beside.git")
    assert len(harness.asked) == 1  # a push would go there
    harness.asked.clear()
    await done(
        harness,
        tool,
        "git config user.name B && git config pull.rebase true",
        "git config user.name | grep -q B && git config pull.rebase | grep -q true",
        "git push -q -u origin main",
        "echo 1 > a && git add a && git commit -qm a && git push -q",
        "git checkout -q -b topic --track origin/main && git branch -d main",
        "git worktree add -q ../work/tree -b other",
        "cd tree && echo 2 > b && git add b && git commit -qm b",
        "git worktree list && git worktree remove tree",
        "echo 3 > a",
        "git stash -q && git stash pop -q && git restore a",
        "git fetch -q --all && git log --oneline --all && git tag v1",
    )


async def test_lines_as_agents_write_them_keep_what_a_push_and_a_branch_track(
    harness: ToolHarness, tool: Shell
) -> None:
    start(harness)
    git(harness.dir, "init", "-q", "--bare", "-b", "main", "beside.git")
    harness.workspace.add_dir(harness.dir / "beside.git")
    git(harness.dir, "remote", "add", "origin", "./beside.git")
    tracked = "git config branch.{}.merge && git -C . status -sb | head -1"
    output = await done(
        harness,
        tool,
        "git push -u origin main 2>&1 | tail -3; echo pushed",
        tracked.format("main"),
        "git add . && git commit -qm \"$(cat <<'END'\nOne\n\nbody\nEND\n)\" --allow-empty && git push -qu origin HEAD",
        'git checkout -b topic --track origin/main >/dev/null 2>&1; echo "status $?"',
        tracked.format("topic"),
        "git checkout -q main && git branch -D topic && git branch -vv | cat",
    )
    assert "[origin/main]" in output
    written = await harness.use(tool, command="git status; echo '[core] pager = x' > .git/config")
    assert "`.git` is written only by" in f"{written.message}"


async def test_git_commands_that_fail_silently_beside_something_else_get_a_hint(
    harness: ToolHarness, tool: Shell
) -> None:
    start(harness)
    (harness.dir / "a").write_text("1\n")
    git(harness.dir, "add", "a")
    for command in ("cp a b; git stash", "git stash -q; cp a b", "git bisect run cp a b"):
        value = await harness.use(tool, command=command)
        assert "`.git` is written only by" in value.message, command
    for command in (
        "cp a b; git log --show-signature; git branch",
        "cp a b; git status",
        "cp a b; git init -q c && git -C c add .",
        "git stash && git stash pop",
    ):
        value = await harness.use(tool, command=command)
        assert not value.is_error, command
        assert "`.git`" not in value.message, command


async def test_a_new_repository_of_a_user_who_records_resolutions_is_left_alone(
    harness: ToolHarness, tool: Shell
) -> None:
    start(harness)
    (harness.dir / "a").touch()
    user = "git -c rerere.enabled=true -c user.name=a -c user.email=a@b.c"
    value = await harness.use(
        tool, command=f"mkdir b && cd b && cp ../a c; {user} init -q && {user} commit -q --allow-empty -m x"
    )
    assert "undid" not in value.message
    assert (harness.dir / "b/.git/rr-cache").exists()


async def test_a_sparse_checkout_and_its_worktree_keep_their_settings(harness: ToolHarness, tool: Shell) -> None:
    start(harness)
    for name in ("lib", "docs"):
        (harness.dir / name).mkdir()
        (harness.dir / name / "a").write_text("1")
    await done(
        harness,
        tool,
        "git add . && git commit -qm two",
        "git sparse-checkout set lib",
        "ls lib && test ! -e docs",
        "git worktree add -q tree && ls tree/lib",
        "git sparse-checkout disable",
        "ls docs",
    )


async def test_a_submodule_is_added_updated_and_committed(harness: ToolHarness, tool: Shell) -> None:
    start(harness)
    source = harness.dir / "library"
    source.mkdir()
    git(source, "init", "-q", "-b", "main")
    git(source, "commit", "-q", "--allow-empty", "-m", "one")
    local = "git -c protocol.file.allow=always"
    await done(
        harness,
        tool,
        f"{local} submodule add -q ./library vendor/library",
        "git commit -qm 'Add the library' && git submodule status",
        f"{local} clone -q --recurse-submodules . copy && ls copy/vendor/library",
    )


async def test_a_commit_without_a_message_ends_at_once_and_not_in_an_editor(harness: ToolHarness, tool: Shell) -> None:
    start(harness)
    value = await harness.use(tool, command='echo 1 > a; git add a; git commit; echo "status $?"', timeout=20)
    assert "No editor can be opened here" in str(value.output)
    assert "status 1" in str(value.output)
    await done(harness, tool, "GIT_EDITOR=true git commit --allow-empty -qm b --edit")


def wheel(folder: Path) -> None:
    folder.mkdir()
    info = "tiny-1.0.dist-info"
    files = {
        "tiny.py": "print('tiny runs')\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(folder / "tiny-1.0-py3-none-any.whl", "w") as packed:
        for name, text in {**files, f"{info}/RECORD": record}.items():
            packed.writestr(name, text)


@pytest.mark.timeout(180)
async def test_a_virtual_environment_is_made_and_a_wheel_installed_from_a_cold_cache(
    harness: ToolHarness, tool: Shell
) -> None:
    wheel(harness.dir / "wheels")
    output = await done(
        harness,
        tool,
        "python3 -m venv .venv",
        ".venv/bin/pip install -q --no-index --find-links wheels --disable-pip-version-check tiny",
        ".venv/bin/python -m tiny",
    )
    assert output == "tiny runs\n"


@needs("npm", "node")
@pytest.mark.timeout(180)
async def test_npm_installs_a_package_of_a_folder_from_a_cold_cache(harness: ToolHarness, tool: Shell) -> None:
    (harness.dir / "tiny").mkdir()
    (harness.dir / "tiny/package.json").write_text('{"name": "tiny", "version": "1.0.0", "main": "x.js"}')
    (harness.dir / "tiny/x.js").write_text("console.log('tiny runs')\n")
    (harness.dir / "package.json").write_text('{"name": "work", "version": "1.0.0", "scripts": {"t": "node t.js"}}')
    (harness.dir / "t.js").write_text("require('tiny')\n")
    output = await done(harness, tool, "npm install --offline --no-audit --no-fund ./tiny", "npm run --silent t")
    assert output == "tiny runs\n"


@needs("uv")
async def test_uv_makes_an_environment_from_a_cold_cache(harness: ToolHarness, tool: Shell) -> None:
    wheel(harness.dir / "wheels")
    (Path.home() / ".local/share/uv/tools").mkdir(parents=True)
    installed = await done(
        harness,
        tool,
        "uv venv -q",
        "uv pip install --offline --no-index --find-links wheels tiny 2>&1",
        "uvx --offline --no-index --find-links wheels --with tiny python -m tiny",
    )
    assert installed.endswith("tiny runs\n")
    assert "hardlink" not in await done(
        harness, tool, "uv venv -q other && VIRTUAL_ENV=other uv pip install --offline --no-index -f wheels tiny 2>&1"
    )


@needs("make")
async def test_make_and_pytest_run(harness: ToolHarness, tool: Shell) -> None:
    (harness.dir / "Makefile").write_text("out: in\n\ttr a-z A-Z < in > out\n")
    (harness.dir / "in").write_text("word\n")
    (harness.dir / "test_x.py").write_text("def test_x(tmp_path):\n    (tmp_path / 'a').write_text('1')\n")
    python = python_for_all()
    if python is None:
        pytest.skip("there is no Python outside of the homes")
    libraries = next(entry for entry in sys.path if entry.endswith("site-packages"))
    test = f"PYTHONPATH={shlex.quote(libraries)} {python} -m pytest -q test_x.py"
    assert "1 passed" in await done(harness, tool, "make -s out && grep -q WORD out", test)


@needs("tmux")
async def test_tmux_runs_and_a_later_command_reaches_it(
    harness: ToolHarness, tool: Shell, tasks: BackgroundTasks
) -> None:
    run = "tmux -f /dev/null -S socket -D"
    started = await harness.use(tool, command=run, run_in_background=True, description="tmux")
    assert not started.is_error
    await until((harness.dir / "socket").is_socket)
    output = await done(
        harness,
        tool,
        "tmux -S socket new-session -d -s s 'sleep 60'; tmux -S socket list-sessions",
        "tmux -S socket list-sessions",
    )
    assert output.startswith("s: 1 windows")
    await tasks.aclose()


async def test_a_process_of_another_command_is_ended_by_another_door(harness: ToolHarness, tool: Shell) -> None:
    value = await harness.use(tool, command="kill 4000000")
    assert "TaskStop" in value.message


@needs("npm")
async def test_npm_without_a_network_fails_at_once_and_says_why(harness: ToolHarness, tool: Shell) -> None:
    value = await harness.use(tool, command="npm view left-pad --registry http://registry.invalid/", timeout=60)
    assert "timeout" not in value.message
    assert "it has no network" in value.message


@needs("pkill")
async def test_a_search_for_a_process_of_another_command_that_says_nothing_has_a_hint(
    harness: ToolHarness, tool: Shell
) -> None:
    value = await harness.use(tool, command="pkill -x nothing-of-that")
    assert "TaskStop" in value.message
    value = await harness.use(tool, command="test 1 = 2")
    assert "TaskStop" not in value.message


@needs("pkill", "pgrep")
async def test_a_command_that_passes_over_a_server_in_the_background_has_a_hint(
    harness: ToolHarness, tool: Shell, tasks: BackgroundTasks
) -> None:
    search = "pkill -x nothing-of-that; echo free"
    assert "TaskStop" not in (await harness.use(tool, command=search)).message
    await harness.use(tool, command="sleep 60", run_in_background=True, description="a server")
    assert "TaskStop" in (await harness.use(tool, command=search)).message
    assert "TaskStop" in (await harness.use(tool, command="kill $(pgrep -x nothing-of-that)")).message
    assert "TaskStop" not in (await harness.use(tool, command="true & kill $!; echo ended")).message
    await tasks.aclose()


async def test_programs_find_a_cache_that_they_can_write_where_the_home_has_none(
    harness: ToolHarness, tool: Shell
) -> None:
    """Poetry has its virtual environments there, corepack its package managers."""
    await done(harness, tool, 'mkdir -p "$XDG_CACHE_HOME/x"', 'test -d "$XDG_CACHE_HOME/x"')


async def test_a_cache_of_the_users_that_commands_see_is_used_as_before(harness: ToolHarness, tool: Shell) -> None:
    shown = Path.home() / ".cache/ms-playwright"
    (shown / "chromium").mkdir(parents=True)
    names = "PLAYWRIGHT_BROWSERS_PATH:${TORCH_HOME-none}"
    output = await done(harness, tool, f'echo "${names}" && ls "$PLAYWRIGHT_BROWSERS_PATH"')
    assert output == f"{shown}:none\nchromium\n"


async def test_what_a_command_leaves_in_tmp_can_be_read_by_the_next_one(harness: ToolHarness, tool: Shell) -> None:
    assert await done(harness, tool, "echo kept > /tmp/x && mktemp -d >/dev/null", "cat /tmp/x") == "kept\n"


@pytest.mark.parametrize(
    ("command", "blamed"),
    [
        ("touch /usr/local/x", True),
        ("git clone -q https://example.invalid/x", True),
        ("docker ps", shutil.which("docker") is not None),
        ("mkdir -p ~/.never/heard", True),
        ("false", False),
        ("ls missing", False),
        ("python3 -c 'raise SystemExit(3)'", False),
        ("cat /etc/kimi-tui-missing", False),
        ("grep x missing/folder", False),
        ("test 1 = 2", False),
        ("no-such-program", False),
        ("python3 -c 'import nothing_of_that_name'", False),
        ("python3 -c 'open(\"missing\")'", False),
        ("cat ../nothing-of-that-name", False),
        ("pip download nothing-of-that-name", shutil.which("pip") is not None),
        ("unshare -Ur true", shutil.which("unshare") is not None),
        ("""echo "ENOENT: no such file or directory, mkdir '/usr/lib/node_modules/x'"; false""", True),
        ("""echo "ENOENT: no such file or directory, mkdir '/tmp/missing/x'"; false""", False),
        ("""echo "ENOENT: no such file or directory, mkdir '$PWD/missing/x'"; false""", False),
        ("echo 'virtualenv: error: argument dest: the destination . is not write-able at /home/a'; false", True),
        ("echo 'Defaulting to user installation because normal site-packages is not writeable'; false", False),
    ],
)
async def test_a_hint_names_the_door_when_the_sandbox_is_to_blame_and_only_then(
    harness: ToolHarness, tool: Shell, command: str, blamed: bool
) -> None:
    value = await harness.use(tool, command=command)
    assert value.is_error
    assert ("outside_sandbox" in value.message) is blamed, (value.output, value.message)


@pytest.mark.parametrize("readable", [False, True])
def test_a_program_that_finds_no_login_is_blamed_on_the_sandbox_where_the_login_is_hidden(
    tmp_path: Path, readable: bool
) -> None:
    config, workspace = SandboxConfig(), Workspace(tmp_path)
    asked = "To get started with GitHub CLI, please run:  gh auth login\n"
    assert hint(asked, config, workspace) is None
    login = Path.home() / ".config/gh/hosts.yml"
    login.parent.mkdir(parents=True)
    login.write_text("github.com:\n")
    if readable:
        config = SandboxConfig(readable=(login.parent,))
    assert ("`sandbox.readable`" in (hint(asked, config, workspace) or "")) is not readable
    assert hint("You must first run: glab auth login", config, workspace) is None
    assert reports_failed_write(f"started\n{asked}")
    assert not reports_failed_write("first run `gh auth login`")


def test_a_push_that_finds_no_password_names_the_door(tmp_path: Path) -> None:
    output = "fatal: could not read Username for 'https://github.com': No such device or address\n"
    assert "outside_sandbox" in (hint(output, SandboxConfig(), Workspace(tmp_path)) or "")
    assert reports_failed_write(output)


PNPM_HOME = "~/.local/share/pnpm"
TOUCHED = 'python3 -c \'import os; open(os.path.expanduser("{}/file"), "w")\' && ls {}'


@pytest.mark.parametrize("used_before", [False, True])
async def test_pnpm_finds_a_store_that_it_can_write_where_the_users_is(
    harness: ToolHarness, tool: Shell, used_before: bool
) -> None:
    store = f"{PNPM_HOME}/store"
    users = Path(store).expanduser()
    if used_before:
        users.mkdir(parents=True)
        (users / "of-the-user").touch()
    assert await done(harness, tool, TOUCHED.format(store, store), f"ls {store}") == "file\n"
    assert not (users / "file").exists()
    assert await done(harness, tool, 'echo "$pnpm_config_store_dir"') == f"{users.resolve()}\n"


async def test_a_command_starts_where_pnpm_was_never_used(harness: ToolHarness, tool: Shell) -> None:
    Path(PNPM_HOME).expanduser().mkdir(parents=True)
    await done(harness, tool, f'ls {PNPM_HOME} && test -z "$pnpm_config_store_dir"')


@pytest.mark.parametrize(
    ("file", "settings", "named"),
    [
        ("pnpm-workspace.yaml", "packages: [a]\nstoreDir: .pnpm-store\n", ""),
        ("~/.config/pnpm/config.yaml", "'storeDir': '~/my-store' # mine\n", "~/my-store"),
        ("~/.config/pnpm/config.yaml", "storeDirectory: x\n", f"{PNPM_HOME}/store"),
    ],
)
async def test_a_store_of_pnpm_that_settings_name_stays_the_one_of_the_project(
    harness: ToolHarness, tool: Shell, monkeypatch: pytest.MonkeyPatch, file: str, settings: str, named: str
) -> None:
    """Else pnpm 11 and later would find another store than before, and install nothing."""
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    place = harness.dir / Path(file).expanduser()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(settings)
    wanted = Path(named).expanduser() if named else ""
    assert await done(harness, tool, 'echo "$pnpm_config_store_dir"') == f"{wanted}\n"


async def test_a_store_of_pnpm_in_the_workspace_stays_as_it_is(
    harness: ToolHarness, tool: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PNPM_HOME", str(harness.dir))
    (harness.dir / "store").mkdir()
    await done(harness, tool, "touch store/file")
    assert (harness.dir / "store/file").exists()


async def test_a_command_cannot_make_the_store_of_pnpm_a_link_to_what_is_hidden(
    harness: ToolHarness, tool: Shell
) -> None:
    secret = Path.home() / "secrets"
    secret.mkdir(parents=True)
    (secret / "key").touch()
    replace = f'cd "$(dirname "$PIP_CACHE_DIR")"; for one in *; do rm -rf "$one"; ln -s {secret} "$one"; done'
    await harness.use(tool, command='mkdir -p "$PIP_CACHE_DIR"')
    await harness.use(tool, command=replace)
    value = await harness.use(tool, command=f"ls {PNPM_HOME}/store")
    assert not value.is_error
    assert str(value.output) == ""


async def test_a_link_to_a_repository_in_the_store_of_pnpm_runs_nothing_for_the_user(
    harness: ToolHarness, tool: Shell
) -> None:
    new = (
        f"mkdir -p {PNPM_HOME}/store/new && git init -q {PNPM_HOME}/store/new && "
        f"git -C {PNPM_HOME}/store/new config core.fsmonitor 'touch ran' && "
        'ln -s "$(dirname "$PIP_CACHE_DIR")-pnpm/new" link'
    )
    assert "undid" in (await harness.use(tool, command=new)).message
    subprocess.run(["git", "-C", harness.dir / "link", "status"], check=True, capture_output=True)
    assert not (harness.dir / "link/ran").exists()


async def test_a_program_whose_link_on_path_leads_to_what_is_hidden_is_named_with_the_setting(
    harness: ToolHarness, tool: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Poetry's installer makes such a link, to a folder that commands see."""
    programs = Path.home() / ".local/bin"
    programs.mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    for name, folder in (("hidden-tool", "src/tool"), ("shown-tool", ".local/share/pypoetry/venv/bin")):
        file = Path.home() / folder / name
        file.parent.mkdir(parents=True)
        file.write_text("#!/bin/sh\necho runs\n")
        file.chmod(0o755)
        (programs / name).symlink_to(file)
    assert await done(harness, tool, "shown-tool") == "runs\n"
    assert "`sandbox.readable`" in (await harness.use(tool, command="hidden-tool")).message
    assert "sandbox" not in (await harness.use(tool, command="no-such-tool")).message


async def test_a_link_into_a_nested_repository_fails_with_the_reason(harness: ToolHarness, tool: Shell) -> None:
    nested = harness.dir / "nested"
    nested.mkdir()
    git(nested, "init", "-q", "-b", "main")
    (nested / "a").write_text("1")
    value = await harness.use(tool, command="ln nested/a b")
    assert "linked or renamed into a repository" in value.message
    await done(harness, tool, "mv nested/a b && cat b")


@pytest.mark.parametrize(
    "command",
    [
        "cat ../lib/setup.py",
        "python3 ../lib/setup.py",
        "git submodule add ../lib lib",
        "echo 'ERROR: ../lib is not a valid editable requirement.'; false",
        "make -f ../lib/Makefile",
    ],
)
async def test_a_project_beside_the_workspace_is_named_with_the_setting_that_shows_it(
    harness: ToolHarness, command: str
) -> None:
    top, lib = Path.home() / "code/app", Path.home() / "code/lib"
    for folder in (top, lib):
        folder.mkdir(parents=True)
        git(folder, "init", "-q", "-b", "main")
        git(folder, "commit", "-q", "--allow-empty", "-m", "one")
    for name in ("setup.py", "Makefile"):
        (lib / name).touch()
    workspace = Workspace(top)
    harness.approvals.yolo = True
    for readable, named in (([], True), ([lib], False)):
        sandbox = Sandbox(SandboxConfig(network=False, readable=readable), workspace)
        if not await sandbox.works() or sandbox.tier != "full":
            pytest.skip("there is no full sandbox here")
        tool = Shell(workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
        value = await harness.use(tool, command=command)
        assert ("`sandbox.readable`" in value.message) is named, (value.output, value.message)


@pytest.mark.parametrize(
    ("command", "blamed"),
    [
        ("curl -sS https://example.invalid/ | cat", shutil.which("curl") is not None),
        ("curl -sS http://127.0.0.1:9/ | cat", shutil.which("curl") is not None),
        ("(echo x > /usr/local/x) 2>&1 | cat", True),
        ('python3 -c \'open("/usr/local/x", "w")\'; true', True),
        ("echo 'curl: (22) The requested URL returned error: 404'", False),
        ("echo 'Read-only file system'; echo 'could not resolve host: x'", False),
        ("echo 'error: Read-only file system (os error 30)'", False),
    ],
)
async def test_a_failure_within_a_pipeline_has_a_hint_too(
    harness: ToolHarness, tool: Shell, command: str, blamed: bool
) -> None:
    value = await harness.use(tool, command=command)
    assert not value.is_error
    assert ("sandbox" in value.message) is blamed, (value.output, value.message)


@needs("ps")
async def test_a_list_of_processes_is_short(harness: ToolHarness, tool: Shell) -> None:
    """It would have the options of the sandbox, which are several thousand characters."""
    output = await done(harness, tool, "ps -ewwo args")
    assert "ps -ewwo args" in output
    assert len(output) < 500


@needs("ssh-agent", "ssh-add", "ssh-keygen")
@pytest.mark.parametrize("shown", [True, False])
async def test_a_commit_is_signed_by_an_agent_whose_socket_is_shown(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch, shown: bool
) -> None:
    start(harness)
    # the path of a socket has at most 107 bytes
    folder = Path(tempfile.mkdtemp(dir=Path.home()))
    agent, key = folder / "s", folder / "key"
    monkeypatch.setenv("SSH_AUTH_SOCK", str(agent))
    running = subprocess.Popen(["ssh-agent", "-D", "-a", agent], stdout=subprocess.DEVNULL)
    try:
        await until(agent.exists)
        for command in (["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], ["ssh-add", "-q", key]):
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        public = key.with_suffix(".pub")
        readable = [public, agent] if shown else [public]
        sandbox = Sandbox(SandboxConfig(network=False, readable=readable), harness.workspace, trusted=True)
        if not await sandbox.works() or sandbox.tier != "full":
            pytest.skip("there is no full sandbox here")
        tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
        sign = f"git -c gpg.format=ssh -c user.signingkey={public} commit -q --allow-empty -S -m signed"
        harness.approvals.yolo = True
        value = await harness.use(tool, command=sign)
        assert value.is_error is not shown, (value.output, value.message)
        assert ("`sandbox.readable`" in value.message) is not shown
    finally:
        running.terminate()
        running.wait()


@pytest.mark.parametrize(
    ("output", "tier", "named"),
    [
        ("cat: {home}/notes: Permission denied", "files", "`sandbox.readable`"),
        ("touch: cannot touch '/usr/x': Permission denied", "files", "`sandbox.writable`"),
        ("script: failed to create pseudo-terminal: Permission denied", "files", "terminals"),
        ("curl: (7) Failed to connect to localhost port 80: Couldn't connect to server", "full", "`localhost` is its"),
        ("error: remote unpack failed: unable to create temporary object directory", "full", "`sandbox.writable`"),
    ],
)
def test_a_hint_names_what_the_tier_holds_back(tmp_path: Path, output: str, tier: Tier, named: str) -> None:
    (Path.home() / "notes").touch()
    found = hint(output.format(home=Path.home()), SandboxConfig(network=False), Workspace(tmp_path), tier=tier)
    assert named in (found or "")


async def test_settings_of_an_editor_are_undone_with_the_way_to_write_them(harness: ToolHarness) -> None:
    notices: list[str] = []
    sandbox = Sandbox(
        SandboxConfig(network=False), harness.workspace, trusted=True, notify=lambda title, _: notices.append(title)
    )
    if not await sandbox.works() or sandbox.tier != "full":
        pytest.skip("there is no full sandbox here")
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    value = await harness.use(tool, command="mkdir .vscode; cd .vscode; echo '{}' > settings.json")
    assert not (harness.dir / ".vscode/settings.json").exists()
    assert "`outside_sandbox`" in value.message
    assert notices == ["The sandbox undid changes that could start programs"]


def test_a_hint_about_hosts_says_which_are_reached(tmp_path: Path) -> None:
    output = "ERROR: Could not find a version that satisfies the requirement x (from versions: none)"
    for hosts, named in (("ask", "only hosts that the user allowed"), ("none", "no network")):
        config = SandboxConfig.model_validate({"network": False, "hosts": hosts})
        assert named in (hint(output, config, Workspace(tmp_path)) or "")


async def sandbox_that_asks(harness: ToolHarness, *, allows: bool) -> Sandbox:
    """A full sandbox with `hosts: ask`, and the answer to each question; skips where there is none."""

    async def answer(host: str, port: int, command: RunningCommand) -> bool:
        return allows

    config = SandboxConfig.model_validate({"network": False, "hosts": "ask"})
    sandbox = Sandbox(config, harness.workspace, trusted=True, allows_host=answer)
    if not await sandbox.works() or not sandbox.shares_network:
        pytest.skip("there is no full sandbox with a network of its own here")
    return sandbox


@needs("curl")
async def test_a_refused_host_is_named_at_each_command_that_meets_it(harness: ToolHarness) -> None:
    sandbox = await sandbox_that_asks(harness, allows=False)
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    for command in (
        "curl -sS https://a.invalid/",
        "curl -sS https://a.invalid/ | cat",
        "curl -sSf http://a.invalid/",
        "curl -sS http://a.invalid/ | cat",
    ):
        value = await harness.use(tool, command=command)
        assert "`Network(HOST)`" in value.message or "| cat" in command, (command, value.output, value.message)
        assert "`a.invalid`" in value.message, (command, value.output, value.message)
    await sandbox.close()


@needs("curl")
@pytest.mark.parametrize("end", ["", " | cat", "; true"])
async def test_a_host_that_a_command_misses_without_a_word_is_named_without_a_network(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch, tool: Shell, end: str
) -> None:
    """The user's own proxy, which is on this machine, is none in there."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    value = await harness.use(tool, command=f"curl -s https://a.invalid/{end}")
    assert value.is_error is (end == "")
    assert "`a.invalid`" in value.message
    assert ("`outside_sandbox`" in value.message) is (end == "")
    value = await harness.use(tool, command="false")
    assert "sandbox" not in value.message


@needs("npm")
async def test_npm_says_soon_that_a_host_was_refused(harness: ToolHarness) -> None:
    sandbox = await sandbox_that_asks(harness, allows=True)
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    value = await harness.use(tool, command="npm view x --registry https://10.255.255.1/", timeout=45)
    assert "is a private address" in str(value.output)
    await sandbox.close()


async def test_programs_that_need_a_folder_at_their_start_find_one(harness: ToolHarness, tool: Shell) -> None:
    """Chromium makes its profile there, screen its sockets; Poetry only makes sure that its settings have a folder;
    pipx makes them before it runs anything.
    """
    await done(harness, tool, 'mkdir -p "$PIPX_HOME/logs" "$PIPX_MAN_DIR/man1" "$PIPX_COMPLETION_DIR/fish"')
    await done(harness, tool, 'mkdir -p "$CHROME_CONFIG_HOME/x" "$SCREENDIR/x"', 'mkdir -p "$POETRY_CONFIG_DIR"')
    value = await harness.use(tool, command='touch "$POETRY_CONFIG_DIR/config.toml"')
    assert value.is_error  # that a setting for all projects is lost does not go unseen
    (Path.home() / ".config/pypoetry").mkdir(parents=True)
    (Path.home() / ".config/pypoetry/config.toml").write_text("seen")
    assert await done(harness, tool, "cat ~/.config/pypoetry/*; echo ${POETRY_CONFIG_DIR-none}") == "seennone\n"


async def test_programs_say_soon_that_a_host_was_refused(harness: ToolHarness) -> None:
    tool = Shell(
        harness.workspace, harness.approvals, ToolProgress(), sandbox=await sandbox_that_asks(harness, allows=False)
    )
    value = await harness.use(tool, command="env | grep -i RETR; true")
    lines = set(str(value.output).split())
    assert {"PIP_RETRIES=1", "UV_HTTP_RETRIES=1", "CARGO_NET_RETRY=1"} <= lines
    assert "pnpm_config_fetch_retry_mintimeout=1000" in lines


def test_a_browser_that_cannot_change_its_priority_did_not_fail_by_that(tmp_path: Path) -> None:
    output = "[3:45:ERROR] Failed to adjust OOM score of renderer with pid 1: Read-only file system (30)\n1 failed"
    assert hint(output, SandboxConfig(), Workspace(tmp_path)) is None
    assert reports_failed_write("[2:2:FATAL:zygote.cc:130] No usable sandbox! If this is a Debian system, please")
