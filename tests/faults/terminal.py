"""The program in a terminal of its own: every byte that it writes is kept, and drawn as a terminal would."""

import fcntl
import os
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pyte
from ptyprocess import PtyProcess

ENTERED = b"\x1b[?1049h"
LEFT = b"\x1b[?1049l"
"""The alternate screen, entered and left."""

_DROPPED = ("TMUX", "NO_COLOR", "COLUMNS", "LINES", "COLORTERM")


class Terminal:
    """`wrapper` is a program that runs it. Leaving the block closes the terminal and ends what ran in it."""

    def __init__(
        self,
        arguments: list[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        rows: int = 30,
        columns: int = 100,
        wrapper: tuple[str, ...] = (),
        module: str = "kimi_tui",
    ) -> None:
        whole = {name: value for name, value in os.environ.items() if name not in _DROPPED}
        whole |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", **(env or {})}
        argv = [*wrapper, sys.executable, "-P", "-m", module, *arguments]
        self.process = PtyProcess.spawn(argv, cwd=str(cwd), env=whole, dimensions=(rows, columns))
        self.raw = b""
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._settings = termios.tcgetattr(self.process.fd)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.process.close(force=True)
        finally:
            with suppress(ProcessLookupError):  # what a wrapper started, and ignores the signal of a closed terminal
                os.killpg(self.process.pid, signal.SIGKILL)

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def read(self, seconds: float) -> bytes:
        """What comes within this time; at once when something is there."""
        ready, _, _ = select.select([self.process.fd], [], [], seconds)
        if not ready:
            return b""
        try:
            piece = os.read(self.process.fd, 1 << 16)
        except OSError:
            return b""
        self.raw += piece
        self._stream.feed(piece)
        return piece

    def wait(self, condition: Callable[[], object], *, seconds: float = 20) -> None:
        """Read until it holds."""
        until = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < until, f"it did not happen; on screen:\n{self.text}"
            if not self.read(0.05):
                assert condition() or self.process.isalive(), f"it has ended; on screen:\n{self.text}"

    def wait_for(self, text: str, *, seconds: float = 20) -> None:
        self.wait(lambda: text in self.text, seconds=seconds)

    def settle(self, seconds: float = 0.4) -> None:
        """Read until nothing comes for so long, or it never ends."""
        until = time.monotonic() + 5
        while self.read(seconds) and time.monotonic() < until:
            pass

    @property
    def is_set_as_before(self) -> bool:
        """The terminal echoes, waits for lines and so on, as it did in the beginning."""
        return termios.tcgetattr(self.process.fd) == self._settings

    def type(self, keys: bytes) -> None:
        os.write(self.process.fd, keys)

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.process.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def end(self, seconds: float = 10) -> int:
        """Read to the end; the exit status, 128 + signal where it was killed."""
        until = time.monotonic() + seconds
        while self.process.isalive():
            assert time.monotonic() < until, f"it does not end; on screen:\n{self.text}"
            self.read(0.05)
        while self.read(0.05):
            pass
        if self.process.signalstatus is not None:
            return 128 + int(self.process.signalstatus)
        return int(self.process.exitstatus)


def scripted(folder: Path, *replies: str, config: str = "") -> list[str]:
    """Options for a model that gives these replies, working in `folder/work`."""
    import json

    (folder / "work").mkdir(exist_ok=True)
    script = folder / "script.json"
    script.write_text(json.dumps(list(replies)), "utf-8")
    file = folder / "config.yaml"
    providers = f"providers: {{s: {{type: scripted, scripts: {script}}}}}"
    file.write_text(f"{providers}\nmodels: {{m: {{provider: s, model: scripted}}}}\n{config}", "utf-8")
    return ["--work-dir", str((folder / "work").resolve()), "--config-file", str(file)]
