"""Which folders a person trusts: what a project brings (skills, MCP servers) acts only after a yes.

An answer is for a folder and everything below it; the nearest folder with an answer counts.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from kimi_tui import paths

TRUST_VARIABLE = "KIMI_TUI_TRUST_PROJECT"
_BRINGS = {
    ".kimi-tui/skills": "skills",
    ".kimi/skills": "skills",
    ".claude/skills": "skills",
    ".codex/skills": "skills",
    ".agents/skills": "skills",
    ".kimi-tui/mcp.json": "MCP servers",
    ".mcp.json": "MCP servers",
}


@dataclass(frozen=True, slots=True)
class Brought:
    """Something that a project brings along: a path below its root, and what it is for a person."""

    path: Path
    what: str


def project_root(work_dir: Path) -> Path:
    """The nearest folder upwards that holds `.git`, else the work dir: what an answer is about."""
    for folder in (work_dir, *work_dir.parents):
        if (folder / ".git").exists():
            return folder
    return work_dir


def brought_by(work_dir: Path) -> tuple[Brought, ...]:
    """What the project would have act here; empty where there is nothing to ask about."""
    root = project_root(work_dir)
    if root == Path.home():
        return ()
    folders = dict.fromkeys((root, work_dir))
    return tuple(
        Brought(folder / name, what) for folder in folders for name, what in _BRINGS.items() if (folder / name).exists()
    )


def answer_for(work_dir: Path) -> bool | None:
    """What was said of the folder or the nearest one above it; None where nothing was."""
    if os.environ.get(TRUST_VARIABLE) == "1":
        return True
    said = _said()
    root = project_root(work_dir.resolve())
    for folder in (root, *root.parents):
        if (answer := said.get(str(folder))) is not None:
            return answer
    return None


def remember(work_dir: Path, trusted: bool) -> None:
    """Keep the answer for this project. Raises OSError."""
    said = {**_said(), str(project_root(work_dir.resolve())): trusted}
    store = _store()
    store.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = store.with_name(f".{store.name}.{os.getpid()}.new")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as out:  # noqa: PTH123 - a descriptor, not a path
            json.dump(said, out, ensure_ascii=False, indent=2, sort_keys=True)
            out.flush()
            os.fsync(out.fileno())
        fresh.replace(store)
    finally:
        fresh.unlink(missing_ok=True)


def _store() -> Path:
    return paths.home() / "trusted.json"


def _said() -> dict[str, bool]:
    """The answers on disk. A file that cannot be read says nothing: then a person is asked again."""
    try:
        value: object = json.loads(_store().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(value, dict):
        return {}
    table = cast(dict[object, object], value)
    return {str(folder): answer for folder, answer in table.items() if isinstance(answer, bool)}
