"""What the check after a command takes as right, while another process changes it."""

import os
import weakref
from pathlib import Path

import pytest

from kimi_tui.paths import home
from kimi_tui.tools.shell_support.git_watch import GitWatch
from kimi_tui.tools.shell_support.undone_settings import remember_undone, was_undone
from tests.tools.harness import git, repository_with_a_commit

_ACTING = "[core]\n\tfsmonitor = ./planted\n"


@pytest.mark.parametrize("moment", range(6))
def test_settings_that_change_during_a_check_are_undone_by_it_or_by_the_next(tmp_path: Path, moment: int) -> None:
    git(tmp_path, "init", "-q")
    config = tmp_path / ".git/config"
    before = config.read_text("utf-8")
    looked = -100

    def folders() -> list[Path]:
        """The watch asks for its folders several times in a check."""
        nonlocal looked
        if looked == moment:
            config.write_text(before + _ACTING, "utf-8")
        looked += 1
        return [tmp_path]

    watch = GitWatch(folders)
    watch.accept_current()
    looked = 0
    done = watch.undo_changes()
    if looked <= moment:
        config.write_text(before + _ACTING, "utf-8")
    done += watch.undo_changes()
    assert config.read_text("utf-8") == before
    assert [text.partition(" ")[0] for text in done] == ["core.fsmonitor"]


def test_caches_are_searched_where_more_links_lead_out_of_the_project_than_are_followed(tmp_path: Path) -> None:
    work, cache = tmp_path / "work", tmp_path / "cache"
    work.mkdir()
    git(tmp_path, "init", "-q", "cache/made")
    with (cache / "made/.git/config").open("a", encoding="utf-8") as file:
        file.write(_ACTING)
    watch = GitWatch(lambda: [work], linked=[cache])
    assert watch.undo_changes() == []
    for number in range(2001):
        (work / f"link{number}").symlink_to("../../elsewhere")
    assert "core.fsmonitor" in "".join(watch.undo_changes())


@pytest.mark.parametrize("change", ["remote.origin.url", "core.pager"])
def test_settings_that_another_session_undid_meanwhile_are_not_put_back(tmp_path: Path, change: str) -> None:
    """The other session's command planted them before this one's began."""
    git(tmp_path, "init", "-q")
    git(tmp_path, "remote", "add", "origin", "https://example.org/a.git")
    git(tmp_path, "config", "core.sshCommand", "ssh -i mine")
    config = tmp_path / ".git/config"
    before = config.read_text("utf-8")
    other = GitWatch(lambda: [tmp_path])
    other.accept_current()
    config.write_text(before + _ACTING, "utf-8")
    watch = GitWatch(lambda: [tmp_path])
    watch.accept_current()
    assert "core.fsmonitor" in "".join(other.undo_changes())
    git(tmp_path, "config", change, "https://evil.example/a")
    assert change in "".join(watch.undo_changes()).lower()
    assert "planted" not in config.read_text("utf-8")
    assert "evil" not in config.read_text("utf-8")
    assert "ssh -i mine" in config.read_text("utf-8")


_OF_THE_USER = ("core.sshCommand", "core.hooksPath", "url.https://inner.example/.insteadOf", "transfer.fsckObjects")


def _with_settings_of_the_user(folder: Path) -> GitWatch:
    git(folder, "init", "-q")
    git(folder, "remote", "add", "origin", "https://example.org/a.git")
    for setting in _OF_THE_USER:
        git(folder, "config", setting, "https://example.org/")
    watch = GitWatch(lambda: [folder])
    watch.accept_current()
    return watch


@pytest.mark.parametrize("setting", _OF_THE_USER)
def test_a_setting_of_the_user_that_a_command_takes_out_comes_back(tmp_path: Path, setting: str) -> None:
    watch = _with_settings_of_the_user(tmp_path)
    before = (tmp_path / ".git/config").read_text("utf-8")
    git(tmp_path, "config", "--unset", setting)
    assert "came back into" in "".join(watch.undo_changes())
    assert (tmp_path / ".git/config").read_text("utf-8") == before
    assert watch.undo_changes() == []


def test_settings_come_back_where_a_command_deletes_them_all(tmp_path: Path) -> None:
    watch = _with_settings_of_the_user(tmp_path)
    before = (tmp_path / ".git/config").read_text("utf-8")
    (tmp_path / ".git/config").unlink()
    watch.undo_changes()
    assert (tmp_path / ".git/config").read_text("utf-8") == before


@pytest.mark.parametrize("change", ["remote.origin.url", "core.pager"])
def test_a_change_that_is_undone_takes_no_setting_of_the_user_along(tmp_path: Path, change: str) -> None:
    watch = _with_settings_of_the_user(tmp_path)
    before = (tmp_path / ".git/config").read_text("utf-8")
    git(tmp_path, "config", "--remove-section", "url.https://inner.example/")
    git(tmp_path, "config", change, "https://evil.example/")
    watch.undo_changes()
    assert (tmp_path / ".git/config").read_text("utf-8") == before


def test_settings_that_the_user_takes_out_stay_out_while_a_command_runs_that_cannot_write_them(tmp_path: Path) -> None:
    watch = _with_settings_of_the_user(tmp_path)
    git(tmp_path, "config", "--unset", "core.sshCommand")
    assert watch.undo_changes(git_written=False) == []


def test_git_takes_the_settings_of_a_branch_out_with_it(tmp_path: Path) -> None:
    work = repository_with_a_commit(tmp_path / "work")
    git(work, "branch", "b")
    git(work, "config", "branch.b.mergeOptions", "--no-ff")
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    git(work, "branch", "-D", "b")
    assert watch.undo_changes() == []


def test_what_was_undone_long_ago_is_forgotten(tmp_path: Path) -> None:
    config = tmp_path / "config"
    remember_undone(config, ["core.pager=x"])
    assert was_undone(config, "core.pager=x")
    for entry in (home() / "undone-git-settings").iterdir():
        os.utime(entry, (0, 0))
    remember_undone(config, ["core.editor=x"])
    assert not was_undone(config, "core.pager=x")
    assert was_undone(config, "core.editor=x")


def test_a_watch_that_is_not_needed_any_more_gives_the_watches_of_folders_back_at_once(tmp_path: Path) -> None:
    """A user has few of them; the collector of cycles may come late."""
    work = repository_with_a_commit(tmp_path / "work")
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    assert watch.undo_changes() == []
    gone = weakref.ref(watch)
    del watch
    assert gone() is None
