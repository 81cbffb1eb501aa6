"""Symbolic refs that lead out of Git's folder for refs: Git would write or delete files elsewhere by them."""

import subprocess
from pathlib import Path

import pytest

from kimi_tui.tools.shell_support import git_refs
from kimi_tui.tools.shell_support.git_watch import GitWatch
from tests.tools.harness import git, repository_with_a_commit

HASH = "a" * 40
OUT = "ref: refs/heads/../../../../other\n"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return repository_with_a_commit(tmp_path / "work")


def watch_of(work: Path) -> GitWatch:
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    return watch


WAYS = {
    "HEAD": "git commit -q --allow-empty -m x",
    "ORIG_HEAD": "git reset -q --hard HEAD",
    "refs/heads/main": "git commit -q --allow-empty -m x",
    "refs/stash": "echo 1 >> f; git stash",
    "refs/tags/v1": "git tag -f v1",
}


@pytest.mark.parametrize("name", WAYS)
def test_git_writes_no_file_elsewhere_by_a_symbolic_ref(work: Path, name: str) -> None:
    watch = watch_of(work)
    (work / ".git" / name).write_text(OUT)
    assert f"{name}` was put aside" in "".join(watch.undo_changes())
    assert watch.undo_changes() == []
    subprocess.run(["bash", "-c", WAYS[name]], cwd=work, check=True, capture_output=True)
    assert not (work.parent / "other").exists()


def test_git_deletes_no_file_elsewhere_by_a_symbolic_ref(work: Path) -> None:
    kept = work.parent / "other"
    kept.write_bytes((work / ".git/refs/heads/main").read_bytes())
    watch = watch_of(work)
    (work / ".git/refs/heads/gone").write_text("ref: ../../other")
    watch.undo_changes()
    subprocess.run(["git", "branch", "-D", "gone"], cwd=work, check=False, capture_output=True)
    assert kept.exists()


def test_the_branch_that_was_checked_out_stays_so(work: Path) -> None:
    before = (work / ".git/HEAD").read_bytes()
    watch = watch_of(work)
    (work / ".git/HEAD").write_text(OUT)
    watch.undo_changes()
    assert (work / ".git/HEAD").read_bytes() == before


def test_refs_that_lead_to_refs_and_texts_of_the_user_stay(work: Path) -> None:
    watch = watch_of(work)
    git(work, "checkout", "-q", "-b", "a/b.c-\u00e9")
    git(work, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    (work / ".git/MERGE_MSG").write_text("ref: ../x\n")
    assert watch.undo_changes() == []


@pytest.mark.parametrize("text", ["ref:", "ref: HEAD", "ref: refs/heads/..", "ref: refs//x", "ref: " + "refs/x" * 900])
def test_a_symbolic_ref_that_names_no_ref_is_put_aside(work: Path, text: str) -> None:
    watch = watch_of(work)
    (work / ".git/refs/heads/x").write_text(text)
    assert len(watch.undo_changes()) == 1
    assert not (work / ".git/refs/heads/x").exists()


def test_refs_that_are_too_many_to_look_at_are_put_aside(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_refs, "MAX_REFS", 20)
    watch = watch_of(work)
    for number in range(20):
        (work / f".git/refs/heads/x{number}").write_text(HASH)
    assert ".git/refs` was put aside" in "".join(watch.undo_changes())
    assert not (work / ".git/refs").exists()
