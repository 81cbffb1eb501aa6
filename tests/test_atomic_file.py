"""Files are replaced whole: no reader, kill, full disk or second writer meets half of one."""

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.atomic_file import replace_file, replacement

pytestmark = pytest.mark.timeout(60)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def run(code: str, *arguments: object) -> "subprocess.Popen[bytes]":
    head = "import os, resource, signal, sys\nfrom pathlib import Path\nfrom kimi_tui.atomic_file import *\n"
    argv = [sys.executable, "-c", head + code, *map(str, arguments)]
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


@settings(max_examples=50)
@given(contents=st.lists(st.text(st.characters(codec="utf-8")) | st.binary(), min_size=1, max_size=4))
def test_the_last_content_is_in_the_file_alone_in_its_folder_and_private(
    tmp_path_factory: pytest.TempPathFactory, contents: list[str | bytes]
) -> None:
    folder = tmp_path_factory.mktemp("folder")
    file = folder / "a.json"
    if isinstance(contents[0], bytes):
        file.write_bytes(b"old")
        file.chmod(0o644)
    for content in contents:
        replace_file(file, content, sync_folder=isinstance(content, str))
        assert file.read_bytes() == (content.encode() if isinstance(content, str) else content)
        assert file.stat().st_mode & 0o777 == 0o600
    assert names(folder) == ["a.json"]


def test_a_block_sees_the_new_content_under_the_same_suffix_and_may_refuse_it(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    with replacement(file, "new") as temporary:
        assert (temporary.read_text(), temporary.suffix, temporary.parent) == ("new", ".yaml", tmp_path)
        assert not file.exists()
    with pytest.raises(KeyError), replacement(file, "newer"):
        raise KeyError
    assert file.read_text() == "new"
    assert names(tmp_path) == ["a.yaml"]


def test_kills_leave_the_old_content_and_one_temporary_file_that_the_next_writer_in_the_folder_takes_over(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a"
    replace_file(file, "old")
    for content in ("new", "x" * 100_000, ""):
        kill = "with replacement(Path(sys.argv[1]), sys.argv[2]):\n    os.kill(os.getpid(), signal.SIGKILL)"
        with run(kill, file, content) as killed:
            assert killed.wait() == -9
        assert file.read_text() == "old"
        assert len(names(tmp_path)) == 2
    replace_file(tmp_path / "b", "short")  # of the same suffix
    assert names(tmp_path) == ["a", "b"]
    assert (file.read_text(), (tmp_path / "b").read_text()) == ("old", "short")


def test_a_disk_that_is_full_leaves_the_old_content_and_no_temporary_file_and_the_error_names_the_file(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a"
    replace_file(file, "old")
    full = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    replace_file(Path(sys.argv[1]), "new" * 10_000)
except OSError as error:
    print(error.errno, error.filename)
"""
    with run(full, file) as process:
        assert process.communicate()[0].decode().split() == [str(errno.EFBIG), str(file)]
    assert file.read_text() == "old"
    assert names(tmp_path) == ["a"]


def test_a_file_that_cannot_be_replaced_is_named_and_no_temporary_file_is_left(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for file in (tmp_path / "folder", tmp_path / "absent" / "a"):
        with pytest.raises(OSError, match=r".") as caught:
            replace_file(file, "new")
        assert (caught.value.filename, caught.value.filename2) == (str(file), None)
    assert names(tmp_path) == ["folder"]
    with pytest.raises(UnicodeEncodeError):
        replace_file(tmp_path / "a", "\ud800")
    assert names(tmp_path) == ["folder"]


@pytest.mark.parametrize("follow", [True, False])
def test_a_link_is_replaced_or_followed(tmp_path: Path, follow: bool) -> None:
    (tmp_path / "dotfiles").mkdir()
    for present in (False, True):
        link = tmp_path / f"link-{present}"
        real = tmp_path / "dotfiles" / f"real-{present}"
        if present:
            real.write_text("old")
        link.symlink_to(real)
        replace_file(link, "new", follow_link=follow)
        assert link.is_symlink() == follow
        assert link.read_text() == "new"
        assert real.exists() == (follow or present)
        if present and not follow:
            assert real.read_text() == "old"
    assert not [name for name in names(tmp_path) + names(tmp_path / "dotfiles") if name.startswith(".")]


@pytest.mark.parametrize("kind", ["symlink", "hard link", "pipe", "folder"])
def test_what_is_in_the_place_of_the_temporary_file_is_not_written(tmp_path: Path, kind: str) -> None:
    file, planted, other = tmp_path / "a", tmp_path / ".new", tmp_path / "other"
    other.write_text("other")
    match kind:
        case "symlink":
            planted.symlink_to(other)
        case "hard link":
            planted.hardlink_to(other)
        case "pipe":
            os.mkfifo(planted)
        case _:
            planted.mkdir()
    replace_file(file, "new")
    assert (file.read_text(), other.read_text()) == ("new", "other")
    assert names(tmp_path) == [".new", "a", "other"]


def test_a_writer_that_is_slow_keeps_no_other_waiting_and_gets_its_own_content_in(tmp_path: Path) -> None:
    file = tmp_path / "a"
    slow = "with replacement(Path(sys.argv[1]), 'slow'):\n    print(1, flush=True)\n    sys.stdin.readline()"
    with run(slow, file) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        replace_file(file, "quick")
        assert file.read_text() == "quick"
        process.stdin.write(b"\n")
        process.stdin.close()
        assert process.wait() == 0
    assert file.read_text() == "slow"
    assert names(tmp_path) == ["a"]


def test_writers_at_the_same_time_leave_a_content_of_one_of_them_whole(tmp_path: Path) -> None:
    file = tmp_path / "a"
    replace_file(file, "0" * 50_000)
    torn: list[str] = []

    def write(number: int) -> None:
        for _ in range(30):
            replace_file(file, str(number) * (50_000 + number * 1000))
            text = file.read_text()
            if len(set(text)) != 1 or len(text) != 50_000 + int(text[0]) * 1000:
                torn.append(text[:20])

    writers = [threading.Thread(target=write, args=(number,)) for number in range(1, 5)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert not torn
    assert names(tmp_path) == ["a"]
