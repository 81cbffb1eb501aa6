"""What a `.git` names, where a stranger may have written it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kimi_tui.soul.environment import checked_out_branch
from kimi_tui.tools.file_support.git_dirs import find_git_dir, is_in_git_dir
from kimi_tui.tools.file_support.git_index import tracked_files
from kimi_tui.tools.file_support.git_settings import runs_no_program


def loop(work: Path) -> None:
    (work / ".git").symlink_to(".git")


def named_loop(work: Path) -> None:
    (work / "loop").symlink_to("loop")
    (work / ".git").write_text("gitdir: loop\n")


def named_nul(work: Path) -> None:
    (work / ".git").write_text("gitdir: a\0b\n")


def linked_back_to_nul(work: Path) -> None:
    (work / "real").mkdir()
    (work / "real" / "gitdir").write_text("a\0b\n")
    (work / "real" / "commondir").write_text("..\n")
    (work / ".git").write_text("gitdir: real\n")


@pytest.mark.parametrize("make", [loop, named_loop, named_nul, linked_back_to_nul])
def test_a_git_file_that_leads_nowhere_is_no_repository_and_no_crash(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path)
    assert find_git_dir(tmp_path) is None
    assert checked_out_branch(tmp_path) == ""
    assert not tracked_files(tmp_path)
    assert runs_no_program(tmp_path) == (make in (named_loop, linked_back_to_nul))  # Git refuses those two itself
    assert not is_in_git_dir(tmp_path / "file")
