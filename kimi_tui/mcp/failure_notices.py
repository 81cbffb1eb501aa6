"""Remembers reported MCP failures, so that each is shown once and not at every start."""

import contextlib
import json
from pathlib import Path

from kimi_tui import json_text
from kimi_tui.atomic_file import replace_file
from kimi_tui.paths import private_folder
from kimi_tui.regular_file import read_text


class FailureNotices:
    """Reported failures, kept in `file` across starts; without a file in memory only."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._causes: dict[str, str] = _read(file) if file is not None else {}

    def should_report(self, server: str, cause: str) -> bool:
        """Whether this failure is new; marks it as reported."""
        if self._causes.get(server) == cause:
            return False
        self._causes[server] = cause
        self._keep()
        return True

    def clear(self, server: str) -> None:
        """Forget the failures of a server that works, so that the next one is reported."""
        if self._causes.pop(server, None) is not None:
            self._keep()

    def _keep(self) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                private_folder(self._file.parent)
                replace_file(
                    self._file, json.dumps(self._causes, ensure_ascii=False), follow_link=True, sync_folder=True
                )


def _read(file: Path) -> dict[str, str]:
    try:
        value: object = json_text.loads(read_text(file))
    except (OSError, ValueError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {name: cause for name, cause in value.items() if isinstance(name, str) and isinstance(cause, str)}  # pyright: ignore[reportUnknownVariableType]
