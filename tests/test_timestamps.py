"""Times of one process are those of a clock that only goes forward."""

import time
from pathlib import Path

import pytest

from kimi_tui.jsonl import JsonlWriter
from kimi_tui.timestamps import steady_time
from kimi_tui.tools.shell_support.background import BackgroundTask
from kimi_tui.wire.events import StepBegin
from kimi_tui.wire.recorder import Recorder, read_recorded


def test_the_times_of_a_process_begin_with_those_of_the_system() -> None:
    assert abs(steady_time() - time.time()) < 3600


@pytest.mark.parametrize("jump", [86_400, -86_400])
def test_a_clock_that_jumps_changes_no_duration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: int) -> None:
    recorder = Recorder(writer := JsonlWriter(tmp_path / "wire.jsonl"))
    task = BackgroundTask("b1", "x", tmp_path / "log")
    recorder(StepBegin(n=1))
    changed = time.time() + jump
    monkeypatch.setattr(time, "time", lambda: changed)
    recorder(StepBegin(n=2))
    writer.close()
    first, second = (one.timestamp for one in read_recorded(tmp_path / "wire.jsonl"))
    assert 0 <= second - first < 3600
    assert "86400" not in task.line
