"""What a command line does with Git, by its words."""

import pytest

from kimi_tui.tools.shell_support.bwrap_args import GitUse
from kimi_tui.tools.shell_support.command_parser import parse_command_line
from kimi_tui.tools.shell_support.git_use import git_use


@pytest.mark.parametrize(
    "command",
    [
        "git rebase -x 'sh x' HEAD~1",
        "git rebase --exec 'sh x' HEAD~1",
        "git rebase -i HEAD~1",
        "git clone -c core.fsmonitor=x . b",
        "git clone --template t . b",
        "git fetch --upload-pack='sh x' .",
        "git clone -u ./x . y",
        "git clone -qu ./x . y",
        "git clone -qccore.fsmonitor=./x . y",
        "git config core.sshCommand x",
        "git config --file .git/config user.name x",
        "git config --local core.fsmonitor user.name",
        "git config user.name x user.email",
        "git config user.name=x core.pager",
        "git config --edit",
        "git config user.name --edit",
        "git config",
        "git config --local",
    ],
)
def test_an_option_with_which_git_runs_a_program_is_not_daily(command: str) -> None:
    assert git_use(parse_command_line(command)) is GitUse.SOME


@pytest.mark.parametrize(
    "command",
    [
        "git push -u origin main",
        "git branch -D a",
        "git switch -c b --track origin/main",
        "git switch -C b origin/main && git clone -q -b main . y",
        "git add a && git commit -m x",
        "cd a && git checkout -b b",
        "git config user.name 'A B' && git config --local User.Email a@b.c",
        "git config branch.main.remote && git config --get user.name && git config --list",
        "git push -u origin main 2>&1 | tail -3; git branch -vv | cat",
        'git checkout -b a --track origin/main >/dev/null 2>&1; echo "rc=$?"',
        "git add -A && git commit -m \"$(cat <<'END'\nOne\n\nbody\nEND\n)\" && git push -u origin HEAD",
        "git -c protocol.file.allow=always submodule add ../a a && git -c user.name='A B' -C a commit -m x",
        "git rm -q a && git commit -qm x && git -C a --no-pager log | head -1 && git push -u origin main",
    ],
)
def test_what_git_does_alone_is_daily(command: str) -> None:
    assert git_use(parse_command_line(command)) is GitUse.ONLY


@pytest.mark.parametrize(
    "command",
    [
        "echo '[core] fsmonitor = x' > .git/config; git status",
        "git branch -D a && cat x >> .git/config",
        "git branch -D a | tee .git/config",
        "git branch -D a && sed -i s/a/b/ .git/config",
        "git branch -D a && ./x",
        "git push -u origin $BRANCH",
        "git fetch $X origin",
        "git $X -m x",
        "git -C $X branch -D a",
        "git branch -D $(./x)",
        "git -C a -c core.fsmonitor=x status",
        "git -c user.name=a -c alias.x=!x branch -D a",
        "git -c $X branch -D a",
        "git --exec-path=. branch -D a",
    ],
)
def test_a_line_that_writes_or_runs_something_beside_git_is_not_only_git(command: str) -> None:
    assert git_use(parse_command_line(command)) is GitUse.SOME


def test_a_command_without_git_uses_none() -> None:
    assert git_use(parse_command_line("ls")) is GitUse.NONE
