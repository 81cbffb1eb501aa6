"""Where a session works, for the header: the folder and the branch checked out there, read without running git."""

from pathlib import Path

from kimi_tui.paths import shown
from kimi_tui.regular_file import read_text

_MOST = 4096


def place_of(work_dir: Path) -> str:
    return shown(work_dir)


def branch_of(work_dir: Path) -> str:
    """The branch, the first signs of a commit where none is checked out, "" outside of a repository."""
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
