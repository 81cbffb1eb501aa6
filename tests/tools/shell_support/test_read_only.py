"""Commands that only read run without a question, in plan mode too, and nothing else does."""

import os
import subprocess
from pathlib import Path

import pytest

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools.core.permission_subject import command_subject
from kimi_tui.tools.core.plan_mode import PlanMode
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support.approval_scope import approval_scope
from kimi_tui.tools.shell_support.command_parser import parse_command_line
from kimi_tui.tools.shell_support.protected_paths import program_of_workspace
from kimi_tui.tools.shell_support.sandbox import Sandbox
from tests.tools.harness import ToolHarness, git, repository_with_a_commit

LOOK_AROUND = (
    "ls -la app && wc -l app/*.py", "git status --short || true", "pwd && ls -R | head -50", "cat README.md",
    "grep -rn import app", "grep -rn --include='*.py' 'def ' . 2>/dev/null | head -20", "rg -n import", "tree -L 2",
    "find . -type f -name '*.py' -not -path './.git/*' | sort", "git log --oneline -10", "git diff HEAD --stat",
    "git show HEAD --stat", "git branch -a", "git blame -L 1,1 app/a.py", "head -5 README.md; tail -5 README.md",
    "sed -n '1,20p' app/a.py", "sort README.md | uniq -c | sort -rn", "cut -d' ' -f1 app/a.py", "file README.md 2>&1",
    "stat README.md", "which git", "echo done", "cd app && git log --oneline -3 && ls", "awk '{print $1}' app/*.py",
    "python --version", "grep -rn --include=*.py def app", "ps aux | head", "ps -ef", "ps aux --sort=-%mem | head -5",
    "ps -eo pid,ppid,cmd", "git branch --sort=-committerdate --format='%(refname:short) %(committerdate:relative)'",
    "git log --format='%h %ad %an %s' --date=short -5", "git log --pretty=format:'%C(yellow)%h%Creset %s' --graph",
    "git tag -l --sort=-v:refname", "uniq -c README.md", "id -u", "uname -a", "du -sh .", "df -h", "date +%F",
    "grep -rn /api app", "rg -n -e /api app", "egrep '/a|/b' README.md", "tr / x < README.md",
    "cut -d/ -f2 README.md", "cut -d / -f 2 README.md", "sort -t/ -k2 README.md", "awk -F/ '{print $2}' README.md",
    "awk 'NR>=2 && NR<=5{printf \"%s\\n\", $1}' README.md", "awk '!seen[$0]++' README.md",
    "awk '{s+=$1} END {if (s > 3) print s/NR}' README.md", "jq '.scripts | keys' README.md",
    "jq -r 'to_entries[] | \"\\(.key)=\\(.value)\"' README.md", "jq '.env | {env: .x, id}' README.md",
    "diff -u README.md app/a.py", "ls -lah", "find . -name '*.py' -newer README.md", "wc -l < README.md",
)  # fmt: skip


@pytest.fixture
def harness(tmp_path: Path) -> ToolHarness:
    work = tmp_path / "work"
    (work / "app").mkdir(parents=True)
    (work / "app/a.py").write_text("import os\n")
    (work / "README.md").write_text("x\n")
    git(work, "init", "-q")
    git(work, "add", ".")
    git(work, "commit", "-qm", "one")
    return ToolHarness(work, answer="reject")


def shell(harness: ToolHarness) -> Shell:
    return Shell(harness.workspace, harness.approvals, ToolProgress())


def reads(harness: ToolHarness, command: str) -> bool:
    return command_subject(parse_command_line(command), harness.workspace).reads


async def test_a_turn_of_looking_around_asks_nothing(harness: ToolHarness) -> None:
    for command in LOOK_AROUND:
        await harness.use(shell(harness), command=command)
    assert [request.description for request in harness.asked] == []


async def test_a_setting_asks_for_them_too(harness: ToolHarness) -> None:
    harness.approvals.policy = Policy(free_reading=False)
    await harness.use(shell(harness), command="ls")
    assert len(harness.asked) == 1


async def test_a_rule_that_asks_or_denies_comes_first(harness: ToolHarness) -> None:
    harness.approvals.policy = Policy([parse_rule("Shell(ls *)", Effect.ASK), parse_rule("Shell(cat *)", Effect.DENY)])
    assert (await harness.use(shell(harness), command="ls")).is_error
    assert "not allowed" in (await harness.use(shell(harness), command="cat README.md")).message
    assert len(harness.asked) == 1


@pytest.mark.parametrize(
    "command",
    [
        "touch x", "ls > x", "ls && touch x", "ls | tee x", "cat .env", "cat .en?", "cat < .env", "grep -r x .",
        "rg --hidden x", "git show HEAD:.env", "git diff --no-index /dev/null .env", "cat /etc/shadow", "cat ../other",
        "cd .. && ls", "cd && ls", "cd - && ls", "ls ~", "ls $HOME", "cat $(ls)", "cat link", "cat out/x", "cat app/l*",
        "find / -name x", "env", "printenv", "git config -l", "git -C .. status", "git log --output=x",
        "git branch new",
        "grep x -e .env README.md", "grep -e x .env", "grep -f .env /x", "rg --files ..", "rg --files /tmp", "rg /x ..",
        "grep --unknown /x /tmp", "cut -d/ -f1 .env", "sort -t/ .env", "jq env README.md", "jq '\"\\(env)\"' README.md",
        "jq '{a: if true then 1, env else 2 end}' README.md", "jq input_filename README.md", "jq 'include \"x\"; .' a",
        "jq -n '$__loc__'", "jq 'def f: env; f' README.md", "awk '{print ENVIRON[\"X\"]}' README.md",
        "awk '{getline x < \".env\"; print x}' README.md",
        "jq -n '$ ENV'", "jq -n '$\n ENV.x'", "printf *", "grep x --file=.en* README.md", "sort --ou*=x README.md",
        "sort --output=* README.md",
        "rg --pr*=x y",
        "git tag -l --format='%(signature)'", "git rev-list --format=%G? HEAD", "git tag -l --format='%(raw)'",
        "git for-each-ref --format='%(raw:size) %(raw)'", "git log --format=%+G?", "git log --format='%x20% GK'",
        "git log --pretty=other", "git branch --format='%(push:remotename)'", "git log --format='%(describe)'",
        "git for-each-ref --format='%(upstream:remotename)'", "git tag -l --sort=raw", "uniq README.md -c",
        "sort README.md -- -o f", "ps e", "ps -ef -o pid,cmd", "ps aux e", "ps -eo pid,cmd --sort=x", "ps -p 1 e",
        "strings README.md", "zcat README.md.gz", "bat README.md", "xxd README.md", "eza", "whereis ls", "jq -f x .",
        "hostname -f", "pip freeze", "pip list", "apt list", "git cat-file -p HEAD", "git shortlog --format=%s",
        "git config --show-origin user.name", "tail -f README.md", "du -X README.md", "sed -z p README.md",
        "git shortlog --group=format:%GG", "git shortlog --format=%GG",
        "git for-each-ref --sort=signature",
        "git stash", "git tag new", "git remote add a b", "sed -i s/a/b/ README.md", "sed -n 'w f' README.md",
        "awk 'BEGIN{system(\"id\")}'", "sort -o f README.md", "uniq README.md f", "uniq a*",
        "awk p* README.md", "date -s x",
        "./ls", "/bin/ls", "ls5", "tool", "xargs ls", "less README.md", "man ls", "cat *", "tail -n 1 -- .env",
        "cat /proc/self/environ", "head -c 1 /dev/sda", "nice cat .env", "hostname evil", "X=1 ls", "find . -delete",
        "cat app/a.py:.env", "grep -f .env README.md", "diff README.md .env", "python x.py",
        "python -m pip --version x", "uv pip list", "uv pip freeze", "go version", "diff . app", "diff -N . app",
        "diff -N . ap*", "cat ~+/../other", "cat ~-/../other", "cat ~0/../other", "ls ~+/..", "cd ~+/.. && cat other",
        "cat ~+1/x", "cat '~games/x'", "cd '~games' && ls", "rg x .c*", "rg x .[c]*/", "cat '[o]ut'/*", "strings @list",
        "strings -n @list x", "cat '[l]'*", "xxd -ps README.md f", "tree -Lo 2 f", "tree -aIo x f", "ps -auxe",
        "ps -aux -e", "ps -T -H -e", "ps -we --forest -T", "ps -e x", "ps -e -u x", "ps -T -H -u e", "pip list -o",
        "zcat -f app/a", "zcat -f app/a.py", "cd app && cat /proc/self/cwd/x", "cd app && cat ../proc/cwd/x",
        "cat /dev/fd/9", "cd proc/cwd && cat x", "sed -l 'w f' p README.md",
        "ps -ux -eww", "ps -eo pid,environ", "git diff app .cfg", "git diff /usr/games .cfg",
        "ps -e -eo cmd -f -T", "ps -eo pid -T -ef -o pid,args", "md5sum -c README.md", "sha256sum --check README.md",
        "cat .git/config.worktree", "cat .git/modules/lib/config", "head .git/worktrees/x/config.worktree",
    ],
)  # fmt: skip
def test_what_does_more_or_reads_what_is_secret_is_asked_for(
    harness: ToolHarness, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (harness.dir / ".env").write_text("KEY=1")
    (harness.dir / "-n").write_text("")
    (tmp_path / "other").write_text("x")
    (harness.dir / "link").symlink_to(".env")
    (harness.dir / "app/link").symlink_to(tmp_path / "other")
    (harness.dir / "app/a.gz").symlink_to(tmp_path / "other")
    monkeypatch.chdir(harness.dir)
    (harness.dir / "proc").symlink_to("../../../../../../../../proc/self")
    (harness.dir / "out").symlink_to(tmp_path)
    (harness.dir / "~games").symlink_to(tmp_path)
    (harness.dir / "[o]ut").symlink_to(tmp_path)
    (harness.dir / "[l]ink").symlink_to(tmp_path / "other")
    (harness.dir / ".cfg").mkdir()
    (harness.dir / ".cfg/prod.env").write_text("KEY=1")
    tool = harness.dir / "bin/tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tool.parent), prepend=":")
    assert not reads(harness, command)


def test_a_program_that_the_agent_may_have_written_is_asked_for(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reads(harness, "ls")
    planted = harness.dir / "bin/ls"
    planted.parent.mkdir()
    planted.write_text("#!/bin/sh\n")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", str(planted.parent), prepend=":")
    assert not reads(harness, "ls")


def test_no_program_of_a_configured_folder_that_commands_can_write_is_one_that_only_reads(
    harness: ToolHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git would even be started outside of the sandbox, to read the history."""
    planted = tmp_path / "tools/bin/git"
    planted.parent.mkdir(parents=True)
    planted.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    planted.chmod(0o755)
    repository_with_a_commit(harness.dir / "r")
    monkeypatch.chdir(harness.dir)
    monkeypatch.setenv("PATH", str(planted.parent), prepend=":")
    Sandbox(SandboxConfig(writable=[tmp_path / "tools"]), harness.workspace)
    assert not reads(harness, "git -C r log -p")
    assert program_of_workspace(parse_command_line("git log"), harness.workspace) == str(planted)
    assert not (tmp_path / "started").exists()


def test_a_yes_for_a_program_that_writes_covers_no_path_with_a_link_out_of_the_workspace(
    harness: ToolHarness, tmp_path: Path
) -> None:
    def keys(command: str) -> tuple[str, ...]:
        line = parse_command_line(command)
        scope = approval_scope(line, command, exactly=command_subject(line, harness.workspace).secrets)
        return scope.keys if scope else ()

    (harness.dir / "out").symlink_to(tmp_path)
    (harness.dir / "in").symlink_to("app")
    for command in ("touch app/x", "mkdir -p in/x/y", "ruff format --check app", "pytest in/x.py"):
        assert keys(command)[0].startswith("run command: "), command
    for command in ("touch out/x", "mkdir -p out/x/y", "ruff format --check app out", "pytest out/x.py"):
        assert keys(command) == (f"run exactly: {command}",)


@pytest.mark.parametrize("manager", [".asdf", "mise", ".pyenv"])
def test_a_program_that_files_of_the_folder_choose_is_asked_for(
    harness: ToolHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manager: str
) -> None:
    """In `.tool-versions`, `path:` may lead to a program of the folder; pyenv obeyed a path in earlier releases."""
    started = tmp_path / manager / "shims/python"
    started.parent.mkdir(parents=True)
    started.write_text("#!/bin/sh\n")
    started.chmod(0o755)
    monkeypatch.setenv("PATH", str(started.parent), prepend=":")
    assert reads(harness, "python --version") is (manager == ".pyenv")
    versions = harness.dir / ".python-version"
    versions.write_text("3.12\npypy3.10-7.3\n")
    assert reads(harness, "python --version") is (manager == ".pyenv")
    versions.write_text("../../work/evil\n")
    assert not reads(harness, "python --version")
    assert not reads(harness, "cd app && python --version")


def test_a_link_to_a_version_manager_is_asked_for(
    harness: ToolHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = tmp_path / "bin/mise"
    manager.parent.mkdir()
    manager.write_text("#!/bin/sh\n")
    manager.chmod(0o755)
    (manager.parent / "ls").symlink_to("mise")
    assert reads(harness, "ls")
    monkeypatch.setenv("PATH", str(manager.parent), prepend=":")
    assert not reads(harness, "ls")


@pytest.mark.parametrize("command", ["timeout 5 cat x", "nice cat x", "env cat x", "sh -c 'cat x'", "nohup cat x"])
def test_a_wrapper_that_anyone_may_have_written_is_asked_for(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    assert reads(harness, command)
    planted = harness.dir / "bin" / command.split()[0]
    planted.parent.mkdir()
    planted.write_text("#!/bin/sh\n")
    planted.chmod(0o755)
    for line in (f"bin/{command}", f"/tmp/{command}", f"cat x && ./{command}"):
        assert not reads(harness, line), line
        scope = approval_scope(parse_command_line(line), line)
        assert scope is None or scope.keys != ("run command: cat",)
        allowed = Policy([parse_rule("Shell(cat *)", Effect.ALLOW)])
        assert allowed.decide("Shell", command_subject(parse_command_line(line))).effect is None
    monkeypatch.setenv("PATH", str(planted.parent), prepend=":")
    assert not reads(harness, command)


@pytest.mark.parametrize(
    "name", ["config.worktree", "modules/lib/config", "modules/a/modules/b/config", "worktrees/x/config.worktree"]
)
def test_a_search_is_asked_about_where_settings_of_a_submodule_or_a_worktree_hold_a_password(
    harness: ToolHarness, name: str
) -> None:
    settings = harness.dir / ".git" / name
    settings.parent.mkdir(parents=True, exist_ok=True)
    searches = ("grep -rn x .", "grep -rn x .git", f"grep -rn x {settings.parent.relative_to(harness.dir)}")
    settings.write_text('[remote "origin"]\n\turl = https://host/x\n')
    assert all(reads(harness, command) for command in searches)
    settings.write_text('[remote "origin"]\n\turl = https://me:s3cret@host/x\n')
    assert [command for command in searches if reads(harness, command)] == []


def test_a_search_that_passes_over_hidden_secrets_is_free_until_a_file_shows_them(harness: ToolHarness) -> None:
    (harness.dir / ".env").write_text("KEY=1")
    assert reads(harness, "rg -n import")
    assert reads(harness, "grep -rn import app")
    for command in (
        "rg -. x",
        "rg -uu x",
        "rg -g '*env' x",
        "rg -t sh x",
        "rg --hidden x",
        "grep -rn x .",
        "grep -rn app",
    ):
        assert not reads(harness, command), command
    (harness.dir / ".ignore").write_text("!.vscode/x\n")
    assert reads(harness, "rg -n import")
    (harness.dir / ".ignore").write_text("!.en*\n")
    assert not reads(harness, "rg -n import")
    for odd in ("\ufeff!.env", "!.e\\nv", "!.{env,x}", "!.en[^x]", "![.]env", "!{x/y,.env}", "!.env\r"):
        (harness.dir / ".ignore").write_text(f"{odd}\n")
        assert not reads(harness, "rg -n import"), odd
    (harness.dir / ".ignore").write_text("![Bb]in/x\n!\\!x\n!.[ab]\n")
    assert reads(harness, "rg -n import")
    (harness.dir / ".ignore").unlink()
    exclude = harness.dir / ".git/info/exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_text("!.en*\n")
    assert not reads(harness, "rg -n import")
    git(harness.dir, "worktree", "add", "-q", "linked")
    (harness.dir / "linked/.env").write_text("KEY=1")
    assert not command_subject(parse_command_line("rg -n x"), Workspace(harness.dir / "linked")).reads
    exclude.unlink()
    assert command_subject(parse_command_line("rg -n x"), Workspace(harness.dir / "linked")).reads


@pytest.mark.parametrize(
    ("name", "command"),
    [("RIPGREP_CONFIG_PATH", "rg x"), ("GREP_OPTIONS", "grep x README.md"), ("PS_FORMAT", "ps -ef")],
)
def test_a_program_that_takes_options_from_a_variable_may_read_more(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch, name: str, command: str
) -> None:
    (harness.dir / ".env").write_text("KEY=1")
    assert reads(harness, command)
    monkeypatch.setenv(name, "/etc/options")
    assert not reads(harness, command)
    assert reads(harness, "rg --no-config x")
    assert reads(harness, "cat README.md")


def test_a_format_that_sets_a_variable_is_asked_about(harness: ToolHarness) -> None:
    planted = harness.dir / "1/ls"
    planted.parent.mkdir()
    planted.write_text("#!/bin/sh\necho planted\n")
    planted.chmod(0o755)
    line = "printf x%n PATH; ls"
    said = subprocess.run(["bash", "-c", line], cwd=harness.dir, check=True, capture_output=True, text=True).stdout
    assert said == "xplanted\n"
    assert not reads(harness, line)
    for harmless in (r"printf '%s\n' a b", "printf '%-5d|%5.2f|%%|%b|%q' 1 2 a b", "printf hello", "printf '%*s' 3 a"):
        assert reads(harness, harmless), harmless


def test_a_folder_of_the_path_that_is_where_the_command_runs_is_asked_about(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    for entry in (".", "", "bin"):
        with monkeypatch.context() as path:
            path.setenv("PATH", entry, prepend=":")
            assert not reads(harness, "ls")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.fsmonitor", "id"), ("core.hooksPath", "hooks"), ("diff.external", "id"), ("core.pager", "id"),
        ("include.path", "evil"), ("filter.x.clean", "id"), ("diff.x.textconv", "id"), ("gpg.program", "id"),
        ("core.hooksPath", "hooks # x"), ("core.sshCommand", "id"), ("remote.a.uploadpack", "id"),
        ("alias.status", "!id"), ("core.worktree", "/"),
    ],
)  # fmt: skip
def test_a_repository_whose_settings_may_run_something_is_asked_about(
    harness: ToolHarness, key: str, value: str
) -> None:
    (harness.dir / "hooks").mkdir()
    (harness.dir / "hooks/post-index-change").write_text("id")
    assert reads(harness, "git status")
    git(harness.dir, "config", key, value)
    assert not reads(harness, "git status")
    assert reads(harness, "ls")


def test_a_merge_driver_that_keeps_a_file_as_it_is_is_free(harness: ToolHarness) -> None:
    git(harness.dir, "config", "merge.ours.name", "keep ours")
    git(harness.dir, "config", "merge.ours.driver", "true")
    assert reads(harness, "git status")
    git(harness.dir, "config", "merge.ours.driver", "./x")
    assert not reads(harness, "git status")


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"])
def test_a_repository_that_the_environment_names_is_not_known(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert reads(harness, "git status")
    monkeypatch.setenv(name, "/elsewhere")
    assert not reads(harness, "git status")
    assert reads(harness, "ls")


def test_settings_that_are_spelled_oddly_are_not_believed(harness: ToolHarness) -> None:
    config = harness.dir / ".git/config"
    plain = config.read_text()
    for odd in (
        "[core] fsmonitor = id\n",
        "[core]\nfsmon\\\nitor = id\n",
        '[core ""]\nfsmonitor=id\n',
        "[CORE]\nFSMONITOR=id\n",
    ):
        config.write_text(plain + odd)
        assert not reads(harness, "git status"), odd


@pytest.mark.parametrize("blank", ["\u2003", "\x0b", "\x0c", "\x1c", "\x85", "\xa0"])
def test_a_blank_of_unicode_counts_in_a_setting_of_git(harness: ToolHarness, blank: str) -> None:
    hook = harness.dir / f"hooks{blank}/post-index-change"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    config = harness.dir / ".git/config"
    config.write_text(f"{config.read_text()}[core]\n\thooksPath = hooks{blank}\n", encoding="utf-8")
    os.utime(harness.dir / "README.md", (1, 1))
    subprocess.run(["git", "status"], cwd=harness.dir, check=True, capture_output=True)
    assert (harness.dir / "ran").exists()
    assert not reads(harness, "git status")


def test_hooks_that_reading_runs_and_submodules_are_asked_about(harness: ToolHarness) -> None:
    hook = harness.dir / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("id")
    assert not reads(harness, "git status")
    hook.unlink()
    assert reads(harness, "git status")
    git(harness.dir, "update-index", "--add", "--cacheinfo", f"160000,{'a' * 40},sub")
    assert not reads(harness, "git status")


def test_a_hook_of_the_worktree_that_the_user_s_settings_name_is_asked_about(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = harness.dir.parent / "user-settings"
    settings.write_text("[core]\n\thooksPath = .githooks\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    assert reads(harness, "git status")
    hook = harness.dir / ".githooks/post-index-change"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    os.utime(harness.dir / "README.md", (1, 1))
    subprocess.run(["git", "status"], cwd=harness.dir, check=True, capture_output=True)
    assert (harness.dir / "ran").exists()
    assert not reads(harness, "git status")


def test_two_files_are_compared_unasked_where_folders_beside_them_hold_secrets(harness: ToolHarness) -> None:
    (harness.dir / ".env").write_text("KEY=1")
    for command in ("diff README.md app/a.py", "diff -u README.md app/a.py", "diff README.md app"):
        assert reads(harness, command)


def test_a_git_folder_that_takes_its_settings_from_another_is_asked_about(harness: ToolHarness) -> None:
    kept = harness.dir / "kept"
    (harness.dir / ".git").rename(kept)
    git(harness.dir, "init", "-q")
    assert reads(harness, "git status")
    git(kept, "config", "core.fsmonitor", "touch ran; false")
    (harness.dir / ".git/commondir").write_text("../kept\n")
    subprocess.run(["git", "status"], cwd=harness.dir, check=True, capture_output=True)
    assert (harness.dir / "ran").exists()
    assert not reads(harness, "git status")


@pytest.mark.parametrize("head", [None, "", "ref: x", "nothing"])
def test_a_git_folder_that_git_passes_over_says_nothing_of_the_one_above(
    harness: ToolHarness, head: str | None
) -> None:
    git(harness.dir, "config", "core.fsmonitor", "touch ran; false")
    below = harness.dir / "app/.git"
    for name in ("objects", "refs"):
        (below / name).mkdir(parents=True)
    if head is not None:
        (below / "HEAD").write_text(head)
    subprocess.run(["git", "status"], cwd=below.parent, check=True, capture_output=True)
    assert (harness.dir / "ran").exists()
    line = parse_command_line("git status")
    assert not command_subject(line, Workspace(below.parent)).reads


def test_a_blank_counts_in_the_name_of_the_git_folder_that_a_file_names(harness: ToolHarness) -> None:
    below = harness.dir / "app"
    git(below, "init", "-q", "--separate-git-dir", str(below / "kept"))
    named, subject = below / ".git", Workspace(below)
    line = parse_command_line("git status")
    named.write_text("gitdir: kept\n")
    assert command_subject(line, subject).reads
    for odd in ("gitdir:  kept\n", "gitdir: kept \n", "gitdir: kept\n\n", "gitdir: kept\x0b\n", " gitdir: kept\n"):
        named.write_text(odd)
        assert not command_subject(line, subject).reads, odd


def test_another_repository_within_is_judged_by_its_own_settings(harness: ToolHarness) -> None:
    inner = harness.dir / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    assert reads(harness, "cd inner && git status")
    assert reads(harness, "git -C inner status")
    git(inner, "config", "core.fsmonitor", "id")
    for command in (
        "cd inner && git status",
        "git -C inner status",
        "(cd inner); git status",
        "cd app && cd ../inner && git log",
    ):
        assert not reads(harness, command)
    bare = harness.dir / "bare"
    bare.mkdir()
    git(bare, "init", "-q", "--bare")
    assert not reads(harness, "cd bare && git log")


@pytest.mark.parametrize("takes_from_another", [True, False])
def test_a_folder_that_git_takes_for_a_repository_without_git_in_its_name_is_asked_about(
    harness: ToolHarness, takes_from_another: bool
) -> None:
    """With a `commondir` it needs no `objects` of its own, and a `HEAD` may be a link that leads nowhere."""
    looks_plain, common = harness.dir / "plain", harness.dir / "common"
    if not takes_from_another:
        common = looks_plain
    for folder in (looks_plain, common / "objects", common / "refs"):
        folder.mkdir(parents=True, exist_ok=True)
    settings = "[core]\nrepositoryformatversion = 1\nfsmonitor = touch ran; false\n"
    if takes_from_another:
        (looks_plain / "HEAD").write_text("ref: refs/heads/main\n")
        (looks_plain / "commondir").write_text("../common\n")
    else:
        (looks_plain / "HEAD").symlink_to("refs/heads/main")
    (looks_plain / "config.worktree").write_text(f"[core]\nbare = false\nworktree = {looks_plain}\n")
    (common / "config").write_text(f"{settings}[extensions]\nworktreeConfig = true\n")
    subprocess.run(["git", "status"], cwd=looks_plain, check=True, capture_output=True)
    assert (looks_plain / "ran").exists()
    assert not reads(harness, "cd plain && git status")
    assert not reads(harness, "git -C plain status")


@pytest.mark.parametrize("way", ["file", "link", "objects", "pack", "alternates"])
def test_a_repository_that_takes_its_objects_from_outside_is_asked_about(
    harness: ToolHarness, tmp_path: Path, way: str
) -> None:
    private, inner = tmp_path / "private", harness.dir / "inner"
    for folder in (private, inner):
        folder.mkdir()
        git(folder, "init", "-q")
    (private / "plan").write_text("private text\n")
    git(private, "add", ".")
    git(private, "commit", "-qm", "one")
    git(private, "repack", "-qad")
    git_dir, theirs = inner / ".git", private / ".git"
    assert reads(harness, "git -C inner log -p")
    match way:
        case "file" | "link":
            git_dir.rename(inner / "kept")
            git_dir.write_text(f"gitdir: {theirs}\n") if way == "file" else git_dir.symlink_to(theirs)
        case "objects":
            git_dir.joinpath("objects").rename(inner / "kept")
            git_dir.joinpath("objects").symlink_to(theirs / "objects")
        case "pack":
            for file in (theirs / "objects/pack").iterdir():
                (git_dir / "objects/pack" / file.name).symlink_to(file)
        case _:
            (git_dir / "objects/info/alternates").write_text(f"{theirs / 'objects'}\n")
    if way not in ("file", "link"):
        (git_dir / "HEAD").write_text((theirs / "refs/heads" / _branch(private)).read_text())
    shown = subprocess.run(["git", "log", "-p"], cwd=inner, check=True, capture_output=True, text=True)
    assert "private text" in shown.stdout
    assert not reads(harness, "git -C inner log -p")
    assert not reads(harness, "cd inner && git show HEAD:plan")
    assert reads(harness, "git log -p")


def _branch(repository: Path) -> str:
    return (repository / ".git/HEAD").read_text().strip().removeprefix("ref: refs/heads/")


@pytest.mark.parametrize(
    "address", ["https://me:word@host.example/x", "https://ghp_abcdefghijklmnopqrst@host.example/x"]
)
def test_git_settings_with_a_password_are_asked_about_whatever_prints_them(harness: ToolHarness, address: str) -> None:
    commands = ("git remote -v", "git remote get-url origin", "git config --get remote.origin.url",
        "grep -rn url .", "grep -r url .git", "rg url .git", "rg --hidden url", "diff -r .git app")  # fmt: skip
    git(harness.dir, "remote", "add", "origin", "ssh://git@host.example/x")
    for command in commands:
        assert reads(harness, command), command
    git(harness.dir, "remote", "set-url", "origin", address)
    for command in commands:
        assert not reads(harness, command), command
    assert reads(harness, "git log --oneline")
    assert reads(harness, "rg url")


@pytest.mark.parametrize("where", ["home", "included", "variable"])
def test_addresses_are_asked_about_where_the_settings_of_the_user_put_a_password_into_them(
    harness: ToolHarness, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, other = tmp_path / "home", tmp_path / "settings"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    (home / ".gitconfig").write_text(
        f"[include]\n\tpath = {other}\n" if where == "included" else "[user]\n\tname = x\n"
    )
    commands = ("git remote -v", "git remote get-url origin", "git config user.name")
    git(harness.dir, "remote", "add", "origin", "https://host.example/x")
    for command in commands:
        assert reads(harness, command), command
    file = home / ".gitconfig" if where == "home" else other
    file.write_text('[url "https://u:password@host.example/"]\n\tinsteadOf = https://host.example/\n')
    if where == "variable":
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(other))
    for command in commands:
        assert not reads(harness, command), command
    assert reads(harness, "git log --oneline")


def test_a_linked_worktree_is_read_without_approval(harness: ToolHarness, tmp_path: Path) -> None:
    git(harness.dir, "worktree", "add", "-q", str(tmp_path / "linked"))
    line = parse_command_line("git log -p")
    assert command_subject(line, Workspace(tmp_path / "linked")).reads


def test_a_rule_for_git_does_not_speak_of_git_elsewhere(harness: ToolHarness, tmp_path: Path) -> None:
    policy = Policy([parse_rule("Shell(git *)", Effect.ALLOW), parse_rule("Shell(cd *)", Effect.ALLOW)])
    inner = harness.dir / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    git(inner, "config", "core.fsmonitor", "id")

    def effect(command: str) -> Effect | None:
        return policy.decide("Shell", command_subject(parse_command_line(command), harness.workspace)).effect

    assert effect("git add .") is Effect.ALLOW
    assert effect("cd app && git add .") is Effect.ALLOW
    assert effect("cd inner && git add .") is None
    assert effect(f"cd {tmp_path} && git add .") is None


async def test_plan_mode_runs_commands_that_only_read(harness: ToolHarness) -> None:
    toolset = Toolset([shell(harness)], plan_mode=PlanMode(on=True), approvals=harness.approvals)
    harness.approvals.yolo = True

    async def run(command: str, **more: object):
        return (await toolset.handle(harness.call_of("Shell", {"command": command, **more}))).return_value

    assert "one" in str((await run("git log --oneline | cat")).output)
    for value in (await run("touch x"), await run("ls > x"), await run("ls", outside_sandbox=True)):
        assert value.is_error
        assert "known to change nothing" in value.message
    assert not (harness.dir / "x").exists()


def test_a_decision_takes_little_time(harness: ToolHarness) -> None:
    import time

    lines = [parse_command_line(command) for command in LOOK_AROUND]
    for line in lines:
        command_subject(line, harness.workspace)
    started = time.process_time()
    for _ in range(10):
        for line in lines:
            command_subject(line, harness.workspace)
    assert (time.process_time() - started) / (10 * len(lines)) < 0.01


def test_without_a_workspace_nothing_is_known_to_read(tmp_path: Path) -> None:
    assert not command_subject(parse_command_line("ls")).reads
    assert command_subject(parse_command_line("ls"), Workspace(tmp_path)).reads
