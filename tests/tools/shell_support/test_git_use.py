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
        "git config core.sshCommand x",
        "git config --file .git/config user.name x",
        "git config --local core.fsmonitor user.name",
        "git config user.name x user.email",
        "git config user.name=x core.pager",
        "git config user.name",
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
        "git add a && git commit -m x",
        "cd a && git checkout -b b",
        "git config user.name 'A B' && git config --local User.Email a@b.c",
    ],
)
def test_what_git_does_alone_is_daily(command: str) -> None:
    assert git_use(parse_command_line(command)) is GitUse.ONLY


def test_a_command_without_git_uses_none() -> None:
    assert git_use(parse_command_line("ls")) is GitUse.NONE
