"""What the terminal is told beside the picture."""

import pytest

from kimi_tui.ui.tui.terminal.escape_sequences import TaskbarProgress


@pytest.mark.parametrize("environ", [{"TERM_PROGRAM": "ghostty"}, {"TERM_PROGRAM": "WezTerm"}, {"WT_SESSION": "1"}])
def test_progress_is_told_once_a_change_to_who_understands_it(environ: dict[str, str]) -> None:
    written: list[str] = []
    mark = TaskbarProgress(written.append, environ)
    for progress in ("none", "working", "working", "waiting", "none", "none"):
        mark.show(progress)
    assert written == ["\x1b]9;4;3\x07", "\x1b]9;4;4;100\x07", "\x1b]9;4;0\x07"]


@pytest.mark.parametrize(
    "environ",
    [{}, {"TERM_PROGRAM": "Apple_Terminal"}, {"TERM_PROGRAM": "ghostty", "TMUX": "x"}, {"STY": "1", "WT_SESSION": "1"}],
)
def test_others_would_show_it_as_a_notification_and_are_told_nothing(environ: dict[str, str]) -> None:
    written: list[str] = []
    TaskbarProgress(written.append, environ).show("working")
    assert written == []
