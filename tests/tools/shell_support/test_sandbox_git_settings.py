"""The user's settings of Git in the sandbox: what they name is there, or a hint says what is not."""

from pathlib import Path

import pytest

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support.bwrap_args import shown_in_home
from kimi_tui.tools.shell_support.sandbox import Sandbox
from kimi_tui.tools.shell_support.sandbox_hints import hint, reports_failed_write, reports_hidden_file
from tests.tools.harness import ToolHarness

NAME = "[user]\n\tname = seen\n\temail = seen@example.org\n"


def write(name: str, text: str, mode: int = 0o644) -> Path:
    file = Path.home() / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(mode)
    return file


def shows(path: Path, workspace: Path) -> bool:
    return path in shown_in_home(Path.home(), Workspace(workspace))


async def test_a_commit_is_made_as_the_users_settings_say(harness: ToolHarness) -> None:
    included = '[include]\n\tpath = ~/.gitconfig.local\n[includeIf "gitdir:/"]\n\tpath = .gitconfig-work\n'
    write(".gitconfig", f"{included}[core]\n\thooksPath = ~/.githooks\n\texcludesFile = ~/.gitexcludes\n")
    write(".gitconfig.local", NAME)
    write(".gitconfig-work", "[user]\n\temail = work@example.org\n")
    write(".gitexcludes", "*.swp\n")
    write(".githooks/pre-commit", '#!/bin/sh\n. "${0%/*}/common"\n', 0o755)
    write(".githooks/common", "echo hook ran\n")
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace, trusted=True)
    if not await sandbox.works() or sandbox.tier != "full":
        pytest.skip("there is no full sandbox here")
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    await harness.use(tool, command="git init -q && touch a b.swp && git add .")
    value = await harness.use(tool, command="git commit -qm a && git log --format=%an,%ae --name-only")
    assert str(value.output) == "hook ran\nseen,work@example.org\n\na\n"
    assert harness.asked == []


async def test_a_commit_is_made_as_settings_with_a_token_say_which_no_command_sees(harness: ToolHarness) -> None:
    token = '[url "https://oauth2:s3cret@git.example/"]\n\tinsteadOf = https://git.example/\n'
    write(".gitconfig", f"{NAME}{token}[core]\n\texcludesFile = ~/.gitexcludes\n[github]\n\ttoken = s3cret\n")
    write(".gitexcludes", "*.swp\n")
    sandbox = Sandbox(SandboxConfig(network=False), harness.workspace, trusted=True)
    if not await sandbox.works() or sandbox.tier != "full":
        pytest.skip("there is no full sandbox here")
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    await harness.use(tool, command="git init -q && touch a b.swp && git add .")
    value = await harness.use(tool, command="git commit -qm a && git log --format=%an --name-only && git config -l")
    assert str(value.output).startswith("seen\n\na\n")
    assert "s3cret" not in str(value.output)
    harness.answer = "approve"
    value = await harness.use(tool, command="cat ~/.gitconfig; echo x >> ~/.gitconfig")
    assert "s3cret" not in str(value.output)
    assert value.is_error


HELPERS = (
    "store", "cache --timeout=3600", "!/usr/bin/gh auth git-credential", "osxkeychain", "",
    "/usr/lib/git-core/git-credential-libsecret", "store --file ~/.git-store", "oauth -device",
)  # fmt: skip


@pytest.mark.parametrize("helper", HELPERS)
def test_a_helper_for_credentials_is_no_secret(tmp_path: Path, helper: str) -> None:
    file = write(".gitconfig", f'{NAME}[credential "https://github.com"]\n\thelper = {helper}\n')
    assert shows(file, tmp_path)


def test_an_address_that_github_makes_is_no_secret(tmp_path: Path) -> None:
    file = write(".gitconfig", "[user]\n\temail = 12345678+somebody-with-a-long-name@users.noreply.github.com\n")
    assert shows(file, tmp_path)


SECRETS = (
    '[credential "https://user:s3cret@example.org"]\n\tusername = a\n',
    "[credential]\n\thelper = \"!f() { echo password=s3cret; }; f\"\n",
    "[credential]\n\thelper = store --file=/x token\n",
    "[credential]\n\tusername = a\n\tpassword = s3cret\n",
    "[user]\n\temail = 0123456789abcdef0123456789abcdef\n",
    "[sendemail]\n\tsmtpPass = s3cret\n",
)  # fmt: skip


@pytest.mark.parametrize("text", SECRETS)
def test_settings_of_git_with_a_secret_stay_hidden_and_the_hint_names_them(tmp_path: Path, text: str) -> None:
    file = write(".gitconfig", NAME + text)
    assert not shows(file, tmp_path)
    output = "Author identity unknown\n\n*** Please tell me who you are.\n"
    assert reports_failed_write(output)
    assert "a secret in ~/.gitconfig" in (hint(output, SandboxConfig(), Workspace(tmp_path)) or "")


def test_no_hint_blames_the_sandbox_for_a_user_without_a_name(tmp_path: Path) -> None:
    write(".gitconfig", "[core]\n\tpager = less\n")
    assert hint("*** Please tell me who you are.\n", SandboxConfig(), Workspace(tmp_path)) is None


def test_only_a_folder_that_holds_hooks_is_shown_as_one(tmp_path: Path) -> None:
    write(".gitconfig", "[core]\n\thooksPath = ~/notes\n")
    write("notes/diary", "private\n", 0o755)
    assert not shows(Path.home() / "notes", tmp_path)
    write("notes/commit-msg", "#!/bin/sh\n")
    assert not shows(Path.home() / "notes", tmp_path)
    write("notes/commit-msg", "#!/bin/sh\n", 0o755)
    assert shows(Path.home() / "notes", tmp_path)
    (Path.home() / "notes/project/.git").mkdir(parents=True)
    assert not shows(Path.home() / "notes", tmp_path)


def test_a_file_that_settings_of_git_name_is_shown_only_without_a_secret(tmp_path: Path) -> None:
    write(
        ".gitconfig", "[include]\n\tpath = ~/.git-tokens\n[core]\n\texcludesFile = ~/.netrc\n\tattributesFile = ~/at\n"
    )
    hidden = [write(".git-tokens", "[http]\n\textraHeader = AUTHORIZATION: basic x\n"), write(".netrc", "x\n")]
    seen = write("at", "*.c diff=cpp\n")
    assert shows(seen, tmp_path)
    assert not any(shows(file, tmp_path) for file in hidden)


def test_settings_of_git_that_a_command_could_write_show_nothing(tmp_path: Path) -> None:
    project = Path.home() / "dotfiles"
    write("dotfiles/gitconfig", "[core]\n\texcludesFile = ~/notes\n")
    write("notes", "private\n")
    (Path.home() / ".gitconfig").symlink_to(project / "gitconfig")
    assert shows(Path.home() / "notes", tmp_path)
    assert not shows(Path.home() / "notes", project)


def test_a_program_of_the_home_that_commands_see_is_not_why_a_command_failed(tmp_path: Path) -> None:
    python = write(".pyenv/versions/3.12.1/bin/python3", "")
    output = f"{python}: can't open file '{tmp_path}/missing.py': [Errno 2] No such file or directory"
    assert hint(output, SandboxConfig(), Workspace(tmp_path)) is None
    hidden = write("other/a.py", "")
    output = f"{python}: can't open file '{hidden}': [Errno 2] No such file or directory"
    assert "`sandbox.readable`" in (hint(output, SandboxConfig(), Workspace(tmp_path)) or "")


def test_a_hidden_file_that_a_pipeline_misses_is_named_though_it_succeeds(tmp_path: Path) -> None:
    hidden, workspace = write("other/a.py", ""), Workspace(tmp_path)
    assert reports_hidden_file(f"cat: {hidden}: No such file or directory\n", SandboxConfig(), workspace)
    assert not reports_hidden_file(f"see {hidden}: No such file or directory, or so\n", SandboxConfig(), workspace)
    assert not reports_hidden_file(f"cat: {hidden}x: No such file or directory\n", SandboxConfig(), workspace)


def test_services_that_are_hidden_are_named_as_such(tmp_path: Path) -> None:
    output = f"gpg: Fatal: can't create directory '{Path.home()}/.gnupg': Read-only file system"
    assert "reaches no keys" in (hint(output, SandboxConfig(), Workspace(tmp_path)) or "")
    assert reports_failed_write("error: gpg failed to sign the data\nfatal: failed to write commit object")
    assert reports_failed_write("docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock.")
