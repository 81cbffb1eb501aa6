"""What a line of Git's own commands finds in its environment."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.command_parser import parse_command_line
from kimi_tui.tools.shell_support.git_alone_env import could_be_of_a_command, git_alone_env
from tests.tools.harness import git, repository_with_a_commit


def test_settings_of_a_line_come_after_those_of_the_environment(tmp_path: Path) -> None:
    env = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "x", "PATH": "/usr/bin:/bin"}
    env |= git_alone_env(parse_command_line("git push"), env, Workspace(tmp_path))
    command = ["git", "config", "--get-regexp", "user.name|safe|protocol"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, env=env, cwd=tmp_path).stdout
    assert shown == "user.name x\nsafe.barerepository explicit\nprotocol.file.allow never\n"


def test_git_finds_programs_of_the_project_only_where_the_user_has_hooks(tmp_path: Path) -> None:
    work_dir = repository_with_a_commit(tmp_path / "work")
    (work_dir / "link").symlink_to("/usr/bin")
    (tmp_path / "outer").symlink_to(work_dir)
    line = parse_command_line("git commit -m x")
    env = {"PATH": f"{work_dir}/.venv/bin:/usr/bin:{tmp_path}/outer/bin::bin:{tmp_path}/written/bin:/bin"}
    found = git_alone_env(line, env, Workspace(work_dir), written=[tmp_path / "written"])
    assert found["PATH"] == "/usr/bin:/bin"
    hook = work_dir / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nruff check\n")
    hook.chmod(0o755)
    assert "PATH" not in git_alone_env(line, env, Workspace(work_dir))


def test_git_gets_the_repository_around_by_name_while_other_commands_could_make_one(tmp_path: Path) -> None:
    top = repository_with_a_commit(tmp_path / "top")
    (top / "sub").mkdir()
    line = parse_command_line("git rev-parse --show-toplevel --show-prefix")
    workspace = Workspace(top / "sub")
    env = {"PATH": "/usr/bin:/bin"}
    assert "GIT_DIR" not in git_alone_env(line, env, workspace)
    assert not could_be_of_a_command(workspace)
    env |= git_alone_env(line, env, workspace, others_run=True)
    repository_with_a_commit(top / "sub/new")
    (top / "sub/new/.git").rename(top / "sub/.git")
    command = ["git", "rev-parse", "--show-toplevel", "--show-prefix"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, env=env, cwd=top / "sub").stdout
    assert shown == f"{top}\nsub/\n"
    assert could_be_of_a_command(workspace)
    assert not could_be_of_a_command(Workspace(top / "sub"))
    assert "GIT_DIR" not in git_alone_env(line, env, Workspace(top), others_run=True)


def _settings(found: Mapping[str, str]) -> dict[str, str]:
    count = int(found["GIT_CONFIG_COUNT"])
    return {found[f"GIT_CONFIG_KEY_{at}"]: found[f"GIT_CONFIG_VALUE_{at}"] for at in range(count)}


@pytest.mark.parametrize("command", ["git switch evil", "git -C tree commit -m x"])
def test_git_runs_no_hooks_where_a_branch_or_another_command_could_bring_them(tmp_path: Path, command: str) -> None:
    work_dir = repository_with_a_commit(tmp_path / "work")
    git(work_dir, "worktree", "add", "-q", "tree")
    workspace, line = Workspace(work_dir), parse_command_line(command)
    assert "core.hooksPath" not in _settings(git_alone_env(line, {}, workspace))
    git(work_dir, "config", "core.hooksPath", "hooks")
    assert _settings(git_alone_env(line, {}, workspace))["core.hooksPath"] == "/dev/null"
    hooks = {(folder, folder) for folder in (work_dir / "hooks", work_dir / "tree/hooks")}
    for folder, _ in hooks:
        folder.mkdir()
    assert "core.hooksPath" not in _settings(git_alone_env(line, {}, workspace))
    assert "core.hooksPath" in _settings(git_alone_env(line, {}, workspace, others_run=True))
    assert "core.hooksPath" not in _settings(git_alone_env(line, {}, workspace, checked=hooks, others_run=True))


def test_git_runs_no_hooks_where_a_branch_could_bring_the_script_to_which_one_is_a_link(tmp_path: Path) -> None:
    work_dir = repository_with_a_commit(tmp_path / "work")
    (work_dir / ".git/hooks").mkdir(exist_ok=True)
    (work_dir / ".git/hooks/pre-commit").symlink_to("../../check")
    line = parse_command_line("git switch evil")
    assert _settings(git_alone_env(line, {}, Workspace(work_dir)))["core.hooksPath"] == "/dev/null"


def test_git_pushes_to_an_added_repository_by_a_line_that_makes_no_other_while_none_is_made(tmp_path: Path) -> None:
    work_dir, added = repository_with_a_commit(tmp_path / "work"), tmp_path / "added.git"
    git(tmp_path, "clone", "-q", "--bare", "work", "added.git")
    workspace = Workspace(work_dir, [added])
    line = parse_command_line("git commit -m x && git push ../added.git main")
    assert "protocol.file.allow" not in _settings(git_alone_env(line, {}, workspace))
    assert _settings(git_alone_env(line, {}, workspace, others_run=True))["protocol.file.allow"] == "never"
    for before in ("git checkout evil", "git show HEAD:x > y", "mkdir y"):
        for places in ("", "-q -u", f"{added} main"):
            line = parse_command_line(f"{before} && git stash push -q && git push {places}")
            assert "protocol.file.allow" not in _settings(git_alone_env(line, {}, workspace))
        for places in (
            "./evil.git main",
            "origin",
            f"-o {added} ./evil.git",
            f"-- {added} main",
            f"{tmp_path}/evil.git",
        ):
            line = parse_command_line(f"{before} && git push {places}")
            assert _settings(git_alone_env(line, {}, workspace))["protocol.file.allow"] == "never"
