"""What other programs keep in a Git directory: a command must not leave them settings there."""

import shutil
import subprocess
from pathlib import Path

import pytest

from kimi_tui.tools.file_support.git_names import unknown_names
from kimi_tui.tools.shell_support.git_watch import GitWatch
from kimi_tui.tools.shell_support.safe_rename import ASIDE
from tests.tools.harness import git, repository_with_a_commit

_IN_THE_MIDDLE = {
    "a merge": "git merge side",
    "a rebase": "GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -i --root; git rebase side",
    "a rebase by patches": "git rebase --apply side",
    "a cherry-pick of two": "git cherry-pick side side~1",
    "a revert": "git revert --no-edit HEAD~1",
    "patches": "git format-patch -2 side -o ../patches; git am ../patches/*",
    "a bisection": "git bisect start HEAD HEAD~1; git bisect bad; git bisect log",
    "a merge of notes": "git notes add -m a; git notes --ref=b add -m b; git notes merge b",
    "a squash": "git merge --squash side; git stash; git stash apply",
    "upkeep": "git gc -q; git pack-refs --all; git commit-graph write; git multi-pack-index write; git repack -adq",
    "a shared index": "git update-index --split-index; git update-index --untracked-cache",
    "parts of the tree": "git sparse-checkout set a; git sparse-checkout list",
    "shallow history": "git clone -q --depth 1 file://$PWD ../shallow; cp ../shallow/.git/shallow .git; git fetch -q",
    "settings of a worktree": "git config extensions.worktreeConfig true; git config --worktree core.eol lf",
    "a worktree": "git worktree add -q ../tree; git worktree lock ../tree; git fetch -q . side",
    "conflicts that are known": "git config rerere.enabled true; git merge side; git add f; git commit -qm x",
    "a tag and a branch with a text": "git tag -a v1 -m x; GIT_EDITOR=true git branch --edit-description",
}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Two branches whose file `f` differs."""
    folder = repository_with_a_commit(tmp_path / "work")
    for branch, text in (("side", "1\n"), ("side", "2\n"), ("main", "3\n"), ("main", "4\n")):
        subprocess.run(["git", "checkout", "-q", "-B", branch], cwd=folder, check=True)
        if text == "3\n":
            git(folder, "reset", "-q", "--hard", "HEAD~2")
        (folder / "f").write_text(text)
        git(folder, "commit", "-qam", text)
    return folder


@pytest.mark.parametrize("lines", _IN_THE_MIDDLE.values(), ids=_IN_THE_MIDDLE)
def test_what_git_makes_in_its_directory_is_known(work: Path, lines: str) -> None:
    subprocess.run(["sh", "-c", lines], cwd=work, check=False, capture_output=True)
    assert unknown_names(work / ".git") == frozenset()
    assert all(unknown_names(one) == frozenset() for one in (work / ".git/worktrees").glob("*"))


@pytest.mark.parametrize("place", [".git", "made/.git", ".git/modules/made"])
def test_a_file_that_another_program_reads_in_a_git_directory_is_put_aside(work: Path, place: str) -> None:
    """lazygit runs the command lines in this one."""
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    git(work, "init", "-q", "made")
    (work / ".git/modules").mkdir()
    shutil.copytree(work / "made/.git", work / ".git/modules/made")
    (work / place / "lazygit.yml").write_text("git: {paging: {pager: ./planted}}\n")
    assert "lazygit.yml" in "".join(watch.undo_changes())
    assert not (work / place / "lazygit.yml").exists()
    assert (work / place / f"lazygit.yml{ASIDE}").exists()
    assert watch.undo_changes() == []


def test_files_of_other_programs_that_were_there_before_stay(work: Path) -> None:
    (work / ".git/lazygit.yml").write_text("gui: {}\n")
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    assert watch.undo_changes() == []
    assert (work / ".git/lazygit.yml").exists()


def test_a_repository_without_a_worktree_may_hold_anything(work: Path) -> None:
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    git(work, "init", "-q", "--bare", "bare")
    (work / "bare/notes.txt").write_text("x\n")
    assert watch.undo_changes() == []


def test_many_such_files_are_put_aside_at_once(work: Path) -> None:
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    for number in range(200):
        (work / f".git/planted{number}").write_text("x\n")
    undone = watch.undo_changes()
    assert len(undone) == 1
    assert unknown_names(work / ".git") == frozenset()
