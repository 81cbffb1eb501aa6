"""Programs that write much, run long or leave others behind."""

import subprocess
import sys
import time

import pytest

from kimi_tui.program_output import OutputTooLargeError, program_output


def test_the_output_of_a_program_that_ends_is_whole() -> None:
    assert program_output(["printf", "abc"], most=3, seconds=10) == b"abc"


def test_a_program_that_writes_without_end_is_ended() -> None:
    with pytest.raises(OutputTooLargeError):
        program_output(["yes"], most=1 << 20, seconds=30)


def test_what_a_program_leaves_behind_with_its_output_open_ends_in_time() -> None:
    started_at = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        program_output(["sh", "-c", "sleep 60 & echo x"], most=100, seconds=0.5)
    assert time.monotonic() - started_at < 20


def test_a_program_that_fails_or_is_missing_gives_no_output() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        program_output([sys.executable, "-c", "print(1); raise SystemExit(3)"], most=100, seconds=30)
    with pytest.raises(OSError, match="no-such-program"):
        program_output(["/no-such-program"], most=100, seconds=1)
