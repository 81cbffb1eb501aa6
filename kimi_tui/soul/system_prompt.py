"""The system prompt: a template and its values for the working directory."""

import os
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from kimi_tui.regular_file import read_start
from kimi_tui.soul.environment import branch_of, shell_name, system_name
from kimi_tui.tools.file_support.sensitive_names import is_sensitive

AGENTS_MD_BYTES = 32 * 1024
_REF = re.compile(r"[\w./@#+=,-]{1,200}")
_ROOT_ENTRIES, _CHILD_ENTRIES = 30, 10


def default_values(
    work_dir: Path, *, skills: str, additional_dirs: Sequence[Path] = (), now: datetime | None = None
) -> dict[str, str]:
    """Return the variables for system prompts. The time is only the day: a value that changes each minute would make
    the service process the whole prompt again.
    """
    return {
        "KIMI_NOW": f"{now or datetime.now().astimezone():%Y-%m-%d, %A}",
        "KIMI_OS": system_name(),
        "KIMI_SHELL": shell_name(),
        "KIMI_WORK_DIR": str(work_dir),
        "KIMI_WORK_DIR_LS": listing(work_dir),
        "KIMI_GIT_BRANCH": branch if _REF.fullmatch(branch := branch_of(work_dir)) else "",
        "KIMI_ADDITIONAL_DIRS_INFO": dirs_info(additional_dirs),
        "KIMI_AGENTS_MD": agents_md(work_dir),
        "KIMI_SKILLS": skills,
    }


def dirs_info(folders: Sequence[Path]) -> str:
    """List the additional folders with their contents."""
    return "\n\n".join(f"`{folder}`:\n```\n{listing(folder)}\n```" for folder in folders)


def listing(folder: Path) -> str:
    """List two levels of a folder, bounded; folders first."""
    rows: list[str] = []
    for entry, more in _entries(folder, _ROOT_ENTRIES):
        if entry is None:
            rows.append(f"... and {more} more")
            continue
        rows.append(entry.name + ("/" if _is_folder(entry) else ""))
        if _is_folder(entry) and entry.name != ".git":
            for child, rest in _entries(Path(entry.path), _CHILD_ENTRIES):
                rows.append(
                    f"  ... and {rest} more" if child is None else f"  {child.name}{'/' if _is_folder(child) else ''}"
                )
    return "\n".join(rows) or "(empty)"


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _entries(folder: Path, most: int) -> list[tuple[os.DirEntry[str] | None, int]]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: (not _is_folder(entry), entry.name))
    except OSError:
        return []
    shown: list[tuple[os.DirEntry[str] | None, int]] = [(entry, 0) for entry in entries[:most]]
    if len(entries) > most:
        shown.append((None, len(entries) - most))
    return shown


def project_root(work_dir: Path) -> Path:
    """Return the nearest ancestor with a `.git`, else the work dir itself."""
    return next((folder for folder in (work_dir, *work_dir.parents) if (folder / ".git").exists()), work_dir)


def agents_md(work_dir: Path) -> str:
    """Join the AGENTS.md files from the project's root down to the work dir; the nearest is cut last."""
    root = project_root(work_dir)
    folders = [folder for folder in (work_dir, *work_dir.parents) if folder == root or root in folder.parents]
    budget = AGENTS_MD_BYTES
    found: list[str] = []
    for folder in folders:
        for name in ("AGENTS.md", "agents.md", ".kimi-tui/AGENTS.md", ".kimi/AGENTS.md"):
            text = _read_some(folder / name, budget, root)
            if text and not (name == "agents.md" and (folder / "AGENTS.md").exists()):
                budget -= len(text.encode())
                found.append(f"<!-- {folder / name} -->\n{text}")
    return "Instructions of this project\n\n" + "\n\n".join(reversed(found)) if found else ""


def _read_some(file: Path, most: int, root: Path) -> str:
    """Read the start of a project file; "" for links to other files and for secrets."""
    try:
        real = file.resolve()
        if most <= 0 or not real.is_relative_to(root.resolve()) or is_sensitive(real):
            return ""
        return read_start(real, most).decode("utf-8", "ignore").strip()
    except (OSError, RuntimeError):
        return ""
