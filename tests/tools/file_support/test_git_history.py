"""The files of a repository's history are those that Git lists, in bounded time."""

import shutil
import time
from pathlib import Path

import pytest

from kimi_tui.tools.file_support.git_history import History, read_history
from tests.tools.harness import git

GIT = shutil.which("git") or "git"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    for name in ("a.py", 'dir/\u00e4\n"b', ".env"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    return tmp_path


def names(repo: Path) -> set[str]:
    history = read_history(repo, GIT)
    assert history is not None
    return {str(file.relative_to(repo)) for file in history.files}


def test_all_names_that_were_ever_committed_are_known(repo: Path) -> None:
    assert names(repo) == {"a.py", 'dir/\u00e4\n"b', ".env"}
    git(repo, "mv", "a.py", "b.py")
    assert "b.py" not in names(repo)
    git(repo, "commit", "-qm", "two")
    assert names(repo) == {"a.py", "b.py", 'dir/\u00e4\n"b', ".env"}
    history = read_history(repo / "dir", GIT)
    assert history is not None
    assert history.sensitive == (repo / ".env",)


def test_settings_of_the_user_change_nothing(repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[diff]\nrelative = true\nrenames = copies\n[log]\nshowRoot = false\nshowSignature = true\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("HOME", str(tmp_path))
    shutil.copy(config, tmp_path / ".gitconfig")
    assert ".env" in names(repo)


def test_outside_of_a_repository_nothing_was_committed(tmp_path: Path) -> None:
    assert read_history(tmp_path, GIT) == History()


def test_a_history_that_takes_too_long_is_not_known_and_not_read_again(repo: Path, tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    assert read_history(repo, str(slow)) is None
    start = time.monotonic()
    git(repo, "commit", "-qm", "two", "--allow-empty")
    for _ in range(20):
        assert read_history(repo, str(slow)) is None
    assert time.monotonic() - start < 10


def test_a_history_that_is_too_large_is_not_known(repo: Path, tmp_path: Path) -> None:
    endless = tmp_path / "endless"
    endless.write_text("#!/bin/sh\nexec yes\n")
    endless.chmod(0o755)
    assert read_history(repo, str(endless)) is None


def test_a_repository_whose_settings_may_run_something_is_not_read(repo: Path) -> None:
    ran = repo / "ran"
    git(repo, "config", "core.sshCommand", f"touch {ran}")
    assert read_history(repo, GIT) is None
    assert not ran.exists()
