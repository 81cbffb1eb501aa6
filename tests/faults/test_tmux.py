"""In tmux, which keeps a grid of its own: borders stand in one column, and what is copied is in its buffer."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.terminal import scripted
from tests.soul.scripted_engine import tool_call

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux; install it with: apt-get install tmux"),
]
ODD = "世界 👩\u200d👩\u200d👧 🇨🇳🇩🇪 हिन्दी में ภาษาน้ำ שָׁלוֹם مرحبا e\u0302\u0301 👍🏽 ⚠\ufe0f 1\ufe0f\u20e3 한"


class Tmux:
    """A server of its own; what is run in it is the program."""

    def __init__(self, folder: Path, arguments: list[str], *, columns: int = 140, rows: int = 30) -> None:
        self._socket = folder / "tmux"
        self._env = {name: value for name, value in os.environ.items() if name not in ("TMUX", "COLUMNS", "LINES")}
        command = shlex.join([sys.executable, "-m", "kimi_tui", *arguments])
        self.run("new-session", "-d", "-x", str(columns), "-y", str(rows), command)

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-u", "-S", str(self._socket), "-f", "/dev/null", *arguments],
            env=self._env | {"LANG": "C.UTF-8", "TERM": "xterm-256color"}, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def lines(self) -> list[str]:
        return self.run("capture-pane", "-p").splitlines()

    def type(self, text: str) -> None:
        self.run("send-keys", "-l", text)

    def wait_for(self, text: str, seconds: float = 20) -> None:
        until = time.monotonic() + seconds
        while text not in (shown := "\n".join(self.lines)):
            assert time.monotonic() < until, f"{text!r} does not come; on screen:\n{shown}"
            time.sleep(0.05)


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / f"{ODD}.txt").touch()
    arguments = scripted(tmp_path, f"text: {ODD}", tool_call("Shell", command=f"mkdir '{ODD}'"))
    one = Tmux(tmp_path, arguments)
    yield one
    one.run("kill-server")


def check_border(lines: list[str]) -> None:
    """Between the conversation and the list of flows, which begins in the fourth column behind it."""
    for line in lines[2:26]:
        right = re.split("[│┤]", line)[-1]
        assert right != line, (line, lines)
        assert re.fullmatch(r"(   \S.*)?", right), lines


def test_odd_characters_move_no_border_in_conversation_composer_menu_and_dialog(tmux: Tmux) -> None:
    tmux.wait_for("─ flows")
    tmux.wait_for("○ ready")
    tmux.type(ODD)
    tmux.wait_for("› 世界")
    check_border(tmux.lines)
    tmux.run("send-keys", "Enter")
    tmux.wait_for("▌you  世界")
    tmux.wait_for("  世界 👩")
    tmux.run("send-keys", "F7")  # the right column closes when a conversation begins
    tmux.wait_for("─ flows")
    check_border(tmux.lines)
    tmux.type("@")
    tmux.wait_for("한.")
    check_border(tmux.lines)
    tmux.run("send-keys", "BSpace")
    tmux.type("run it")
    tmux.wait_for("› run it")  # an Enter within milliseconds of it would be one of a paste
    tmux.run("send-keys", "Enter")
    tmux.wait_for("Yes, this once")
    rows = tmux.lines
    top = next(number for number, line in enumerate(rows) if "╭─ approval" in line)
    bottom = next(number for number, line in enumerate(rows) if "╰─" in line)
    ends = {line.split("│")[2] for line in rows[top + 1 : bottom]}
    assert len(ends) == 1, rows


def test_a_copy_is_in_the_buffer_of_tmux(tmux: Tmux) -> None:
    tmux.wait_for("○ ready")
    tmux.type("copy me")
    tmux.wait_for("› copy me")
    for _ in range(7):
        tmux.run("send-keys", "S-Left")
    tmux.run("send-keys", "C-c")
    tmux.wait_for("copied")
    until = time.monotonic() + 10
    while tmux.run("list-buffers", "-F", "#{buffer_sample}") != "copy me\n":
        assert time.monotonic() < until, tmux.run("list-buffers")
        time.sleep(0.05)
