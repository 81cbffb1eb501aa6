"""The names in Git's index are those that Git lists, in every version of it."""

import subprocess
from pathlib import Path

import pytest

from kimi_tui.tools.file_support.git_index import index_entries, submodules, tracked_files

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
    with pytest.raises(ValueError, match="not an index"):
        list(index_entries(b"DIRC" + b"\0" * 8, hash_size=20))


def _submodules_in(work: Path, *, hash_size: int) -> set[bytes]:
    folder = work / ".git"
    indexes = [file.read_bytes() for file in folder.glob("*index*")]
    return {name for data in indexes for name in submodules(data, hash_size=hash_size, folder=folder)}


_FORMS: list[list[str]] = [[], ["--index-version", "4"], ["--split-index"], ["--untracked-cache"]]


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("hashes", ["sha1", "sha256"])
def test_the_submodules_of_an_index_are_found_in_each_of_its_forms(
    tmp_path: Path, form: list[str], hashes: str
) -> None:
    work = tmp_path
    git(work, "init", "-q", f"--object-format={hashes}")
    size = 20 if hashes == "sha1" else 32
    (work / "f").touch()
    git(work, "add", "f")
    assert submodules((work / ".git/index").read_bytes(), hash_size=size, folder=work) == []
    for name in ("a/sub", "a/sub2", "z " * 2000 + "z", "中"):
        git(work, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 2 * size},{name}")
    if form:
        git(work, "update-index", *form)
    found = _submodules_in(work, hash_size=size)
    listed = git(work, "ls-files", "-sz").encode().split(b"\0")
    assert found == {line.partition(b"\t")[2] for line in listed if line.startswith(b"160000")}
    assert len(found) == 4


@pytest.mark.parametrize("hashes", ["sha1", "sha256"])
def test_the_submodules_of_a_split_index_that_replace_files_are_found(tmp_path: Path, hashes: str) -> None:
    work = tmp_path
    git(work, "init", "-q", f"--object-format={hashes}")
    size = 20 if hashes == "sha1" else 32
    for number in range(200):
        (work / f"{number:03}").write_text(str(number))
    git(work, "add", ".")
    git(work, "update-index", "--split-index")
    replaced = [f"{number:03}" for number in (0, *range(64, 70), 150, 199)]
    for name in replaced:
        git(work, "update-index", "--cacheinfo", f"160000,{'1' * 2 * size},{name}")
    (work / "020").write_text("changed")
    git(work, "add", "020")
    git(work, "rm", "-q", "--cached", "021", "022")
    assert _submodules_in(work, hash_size=size) == set(map(str.encode, replaced))


def test_what_git_would_not_read_is_refused(tmp_path: Path) -> None:
    work = tmp_path
    git(work, "init", "-q")
    git(work, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},s")
    data = (work / ".git/index").read_bytes()
    for wrong in (b"", b"X" + data, data[:70], data[:8] + b"\xff" * 4 + data[12:]):
        with pytest.raises((ValueError, IndexError)):
            submodules(wrong + (0o160000).to_bytes(4), hash_size=20, folder=work)
