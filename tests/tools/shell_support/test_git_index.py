"""The index of Git, as Git itself writes it."""

import subprocess
from pathlib import Path

import pytest

from kimi_tui.tools.shell_support.git_index import submodules
from tests.tools.harness import git, repository_with_a_commit

_FORMS: list[list[str]] = [[], ["--index-version", "4"], ["--split-index"], ["--untracked-cache"]]


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("hashes", ["sha1", "sha256"])
def test_the_submodules_of_an_index_are_found_in_each_of_its_forms(
    tmp_path: Path, form: list[str], hashes: str
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    git(work, "init", "-q", f"--object-format={hashes}")
    size = 20 if hashes == "sha1" else 32
    (work / "f").touch()
    git(work, "add", "f")
    assert submodules((work / ".git/index").read_bytes(), hash_size=size) == []
    for name in ("a/sub", "a/sub2", "z " * 2000 + "z", "中"):
        git(work, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 2 * size},{name}")
    if form:
        git(work, "update-index", *form)
    found = {name for file in (work / ".git").glob("*index*") for name in submodules(file.read_bytes(), hash_size=size)}
    listed = subprocess.run(["git", "ls-files", "-sz"], cwd=work, check=True, capture_output=True).stdout.split(b"\0")
    assert found == {line.partition(b"\t")[2] for line in listed if line.startswith(b"160000")}
    assert len(found) == 4


def test_what_git_would_not_read_is_refused(tmp_path: Path) -> None:
    work = repository_with_a_commit(tmp_path / "work")
    git(work, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},s")
    data = (work / ".git/index").read_bytes()
    for wrong in (b"", b"X" + data, data[:70] + b"\xe0\x00", data[:8] + b"\xff" * 4 + data[12:]):
        with pytest.raises((ValueError, IndexError)):
            submodules(wrong + b"\xe0\x00", hash_size=20)
