"""Finding repositories again and again: after any changes, what is found is what a fresh look finds."""

import contextlib
import ctypes
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kimi_tui.tools.shell_support.inotify import FolderWatches
from kimi_tui.tools.shell_support.repository_finder import RepositoryFinder

_NAMES = st.sampled_from(
    [
        "a",
        "b",
        "a/c",
        "b/c",
        "a/c/d",
        "b/c/d",
        "a/.git",
        "b/.git",
        "a/c/.git",
        "b/c/.git",
        "other/a",
        "other/a/.git",
        "",
    ]
)
_KINDS = st.sampled_from(["make", "remove", "make again", "move", "swap", "link", "file", "bare"])
_CHANGES = st.tuples(_KINDS, _NAMES, _NAMES)
_LOOKS = st.tuples(st.integers(0, 12), st.lists(st.tuples(_CHANGES, st.integers(1, 4)), max_size=3))
"""After how many calls of the system another process begins to change things, and after how many more each time."""
_STEPS = st.lists(st.one_of(_CHANGES, _CHANGES, _CHANGES, _LOOKS), max_size=25)
_HERE, _EXCHANGE = -100, 2


def _do(step: str, one: Path, other: Path) -> None:
    match step:
        case "make":
            one.mkdir(parents=True)
        case "remove":
            shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()
        case "make again":
            shutil.rmtree(one)
            (other / ".git").mkdir(parents=True)
        case "move":
            one.rename(other)
        case "swap":
            swap(one, other)
        case "link":
            one.symlink_to(other)
        case "file":
            one.write_text("gitdir: x\n")
        case _:
            for name in ("HEAD", "objects", "refs"):
                (one / name).mkdir(parents=True)


def swap(one: Path, other: Path) -> None:
    """Exchange two paths at once, as no call of Python does. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE):
        raise OSError(ctypes.get_errno(), "cannot exchange", str(one))


@contextlib.contextmanager
def interrupted(after: int, changes: Iterable[tuple[Callable[[], None], int]]) -> Iterator[None]:
    """Make changes between the calls by which a look sees folders."""
    waiting = list(changes)
    left = after
    calls = {name: getattr(os, name) for name in ("stat", "open", "scandir")}

    def through(name: str) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            nonlocal left
            left -= 1
            if left < 0 and waiting:
                change, left = waiting.pop(0)
                with original(), contextlib.suppress(OSError):
                    change()
            return calls[name](*arguments, **options)

        return call

    @contextlib.contextmanager
    def original() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for name, function in calls.items():
                patch.setattr(os, name, function)
            yield

    with pytest.MonkeyPatch.context() as patch:
        for name in calls:
            patch.setattr(os, name, through(name))
        yield


@pytest.mark.parametrize("watches", [FolderWatches, lambda: FolderWatches(limit=0), lambda: FolderWatches(limit=4)])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS)
def test_what_is_found_after_any_changes_is_what_a_fresh_look_finds(
    tmp_path: Path, watches: Callable[[], FolderWatches], steps: list[Any]
) -> None:
    """The roots are two folders beside each other; changes happen between and during looks."""
    top = Path(tempfile.mkdtemp(dir=tmp_path)) / "top"
    roots = [top, top / "other"] if len(steps) % 2 else [top / "a", top / "other", top / "b"]
    for root in (top, *roots):
        root.mkdir(exist_ok=True)
    finder = RepositoryFinder(lambda: roots, watches=watches)
    for step in [*steps, (0, [])]:
        match step:
            case (str(kind), str(one), str(other)):
                with contextlib.suppress(OSError):
                    _do(kind, top / one, top / other)
            case (after, changes):
                made = [(partial(_do, kind, top / one, top / other), pause) for (kind, one, other), pause in changes]
                with interrupted(after, made):
                    finder.find()
                fresh = RepositoryFinder(lambda: roots, watches=lambda: FolderWatches(limit=0))
                assert sorted(finder.find()) == sorted(fresh.find())


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


_WATCHES = [FolderWatches, lambda: FolderWatches(limit=0)]


@pytest.mark.parametrize("watches", _WATCHES)
def test_folders_that_are_removed_and_made_again_between_two_looks_are_found(
    tmp_path: Path, watches: Callable[[], FolderWatches]
) -> None:
    finder = RepositoryFinder(lambda: [tmp_path], watches=watches)
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


@pytest.mark.parametrize("watches", _WATCHES)
def test_folders_that_are_exchanged_and_back_during_a_look_are_looked_at_again(
    tmp_path: Path, watches: Callable[[], FolderWatches]
) -> None:
    def made(after: int, pause: int) -> tuple[RepositoryFinder, Path, Path]:
        top = tmp_path / f"{after}-{pause}"
        top.mkdir()
        finder = RepositoryFinder(lambda: [top], watches=watches)
        finder.find()
        (top / "one/a/b/.git").mkdir(parents=True)
        (top / "other/a/b").mkdir(parents=True)
        return finder, top / "one", top / "other"

    looks = ((after, pause, *made(after, pause)) for after in range(15) for pause in (0, 1, 2, 4))
    if watches is not FolderWatches:
        looks = list(looks)
        time.sleep(0.06)  # else each folder is listed again
    for after, pause, finder, one, other in looks:
        exchange = partial(swap, one, other)
        with interrupted(after, [(exchange, pause), (exchange, 0)]):
            finder.find()
        assert finder.find() == [path / "a/b/.git" for path in (one, other) if (path / "a/b/.git").exists()]


def test_what_a_link_leads_to_is_not_looked_at_though_it_changed_before(tmp_path: Path) -> None:
    top, outside = tmp_path / "top", tmp_path / "outside"
    (top / "a/b").mkdir(parents=True)
    finder = RepositoryFinder(lambda: [top])
    finder.find()
    (top / "a/b/.git").mkdir()
    (top / "a").rename(outside)
    (top / "a").symlink_to(outside)
    assert finder.find() == []


def test_what_changed_is_found_though_a_root_is_gone(tmp_path: Path) -> None:
    roots = [tmp_path / "one", tmp_path / "other"]
    for root in roots:
        root.mkdir()
    finder = RepositoryFinder(lambda: roots)
    assert finder.find() == []
    roots[0].rmdir()
    (roots[1] / ".git").mkdir()
    assert finder.find() == [roots[1] / ".git"]


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
