"""Machine facts for the system prompt: operating system, shell, branch of the project."""

import platform
import shutil
from pathlib import Path

from kimi_tui.paths import is_file, is_folder, real_path
from kimi_tui.regular_file import read_text

_MOST = 4096
_SYSTEMS = {"Darwin": "macOS"}


def system_name() -> str:
    """Return `Linux`, `macOS` and so on."""
    return _SYSTEMS.get(platform.system(), platform.system()) or "unknown"


def shell_name() -> str:
    """Return the shell that runs commands, which may differ from the user's own."""
    return f"bash (`{shutil.which('bash') or '/bin/bash'}`)"


def checked_out_branch(work_dir: Path) -> str:
    """Return the checked-out branch, a commit prefix if HEAD is detached, "" outside a repository. Does not run git."""
    for folder in (work_dir, *work_dir.parents):
        git = folder / ".git"
        try:
            if is_file(git):
                target = read_text(git, most=_MOST).partition("gitdir:")[2].strip()
                git = real_path(folder / target)
            elif not is_folder(git):
                continue
            head = read_text(git / "HEAD", most=_MOST).strip()
        except (OSError, ValueError):
            return ""
        return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else head[:8]
    return ""
