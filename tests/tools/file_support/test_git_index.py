"""The names in Git's index are those that Git lists, in every version of it."""

import subprocess
from pathlib import Path

import pytest

from kimi_tui.tools.file_support.git_index import index_names, tracked_files

_NAMES = (".env", "a", "a.b/c", "dir/äö", "dir/sub/x.py", "dir/sub/xyz.py", "l" * 200, "z")


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("hashes", ["sha1", "sha256"])
def test_every_version_of_an_index_is_read_as_git_reads_it(tmp_path: Path, version: str, hashes: str) -> None:
    git(tmp_path, "init", "-q", f"--object-format={hashes}")
    for name in _NAMES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    git(tmp_path, "add", ".")
    (tmp_path / "new").write_text("")
    git(tmp_path, "add", "-N", "new")  # an entry with extended flags
    git(tmp_path, "update-index", "--index-version", version)
    listed = git(tmp_path, "ls-files", "-z").split("\0")[:-1]
    assert len(listed) == len(_NAMES) + 1
    assert tracked_files(tmp_path) == tuple(tmp_path / name for name in listed)
    assert tracked_files(tmp_path / "dir") == tracked_files(tmp_path)


def test_a_damaged_index_gives_no_answer(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert tracked_files(tmp_path) == ()
    (tmp_path / "a").write_text("")
    git(tmp_path, "add", "a")
    index = tmp_path / ".git/index"
    whole = index.read_bytes()
    for damaged in (b"", b"DIRC", whole[:40], b"XXXX" + whole[4:], whole[:8] + b"\xff\xff\xff\xff" + whole[12:]):
        index.write_bytes(damaged)
        assert tracked_files(tmp_path) is None
    with pytest.raises(ValueError, match="DIRC"):
        index_names(b"DIRC" + b"\0" * 8)
