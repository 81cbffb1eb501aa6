"""Files of Git's state that a command can write, and by which the user's next Git command would act elsewhere."""

import hashlib
import os
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kimi_tui.tools.shell_support import git_state, git_undo
from kimi_tui.tools.shell_support.git_state import changed_states, git_state_files, is_unsafe_state
from kimi_tui.tools.shell_support.git_watch import GitWatch
from kimi_tui.tools.shell_support.safe_rename import ASIDE
from tests.tools.harness import git, repository_with_a_commit

HASH = "a" * 40


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A repository with one commit, beside a folder `other` with a file of the user."""
    folder = repository_with_a_commit(tmp_path / "work")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").write_text("x\n")
    return folder


def index_of(work: Path, *names: str, mode: int = 0o100755) -> bytes:
    """An index with files of these names, each with the contents of `f`."""
    blob = subprocess.run(["git", "rev-parse", "HEAD:f"], cwd=work, check=True, capture_output=True, text=True).stdout
    data = b"DIRC" + struct.pack(">2I", 2, len(names))
    for name in sorted(map(os.fsencode, names)):
        entry = struct.pack(">10I", 0, 0, 0, 0, 0, 0, mode, 0, 0, 0) + bytes.fromhex(blob)
        entry += struct.pack(">H", len(name)) + name
        data += entry + b"\0" * (8 - len(entry) % 8)
    return data + hashlib.sha1(data, usedforsecurity=False).digest()


def by_the_index(work: Path) -> None:
    (work / ".git/index").write_bytes(index_of(work, "../other/file", "f"))


def by_a_shared_index(work: Path) -> None:
    by_the_index(work)
    git(work, "update-index", "--split-index")


def by_hooks_in_the_index(work: Path) -> None:
    (work / ".git/index").write_bytes(index_of(work, ".git/hooks/post-checkout", "f"))


def by_rerere(work: Path) -> None:
    cache = work / f".git/rr-cache/{HASH}"
    cache.mkdir(parents=True)
    (cache / "preimage").write_text("x\n")
    (cache / "postimage").write_text("changed\n")
    (work / ".git/MERGE_RR").write_bytes(f"{HASH}.-1\t../other/file\0".encode())


def by_rerere_behind_a_link(work: Path) -> None:
    (work / f".git/rr-cache/{HASH}").mkdir(parents=True)
    (work / "link").symlink_to("../other")
    (work / ".git/MERGE_RR").write_text(f"{HASH}\tlink/file\0")


def by_rerere_of_a_link_in_a_linked_worktree(work: Path) -> None:
    git(work, "worktree", "add", "-q", "tree")
    (work / f".git/rr-cache/{HASH}").mkdir(parents=True)
    (work / "tree/link").symlink_to("../../other/file")
    (work / ".git/worktrees/tree/MERGE_RR").write_text(f"{HASH}\tlink\0")


def by_an_old_remote(work: Path) -> None:
    (work / ".git/remotes").mkdir()
    (work / ".git/remotes/origin").write_text(f"URL: {work.parent}/other/bare\nPush: HEAD:refs/heads/x\n")


def by_an_old_branch(work: Path) -> None:
    (work / ".git/branches").mkdir(exist_ok=True)
    (work / ".git/branches/origin").write_text(f"{work.parent}/other/bare#x\n")


def in_a_rebase(work: Path) -> None:
    git(work, "checkout", "-qb", "b")
    for name in ("g", "h"):
        (work / name).write_text("g\n")
        git(work, "add", name)
        git(work, "commit", "-qm", name)
    git(work, "checkout", "-q", "main")
    (work / "i").write_text("i\n")
    git(work, "add", "i")
    git(work, "commit", "-qm", "i")
    git(work, "checkout", "-q", "b")
    git(work, "-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-qi", "main")


def by_the_strategy_of_a_rebase(work: Path) -> None:
    in_a_rebase(work)
    (work / "git-merge-..").mkdir()
    program = work / "x"
    program.write_text("#!/bin/sh\necho changed > ../other/file\n")
    program.chmod(0o755)
    (work / ".git/rebase-merge/strategy").write_text("../../x\n")


def by_an_option_of_the_strategy_of_a_rebase(work: Path) -> None:
    in_a_rebase(work)
    (work / ".git/rebase-merge/strategy").write_text("resolve\n")
    (work / ".git/rebase-merge/strategy_opts").write_text(" --index-output=../other/file\n")


def by_an_option_of_the_strategy_of_picks(work: Path) -> None:
    git(work, "checkout", "-qb", "b")
    for text in ("g\n", "h\n"):
        (work / "g").write_text(text)
        git(work, "add", "g")
        git(work, "commit", "-qm", text)
    git(work, "checkout", "-q", "main")
    (work / "g").write_text("i\n")
    git(work, "add", "g")
    git(work, "commit", "-qm", "i")
    subprocess.run(["git", "cherry-pick", "main..b"], cwd=work, check=False, capture_output=True)
    options = "[options]\n\tstrategy = resolve\n\tstrategy-option = index-output=../other/file\n"
    (work / ".git/sequencer/opts").write_text(options)


def by_the_number_of_a_step(work: Path) -> None:
    folder = work / ".git/rebase-merge"
    folder.mkdir()
    (folder / "msgnum").write_text("$(echo changed > ../other/file)\n")
    (folder / "end").write_text("2\n")


def by_the_number_of_the_last_patch(work: Path) -> None:
    folder = work / ".git/rebase-apply"
    folder.mkdir()
    (folder / "next").write_text("1\n")
    (folder / "last").write_text("`echo changed > ../other/file`\n")


def by_the_hashes_of_earlier_patches(work: Path) -> None:
    folder = work / ".git/rebase-apply"
    folder.mkdir()
    (folder / "next").write_text("1\n")
    (folder / "rewritten").write_text("--output=../other/file\nHEAD\n")


def by_the_head_of_a_rebase(work: Path) -> None:
    (work / ".git/rebase-merge").mkdir()
    (work / ".git/REBASE_HEAD").write_text("--output=../other/file\n")


def settings_of(*lines: str) -> str:
    return "\n".join(("[core]", "repositoryformatversion = 1", *lines, ""))


EVIL = settings_of("fsmonitor = echo changed >> ../../other/file")
TWO_SIZES = settings_of("[extensions]", "objectformat = sha256", "objectformat = sha1")


def read_in_two_ways(work: Path, path: str) -> bytes:
    """An index that names this path where hashes have 20 bytes, and one long harmless name where they have 32."""
    plain = index_of(work, path)[:-20].rstrip(b"\0")
    data = plain + b"A" * (8 - (len(plain) - 12) % 8)
    body = bytearray(b"A" * 0x01010101)
    flags = int.from_bytes(data[84:86])
    body[86 + (2 if flags & 0x4000 else 0) + (flags & 0xFFF) - len(data) - 8] = 0
    return data + b"AAAA" + struct.pack(">I", len(body)) + bytes(body) + b"\0" * 20


def nested(work: Path) -> Path:
    git(work, "clone", "-q", ".", "n")
    return work / "n/.git"


def by_settings_with_two_sizes_of_hashes(work: Path) -> None:
    git_dir = nested(work)
    (git_dir / "index").write_bytes(read_in_two_ways(work, "../../other/file"))
    (git_dir / "config").write_text(TWO_SIZES)


def by_settings_that_only_seem_to_name_the_hashes(work: Path) -> None:
    by_settings_with_two_sizes_of_hashes(work)
    (work / "n/.git/config").write_text('[core]\n[extensions "x"]\nobjectformat = sha256\n')


def by_settings_that_a_worktree_does_not_use(work: Path) -> None:
    git(work, "worktree", "add", "-q", "tree")
    git_dir = work / ".git/worktrees/tree"
    (git_dir / "index").write_bytes(read_in_two_ways(work, "../../other/file"))
    (git_dir / "config").write_text(settings_of("[extensions]", "objectformat = sha256"))


def by_the_name_of_a_setting_that_ends_at_a_nul(work: Path) -> None:
    (nested(work) / "config").write_text(settings_of('[core "fsmonitor\0x"]', "eol = echo changed >> ../../other/file"))


def by_an_index_without_settings(work: Path) -> None:
    git_dir = nested(work)
    (git_dir / "config").unlink()
    (git_dir / "index").write_bytes(index_of(work, "../../other/file"))


def by_a_blank_behind_the_common_folder(work: Path) -> None:
    git(work, "worktree", "add", "-q", "tree")
    common = work / ".git/worktrees/.. "
    for name in ("objects", "refs"):
        (common / name).mkdir(parents=True)
    (common / "config").write_text(EVIL)
    (work / ".git/worktrees/tree/commondir").write_text("../.. \n")


def by_a_blank_before_the_folder_of_a_git_file(work: Path, name: bytes = b" ..") -> None:
    git(work, "worktree", "add", "-q", "tree")
    hidden = work / ".git/objects/ab/x/.git/worktrees/tree"
    git(work, "init", "-q", "--bare", str(hidden))
    (hidden / "config").write_text(EVIL)
    (work / "tree" / os.fsdecode(name)).symlink_to("../.git/objects/ab/x")
    (work / "tree/.git").unlink()
    (work / "tree/.git").write_bytes(b"gitdir: " + name + b"/.git/worktrees/tree\n")


def by_bytes_that_are_no_text_in_a_git_file(work: Path) -> None:
    by_a_blank_before_the_folder_of_a_git_file(work, b"\xff")
    (work / "tree/\ufffd").symlink_to("..")


def by_a_link_within_the_git_directory(work: Path) -> None:
    (work / ".git/logs/HEAD").unlink()
    (work / ".git/logs/HEAD").symlink_to("../config")


def by_a_link_with_a_long_name(work: Path) -> None:
    git(work, "checkout", "-q", "-b", LONG)
    log = work / ".git/logs/refs/heads" / LONG
    log.unlink()
    log.symlink_to(work.parent / "other/file")


def by_links_in_the_place_of_worktrees(work: Path) -> None:
    (work / ".git/worktrees").mkdir()
    (work / ".git/worktrees/tree").symlink_to("../../../other")
    (work / f".git/worktrees/tree{ASIDE}").symlink_to("../../../other")


def by_a_remote_with_a_long_name(work: Path) -> None:
    by_an_old_remote(work)
    (work / ".git/remotes/origin").rename(work / ".git/remotes" / LONG)


def by_the_place_of_a_worktree(work: Path) -> None:
    git(work, "worktree", "add", "-q", "tree")
    (work / ".git/worktrees/tree/gitdir").write_text(f"{work.parent}/other/.git\n")


def by_the_place_of_half_a_worktree(work: Path) -> None:
    (work / ".git/worktrees/tree").mkdir(parents=True)
    (work / ".git/worktrees/tree/gitdir").write_text(f"{work.parent}/other/.git\n")


LONG = "z" * 240
COPIED = f"echo g >> f; git commit -qam second; cat .git/rr-cache/{HASH}/postimage >> ../other/file"
AT_THE_PROMPT = """bash -c '
for name in rebase-merge/msgnum rebase-merge/end rebase-apply/next rebase-apply/last; do
    read -r text < .git/$name && PS1="$PS1 $text"
done
echo "${PS1@P}"'"""
"""As Git's own script for the prompt does with PROMPT_COMMAND."""
WAYS: dict[Callable[[Path], None], str] = {
    by_the_index: "git checkout .",
    by_a_shared_index: "git checkout .",
    by_hooks_in_the_index: "git checkout .; cp .git/hooks/post-checkout ../other/file",
    by_rerere: "echo g >> f; git commit -qam second",
    by_rerere_behind_a_link: COPIED,
    by_rerere_of_a_link_in_a_linked_worktree: f"cd tree; echo g >> f; git commit -qam second; cd ..; {COPIED}",
    by_an_old_remote: "git init -q --bare ../other/bare; git push; cat ../other/bare/refs/heads/x >> ../other/file",
    by_an_old_branch: "git init -q --bare ../other/bare; git push origin HEAD:x; "
    "cat ../other/bare/refs/heads/x >> ../other/file",
    by_the_strategy_of_a_rebase: "git rebase --continue",
    by_an_option_of_the_strategy_of_a_rebase: "git rebase --continue",
    by_an_option_of_the_strategy_of_picks: "git checkout -q --theirs g; git add g; git -c core.editor=true "
    "cherry-pick --continue",
    by_the_number_of_a_step: AT_THE_PROMPT,
    by_the_number_of_the_last_patch: AT_THE_PROMPT,
    by_the_head_of_a_rebase: "git show -s --format=%s $(cat .git/REBASE_HEAD)",
    by_the_hashes_of_earlier_patches: "git log --no-walk=unsorted --pretty='%h %s' $(cat .git/rebase-apply/rewritten)",
    by_settings_with_two_sizes_of_hashes: "cd n; git checkout -f .",
    by_settings_that_only_seem_to_name_the_hashes: "cd n; git checkout -f .",
    by_settings_that_a_worktree_does_not_use: "cd tree; git checkout -f .",
    by_the_name_of_a_setting_that_ends_at_a_nul: "cd n; git status",
    by_an_index_without_settings: "cd n; git checkout -f .",
    by_a_blank_behind_the_common_folder: "cd tree; git status",
    by_a_blank_before_the_folder_of_a_git_file: "cd tree; git status",
    by_bytes_that_are_no_text_in_a_git_file: "cd tree; git status",
    by_a_link_within_the_git_directory: "git commit --allow-empty -m x; git status || echo broken > ../other/file",
    by_a_link_with_a_long_name: "git commit --allow-empty -m x",
    by_links_in_the_place_of_worktrees: "git worktree prune; test -e ../other/file || echo gone > ../other/file",
    by_a_remote_with_a_long_name: f"git init -q --bare ../other/bare; git push {LONG}; "
    "cat ../other/bare/refs/heads/x >> ../other/file",
    by_the_place_of_half_a_worktree: "git worktree repair; test -e ../other/.git && echo x >> ../other/file",
    by_the_place_of_a_worktree: "git worktree repair; test -e ../other/.git && echo x >> ../other/file",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("held", [True, False])
def test_what_git_trusts_in_its_state_does_not_act_elsewhere(
    work: Path, way: Callable[[Path], None], *, held: bool
) -> None:
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    way(work)
    undone = watch.undo_changes() if held else ["not looked at"]
    assert undone
    subprocess.run(WAYS[way], shell=True, cwd=work, check=False, capture_output=True)
    assert ((work.parent / "other/file").read_bytes() == b"x\n") is held


def test_an_index_is_checked_again_when_its_hashes_have_another_size(work: Path) -> None:
    git_dir = nested(work)
    (git_dir / "index").write_bytes(read_in_two_ways(work, "../../other/file"))
    (git_dir / "config").write_text(settings_of("[extensions]", "objectformat = sha256"))
    watch = GitWatch(lambda: [work])
    assert watch.undo_changes() == []
    (git_dir / "config").write_text(settings_of("[extensions]", "objectformat = sha1"))
    assert "index" in "".join(watch.undo_changes())
    subprocess.run(["git", "checkout", "-f", "."], cwd=work / "n", check=False, capture_output=True)
    assert (work.parent / "other/file").read_text() == "x\n"


@pytest.mark.parametrize("git_dir", [".git", ".git/worktrees/tree", ".git/modules/sub"])
def test_the_file_of_a_conflict_that_is_behind_a_new_link_is_not_read(work: Path, git_dir: str) -> None:
    git(work, "worktree", "add", "-q", "tree")
    git(work, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./", "sub")
    top = {".git": work, ".git/worktrees/tree": work / "tree"}.get(git_dir, work / "sub")
    (top / "folder").mkdir()
    state = work / git_dir / "MERGE_RR"
    state.write_text(f"{HASH}\tfolder/file\0")
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    assert watch.undo_changes() == []
    (top / "folder").rmdir()
    (top / "folder").symlink_to(work.parent)
    assert "MERGE_RR` was put aside" in "".join(watch.undo_changes())
    assert not state.exists()


def test_a_worktree_of_a_setting_that_became_a_link_is_written_no_more(work: Path) -> None:
    modules = work / "modules"
    git(work, "clone", "-q", ".", "modules")
    (work / "place").mkdir()
    git(modules, "config", "core.worktree", "../../place")
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    assert watch.undo_changes() == []
    (work / "place").rmdir()
    (work / "place").symlink_to("../other")
    assert "config" in "".join(watch.undo_changes())
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=modules, check=False)
    assert not (work.parent / "other/f").exists()


def test_what_could_not_be_undone_is_said(work: Path) -> None:
    """A link took the place of the folder, which is then none of the workspace's any more."""
    folders = [work]
    watch = GitWatch(lambda: folders)
    watch.accept_current()
    git(work, "config", "core.fsmonitor", "x")
    work.rename(work.with_name("moved"))
    work.symlink_to("moved")
    folders.clear()
    assert "could not be" in "".join(watch.undo_changes())


def test_settings_that_take_git_to_other_names_of_files_are_undone(work: Path) -> None:
    """On NTFS `git~1` is `.git`."""
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    git(work, "config", "core.protectNTFS", "false")
    assert "protectNTFS" in "".join(watch.undo_changes())
    git(work, "config", "core.protectNTFS", "true")
    assert watch.undo_changes() == []


BIG = b"a" * 100_000
FIRST = struct.pack(">10I", 0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 0) + b"\1" * 20 + b"\x0f\xff"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config", b"path\n" + b'[\\"' * 340_000),
        ("config", b"path\n" + b'[\\"\\\n' * 200_000),
        ("index", b"DIRC" + struct.pack(">2I", 4, 200_001) + FIRST + b"\0" + BIG + b"\0" + (FIRST + b"\0\0") * 200_000),
        ("index", b"DIRC" + struct.pack(">2I", 4, 1) + FIRST + b"\xff" * 8_000_000),
        ("MERGE_RR", (HASH.encode() + b"\t") * 25_000),
    ],
    ids=["quotes", "lines", "names", "number", "conflicts"],
)
def test_a_file_made_to_be_read_slowly_holds_up_no_check(work: Path, name: str, content: bytes) -> None:
    """Each took minutes or hours."""
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    (work / ".git" / name).write_bytes(content)
    undone = watch.undo_changes()
    assert name in "".join(undone)
    assert len("".join(undone)) < 2000


def test_many_links_of_one_folder_are_removed_at_once_and_noted_in_a_file(work: Path) -> None:
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    for number in range(300):
        (work / f".git/link{number}").symlink_to("/nowhere")
    [undone] = watch.undo_changes()
    assert undone.startswith("300 links")
    assert watch.undo_changes() == []
    [note] = (work / ".git").glob(f"links-*{ASIDE}")
    assert "link7 -> /nowhere\n" in note.read_text("utf-8")


def harmless(git_dir: Path) -> bool:
    found = list(git_state_files(git_dir, {}, read=False))
    assert "index" in found
    return not any(is_unsafe_state(git_dir, name) for name in found)


@pytest.mark.parametrize("version", [2, 3, 4])
@pytest.mark.parametrize("hashes", ["sha1", "sha256"])
@pytest.mark.parametrize("split", [False, True])
def test_an_index_that_git_wrote_is_harmless(tmp_path: Path, version: int, hashes: str, *, split: bool) -> None:
    git(tmp_path, "init", "-q", f"--object-format={hashes}")
    for name in ("a", "b/c", "b/d.e", "b/.gitignore", "中文", "with a\nline", "x" * 200, ".github/w", "...", "git~"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    git(tmp_path, "-c", f"index.version={version}", "add", ".")
    if split:
        git(tmp_path, "update-index", "--split-index")
        (tmp_path / "a").write_text("other")
        git(tmp_path, "add", "a")
    if version == 3:  # a flag of an entry makes it so
        (tmp_path / "later").write_text("later")
        git(tmp_path, "add", "-N", "later")
    assert int.from_bytes((tmp_path / ".git/index").read_bytes()[4:8]) == version
    assert harmless(tmp_path / ".git")


@pytest.mark.parametrize("version", [2, 4])
def test_an_index_that_threads_read_names_only_its_entries(tmp_path: Path, version: int) -> None:
    git(tmp_path, "init", "-q")
    listed = "".join(f"100644 {HASH}\tf{number}\n" for number in range(25_000))
    command = ["git", "-c", f"index.version={version}", "-c", "index.threads=2", "update-index", "--index-info"]
    subprocess.run(command, input=listed, text=True, cwd=tmp_path, check=True)
    data = (tmp_path / ".git/index").read_bytes()
    table = data.index(b"IEOT")
    assert harmless(tmp_path / ".git")
    moved = data[: table + 12] + struct.pack(">I", table + 20) + data[table + 16 :]
    (tmp_path / ".git/index").write_bytes(moved)
    assert is_unsafe_state(tmp_path / ".git", "index")


@pytest.mark.parametrize(
    "name", ["../x", "/x", "a/../../x", "a/..", ".git/x", "a/.GIT/x", ".g\u200dit/x", "a//x", "./x", "GIT~1/x", "a\0b"]
)
def test_a_path_that_leads_out_of_the_worktree_or_to_git_is_found(work: Path, name: str) -> None:
    (work / ".git/index").write_bytes(index_of(work, "a", name))
    assert is_unsafe_state(work / ".git", "index")


@pytest.mark.parametrize("data", [b"", b"DIRC", b"DIRC\0\0\0\2\0\0\0\1", b"DIRC\0\0\0\5\0\0\0\0", b"x" * 100])
def test_an_index_that_git_would_not_read_is_put_aside(work: Path, data: bytes) -> None:
    (work / ".git/index").write_bytes(data)
    assert is_unsafe_state(work / ".git", "index")


@pytest.mark.parametrize(
    ("name", "text", "acts"),
    [
        ("MERGE_RR", f"{HASH}\tf\0{HASH}.1\ta/b\0", False),
        ("MERGE_RR", "", False),
        ("MERGE_RR", f"{HASH}.-1\tf\0", True),
        ("MERGE_RR", f"{HASH}.4294967295\tf\0", True),
        ("MERGE_RR", f"{HASH}\t../f\0", True),
        ("rebase-merge/strategy", "ort\n", False),
        ("rebase-merge/strategy", "x\n", True),
        ("sequencer/opts", "[options]\n\tno-commit = true\n\tstrategy = ort\n\tstrategy-option = ours\n", False),
        ("sequencer/opts", "[options]\n\tStrategy = x\n", True),
        ("sequencer/opts", '[options]\n\tstrategy = "ort"x\n', True),
        ("sequencer/opts", "[options]\n\tstrategy-option = find-renames=50%\n", False),
        ("sequencer/opts", "[options]\n\tstrategy-option = index-output=x\n", True),
        ("rebase-merge/strategy_opts", " --ours --diff-algorithm=histogram\n", False),
        ("rebase-merge/strategy_opts", "\"--subtree=a/b\" '--ignore-all-space'", False),
        ("rebase-merge/strategy_opts", " --ours=x\n", True),
        ("rebase-merge/strategy_opts", "'--ours --index-output=x'", True),
        ("rebase-merge/msgnum", "12\n", False),
        ("rebase-apply/last", "", False),
        ("rebase-apply/next", "1$(x)\n", True),
        ("rebase-merge/end", "x\n", True),
        ("rebase-merge/rewritten-list", f"{HASH} {HASH}\n{HASH} {HASH}\n", False),
        ("rebase-apply/original-commit", "--quiet\n", True),
        ("rebase-merge/signoff", "--signoff", False),
        ("rebase-merge/allow_rerere_autoupdate", "--no-rerere-autoupdate", False),
        ("rebase-apply/quoted-cr", "nowarn", False),
        ("rebase-apply/keep", "t", False),
        ("rebase-apply/later", "--output=x", True),
        ("rebase-merge/head-name", "refs/heads/b\n", False),
        ("rebase-apply/head-name", "detached HEAD", False),
        ("rebase-merge/head-name", "--output=x", True),
        ("rebase-merge/update-refs", f"refs/heads/b\n{HASH}\n{HASH}\n", False),
        ("rebase-merge/refs-to-delete", "refs/rewritten/a\nrefs/rewritten/b\n", False),
        ("rebase-merge/refs-to-delete", f"{'a' * 50_000}--", True),
        ("rebase-merge/author-script", "GIT_AUTHOR_NAME='O'\\''N \\ $(x)'\nGIT_AUTHOR_DATE='@1 +0000'\n", False),
        ("rebase-merge/author-script", "GIT_AUTHOR_NAME='n'$(x)\n", True),
        ("rebase-apply/author-script", "GIT_AUTHOR_NAME='a' 'b'; x\n", True),
        ("rebase-apply/author-script", "GIT_AUTHOR_NAME='" + "'\\''" * 20_000, True),
        ("MERGE_HEAD", f"{HASH}\n{HASH}\n", False),
        ("MY_HEAD", "ref: refs/heads/b\n", False),
        ("MY_HEAD", "ref: x --output=x\n", True),
        ("rebase-apply/apply-opt", " '-C3' '--whitespace=fix' '--directory=a b'\n", False),
        ("rebase-apply/apply-opt", "\n", False),
        ("rebase-apply/apply-opt", " '--build-fake-ancestor=../x'\n", True),
        ("remotes/origin", "URL: x\n", True),
    ],
)
def test_the_state_of_what_is_in_progress_is_what_git_writes(work: Path, name: str, text: str, *, acts: bool) -> None:
    file = work / ".git" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    assert name in git_state_files(work / ".git", {}, read=False)
    assert is_unsafe_state(work / ".git", name) is acts


def test_git_names_its_operations_and_the_steps_of_them_itself(work: Path) -> None:
    in_a_rebase(work)
    assert harmless(work / ".git")
    git(work, "rebase", "--abort")
    git(work, "format-patch", "-q", "-o", "patches", "main..b")
    git(work, "checkout", "-q", "main")
    for text in ("i\n", "j\n"):
        (work / "g").write_text(text)
        git(work, "add", "g")
        git(work, "commit", "-qm", text)
    patches = sorted(map(str, (work / "patches").iterdir()))
    subprocess.run(["git", "am", "-3", "--whitespace=fix", *patches], cwd=work, check=False, capture_output=True)
    assert (work / ".git/rebase-apply/next").exists()
    assert harmless(work / ".git")
    git(work, "am", "--abort")
    git(work, "checkout", "-q", "b~2")
    (work / "g").write_text("k\n")
    git(work, "add", "g")
    git(work, "commit", "-qm", "k")
    picking = ["git", "cherry-pick", "-x", "--strategy=ort", "-Xpatience", "main", "b~1", "b"]
    subprocess.run(picking, cwd=work, check=False, capture_output=True)
    assert (work / ".git/sequencer/opts").exists()
    assert harmless(work / ".git")


@pytest.mark.parametrize("folder", ["hooks", "remotes", "rebase-merge"])
def test_of_many_new_files_their_folder_is_put_aside(work: Path, folder: str) -> None:
    """One by one, a hundred thousand would hold up the session for minutes."""
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    (work / ".git" / folder).mkdir(exist_ok=True)
    for number in range(300):
        (work / ".git" / folder / f"made{number}").touch()
    [undone] = watch.undo_changes()
    assert f"`{work}/.git/{folder}`" in undone
    assert not (work / ".git" / folder).exists()


@pytest.mark.parametrize("name", ["sharedindex.{:040x}", "{}_HEAD"])
def test_more_shared_indexes_and_heads_than_git_makes_are_put_aside(work: Path, name: str) -> None:
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    for number in range(300):
        made = number if "x" in name else f"{number:09b}".translate({48: "A", 49: "B"})
        (work / ".git" / name.format(made)).write_text("--x")
    [undone] = watch.undo_changes()
    assert undone.startswith("300 files")
    assert len(list((work / ".git").glob(f"*{ASIDE}"))) == 300
    assert watch.undo_changes() == []


def test_indexes_that_take_long_to_check_are_put_aside(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command makes many links to one long file."""
    first = work / f".git/sharedindex.{0:040}"
    first.write_bytes(index_of(work, "f"))
    monkeypatch.setattr(git_undo, "MAX_INDEXES", 2 * first.stat().st_size)
    first.unlink()
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    first.write_bytes(index_of(work, "f"))
    for number in (1, 2):
        first.with_name(f"sharedindex.{number:040}").hardlink_to(first)
    (undone,) = watch.undo_changes()
    assert "the indexes are too long to check" in undone
    assert [file.name.endswith(ASIDE) for file in sorted((work / ".git").glob("sharedindex.*"))] == [False, False, True]


def test_contents_that_take_long_to_read_count_as_changed(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = f"sharedindex.{0:040}"
    (work / f".git/{shared}").write_bytes((work / ".git/index").read_bytes())
    states = git_state_files(work / ".git", {}, read=True)
    assert changed_states(git_state_files(work / ".git", states, read=True), states) == set()
    monkeypatch.setattr(git_state, "MAX_INDEX", (work / ".git/index").stat().st_size)
    assert changed_states(git_state_files(work / ".git", states, read=True), states) == {shared}
