"""The session's folder and git branch, for the header."""

from pathlib import Path

from kimi_tui.paths import shown
from kimi_tui.soul.environment import branch_of

__all__ = ["branch_of", "folder_label"]


def folder_label(work_dir: Path) -> str:
    return shown(work_dir)
