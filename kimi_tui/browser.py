"""Opens a page in the user's browser."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path

from kimi_tui.paths import path_outside


def open_in_browser(address: str, outside: Iterable[Path]) -> threading.Thread:
    """Open the page; returns the thread that waits for the browser, which may stay in the foreground until it ends.

    Of the programs on PATH, none in these folders starts: commands of the agent could have put it there.
    """
    env = {**os.environ, "PATH": path_outside(outside)}  # defence: browser-of-the-user
    command = [sys.executable, "-I", "-m", "webbrowser", address]

    def run() -> None:
        subprocess.run(command, env=env, cwd="/", check=False)

    waiting = threading.Thread(target=run, name="browser", daemon=True)
    waiting.start()  # defence: browser-in-the-foreground
    return waiting
