"""Searches the folders that a program reads for files with secrets, or files with a rule.

Ignore files count as ripgrep reads them: a negated pattern may include hidden files again.
"""

import os
import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

from kimi_tui.paths import is_file
from kimi_tui.permission.programs.program import RecursiveRead
from kimi_tui.regular_file import read_bytes
from kimi_tui.tools.file_support.git_dirs import repository_at
from kimi_tui.tools.file_support.sensitive_names import is_sensitive

MAX_ENTRIES = 20_000
_MAX_IGNORE = 100_000
_MAX_PATTERN = 4_096
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_CLASS = re.compile(r"\[[!^]?\]?[^\]]*\]")
_SPECIAL = frozenset("[]{}\\")
_IGNORES = (".ignore", ".rgignore", ".gitignore")


def reads_nothing_refused(
    root: Path,
    deep: RecursiveRead,
    *,
    refused: Callable[[str], bool] = is_sensitive,
    refused_target: Callable[[Path], bool],
    most: int = MAX_ENTRIES,
) -> bool:
    """Whether no entry of the tree is refused, and no link in it leads to a refused target.

    Hidden entries count if the program reads them, or if an ignore file may include them. False past `most` entries.
    """
    pending, seen = [str(root)], 0
    hidden, shown = set[str](), set[str]()
    for above in root.parents:
        shown.update(pattern for name in (*_IGNORES, ".git") for pattern in _unhidden_by(above / name))
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    seen += 1
                    if seen > most:
                        return False
                    if entry.name in (*_IGNORES, ".git"):
                        shown.update(_unhidden_by(Path(entry.path)))
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if entry.name.startswith(".") and RecursiveRead.HIDDEN not in deep:
                        if is_folder or refused(entry.path):
                            hidden.add(entry.name)
                    elif any(map(refused, _settings_in(entry.path) if entry.name == ".git" else (entry.path,))):
                        return False
                    elif is_folder:
                        pending += _repositories_in(entry.path) if entry.name == ".git" else (entry.path,)
                    if RecursiveRead.LINKS not in deep or not entry.is_symlink():
                        continue
                    if refused_target(Path(entry.path)):
                        return False
        except OSError:
            continue
    return not any(fnmatchcase(name, pattern) for name in hidden for pattern in shown)


def _settings_in(git_dir: str) -> tuple[str, ...]:
    return f"{git_dir}/config", f"{git_dir}/config.worktree"


def _repositories_in(git_dir: str) -> tuple[str, ...]:
    """The folders of a `.git` that hold settings of their own: of submodules, and of other worktrees."""
    return f"{git_dir}/modules", f"{git_dir}/worktrees"


def _unhidden_by(entry: Path) -> list[str]:
    """The patterns that include files again: of an ignore file, or of the ones that a `.git` names."""
    if entry.name != ".git":
        return _unhidden(entry)
    if not os.path.lexists(entry):
        return []
    try:
        found = repository_at(entry)
    except (OSError, ValueError):
        return ["*"]
    folders = {found.git_dir, found.common}
    return [pattern for folder in folders for pattern in _unhidden(folder / "info/exclude")]  # defence: git-excludes


def _unhidden(ignore: Path) -> list[str]:
    """Return the negated patterns of an ignore file of ripgrep, which include files again, hidden ones too."""
    try:
        if not is_file(ignore):
            return []
        text = read_bytes(ignore, most=_MAX_IGNORE).decode("utf-8-sig", "replace")
    except OSError:
        return ["*"]
    lines = [line.strip() for line in text.split("\n")]
    return [part for line in lines if line.startswith("!") for part in _widened(line[1:]).split("/") if part]


def _widened(pattern: str) -> str:
    """Return a pattern with `*` and `?` alone that matches at least the same names."""
    if len(pattern) > _MAX_PATTERN:
        return "*"
    plain = _CLASS.sub("?", _ESCAPE.sub(lambda found: "?" if found[1] in _SPECIAL else found[1], pattern))
    return "*" if any(char in plain for char in _SPECIAL) else plain  # defence: patterns-of-ignore-files
