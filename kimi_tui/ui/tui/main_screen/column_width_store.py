"""Stores the width of the right column for each kind of terminal."""

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from kimi_tui import json_text, paths
from kimi_tui.atomic_file import replace_file
from kimi_tui.paths import private_folder
from kimi_tui.regular_file import read_text

_log = logging.getLogger(__name__)
_TERMINALS = 50


def column_width_file() -> Path:
    return paths.home() / "columns.json"


def terminal_name(environ: Mapping[str, str] = os.environ) -> str:
    """A name that identifies the terminal program."""
    if "TMUX" in environ:
        return "tmux"
    return environ.get("TERM_PROGRAM") or environ.get("TERM") or "terminal"


class ColumnWidthStore:
    """The right column's share of the width, in a file with one number per terminal; None: not set by the user."""

    def __init__(self, file: Path, terminal: str) -> None:
        self._file, self._terminal = file, terminal

    def load(self) -> float | None:
        share = self._read().get(self._terminal)
        return share if share is not None and 0.0 < share < 1.0 else None

    def save(self, share: float | None) -> None:
        """Save the share atomically; failures go to the log."""
        shares = self._read()
        shares.pop(self._terminal, None)
        if share is not None:
            shares[self._terminal] = round(share, 4)
        try:
            private_folder(self._file.parent)
            replace_file(self._file, json.dumps(dict([*shares.items()][-_TERMINALS:])))
        except OSError as error:
            _log.warning("the column width cannot be saved: %s", error)

    def _read(self) -> dict[str, float]:
        try:
            row = json_text.loads(read_text(self._file))
        except (OSError, ValueError):
            return {}
        if not isinstance(row, dict):
            return {}
        shares = cast("dict[str, object]", row)
        return {name: float(share) for name, share in shares.items() if isinstance(share, int | float)}
