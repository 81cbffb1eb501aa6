"""Every further screen with something in it, for pictures."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.screen import Screen

from kimi_tui.ui.tui.screens.session_shelf import SessionShelf
from kimi_tui.ui.tui.screens.sessions import Sessions
from tests.ui.tui.screens.kept_sessions import NOW, keep_some

Make = Callable[[Path, Path], Screen[Any]]


def sessions(work_dir: Path, root: Path) -> Sessions:
    (root / "other").mkdir(exist_ok=True)
    keep_some(work_dir, root / "other")
    return Sessions(SessionShelf(work_dir, "s"), now=lambda: NOW)


ROOMS: dict[str, Make] = {"sessions": sessions}
