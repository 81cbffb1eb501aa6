"""Finding repositories again and again: after any changes, what is found is what a fresh look finds."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kimi_tui.tools.shell_support.inotify import FolderWatches
from kimi_tui.tools.shell_support.repository_finder import RepositoryFinder

_NAMES = st.sampled_from(["a", "b", "a/c", "b/c", "a/c/d", "b/c/d", "a/.git", "b/.git", "a/c/.git", "b/c/.git"])
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("make"), _NAMES, _NAMES),
        st.tuples(st.just("remove"), _NAMES, _NAMES),
        st.tuples(st.just("move"), _NAMES, _NAMES),
        st.tuples(st.just("link"), _NAMES, _NAMES),
        st.tuples(st.just("file"), _NAMES, _NAMES),
        st.tuples(st.just("bare"), _NAMES, _NAMES),
        st.tuples(st.just("look"), _NAMES, _NAMES),
    ),
    max_size=25,
)


def _do(top: Path, step: str, one: Path, other: Path) -> None:
    match step:
        case "make":
            one.mkdir(parents=True)
        case "remove":
            shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()
        case "move":
            one.rename(other)
        case "link":
            one.symlink_to(other)
        case "file":
            one.write_text("gitdir: x\n")
        case _:
            for name in ("HEAD", "objects", "refs"):
                (one / name).mkdir(parents=True)


@pytest.mark.parametrize("watched", [True, False])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS)
def test_what_is_found_after_any_changes_is_what_a_fresh_look_finds(
    tmp_path: Path, watched: bool, steps: list[tuple[str, str, str]]
) -> None:
    top = tmp_path / "top"
    shutil.rmtree(top, ignore_errors=True)
    top.mkdir()
    finder = RepositoryFinder(lambda: [top], watches=FolderWatches if watched else lambda: FolderWatches(limit=0))
    for step, one, other in [*steps, ("look", "", "")]:
        if step == "look":
            fresh = RepositoryFinder(lambda: [top], watches=lambda: FolderWatches(limit=0))
            assert sorted(finder.find()) == sorted(fresh.find())
        else:
            try:
                _do(top, step, top / one, top / other)
            except OSError:
                continue


def test_a_look_at_watched_folders_that_did_not_change_opens_none(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"a{number}/b").mkdir(parents=True)
    watches = FolderWatches()
    if not watches.add(str(tmp_path), tmp_path.stat().st_dev):
        pytest.skip("folders cannot be watched here")
    finder = RepositoryFinder(lambda: [tmp_path])
    assert finder.find() == []
    assert finder.looked_at > 60
    (tmp_path / "a7/b/.git").mkdir()
    assert finder.find() == [tmp_path / "a7/b/.git"]
    assert finder.looked_at == 3
    finder.find()
    assert finder.looked_at == 1


def test_folders_that_are_removed_and_made_again_between_two_looks_are_found(tmp_path: Path) -> None:
    finder = RepositoryFinder(lambda: [tmp_path])
    repositories = [tmp_path / f"{number}/b/.git" for number in range(20)]
    for _ in range(3):
        for repository in repositories:
            repository.mkdir(parents=True)
        assert sorted(finder.find()) == sorted(repositories)
        for repository in repositories:
            shutil.rmtree(repository.parent.parent)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are not listed here")
def test_a_closed_finder_watches_nothing_and_still_finds(tmp_path: Path) -> None:
    def opened() -> list[str]:
        files = (file for file in Path("/proc/self/fd").iterdir() if file.is_symlink())
        return [file.name for file in files if "inotify" in str(file.readlink())]

    before = opened()
    finder = RepositoryFinder(lambda: [tmp_path])
    assert finder.find() == []
    finder.close()
    assert opened() == before
    for name in ("a", "b/c"):
        (tmp_path / name / ".git").mkdir(parents=True)
        assert finder.find() == RepositoryFinder(lambda: [tmp_path]).find()
    assert len(finder.find()) == 2


def test_after_lost_events_everything_is_looked_at(tmp_path: Path) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if most > 100_000:
        pytest.skip("it would take long to lose events here")
    for name in ("busy", "quiet"):
        (tmp_path / name).mkdir()
    finder = RepositoryFinder(lambda: [tmp_path])
    finder.find()
    file = tmp_path / "busy/x"
    for _ in range(most // 2 + 10):
        os.close(os.open(file, os.O_CREAT))
        file.unlink()
    (tmp_path / "quiet/.git").mkdir()
    assert finder.find() == [tmp_path / "quiet/.git"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read every folder")
def test_a_folder_that_becomes_readable_later_is_looked_at_then(tmp_path: Path) -> None:
    (tmp_path / "a/.git").mkdir(parents=True)
    (tmp_path / "a").chmod(0)
    finder = RepositoryFinder(lambda: [tmp_path])
    assert finder.find() == []
    (tmp_path / "a").chmod(0o755)
    assert finder.find() == [tmp_path / "a/.git"]


def test_events_that_come_while_others_are_read_do_not_hold_up_a_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watches = FolderWatches()
    if not watches.add(str(tmp_path), tmp_path.stat().st_dev):
        pytest.skip("folders are not watched here")
    (tmp_path / "first").touch()
    reads, read = 0, os.read

    def read_and_change(descriptor: int, size: int) -> bytes:
        nonlocal reads
        reads += 1
        assert reads < 10
        (tmp_path / f"next-{reads}").touch()
        return read(descriptor, size)

    monkeypatch.setattr(os, "read", read_and_change)
    assert watches.changed() == {str(tmp_path)}
    (tmp_path / "last").touch()
    assert watches.changed() == {str(tmp_path)}
