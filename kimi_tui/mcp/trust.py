"""Which MCP files of projects a person has said yes to: by content, so a file that has changed asks again.

A project's file names commands to run; whoever can write to the folder could have written it.
"""

import hashlib
import json
import os
from pathlib import Path

from kimi_tui import paths
from kimi_tui.mcp.private_file import write_private

TRUST_VARIABLE = "KIMI_TUI_TRUST_PROJECT"


def may_start(file: Path, content: str) -> bool:
    """Whether the servers of a project's file, which holds `content`, may be started."""
    if os.environ.get(TRUST_VARIABLE) == "1":
        return True
    return _said().get(_key(file)) == _mark(content)


def trust(file: Path, content: str) -> None:
    """Say yes to the file as it is. Raises OSError."""
    _write({**_said(), _key(file): _mark(content)})


def distrust(file: Path) -> bool:
    """Take it back; False where nothing was said. Raises OSError."""
    said = _said()
    if said.pop(_key(file), None) is None:
        return False
    _write(said)
    return True


def _store() -> Path:
    return paths.home() / "mcp-trusted.json"


def _said() -> dict[str, str]:
    try:
        value: object = json.loads(_store().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {str(key): str(mark) for key, mark in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _write(said: dict[str, str]) -> None:
    write_private(_store(), json.dumps(said, indent=2, sort_keys=True) + "\n")


def _key(file: Path) -> str:
    return str(file.resolve())


def _mark(content: str) -> str:
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
