"""Remembers which settings of Git were undone lately. A session of another program that saw such a setting before it
was undone would else take it for one of the user's that a command removed.
"""

import contextlib
import hashlib
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from kimi_tui.paths import home, private_folder

_SECONDS = 48 * 3600
_MAX = 10_000


def remember_undone(file: Path, settings: Iterable[str]) -> None:
    """Remember that these settings of a file are no settings of the user, as far as there is room for it."""
    folder = _folder()
    with contextlib.suppress(OSError):
        private_folder(folder)
        entries = list(folder.iterdir())
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):  # another session deleted it
                if entry.stat().st_mtime < time.time() - _SECONDS:
                    entry.unlink()
        for setting in islice(settings, max(_MAX - len(entries), 0)):
            (folder / _name(file, setting)).touch()


def was_undone(file: Path, setting: str) -> bool:
    return (_folder() / _name(file, setting)).exists()


def _folder() -> Path:
    return home() / "undone-git-settings"


def _name(file: Path, setting: str) -> str:
    return hashlib.sha256(f"{file}\0{setting}".encode("utf-8", "surrogateescape")).hexdigest()
