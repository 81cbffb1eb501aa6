"""The exit status, until the interpreter has ended."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [("", "kill()", 130), ("atexit.register(kill)", "", 0)],
    ids=["before the interpreter ends", "as its last step"],
)
def test_an_interrupt_after_the_end_of_the_program_shows_no_traceback(before: str, after: str, status: int) -> None:
    code = f"""
import atexit, os, signal, sys
from kimi_tui.cli.exit_status import exit_status
def kill():
    os.kill(os.getpid(), signal.SIGINT)
{before}
status = exit_status(lambda: 0, ends_process=True)
{after}
sys.exit(status)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (status, "")
