"""What the check after a command takes as right, while another process changes it."""

from pathlib import Path

import pytest

from kimi_tui.tools.shell_support.git_watch import GitWatch
from tests.tools.harness import git

_ACTING = "[core]\n\tfsmonitor = ./planted\n"


@pytest.mark.parametrize("moment", range(6))
def test_settings_that_change_during_a_check_are_undone_by_it_or_by_the_next(tmp_path: Path, moment: int) -> None:
    git(tmp_path, "init", "-q")
    config = tmp_path / ".git/config"
    before = config.read_text("utf-8")
    looked = -100

    def folders() -> list[Path]:
        """The watch asks for its folders several times in a check."""
        nonlocal looked
        if looked == moment:
            config.write_text(before + _ACTING, "utf-8")
        looked += 1
        return [tmp_path]

    watch = GitWatch(folders)
    watch.accept_current()
    looked = 0
    done = watch.undo_changes()
    if looked <= moment:
        config.write_text(before + _ACTING, "utf-8")
    done += watch.undo_changes()
    assert config.read_text("utf-8") == before
    assert [text.partition(" ")[0] for text in done] == ["core.fsmonitor"]
