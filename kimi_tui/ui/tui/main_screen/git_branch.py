"""The session's folder and git branch, for the header."""

from pathlib import Path

from kimi_tui.paths import shown
from kimi_tui.soul.environment import checked_out_branch

__all__ = ["checked_out_branch", "folder_label"]


def folder_label(work_dir: Path) -> str:
    return shown(work_dir)
