"""Finds the files whose contents a Git command may print, besides those named in its arguments."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from kimi_tui.paths import is_file, real_path
from kimi_tui.permission.programs.program import Tracked
from kimi_tui.tools.file_support.git_index import tracked_files

_NAME = re.compile(r"[\w.@/+ -][\w.@/+ ~-]*")
_PLAIN_SPEC = re.compile(r"[\w.@/+ *-][\w.@/+ *~-]*")


def printed_files(tracked: Tracked, folder: Path) -> Sequence[Path] | None:
    """Return the files of the index that the command may print in this folder; None if unknown."""
    files = tracked_files(real_path(folder))
    return None if files is None else limited_files(tracked, folder, files)


def limited_files(tracked: Tracked, folder: Path, files: Sequence[Path]) -> Sequence[Path]:
    """Return those of the files that the command's paths do not exclude."""
    specs = _paths(tracked, folder)
    if not files or not specs or not all(map(_PLAIN_SPEC.fullmatch, specs)):
        return files
    matches = re.compile("|".join(map(_as_expression, specs)), re.IGNORECASE | re.DOTALL).match
    top = str(real_path(folder))
    return [file for file in files if matches(os.path.relpath(file, top))]


def prints_history(tracked: Tracked, folder: Path) -> bool:
    """Whether the command may print files of commits that its arguments do not name."""
    paths = _paths(tracked, folder)
    if not tracked.history and not (tracked.history_if_named and len(paths) < len(tracked.specs)):
        return False
    named = bool(paths) and all(_NAME.fullmatch(path) and is_file(folder / path) for path in paths)
    return not named


def _paths(tracked: Tracked, folder: Path) -> tuple[str, ...]:
    """The words that are paths: all after `--`, else from the first file on, since Git refuses a word
    that may be a revision as well as a file.
    """
    specs = tracked.specs
    if tracked.sure:
        return specs
    return specs[next((at for at, word in enumerate(specs) if os.path.lexists(folder / word)), len(specs)) :]


def _as_expression(spec: str) -> str:
    """A regular expression for the path from the folder; `*` matches `/` too, and a folder matches everything in it."""
    plain = os.path.normpath(spec).replace("**/", "*")
    if plain == "." or plain.startswith("/"):
        return ""
    return ".*".join(map(re.escape, plain.split("*"))) + r"(?:/|\Z)"
