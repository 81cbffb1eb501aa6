"""The system prompt: a template and its values for the working directory."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from kimi_tui.paths import path_exists, real_path
from kimi_tui.regular_file import read_start
from kimi_tui.soul.environment import checked_out_branch, shell_name, system_name
from kimi_tui.tools.file_support.sensitive_names import is_sensitive

AGENTS_MD_BYTES = 32 * 1024
_REF = re.compile(r"[\w./@#+=,-]{1,200}")
_ROOT_ENTRIES, _CHILD_ENTRIES = 30, 10


def default_values(
    work_dir: Path, *, skills: str, additional_dirs: Sequence[Path] = (), now: datetime | None = None
) -> dict[str, str]:
    """Return the variables for system prompts. The time is only a date: a value that changes each minute would make
    the service process the whole prompt again.
    """
    return {
        "KIMI_NOW": f"{now or datetime.now().astimezone():%Y-%m-%d, %A}",
        "KIMI_OS": system_name(),
        "KIMI_SHELL": shell_name(),
        "KIMI_WORK_DIR": str(work_dir),
        "KIMI_WORK_DIR_LS": listing(work_dir),
        "KIMI_GIT_BRANCH": branch if _REF.fullmatch(branch := checked_out_branch(work_dir)) else "",
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
    for entry, omitted in _entries(folder, _ROOT_ENTRIES):
        if entry is None:
            rows.append(f"... and {omitted} more")
            continue
        rows.append(entry.name + ("/" if _is_folder(entry) else ""))
        if _is_folder(entry) and entry.name != ".git":
            for child, child_omitted in _entries(Path(entry.path), _CHILD_ENTRIES):
                rows.append(
                    f"  ... and {child_omitted} more"
                    if child is None
                    else f"  {child.name}{'/' if _is_folder(child) else ''}"
                )
    return "\n".join(rows) or "(empty)"


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _entries(folder: Path, limit: int) -> list[tuple[os.DirEntry[str] | None, int]]:
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: (not _is_folder(entry), entry.name))
    except OSError:
        return []
    kept_entries: list[tuple[os.DirEntry[str] | None, int]] = [(entry, 0) for entry in entries[:limit]]
    if len(entries) > limit:
        kept_entries.append((None, len(entries) - limit))
    return kept_entries


def project_root(work_dir: Path) -> Path:
    """Return the nearest ancestor with a `.git`, else the work dir itself."""
    return next((folder for folder in (work_dir, *work_dir.parents) if path_exists(folder / ".git")), work_dir)


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """An AGENTS.md, cut to its share of the limit; `size` is the whole file's, in bytes."""

    path: Path
    text: str
    size: int

    @property
    def cut(self) -> bool:
        return len(self.text.encode()) < self.size


def agents_md(work_dir: Path) -> str:
    """Join the AGENTS.md files from the project's root down to the work dir; a file that was cut is marked."""
    sections = [f"<!-- {file.path} -->\n{file.text}{_cut_mark(file)}" for file in instruction_files(work_dir)]
    return "Instructions of this project\n\n" + "\n\n".join(sections) if sections else ""


def _cut_mark(file: InstructionFile) -> str:
    size = len(file.text.encode())
    return f"\n<!-- cut here: {size} of {file.size} bytes; read the file for the rest -->" if file.cut else ""


def instruction_files(work_dir: Path) -> list[InstructionFile]:
    """Return the AGENTS.md files that are not empty, the project's root first.

    They share AGENTS_MD_BYTES equally; long files get what short files do not use.
    """
    root = project_root(work_dir)
    folders = [folder for folder in (work_dir, *work_dir.parents) if folder == root or root in folder.parents]
    files = [
        file
        for folder in reversed(folders)
        for name in ("AGENTS.md", "agents.md", ".kimi-tui/AGENTS.md", ".kimi/AGENTS.md")
        if not (name == "agents.md" and path_exists(folder / "AGENTS.md"))
        and (file := read_instructions(folder / name, root))
    ]
    remaining, shares = AGENTS_MD_BYTES, dict[Path, int]()
    for number, file in enumerate(sorted(files, key=lambda file: file.size)):
        shares[file.path] = min(file.size, remaining // (len(files) - number))
        remaining -= shares[file.path]
    return [replace(file, text=_start(file.text, shares[file.path])) for file in files]


def _start(text: str, limit: int) -> str:
    data = text.encode()
    return text if len(data) <= limit else data[:limit].decode("utf-8", "ignore")


def read_instructions(file: Path, root: Path) -> InstructionFile | None:
    """Read the start of a project file; None for links to other files and for secrets."""
    try:
        real = real_path(file)
        if not real.is_relative_to(real_path(root)) or is_sensitive(real):  # defence: instructions-in-project
            return None
        text = read_start(real, AGENTS_MD_BYTES).decode("utf-8", "ignore").strip()
        unread_bytes = max(0, real.stat().st_size - AGENTS_MD_BYTES)
    except (OSError, ValueError):
        return None
    return InstructionFile(file, text, len(text.encode()) + unread_bytes) if text else None
