"""What the system prompt says of the machine: the system, the shell that runs commands, the branch of the project."""

import platform
import shutil
from pathlib import Path

from kimi_tui.regular_file import read_text

_MOST = 4096
_SYSTEMS = {"Darwin": "macOS"}


def system_name() -> str:
    """`Linux`, `macOS` and so on."""
    return _SYSTEMS.get(platform.system(), platform.system()) or "unknown"


def shell_name() -> str:
    """The shell that runs commands, whatever the user's own is."""
    return f"bash (`{shutil.which('bash') or '/bin/bash'}`)"


def branch_of(work_dir: Path) -> str:
    """The branch that is checked out, the first signs of a commit where none is, "" outside of a repository; read
    without running git."""
    for folder in (work_dir, *work_dir.parents):
        git = folder / ".git"
        try:
            if git.is_file():
                target = read_text(git, most=_MOST).partition("gitdir:")[2].strip()
                git = (folder / target).resolve()
            elif not git.is_dir():
                continue
            head = read_text(git / "HEAD", most=_MOST).strip()
        except (OSError, UnicodeDecodeError):
            return ""
        return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else head[:8]
    return ""
