"""Where the user's next push with Git LFS uploads, after a command that changed what Git LFS reads."""

import hashlib
import os
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from kimi_tui.tools.shell_support.git_watch import GitWatch
from tests.tools.harness import git, repository_with_a_commit

ELSEWHERE = "[lfs]\n\turl = https://elsewhere.example/x\n"
OURS = "[lfs]\n\turl = https://ours.example/x\n"


def output(folder: Path, *words: str, text: str = "") -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True, input=text).stdout


def read_by_git_lfs(folder: Path) -> str:
    """The settings that Git LFS reads there: of the worktree, else the index, else the last commit."""
    file = folder / ".lfsconfig"
    found = file.read_text() if file.exists() else None
    for name in (":.lfsconfig", "HEAD:.lfsconfig"):
        if found is None:
            done = subprocess.run(["git", "show", name], cwd=folder, check=False, capture_output=True, text=True)
            found = done.stdout if done.returncode == 0 else None
    return "".join(line for line in (found or "").splitlines(keepends=True) if not line.startswith("#"))


def in_the_worktree(work: Path) -> None:
    (work / ".lfsconfig").unlink(missing_ok=True)
    (work / ".lfsconfig").write_text(ELSEWHERE)


def in_the_index(work: Path) -> None:
    in_the_worktree(work)
    git(work, "add", ".lfsconfig")
    (work / ".lfsconfig").unlink()


def in_the_index_out_of_sight(work: Path) -> None:
    in_the_index(work)
    git(work, "update-index", "--skip-worktree", ".lfsconfig")


def committed(work: Path) -> None:
    in_the_worktree(work)
    git(work, "add", ".lfsconfig")
    git(work, "commit", "-qm", "second")
    (work / ".lfsconfig").unlink()


def committed_out_of_the_index(work: Path) -> None:
    committed(work)
    git(work, "rm", "-q", "--cached", ".lfsconfig")


def committed_and_packed(work: Path) -> None:
    committed_out_of_the_index(work)
    git(work, "gc", "-q")


def _with_another_tree(work: Path) -> tuple[str, str]:
    """The last commit, and one with the file that is the same otherwise."""
    blob = output(work, "hash-object", "-w", "--stdin", text=ELSEWHERE).strip()
    kept = "".join(line for line in output(work, "ls-tree", "HEAD").splitlines(True) if ".lfsconfig" not in line)
    tree = output(work, "mktree", text=f"{kept}100644 blob {blob}\t.lfsconfig\n").strip()
    return output(work, "rev-parse", "HEAD").strip(), output(work, "commit-tree", "-m", "x", tree).strip()


def by_a_replaced_commit(work: Path) -> None:
    old, new = _with_another_tree(work)
    git(work, "rm", "-q", "--cached", "--ignore-unmatch", ".lfsconfig")
    git(work, "replace", old, new)
    (work / ".lfsconfig").unlink(missing_ok=True)


def by_a_changed_object(work: Path) -> None:
    old, new = _with_another_tree(work)
    git(work, "rm", "-q", "--cached", "--ignore-unmatch", ".lfsconfig")
    place = work / f".git/objects/{old[:2]}/{old[2:]}"
    place.chmod(0o644)
    place.write_bytes((work / f".git/objects/{new[:2]}/{new[2:]}").read_bytes())
    (work / ".lfsconfig").unlink(missing_ok=True)


def by_a_link(work: Path) -> None:
    (work / "plain").write_text(ELSEWHERE)
    (work / ".lfsconfig").unlink(missing_ok=True)
    (work / ".lfsconfig").symlink_to("plain")


def by_a_dangling_link(work: Path) -> None:
    in_the_index(work)
    (work / ".lfsconfig").symlink_to("missing")


WAYS = (
    *(in_the_worktree, in_the_index, in_the_index_out_of_sight, committed, committed_out_of_the_index),
    *(committed_and_packed, by_a_replaced_commit, by_a_changed_object, by_a_link, by_a_dangling_link),
)


@pytest.mark.parametrize("held", [None, "in the worktree", "in the commit"])
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_no_command_changes_where_git_lfs_uploads(
    tmp_path: Path, way: Callable[[Path], None], held: str | None, *, nested: bool
) -> None:
    work = repository_with_a_commit(tmp_path / ("work/lib/deep" if nested else "work"))
    if held is not None:
        (work / ".lfsconfig").write_text(OURS)
    if held == "in the commit":
        git(work, "add", ".lfsconfig")
        git(work, "commit", "-qm", "ours")
        (work / ".lfsconfig").unlink()
    watch = GitWatch(lambda: [tmp_path / "work"])
    watch.accept_current()
    watch.accept_current()
    way(work)
    assert "elsewhere" in read_by_git_lfs(work)
    assert "Git LFS" in "".join(watch.undo_changes())
    assert read_by_git_lfs(work) == (OURS if held else "")
    assert watch.undo_changes() == []


@pytest.mark.parametrize("held", [None, OURS])
@pytest.mark.parametrize("target", ["same", "/proc/self/cwd/made", "made", "a" * 300, "/proc/1/root"])
def test_a_link_that_git_lfs_follows_elsewhere_is_put_aside(tmp_path: Path, target: str, held: str | None) -> None:
    work = repository_with_a_commit(tmp_path / "work")
    file = work / ".lfsconfig"
    if held is not None:
        file.write_text(held)
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    (work / "same").write_text(held or "")  # what it says from here
    file.unlink(missing_ok=True)
    file.symlink_to(target)
    assert "Git LFS" in "".join(watch.undo_changes())
    assert not file.is_symlink()
    assert read_by_git_lfs(work) == (held or "")


def test_a_link_of_the_user_stays_what_git_lfs_reads(tmp_path: Path) -> None:
    work = repository_with_a_commit(tmp_path / "work")
    (work / ".lfsconfig").symlink_to("made")
    (work / "made").write_text(OURS)
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    git(work, "commit", "-q", "--allow-empty", "-m", "x")
    assert watch.undo_changes() == []
    (work / "made").write_text(ELSEWHERE)
    assert "Git LFS" in "".join(watch.undo_changes())
    assert read_by_git_lfs(work) == OURS


def test_of_a_new_worktree_git_lfs_reads_what_it_reads_of_the_repository(tmp_path: Path) -> None:
    work = repository_with_a_commit(tmp_path / "work")
    watch = GitWatch(lambda: [tmp_path])
    watch.accept_current()
    git(work, "checkout", "-qb", "other")
    committed(work)
    git(work, "checkout", "-qf", "main")
    git(work, "worktree", "add", "-q", "second", "other")
    assert "Git LFS" in "".join(watch.undo_changes())
    assert read_by_git_lfs(work / "second") == read_by_git_lfs(work) == ""


def test_a_repository_around_the_workspace_keeps_where_git_lfs_uploads(tmp_path: Path) -> None:
    work = repository_with_a_commit(tmp_path / "work")
    (work / "part").mkdir()
    watch = GitWatch(lambda: [work / "part"])
    watch.accept_current()
    committed(work)
    assert "Git LFS" in "".join(watch.undo_changes())
    assert read_by_git_lfs(work) == ""


def test_what_the_user_committed_stays_what_git_lfs_reads(tmp_path: Path) -> None:
    work = repository_with_a_commit(tmp_path / "work")
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    committed(work)
    watch.accept_current()
    (work / "f").write_text("changed\n")
    git(work, "add", "f")
    git(work, "commit", "-qm", "third")
    assert watch.undo_changes() == []
    assert "elsewhere" in read_by_git_lfs(work)
    git(work, "checkout", "-q", "HEAD", "--", ".lfsconfig")
    assert watch.undo_changes() == []


def test_a_new_repository_has_the_lfsconfig_of_its_project(tmp_path: Path) -> None:
    repository_with_a_commit(tmp_path / "from")
    in_the_worktree(tmp_path / "from")
    git(tmp_path / "from", "add", ".lfsconfig")
    git(tmp_path / "from", "commit", "-qm", "second")
    (tmp_path / "work").mkdir()
    watch = GitWatch(lambda: [tmp_path / "work"])
    watch.accept_current()
    git(tmp_path / "work", "clone", "-q", str(tmp_path / "from"), "new")
    assert watch.undo_changes() == []
    assert (tmp_path / "work/new/.lfsconfig").read_text() == ELSEWHERE


def test_git_runs_and_fetches_nothing_while_it_reads_for_git_lfs(tmp_path: Path) -> None:
    """The settings of before are the user's: a missing object makes Git fetch it, by a program if they name one."""
    work = repository_with_a_commit(tmp_path / "work")
    git(work, "config", "remote.origin.url", f"ext::touch {tmp_path}/ran")
    git(work, "config", "remote.origin.promisor", "true")
    git(work, "config", "extensions.partialClone", "origin")
    git(work, "config", "core.repositoryFormatVersion", "1")
    git(work, "config", "protocol.ext.allow", "always")
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    tree = output(work, "rev-parse", "HEAD^{tree}").strip()
    (work / f".git/objects/{tree[:2]}/{tree[2:]}").unlink()
    assert watch.undo_changes() == []
    assert not (tmp_path / "ran").exists()


def pack_with_a_change_of_a_huge_object(size: int) -> tuple[str, bytes, bytes]:
    """The name of an object of 100 zeros, a pack in which it is the start of one of `size` zeros, and its index."""

    def number(value: int, bits: int, kind: int = 0) -> bytes:
        found, value = [kind << 4 | value & (1 << bits) - 1], value >> bits
        while value:
            found[-1] |= 128
            found, value = [*found, value & 127], value >> 7
        return bytes(found)

    zeros, packer = bytes(1 << 20), zlib.compressobj(1)
    name = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    packed: list[bytes] = []
    for _ in range(size >> 20):
        name.update(zeros)
        packed.append(packer.compress(zeros))
    change = number(size, 7) + number(100, 7) + b"\x90\x64"
    huge = number(size, 4, 3) + b"".join((*packed, packer.flush()))
    small = number(len(change), 4, 7) + name.digest() + zlib.compress(change)
    of_small = hashlib.sha1(b"blob 100\0" + bytes(100), usedforsecurity=False)
    pack = b"PACK" + struct.pack(">2I", 2, 2) + huge + small
    pack += hashlib.sha1(pack, usedforsecurity=False).digest()
    places = sorted([(name.digest(), 12, zlib.crc32(huge)), (of_small.digest(), 12 + len(huge), zlib.crc32(small))])
    counts = [sum(one[0] <= first for one, _, _ in places) for first in range(256)]
    index = b"\xfftOc" + struct.pack(">257I", 2, *counts) + b"".join(one for one, _, _ in places)
    index += struct.pack(">4I", *(one[2] for one in places), *(one[1] for one in places)) + pack[-20:]
    return of_small.hexdigest(), pack, index + hashlib.sha1(index, usedforsecurity=False).digest()


def test_a_huge_object_takes_no_memory_from_the_user(tmp_path: Path) -> None:
    work = repository_with_a_commit(tmp_path / "work")
    code = (
        "import resource, sys\nfrom pathlib import Path\n"
        "from kimi_tui.tools.shell_support.git_watch import GitWatch\n"
        "watch = GitWatch(lambda: [Path(sys.argv[1])])\nwatch.accept_current()\nprint(flush=True)\ninput()\n"
        "print(*watch.undo_changes(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    argv = [sys.executable, "-c", code, str(work)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        watching.stdout.readline()
        name, pack, index = pack_with_a_change_of_a_huge_object(600 << 20)
        for end, content in (("pack", pack), ("idx", index)):
            (work / f".git/objects/pack/pack-{pack[-20:].hex()}.{end}").write_bytes(content)
        assert output(work, "cat-file", "--batch-check", text=f"{name}\n").strip() == f"{name} blob 100"
        git(work, "update-index", "--add", "--cacheinfo", f"100644,{name},.lfsconfig")
        undone, _, kibibytes = watching.communicate("\n")[0].strip().rpartition(" ")
    assert "Git LFS" in undone
    assert int(kibibytes) < 500 << 10


def test_a_pipe_among_the_objects_holds_no_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kimi_tui.tools.shell_support.lfs_config._SECONDS", 0.5)
    work = repository_with_a_commit(tmp_path / "work")
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    head = output(work, "rev-parse", "HEAD").strip()
    place = work / f".git/objects/{head[:2]}/{head[2:]}"
    place.unlink()
    os.mkfifo(place)
    assert "Git LFS" in "".join(watch.undo_changes())


@pytest.mark.parametrize("name", ["HEAD", "index", "config", "commondir", "packed-refs"])
def test_no_program_is_started_where_git_would_wait_at_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    work = repository_with_a_commit(tmp_path / "work")
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    file = work / ".git" / name
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    monkeypatch.setattr("kimi_tui.tools.shell_support.lfs_config._SECONDS", 60.0)
    began = time.monotonic()
    watch.undo_changes()
    assert time.monotonic() - began < 10
