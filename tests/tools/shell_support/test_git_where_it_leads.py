"""Settings and hooks of Git that are found by way of a worktree, another file, a link or a folder that was closed."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.file_support.git_dirs import git_dir_at
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.bwrap_args import SandboxFeatures, sandbox_argv
from kimi_tui.tools.shell_support.command_parser import parse_command_line
from kimi_tui.tools.shell_support.git_watch import GitWatch
from kimi_tui.tools.shell_support.safe_rename import ASIDE
from kimi_tui.tools.shell_support.shown_remotes import shown_remotes
from tests.tools.harness import git, repository_with_a_commit
from tests.tools.ordinary_user import run_as_ordinary_user

_CLOSED = """
import subprocess
from pathlib import Path
from kimi_tui.tools.shell_support.git_watch import GitWatch

work = Path("work").resolve()
inner = work.joinpath(*"abcdefgh")
inner.mkdir(parents=True)
watch = GitWatch(lambda: [work])
watch.accept_current()
subprocess.run(["git", "init", "-q", inner], check=True)
with (inner / ".git/config").open("a") as file:
    file.write("[core]\\n\\tfsmonitor = ./planted\\n")
for folder in (inner, *inner.parents[:7]):
    folder.chmod(0o311)
print(watch.undo_changes())
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return repository_with_a_commit(tmp_path / "work")


def _watch(work: Path) -> GitWatch:
    watch = GitWatch(lambda: [work])
    watch.accept_current()
    return watch


def _with_hooks(work: Path) -> Path:
    """Let the repository have a hook in its worktree."""
    (work / "hooks").mkdir()
    (work / "hooks/pre-commit").write_text("#!/bin/sh\n")
    git(work, "add", "hooks")
    git(work, "commit", "-qm", "hooks")
    git(work, "config", "core.hooksPath", "hooks")
    return work


def _with_submodule(work: Path, name: str) -> None:
    """Make a submodule as Git does."""
    repository_with_a_commit(work / name)
    git(work, "submodule", "--quiet", "add", f"./{name}")
    git(work, "submodule", "--quiet", "absorbgitdirs")


def test_a_repository_below_many_folders_that_cannot_be_listed_is_checked() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        assert "core.fsmonitor" in run_as_ordinary_user(["-c", _CLOSED], Path(folder))


@pytest.mark.parametrize("place", ["../../hooks", "../..", "../../modules/sub/info", "../../../bare/hooks"])
def test_no_submodule_has_its_worktree_in_a_git_directory(work: Path, place: str) -> None:
    """Git would write hooks there once the user checks something out in the submodule."""
    git(work, "init", "-q", "--bare", "bare")
    watch = _watch(work)
    _with_submodule(work, "sub")
    git(work / "sub", "config", "core.worktree", place)
    assert "core.worktree" in "".join(watch.undo_changes())
    assert "worktree" not in (work / ".git/modules/sub/config").read_text()


def test_a_submodule_keeps_its_worktree_in_a_folder_beside_objects(tmp_path: Path) -> None:
    """Some keep the worktrees of a bare repository in it."""
    source = repository_with_a_commit(tmp_path / "source")
    git(tmp_path, "clone", "-q", "--bare", str(source), "project")
    git(tmp_path / "project", "worktree", "add", "-q", "tree", "main")
    watch = _watch(tmp_path / "project")
    _with_submodule(tmp_path / "project/tree", "sub")
    assert watch.undo_changes() == []


def test_hooks_in_a_linked_worktree_are_guarded(work: Path) -> None:
    tree = work.with_name("tree")
    git(_with_hooks(work), "worktree", "add", "-q", str(tree))
    found = git_dir_at(tree / ".git")
    assert found is not None
    assert tree / "hooks" in found.guarded


def test_hooks_in_a_submodule_are_guarded(work: Path) -> None:
    _with_submodule(work, "sub")
    _with_hooks(work / "sub")
    found = git_dir_at(work / "sub/.git")
    assert found is not None
    assert work / "sub/hooks" in found.guarded


@pytest.mark.parametrize("link", [False, True], ids=["a file", "a link"])
def test_hooks_are_guarded_where_a_git_file_or_a_link_names_a_folder_that_does_not_name_it(
    work: Path, *, link: bool
) -> None:
    elsewhere = (_with_hooks(work) / ".git").rename(work.with_name("elsewhere"))
    if link:
        (work / ".git").symlink_to(elsewhere)
    else:
        (work / ".git").write_text(f"gitdir: {elsewhere}\n")
    box = SandboxFeatures("bwrap", work.with_name("private"))
    box.private.mkdir()
    argv = sandbox_argv(box, SandboxConfig(), Workspace(work), unstarted=box.private / "unstarted")
    hooks = str(work / "hooks")
    assert ["--ro-bind", hooks, hooks] in [argv[at : at + 3] for at in range(len(argv))]


def test_new_hooks_in_a_linked_worktree_are_put_aside(work: Path) -> None:
    git(work, "config", "core.hooksPath", "hooks")
    git(work, "worktree", "add", "-q", "tree")
    watch = _watch(work)
    (work / "tree/hooks").mkdir()
    assert "tree/hooks` was put aside" in "".join(watch.undo_changes())
    assert (work / f"tree/hooks{ASIDE}").is_dir()


@pytest.mark.parametrize(("changed", "others_run", "kept"), [("", False, True), ("x", False, False), ("", True, False)])
def test_a_new_worktree_keeps_the_hooks_that_the_main_one_has(
    work: Path, changed: str, *, others_run: bool, kept: bool
) -> None:
    """While other commands run, they could change them before a mount guards them."""
    watch = _watch(_with_hooks(work))
    git(work, "worktree", "add", "-q", "tree")
    with (work / "tree/hooks/pre-commit").open("a") as file:
        file.write(changed)
    assert (watch.undo_changes(others_run=others_run) == []) == kept
    assert (work / "tree/hooks").exists() == kept


def test_what_included_settings_name_is_guarded(work: Path) -> None:
    git(work, "config", "include.path", "../settings/git")
    for name in ("settings", "hooks"):
        (work / name).mkdir()
    (work / "settings/git").write_text("[core]\n\thooksPath = hooks\n[include]\n\tpath = more\n")
    (work / "settings/more").write_text("[user]\n\tname = n\n")
    watch = _watch(work)
    found = git_dir_at(work / ".git")
    assert found is not None
    git(work, "worktree", "add", "-q", "tree")
    assert watch.undo_changes() == []
    assert {work / "hooks", work / "settings/git", work / "settings/more"} <= {
        Path(os.path.normpath(path)) for path in found.guarded
    }


def test_hooks_behind_a_link_that_a_command_replaced_are_put_aside(work: Path) -> None:
    (work / "tools").mkdir()
    (work / "hooks").symlink_to("tools")
    git(work, "config", "core.hooksPath", "hooks")
    watch = _watch(work)
    (work / "hooks").unlink()
    (work / "hooks").mkdir()
    assert "hooks` was put aside" in "".join(watch.undo_changes())
    assert not (work / "hooks").exists()


def test_a_git_file_that_leads_elsewhere_by_another_link_is_put_aside(work: Path) -> None:
    other = repository_with_a_commit(work.with_name("other"))
    watch = _watch(work)
    _with_submodule(work, "sub")
    (work / "link").symlink_to(".git/modules/sub")
    (work / "sub/.git").write_text("gitdir: ../link\n")
    assert watch.undo_changes() == []
    (work / "link").unlink()
    (work / "link").symlink_to(other / ".git")
    assert "sub/.git` was put aside" in "".join(watch.undo_changes())
    assert not (work / "sub/.git").exists()


def test_a_worktree_that_is_elsewhere_by_a_new_link_is_not_repaired_there(work: Path) -> None:
    elsewhere = work.with_name("elsewhere")
    (elsewhere / "tree").mkdir(parents=True)
    watch = _watch(work)
    git(work, "worktree", "add", "-q", "tree")
    (work / ".git/worktrees/tree/gitdir").write_text(f"{work}/link/tree/.git\n")
    assert watch.undo_changes() == []
    (work / "link").symlink_to(elsewhere)
    assert "gitdir` was put aside" in "".join(watch.undo_changes())
    git(work, "worktree", "repair")
    assert list((elsewhere / "tree").iterdir()) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('[url "mine"]\n\tinsteadOf = https:\n', '[url "evil"]\n\tinsteadOf = https:\n'),
        ('[alias]\n\tx = "!true \\\n; echo"\n', '[alias]\n\tx = "!true \\\n; planted\\\n; echo"\n'),
        ('[alias]\n\tx = "!true \\\n; echo"\n\ty = "!a \\\nb"\n', '[alias]\n\tx = "!true \\\nb"\n'),
        ("[merge]\n[pager] diff = cat\n", "[merge]\n[pager] diff = cat\n\tlog = planted\n"),
    ],
    ids=["another subsection", "a line that looks like a comment", "parts of two values", "a section in the line"],
)
def test_settings_of_the_user_are_known_as_a_whole(work: Path, before: str, after: str) -> None:
    config = work / ".git/config"
    start = config.read_text()
    config.write_text(start + before)
    watch = _watch(work)
    assert watch.undo_changes() == []
    config.write_text(start + after)
    assert watch.undo_changes() != []
    assert config.read_text() == start + before


@pytest.mark.parametrize("folder", [".git/hooks", "hooks"])
def test_a_script_to_which_a_hook_is_a_link_is_guarded(work: Path, folder: str) -> None:
    if folder == "hooks":
        _with_hooks(work)
    script = work / "scripts/check"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    (work / folder / "post-commit").symlink_to(os.path.relpath(script, work / folder))
    found = git_dir_at(work / ".git")
    assert found is not None
    assert script in found.guarded
    assert found.writable


def test_a_script_that_appears_where_a_hook_leads_is_put_aside(work: Path) -> None:
    (work / ".git/hooks/post-commit").symlink_to("../../check")
    watch = _watch(work)
    (work / "check").write_text("#!/bin/sh\n")
    assert "check` was put aside" in "".join(watch.undo_changes())
    assert not (work / "check").exists()


def test_the_list_of_submodules_moves_their_remotes_alone(work: Path) -> None:
    _with_submodule(work, "sub")
    git(work, "remote", "add", "origin", "https://example.org/a")
    watch = _watch(work)
    shown = shown_remotes(parse_command_line("git submodule sync"))
    git(work / "sub", "config", "remote.origin.url", "https://example.org/moved")
    assert watch.undo_changes(remotes=shown) == []
    git(work, "config", "remote.origin.url", "https://evil.example/")
    assert "remote.origin.url" in "".join(watch.undo_changes(remotes=shown))
    assert "evil" not in (work / ".git/config").read_text()


@pytest.mark.parametrize("place", ["sub/.git", "sub"])
def test_a_new_repository_over_tracked_files_pushes_nowhere(work: Path, place: str) -> None:
    (work / "sub").mkdir()
    (work / "sub/g").write_text("g\n")
    git(work, "add", "sub")
    watch = _watch(work)
    git(work, "init", "-q", "--bare", place)
    git(work / place, "config", "core.bare", "false")
    git(work / place, "config", "remote.origin.url", "https://evil.example/")
    assert "remote.origin.url" in "".join(watch.undo_changes())
    assert not (work / place / "config").exists()


def test_a_new_submodule_over_tracked_files_is_put_aside(work: Path) -> None:
    (work / "sub").mkdir()
    (work / "sub/g").write_text("g\n")
    git(work, "add", "sub")
    watch = _watch(work)
    (work / ".git/modules").mkdir()
    git(work, "init", "-q", "--separate-git-dir", str(work / ".git/modules/sub"), "sub")
    assert "sub/.git` was put aside" in "".join(watch.undo_changes())


def test_a_new_repository_beside_tracked_files_keeps_its_remotes(work: Path) -> None:
    watch = _watch(work)
    git(work, "clone", "-q", ".", "sub/deeper")
    assert watch.undo_changes() == []
    assert "origin" in (work / "sub/deeper/.git/config").read_text()


@pytest.mark.parametrize("linked", [False, True])
def test_git_finds_the_repository_after_a_command_removed_its_head(work: Path, linked: bool) -> None:
    watch = _watch(work)
    (work / ".git/HEAD").unlink()
    if linked:
        (work / ".git/HEAD").symlink_to("refs/heads/main")
    assert "HEAD` came back" in "".join(watch.undo_changes())
    assert (work / ".git/HEAD").read_text() == "ref: refs/heads/main\n"


@pytest.mark.parametrize("mode", [0o644, 0])
def test_git_finds_the_repository_after_a_command_broke_its_head(work: Path, mode: int) -> None:
    watch = _watch(work)
    (work / ".git/HEAD").write_text("x\n")
    (work / ".git/HEAD").chmod(mode)
    assert "HEAD` came back" in "".join(watch.undo_changes())
    assert (work / ".git/HEAD").read_text() == "ref: refs/heads/main\n"
    git(work, "checkout", "-q", "--detach")
    assert watch.undo_changes() == []


def test_a_repository_that_is_deleted_gets_no_head_again(work: Path) -> None:
    git(work, "init", "-q", "--bare", "b")
    watch = _watch(work)
    shutil.rmtree(work / "b/objects")
    (work / "b/HEAD").unlink()
    assert watch.undo_changes() == []


def test_a_new_repository_around_git_pushes_nowhere(work: Path) -> None:
    watch = _watch(work)
    git(work.parent, "init", "-q", "--bare", "work")
    git(work.parent, "--git-dir=work", "config", "remote.origin.url", "https://evil.example/")
    assert "remote.origin.url" in "".join(watch.undo_changes())
