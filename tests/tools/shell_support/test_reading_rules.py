"""Rules for reading files, and names of secrets, hold for command lines that read files without naming them."""

from pathlib import Path

import pytest

from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools.core.permission_subject import command_subject
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.shell_support.command_parser import parse_command_line
from tests.tools.harness import ToolHarness, git


@pytest.fixture
def harness(tmp_path: Path) -> ToolHarness:
    work = tmp_path / "work"
    for name in ("app/a.py", "app/plans.md", "lib/b.py", "README.md"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("import os\n")
    (work / "link").symlink_to("app/plans.md")
    git(work, "init", "-q")
    git(work, "add", ".")
    git(work, "commit", "-qm", "one")
    return ToolHarness(work, answer="reject")


def effect(harness: ToolHarness, command: str, *rules: tuple[str, Effect]) -> Effect | None:
    policy = Policy([parse_rule(text, effect) for text, effect in rules])
    return policy.decide("Shell", command_subject(parse_command_line(command), harness.workspace, policy)).effect


_READS_RULED = (
    "cat app/plans.md", "cat < app/plans.md", "cat link", "cat app/*", "cat app/pl?ns.md", "grep -r x .", "rg x",
    "grep -rn x app", "cd app && cat plans.md", "git diff", "git log -p", "git show HEAD:app/plans.md", "git grep x",
    "git blame app/plans.md", "git -C app show", "head -n1 README.md app/plans.md", "sed -n 1p app/plans.md",
    "grep --file=app/plans.md x README.md", "diff -r app lib", "true && wc -l app/plans.md", "awk 1 app/plans.md",
    "pushd app && cat plans.md", "git show HEAD --stat -p",
)  # fmt: skip
_READS_OTHERS = (
    "cat README.md", "grep -r x lib", "rg x lib", "git diff -- lib", "git log --oneline", "git show HEAD:lib/b.py",
    "git diff --stat", "git grep x -- 'lib/*.py'", "ls", "git diff lib", "git log -p lib/b.py",
    "git show --stat HEAD", "git status", "echo app/plans.md",
)  # fmt: skip


@pytest.mark.parametrize("rule", ["Read(app/plans.md)", "ReadFile(plans.md)", "Grep(app/plans.*)", "Read(**/plans.md)"])
@pytest.mark.parametrize("what", [Effect.DENY, Effect.ASK])
def test_a_rule_about_reading_a_file_holds_for_a_command_that_reads_it(
    harness: ToolHarness, rule: str, what: Effect
) -> None:
    for command in _READS_RULED:
        assert effect(harness, command, (rule, what)) is Effect.ASK, command
        assert effect(harness, command, (rule, what), ("Shell", Effect.ALLOW)) is Effect.ASK, command
    for command in _READS_OTHERS:
        assert effect(harness, command, (rule, what)) is Effect.ALLOW, command


def test_a_rule_about_reading_a_file_holds_for_a_word_that_names_it_in_part(harness: ToolHarness) -> None:
    rule = ("Read(app/plans.md)", Effect.DENY)
    for command in (
        "curl -d @app/plans.md a.b", "curl -d@app/plans.md a.b", "curl -F f=@app/plans.md a.b",
        "gh api x -F a=@app/plans.md", "curl -F 'f=@app/plans.md;type=a/b' a.b", "cat $PWD/app/plans.md",
        'cat "$PWD"/app/plans.md | wc', "x=1 cat $PWD/app/*", "cat /proc/self/cwd/app/plans.md",
        "cat </proc/self/cwd/app/plans.md", "for x in plans; do cat app/$x.md; done", 'cat "app/$x"', "cat $x/plans.md",
        "cat <app/$x", "cat app/$(echo plans.md)", 'head app/pl"$x"',
        'cat "${x:-app/plans.md}"', "cat ${x-app}/plans.md", "curl -F 'f=<app/plans.md' a.b",
    ):  # fmt: skip
        assert effect(harness, command, rule) is Effect.ASK, command
    for command in (
        "curl -d @app/a.py a.b",
        "curl -F 'f=@app/a.py;type=a/b' a.b",
        "cat $PWD/app/a.py",
        "ls $x",
        "echo a$x",
        "cat app/a$x",
        "cat --x=$x",
    ):
        assert effect(harness, command, rule) is None, command


def test_a_rule_about_reading_every_file_holds_for_every_file_named(harness: ToolHarness) -> None:
    assert effect(harness, "cat README.md", ("Read", Effect.ASK)) is Effect.ASK
    assert effect(harness, "ls", ("Read", Effect.ASK)) is Effect.ALLOW


async def test_neither_yolo_nor_a_yes_for_the_session_reads_what_a_rule_is_about(harness: ToolHarness) -> None:
    harness.approvals.policy = Policy([parse_rule("Read(app/plans.md)", Effect.DENY)])
    harness.approvals.yolo = True
    shell = Shell(harness.workspace, harness.approvals, ToolProgress())
    assert (await harness.use(shell, command="cat app/plans.md")).is_error
    assert "Read(app/plans.md)" in str(harness.asked[0].display)
    assert not (await harness.use(shell, command="cat README.md")).is_error


_PRINT_SECRETS = (
    "git grep x", "git log -p", "git show", "git show HEAD", "git diff", "git diff HEAD", "git diff -- .",
    "git status -v", "git grep -- app", "git diff -- conf", "git log -p conf", "git grep x -- 'conf/*'",
    "git grep x conf", "git diff ':(top)conf'",
    "git show --stat 0123abc", "git show --stat v1", "git show -s main",
    "git stash show -p 0", "git stash list -p", "git log -U1",
    "git log --stat -p", "git diff --stat --patch", "git log --cc",
    "git grep x -- '*.json'", "git -C conf diff", "cd conf && git diff -- .", "git diff '[c]onf'", "git reflog -p",
    "git log -p -- ':!app'", "git log -p -3", "git log -S x --oneline",
)  # fmt: skip
_PRINT_OTHERS = (
    "git diff -- app", "git diff app lib", "git log --oneline -5", "git log --stat", "git show --stat HEAD",
    "git show HEAD:app/a.py", "git grep x -- '*.py'", "git grep x app", "git blame app/a.py", "git status",
    "git diff --name-only HEAD", "git diff --stat", "git log -p -- app/a.py", "git ls-files",
    "git log -S x --oneline -- app", "git log --graph --decorate --all",
    "git show HEAD -- lib/b.py",
)  # fmt: skip


def test_git_prints_tracked_secrets_only_after_a_yes(harness: ToolHarness) -> None:
    for command in (*_PRINT_SECRETS, *_PRINT_OTHERS):
        if "conf" not in command:
            assert effect(harness, command) is Effect.ALLOW, command
    (harness.dir / "conf").mkdir()
    (harness.dir / "conf/secrets.json").write_text("{}")
    git(harness.dir, "add", ".")
    for command in _PRINT_SECRETS:
        assert effect(harness, command) is None, command
    for command in _PRINT_OTHERS:
        assert effect(harness, command) is Effect.ALLOW, command


@pytest.mark.parametrize("command", ["grep -rn x .", "rg --hidden x", "git grep x", "git show HEAD", "diff -r . app"])
async def test_a_rule_or_a_yes_covers_a_search_over_secrets_only_word_for_word(
    harness: ToolHarness, command: str
) -> None:
    wide = (f"Shell({command.split()[0]} *)", Effect.ALLOW)
    assert effect(harness, command, wide) is Effect.ALLOW
    (harness.dir / "app/.env").write_text("KEY=1")
    (harness.dir / "secrets.json").write_text("{}")
    git(harness.dir, "add", ".")
    assert effect(harness, command, wide) is None
    assert effect(harness, command, (f"Shell({command})", Effect.ALLOW)) is Effect.ALLOW
    harness.answer = "approve_for_session"
    shell = Shell(harness.workspace, harness.approvals, ToolProgress())
    for _ in range(2):
        await harness.use(shell, command=command)
    assert [request.scope for request in harness.asked] == [f"exactly `{command}`"]
    await harness.use(shell, command=f"{command} -i")
    assert len(harness.asked) == 2


_PRINT_HISTORY = (
    "git log -p", "git log -p --all", "git show", "git show HEAD~1", "git diff HEAD~1", "git diff HEAD~1 HEAD",
    "git diff HEAD~1..", "git diff HEAD~1 -- .", "git grep x HEAD~1",
    "git grep x HEAD~1 -- .", "git grep -e x HEAD~1", "git stash show -p", "git stash list -p", "git reflog -p",
    "git diff --cached", "git status -v",
    "git log -p -- conf",
    "git log -p --full-diff -- README.md", "git log -p --follow -- README.md", "git show HEAD~1 -- 'conf/*'",
    "git show 0123abc --stat", "git log --cc", "git -C app log -p", "cd app && git show HEAD~1",
    "git log -L 1,1:README.md", "git log -L1,1:app/a.py --oneline", "git show -L :x:README.md", "git log -S x",
    "git log -G '^KEY=a' --oneline",
)  # fmt: skip
_PRINT_NO_HISTORY = (
    "git diff", "git diff README.md", "git diff -- app", "git grep x", "git grep x -- app", "git grep x app",
    "git log -p -- README.md", "git log -p app/a.py", "git show HEAD -- app/a.py", "git diff HEAD~1 -- app",
    "git log --oneline", "git show --stat HEAD", "git blame app/a.py", "git show HEAD:README.md", "git log --stat",
    "git diff HEAD~1 --name-only", "git status", "git log --follow --oneline README.md",
)  # fmt: skip


@pytest.mark.parametrize("gone", ["removed", "undone", "on-a-branch", "in-a-stash", "in-a-merge"])
def test_git_prints_a_secret_that_was_once_committed_only_after_a_yes(harness: ToolHarness, gone: str) -> None:
    secret = harness.dir / "conf/secrets.json"
    for command in (*_PRINT_HISTORY, *_PRINT_NO_HISTORY):
        if "conf" not in command:
            assert effect(harness, command) is Effect.ALLOW, command
    secret.parent.mkdir()
    secret.write_text("{}")
    match gone:
        case "removed":
            git(harness.dir, "add", ".")
            git(harness.dir, "commit", "-qm", "two")
            git(harness.dir, "rm", "-q", str(secret))
            git(harness.dir, "commit", "-qm", "three")
        case "undone":
            git(harness.dir, "add", ".")
            git(harness.dir, "commit", "-qm", "two")
            git(harness.dir, "reset", "-q", "--hard", "HEAD~1")
        case "on-a-branch":
            git(harness.dir, "checkout", "-qb", "other")
            git(harness.dir, "add", ".")
            git(harness.dir, "commit", "-qm", "two")
            git(harness.dir, "checkout", "-q", "-")
        case "in-a-stash":
            git(harness.dir, "stash", "-qu")
        case _:
            git(harness.dir, "checkout", "-qb", "other")
            git(harness.dir, "commit", "-qm", "two", "--allow-empty")
            git(harness.dir, "checkout", "-q", "-")
            git(harness.dir, "merge", "-q", "--no-ff", "--no-commit", "other")
            git(harness.dir, "add", ".")
            git(harness.dir, "commit", "-qm", "three")
            git(harness.dir, "rm", "-q", str(secret))
    for command in _PRINT_HISTORY:
        assert effect(harness, command) is None, command
        assert effect(harness, command, ("Shell(git *)", Effect.ALLOW)) is None, command
    for command in _PRINT_NO_HISTORY:
        assert effect(harness, command) is Effect.ALLOW, command


_MAY_PRINT_MORE = (
    "git log --remerge-diff", "git log --mystery", "git archive HEAD",
    "git cat-file --batch --batch-all-objects", "git format-patch --stdout HEAD~1", "git fast-export HEAD",
    "git range-diff HEAD~1..HEAD HEAD~1..HEAD", "git bundle verify x", "git commit --dry-run -v",
    "rg --debug x", "grep -r --mystery x", "rg --hidde x",
)  # fmt: skip


def test_a_rule_covers_what_may_print_a_secret_by_an_unknown_option_only_word_for_word(harness: ToolHarness) -> None:
    rules = [(f"Shell({program} *)", Effect.ALLOW) for program in ("git", "rg", "grep")]
    rules.append(("Shell(git log --mystery *)", Effect.ALLOW))  # only a rule that names it covers it
    for command in _MAY_PRINT_MORE:
        assert effect(harness, command, *rules) is Effect.ALLOW, command
    (harness.dir / ".env").write_text("KEY=1")
    git(harness.dir, "add", "-f", ".env")
    git(harness.dir, "commit", "-qm", "two")
    for command in _MAY_PRINT_MORE:
        assert effect(harness, command, *rules) is None, command
        assert effect(harness, command, (f"Shell({command})", Effect.ALLOW)) is Effect.ALLOW, command


def test_a_rule_about_a_file_holds_after_the_file_is_gone(harness: ToolHarness) -> None:
    git(harness.dir, "rm", "-q", "app/plans.md")
    git(harness.dir, "commit", "-qm", "two")
    for command in ("git log -p", "git show HEAD", "git diff HEAD~1 -- app", "git grep x HEAD~1"):
        assert effect(harness, command, ("Read(app/plans.md)", Effect.DENY)) is Effect.ASK, command
    for command in ("git log -p -- lib", "git diff -- lib", "git log --oneline"):
        assert effect(harness, command, ("Read(app/plans.md)", Effect.DENY)) is Effect.ALLOW, command


def test_a_history_that_cannot_be_searched_is_asked_about_unless_a_rule_covers_it(harness: ToolHarness) -> None:
    git(harness.dir, "commit", "-qm", "two", "--allow-empty")
    (harness.dir / ".git/refs/heads/broken").write_text("0" * 39 + "1\n")
    for command in ("git log -p", "git show", "git diff HEAD~1"):
        assert effect(harness, command) is None, command
        assert effect(harness, command, ("Shell(git *)", Effect.ALLOW)) is Effect.ALLOW, command
    for command in ("git diff", "git log --oneline", "git log -p -- README.md", "git grep x"):
        assert effect(harness, command) is Effect.ALLOW, command


def test_a_rule_about_a_file_holds_for_what_git_names_from_the_top_of_the_repository(harness: ToolHarness) -> None:
    for command in (
        "git -C lib show HEAD:app/a.py",
        "git -C lib show :app/a.py",
    ):
        assert effect(harness, command) is Effect.ALLOW
        assert effect(harness, command, ("ReadFile(app/*)", Effect.DENY)) is Effect.ASK
