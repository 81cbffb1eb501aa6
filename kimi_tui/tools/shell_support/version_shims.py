"""Finds programs that a version manager starts: a file of the folder may lead it to any program.

In a `.tool-versions` of asdf and mise, `python path:FOLDER` is the interpreter in that folder.
"""

import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from kimi_tui.paths import real_path
from kimi_tui.regular_file import read_bytes

_MANAGERS = frozenset({"mise", "rtx", "asdf", "volta-shim", "proto-shim", "vfox", "rustup"})
_PLAIN_VERSIONS = re.compile(rb"(?!.*\.\.)[\w.\s-]*", re.DOTALL)
_MAX_VERSIONS = 4_096


def chosen_by_folder(program: str, folders: Iterable[Path]) -> bool:
    """Whether files of these folders, or of those above, may determine which program runs."""
    found = shutil.which(program)
    if found is None:
        return False
    real = real_path(found)
    if real.name not in _MANAGERS and "shims" not in (*Path(found).parts, *real.parts):
        return False
    if Path(found).parts[-3:-1] != (".pyenv", "shims"):
        return True
    return any(_leads_elsewhere(above / ".python-version") for folder in folders for above in (folder, *folder.parents))


def _leads_elsewhere(versions: Path) -> bool:
    """Whether this is more than names of versions: earlier releases of pyenv obeyed a path too."""
    try:
        content = read_bytes(versions, most=_MAX_VERSIONS) if os.path.lexists(versions) else b""
    except (OSError, ValueError):
        return True
    return _PLAIN_VERSIONS.fullmatch(content) is None
