"""The profile for `sandbox-exec`, read back by a small parser: the last rule that fits a path decides."""

import os
import re
import sys
from pathlib import Path

import pytest

from kimi_tui import paths
from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support.bwrap_args import SandboxFeatures
from kimi_tui.tools.shell_support.sandbox import Sandbox
from kimi_tui.tools.shell_support.sandbox_probe import find_bwrap, find_sandbox_exec
from kimi_tui.tools.shell_support.seatbelt_args import seatbelt_argv, seatbelt_profile
from tests.tools.harness import ToolHarness

Node = str | list["Node"]
_TOKEN = re.compile(r'\s*(?:(\()|(\))|#"([^"]*)"|"((?:[^"\\]|\\.)*)"|([^\s()"]+))')


def parsed(text: str) -> list[Node]:
    """The expressions of a profile. A string starts with `"`, a regular expression with `#`."""
    stack: list[list[Node]] = [[]]
    at = 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        assert found is not None, text[at : at + 40]
        at = found.end()
        opened, closed, regex, string, word = found.groups()
        if opened:
            stack.append([])
        elif closed:
            done = stack.pop()
            stack[-1].append(done)
        elif regex is not None:
            stack[-1].append(f"#{regex}")
        elif string is not None:
            stack[-1].append('"' + re.sub(r"\\(.)", r"\1", string))
        else:
            stack[-1].append(word)
    assert len(stack) == 1
    return stack[0]


def allows(profile: str, operation: str, path: str | Path) -> bool:
    decision = False
    for rule in parsed(profile):
        assert isinstance(rule, list)
        if rule[0] not in ("allow", "deny") or rule == ["deny", "default"]:
            continue
        operations = [part for part in rule[1:] if isinstance(part, str)]
        filters = [part for part in rule[1:] if isinstance(part, list)]
        named = any(
            operation == each or (each.endswith("*") and operation.startswith(each[:-1])) for each in operations
        )
        if named and (not filters or any(_fits(each, str(path)) for each in filters)):
            decision = rule[0] == "allow"
    return decision


def _fits(filter_: list[Node], path: str) -> bool:
    match filter_:
        case ["literal", str(place)]:
            return path == place[1:]
        case ["subpath", str(place)]:
            return place == '"/' or path == place[1:] or path.startswith(f"{place[1:]}/")
        case ["regex", str(pattern)]:
            return re.search(pattern[1:], path) is not None
        case _:
            return False


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / 'a "quoted" folder'
    (folder / ".git/hooks").mkdir(parents=True)
    for name in ("config", "HEAD"):
        (folder / ".git" / name).write_text("")
    for name in ("objects", "refs"):
        (folder / ".git" / name).mkdir()
    return folder.resolve()


def profile(work: Path, *, git_alone: bool = False, **settings: object) -> str:
    config = SandboxConfig.model_validate(settings)
    caches = paths.home() / "cache/x"
    caches.mkdir(parents=True, exist_ok=True)
    box = SandboxFeatures("", work.parent, tier="files", writable=(caches.resolve(),))
    return seatbelt_profile(box, config, Workspace(work), git_alone=git_alone)


def test_the_workspace_and_temp_can_be_written_and_nothing_else(work: Path) -> None:
    text = profile(work)
    for path in (work / "a/b", "/dev/null", "/dev/ttys001"):
        assert allows(text, "file-write-data", path), path
    for path in ("/etc/hosts", "/usr/local/bin/x", "/Users/other/x", Path.home() / ".zshrc", Path.home() / "x",
                 Path.home() / "Library/LaunchAgents/x.plist", "/Library/x", f"{work}x/y"):  # fmt: skip
        assert not allows(text, "file-write-create", path), path


def test_what_starts_programs_later_cannot_be_written_and_no_folder_above_can_be_moved(work: Path) -> None:
    for git_alone in (False, True):
        text = profile(work, git_alone=git_alone)
        for name in (
            *(".git/hooks/pre-commit", ".GIT/hooks/x", "vendor/x/.git/hooks/x", "vendor/x/.Git/modules/a/hooks/b"),
            *(".git/config.worktree", ".git/modules/a/config", ".mcp.json", ".claude/settings.json"),
        ):
            assert not allows(text, "file-write-data", work / name), (git_alone, name)
        assert allows(text, "file-write-data", work / ".git/config") is git_alone
        assert allows(text, "file-write-data", work / ".git/index") is git_alone
        for folder in (work, work.parent, work / ".git"):
            assert not allows(text, "file-write-unlink", folder), (git_alone, folder)
        assert allows(text, "file-write-unlink", work / "a")


def test_homes_are_hidden_but_for_tools_and_our_keys_whatever_else_is_shown(work: Path) -> None:
    home = Path.home().resolve()
    (home / ".local/bin").mkdir(parents=True)
    (home / ".gitconfig").write_text("[user]\nname = a\n")
    text = profile(work, readable=[str(home / ".aws")])
    for name in (".ssh/id_rsa", ".netrc", "Library/Keychains/login.keychain-db", ".never-heard-of/token"):
        assert not allows(text, "file-read-data", home / name), name
    ours = paths.home().resolve()
    for path in (ours / "config.yaml", ours / "sessions/a/wire.jsonl", "/Users/other/.ssh/id_rsa"):
        assert not allows(text, "file-read-data", path), path
        assert not allows(text, "file-write-data", path), path
    for path in (
        home / ".local/bin/tool",
        home / ".gitconfig",
        ours / "skills/a",
        ours / "cache/x/pip",
        "/usr/bin/git",
    ):
        assert allows(text, "file-read-data", path), path
    (home / ".aws").mkdir()
    assert allows(profile(work, readable=[str(home / ".aws")]), "file-read-data", home / ".aws/credentials")


def test_the_network_is_off_unless_it_is_on_and_sockets_answer_in_the_workspace_only(work: Path) -> None:
    for network in (True, False):
        rules = parsed(profile(work, network=network))
        reached = [rule for rule in rules if str(rule[1]).startswith("network")]
        assert (["allow", "network-outbound", ["remote", "ip"]] in reached) is network
        sockets = [rule[2][2][1] for rule in reached if isinstance(rule[2], list) and rule[2][1] == "unix-socket"]
        assert f'"{work}' in sockets
        assert not any(place in ('"/', '"/var/run', f'"{Path.home()}') for place in sockets)
    assert parsed(profile(work))[1] == ["deny", "default"]


def test_the_command_line_has_the_profile_as_one_argument(work: Path) -> None:
    box = SandboxFeatures("", work.parent, tier="files")
    argv = seatbelt_argv(
        "/usr/bin/sandbox-exec", box, SandboxConfig(), Workspace(work), git_alone=False, repositories=()
    )
    assert argv[:2] == ["/usr/bin/sandbox-exec", "-p"]
    assert argv[3:] == ["--"]
    assert argv[2].startswith("(version 1)\n(deny default)\n")
    assert os.path.realpath(work) in argv[2].replace('\\"', '"')


async def test_where_it_holds_commands_run_in_it_and_the_tier_says_that_no_mac_tried_it(harness: ToolHarness) -> None:
    bwrap = find_bwrap([harness.dir])
    if bwrap is None:
        pytest.skip("something has to hold commands in place of a Mac's kernel")
    program = harness.dir.parent / "sandbox-exec"
    held = "--unshare-net --unshare-pid --ro-bind / / --dev /dev --proc /proc --ro-bind /proc/sys /proc/sys"
    program.write_text(f'#!/bin/sh\n[ "$1" = -p ] && [ "$3" = -- ] || exit 9\nshift 3\nexec {bwrap} {held} -- "$@"\n')
    program.chmod(0o755)
    sandbox = Sandbox(
        SandboxConfig(network=False),
        harness.workspace,
        trusted=True,
        find_bwrap=lambda _: None,
        landlock_version=lambda: 0,
        find_sandbox_exec=lambda: str(program),
    )
    if not await sandbox.works():
        pytest.skip("bubblewrap does not work here")
    assert sandbox.tier == "files"
    assert "never tested on a Mac" in sandbox.limits
    assert not sandbox.confines_commands
    tool = Shell(harness.workspace, harness.approvals, ToolProgress(), sandbox=sandbox)
    assert (await harness.use(tool, command="echo 1")).output == "1\n"


def test_another_system_than_macos_has_no_sandbox_exec() -> None:
    assert (find_sandbox_exec() is not None) <= (sys.platform == "darwin")
