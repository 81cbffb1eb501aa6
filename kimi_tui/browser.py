"""Opens a page in the user's browser."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from kimi_tui.paths import path_outside


def open_in_browser(address: str, outside: Iterable[Path]) -> None:
    """Open the page. Of the programs on PATH, none in these folders starts: commands of the agent could have put it
    there.
    """
    env = {**os.environ, "PATH": path_outside(outside)}  # defence: browser-of-the-user
    subprocess.run([sys.executable, "-I", "-m", "webbrowser", address], env=env, cwd="/", check=False)
