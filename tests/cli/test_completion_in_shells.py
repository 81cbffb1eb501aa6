"""The completion scripts in the shells themselves, on a terminal, by the Tab key."""

import os
import re
import select
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ptyprocess import PtyProcess

from kimi_tui.cli.completions import SHELLS, script
from kimi_tui.session.session import Session

_START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i", "-C"],
}
_SOURCE = {
    "bash": "bind 'set show-all-if-ambiguous on'; bind 'set enable-bracketed-paste off'; source {}",
    "zsh": "autoload -U compinit; compinit -u -D; source {}",
}


class Shell:
    """An interactive one, that knows our completions."""

    def __init__(self, name: str, folder: Path) -> None:
        file = folder / f"completion.{name}"
        file.write_text(script(name), "utf-8")
        bin_folder = str(Path(sys.executable).parent)
        env = os.environ | {
            "PATH": f"{bin_folder}:{os.environ['PATH']}",
            "TERM": "xterm",
            "PS1": "> ",
            "LANG": "C.UTF-8",
        }
        start = [*_START[name], f"source {file}; echo loaded-42"] if name == "fish" else _START[name]
        self._process = PtyProcess.spawn(start, cwd=str(folder), env=env, dimensions=(50, 200))
        self.raw = ""
        if name != "fish":
            self.type(f"{_SOURCE[name].format(file)}; echo loaded-$((6 * 7))\r")
        self.wait_for("loaded-42")

    def type(self, keys: str) -> None:
        self.raw = ""
        os.write(self._process.fd, keys.encode())

    def wait_for(self, *words: str, seconds: float = 10) -> None:
        until = time.monotonic() + seconds
        while not all(word in self.text for word in words):
            assert time.monotonic() < until, f"{words} do not come:\n{self.text}"
            if select.select([self._process.fd], [], [], 0.1)[0]:
                self.raw += os.read(self._process.fd, 65536).decode("utf-8", "replace")

    @property
    def text(self) -> str:
        return re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[()][0-9A-B]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)", "", self.raw)

    def complete(self, line: str, *words: str) -> None:
        """What comes after Tab; the line is given up then."""
        self.type(f"{line}\t\t")
        self.wait_for(*words)
        self.type("\x15")

    def close(self) -> None:
        self._process.close(force=True)


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shell]:
    if shutil.which(request.param) is None:
        pytest.skip(f"there is no {request.param}; install it with: apt-get install {request.param}")
    started = Shell(request.param, tmp_path)
    yield started
    started.close()


def test_commands_options_values_flows_and_sessions_are_completed(shell: Shell, tmp_path: Path) -> None:
    for name in ("the-first-one", "the-second-one"):
        session = Session.create(tmp_path, name)
        (session.dir / "wire.jsonl").write_text('{"type": "TurnBegin"}\n')
        session.close()
    shell.complete("kimi-tui doct", "doctor")
    shell.complete("kimi-tui flow ch", "check")
    shell.complete("kimi-tui --redu", "--reduced-motion")
    shell.complete("kimi-tui --output-format str", "stream-json")
    shell.complete("kimi-tui --flow release", "release-checklist")
    shell.complete("kimi-tui --session the-", "the-first-one", "the-second-one")
