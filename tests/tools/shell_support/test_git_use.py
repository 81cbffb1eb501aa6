"""What a command line does with Git, by its words."""

import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kimi_tui.tools.shell_support.command_parser import parse_command_line
from kimi_tui.tools.shell_support.git_use import runs_git_alone
from tests.tools.harness import git, repository_with_a_commit


def alone(command: str, folder: Path = Path("/nowhere"), *, others_run: bool = False) -> bool:
    return runs_git_alone(parse_command_line(command), folder, others_run=others_run)


@pytest.mark.parametrize(
    "command",
    [
        "x='a[$(./x)]'; [ $((x)) ]",
        "[ -f $((a[$(./x)])) ]",
        "[ $[x] ]",
        "y='-v a[$(./x)]'; [ $y ]",
        "y='-n b -o -v a[$(./x)]'; test $y",
        "y='b -o -v a[$(./x)]'; [ -n $y ]",
        "y='-v a[$(./x)]'; printf $y b",
        "y='-p a[$(./x)] -n'; wait $y",
        "[ $(cat f) ]",
        "[ `cat f` ]",
        "for y in a; do y='-v a[$(./x)]'; [ $y ] && echo; done",
    ],
)
def test_git_is_not_alone_beside_a_builtin_that_may_run_what_an_operand_says(command: str) -> None:
    assert not alone(f"git status; {command}")


@pytest.mark.parametrize(
    "command",
    ["[ -f a.b ] && [ ! -d c/d ]", "test a = b", 'printf "%s\\n" "$x"', "printf '%s %s' $x b", "sleep 1 & wait"],
)
def test_git_is_alone_beside_tests_of_what_is_known(command: str) -> None:
    assert alone(f"git status; {command}")


@pytest.mark.parametrize(
    "command",
    [
        "git rebase -x 'sh x' HEAD~1",
        "git rebase --exec 'sh x' HEAD~1",
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
        "git config user.name *",
        "git config",
        "git config --local",
        "git log --output=x",
        "git bisect run ./x",
        "git submodule foreach ./x",
        "git submodule",
        "git apply --build-fake-ancestor=x p",
        "git filter-branch --tree-filter ./x",
        "git merge -s ./x a",
        "git sparse-checkout set --sparse-index a",
        "git sparse-checkout init --sparse",
        "git st",
        "git",
    ],
)
def test_git_that_runs_a_program_or_writes_a_named_file_is_not_alone(command: str) -> None:
    assert not alone(command)


@pytest.mark.parametrize(
    "command",
    [
        "git push -u origin main",
        "git branch -D a",
        "git switch -c b --track origin/main",
        "git switch -C b origin/main && git pull && git merge x && git push",
        "git add a && git commit -m x",
        "git sparse-checkout set --no-cone a b && git sparse-checkout disable",
        "cd a && git checkout -b b",
        "git config user.name 'A B' && git config --local User.Email a@b.c",
        "git config branch.main.remote && git config --get user.name && git config --list",
        "git push -u origin main 2>&1 | tail -3; git branch -vv | cat",
        'git checkout -b a --track origin/main >/dev/null 2>&1; echo "rc=$?"',
        "git add -A && git commit -m \"$(cat <<'END'\nOne\n\nbody\nEND\n)\" && git push -u origin HEAD",
        "git -c protocol.file.allow=always submodule add ../a a && git -c user.name='A B' commit -m x",
        "git -C a commit -m x && git -C a push",
        "cd sub && git add . && cd .. && git commit -m x",
        "git worktree add -b x ../tree && git worktree list && git worktree prune",
        "git merge -s ours x && git rebase --strategy=ort main && git cherry-pick -s recursive a",
        "git -c sequence.editor=: rebase -i --autosquash main && git add -p",
        "git diff --name-only | xargs git add && git branch --merged | xargs -n1 git branch -d",
        'msg="a b"; BRANCH=$(git branch --show-current); git commit -m "$msg"; git restore $msg',
        "git config --unset user.name; git config core.fileMode false; git commit -m x | tee log",
        "for f in a b; do git add $f || continue; done",
        "git switch -c x && echo y > z && git add z && git commit -m x",
        "git stash list > x; git submodule status",
        "git worktree add -q tree && git commit -m x",
        "git rm -q a && git commit -qm x && git -C a --no-pager log | head -1 && git push -u origin main",
        "set -euo pipefail\ngit add a\ngit commit -S -m x",
        "if git diff --quiet; then git stash pop || exit 1; fi",
        "for f in a b; do git add ${f:-x}; done",
        "GIT_EDITOR=true git rebase --continue && GIT_SEQUENCE_EDITOR=: git rebase -i --autosquash main",
        "GIT_AUTHOR_DATE=2020-01-01 LC_ALL=C LANG=de_DE.UTF-8 git commit -m x",
        "ls src && sed -n 1,3p a && rg x && git add *.py",
        "timeout 60 git fetch origin && git tag -s v1 -m x && git lfs pull",
        "mkdir -p a && echo x > a/b && touch a/c && git add a && git diff > x.patch && git commit -m x",
        "git apply < x.patch",
    ],
)
def test_a_line_of_gits_own_commands_runs_git_alone(command: str) -> None:
    assert alone(command)


@pytest.mark.parametrize(
    "command",
    [
        "echo '[core] fsmonitor = x' > .git/config; git status",
        "git show HEAD:x > $Y",
        "git show HEAD:x > *",
        "git branch -D a && cat x >> .git/config",
        "git branch -D a | tee .git/config",
        "git branch -D a && sed -i s/a/b/ .git/config",
        "git branch -D a && ./x",
        "npm test && git add -A",
        "rm -rf build && git add -A",
        "git status $(./x)",
        "cat <(./x); git add a",
        "git ls-files | xargs git push",
        "git ls-files | xargs ./x; git status",
        "git ls-files | xargs -a x git -c core.pager=./x add",
        "git merge -s ./x a",
        "git push -u origin $BRANCH",
        "git fetch $X origin",
        "git fetch *",
        "git $X -m x",
        "git -C $X branch -D a",
        "git branch -D $(./x)",
        "git -C a -c core.fsmonitor=x status",
        "git -c user.name=a -c alias.x=!x branch -D a",
        "git -c $X branch -D a",
        "git --exec-path=. branch -D a",
        "git --git-dir=x branch -D a",
        "GIT_EDITOR=./x git commit",
        "GIT_SSH_COMMAND=./x git fetch",
        "GIT_EDITOR=$(./x) git commit",
        "PATH=. git add a",
        "GIT_X=1; git add a",
        "export GIT_EDITOR=./x; git commit",
        "git() { ./x; }; git status",
        "alias git=./x; git status",
        "hash -p ./x git; git status",
        "trap ./x EXIT; git status",
        "eval git status",
        "source x; git status",
        "set -- a; git add a",
        "env GIT_EDITOR=x git commit",
        "[[ -v 'a[$(./x)]' ]]; git status",
        "./git add a",
        "for PATH in ./bin; do git status; done",
        "select HOME in .; do git status; done",
        ': "${GIT_PAGER:=./x}"; git log',
        'LC_ALL=zh_CN.GBK\ngit status; echo "中\\"; ./x; echo "中\\"',
        "LANG=ja_JP git status",
        "nohup git show HEAD:x",
        "setsid git status",
        "python --version; git status",
        "git -c protocol.file.allow=always push ./x main",
        "git -c protocol.file.allow=user push ./x main",
        "git -c protocol.file.allow=Always push ./x main",
        "git -c PROTOCOL.file.allow=always push ./x main",
        "git format-patch -1",
        "git clone ./x/link",
        "ls",
    ],
)
def test_a_line_that_writes_or_runs_something_beside_git_does_not_run_it_alone(command: str) -> None:
    assert not alone(command)


@pytest.mark.parametrize(
    "command",
    [
        "git worktree add .git/rebase-merge x",
        "git clone . .GIT/rr-cache",
        "git mv a .git/x",
        "cd .git && git worktree add rebase-merge x",
        "git -C .git worktree add rebase-merge x",
        "git worktree add link/rebase-merge x",
        "cd sub; git worktree add ../link/rebase-merge x",
        "git -C sub clone x ../link/y",
        "git init --bare link/x",
        "git show HEAD:x > link/y",
        "cd sub && git show HEAD:x >> ../.git/y",
        "mkdir link/rebase-merge && git status",
        "touch .git/x; git status",
        "cd $X && git clone a b",
        "cd && git status",
        "cd -; git status",
        "git show HEAD:x > ~+/link/y",
        "git worktree add ~+/link/y",
        "cd ~+/link; git worktree add y",
        "cd lin*; git worktree add y",
        "(cd nowhere); cd sub; cd in; git worktree add out/y",
        "git show HEAD:x > .bare/y",
        "git submodule add ./a/link",
        "git mv a .bare/y",
    ],
)
def test_files_that_git_might_write_in_its_own_directory_are_not_gits_alone(command: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to(".git")
    (tmp_path / "sub/in").mkdir()
    (tmp_path / "sub/in/out").symlink_to("../../.git")
    (tmp_path / ".bare/objects").mkdir(parents=True)
    (tmp_path / ".bare/refs").mkdir()
    (tmp_path / ".bare/HEAD").write_text("ref: refs/heads/main\n")
    assert not alone(command, tmp_path)


@pytest.mark.parametrize("name", [".gitmodules", ".gitattributes"])
def test_git_is_not_alone_where_a_file_that_it_writes_is_a_link_into_its_directory(name: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / name).symlink_to(".git/x")
    assert not alone("git lfs track y", tmp_path)
    assert not alone("cd sub && git submodule add ./y z", tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        "git checkout x && git show HEAD:y > link/z",
        "git apply x && mkdir link/y",
        "git stash pop; git worktree add link/y",
        "git worktree add tree x; git worktree add tree/link/y",
        "git mv folder other && git mv a other/y",
        "cd sub; git mv of-sub other && git mv a other/y",
        "git -C sub checkout x && git -C sub status",
        "git checkout x; cd sub; git status",
        "git checkout x | (sleep 1; cd sub; git worktree list)",
    ],
)
def test_git_is_not_alone_where_it_could_make_a_link_or_a_repository_that_the_line_uses(
    command: str, tmp_path: Path
) -> None:
    (tmp_path / "sub/of-sub").mkdir(parents=True)
    (tmp_path / "folder").mkdir()
    assert not alone(command, tmp_path)


def test_git_is_alone_in_the_folders_of_the_workspace_and_their_repositories_only(tmp_path: Path) -> None:
    work_dir, outside = tmp_path / "work", tmp_path / "outside"
    (work_dir / "sub/.git").mkdir(parents=True)
    (outside / ".git").mkdir(parents=True)
    (work_dir / "to-outside").symlink_to(outside)
    (outside / "back").symlink_to(work_dir)
    assert alone("cd sub && git checkout x", work_dir)
    assert alone("git -C sub checkout x && git -C sub pull", work_dir)
    for command in (
        "git -C ../outside status",
        "cd to-outside; git status",
        f"cd {outside}/back/..; git status",
        "cd to-outside && git worktree add to-outside",
        "cd ..; git status",  # a folder for temporary files
    ):
        assert not alone(command, work_dir)
    assert not alone("git -C sub status", work_dir, others_run=True)
    assert alone(f"cd {work_dir} && git commit -m x", work_dir, others_run=True)


@pytest.mark.parametrize(
    "command", ["echo x > y && git add y", "mkdir y; git status", "git worktree add y", "git lfs track y"]
)
def test_while_other_commands_run_git_is_alone_where_nothing_else_is_written(command: str) -> None:
    assert alone(command)
    assert not alone(command, others_run=True)
    assert alone("git add y 2>/dev/null", others_run=True)


def test_files_are_moved_side_by_side_by_git_and_links_are_not(tmp_path: Path) -> None:
    for name in ("a", "c"):
        (tmp_path / name).touch()
    assert alone("git mv a b && git mv c d && git commit -m x", tmp_path)
    (tmp_path / "link").symlink_to(".git")
    assert not alone("git mv link q && git mv c q/x", tmp_path)
    assert not alone("git mv gone q && git mv c q/x", tmp_path)
    assert not alone("git mv -- -l q; git -C q status", tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        "git worktree add -q -b tree/inner tree x; cd tree/inner; git status",
        "git worktree add --lock --reason tree/inner tree x; git -C tree/inner status",
        "git switch -qc ab*; git -C inner status",
        "git checkout -qb ab*; echo ../eg > l/x",
        "git checkout -qb y; git -C inner status",
        "git mv --sparse b/inner a/q; git -C a/q status",
        "echo ../eg > -d=b/commondir; git status",
        "git log | tee -- -d=b/x",
        "git worktree add -- -d=b/rebase-merge",
        "mkdir -- -p/x; git status",
    ],
)
def test_a_line_of_git_uses_no_link_that_it_may_make_and_no_name_like_an_option(command: str, tmp_path: Path) -> None:
    for name in ("ab1", "ab2"):
        (tmp_path / name).touch()
    (tmp_path / "-d=b").symlink_to(".git")
    (tmp_path / ".git").mkdir()
    assert not alone(command, tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        f"git worktree add {'x/../' * 8_000}",
        f"git show HEAD:x > {'x/../' * 8_000}",
        f"cd {'sub/../' * 8_000}; git status",
        f"git -C {'sub/../' * 8_000} status",
        f"tee {' '.join(map(str, range(9_000)))}; git status",
        f"git add {' a/' * 9_000}",
    ],
    ids=range(6),
)
def test_a_line_of_git_with_very_long_paths_or_very_many_is_read_at_once(command: str, tmp_path: Path) -> None:
    started = time.process_time()
    assert not alone(command, tmp_path)
    assert time.process_time() - started < 1


def test_a_long_message_is_no_path() -> None:
    assert alone(f"git commit -m '{'a/../' * 8_000}'")


def test_git_is_not_alone_where_a_branch_or_another_command_could_bring_settings(tmp_path: Path) -> None:
    work_dir = repository_with_a_commit(tmp_path / "work")
    git(work_dir, "config", "include.path", "../settings")
    git(work_dir, "config", "--add", "include.path", str(tmp_path / "outside"))
    file = work_dir / ".git/../settings"
    assert not alone("git checkout x", work_dir)
    assert alone("git commit -m x", work_dir)
    assert not alone("git commit -m x", work_dir, others_run=True)
    file.touch()
    assert alone("git checkout x", work_dir)
    assert not alone("git commit -m x", work_dir, others_run=True)
    git(work_dir, "config", "--unset", "include.path", "outside")
    line = parse_command_line("git commit -m x")
    assert runs_git_alone(line, work_dir, others_run=True, known={(file, work_dir / "settings")})
    assert not runs_git_alone(line, work_dir, others_run=True, known={(file, work_dir / "other")})


WORDS = (
    *("git", "add", "log", "commit", "-m", "x", "-C", "--output=y", "./x", "&&", ";", "|", ">", "y", "$(./x)", "`./x`"),
    *("GIT_EDITOR=./x", "env", "cd", "sub", "npm", "test", "-x", "rebase", "config", "core.pager", "alias.a", "{", "}"),
    *("for PATH in . ; do", "done", "${PATH:=.}"),
)


@given(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_bash_runs_no_program_of_the_project_in_a_line_that_runs_git_alone(tmp_path: Path, command: str) -> None:
    if not alone(command, tmp_path):
        return
    (tmp_path / "sub").mkdir(exist_ok=True)
    for name, does in (("x", f"touch {tmp_path}/ran"), ("npm", f"touch {tmp_path}/ran"), ("git", "true")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    subprocess.run(["/bin/bash", "-c", command], cwd=tmp_path, env=env, capture_output=True, stdin=subprocess.DEVNULL)
    assert not (tmp_path / "ran").exists()
