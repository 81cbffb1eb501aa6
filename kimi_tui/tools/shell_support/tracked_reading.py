"""Finds the files tracked by Git whose contents a Git command may print, beside those that its words name."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from kimi_tui.permission.programs.program import Tracked
from kimi_tui.tools.file_support.git_index import tracked_files

_PLAIN_SPEC = re.compile(r"[\w.@/+ *-][\w.@/+ *~-]*")


def printed_files(tracked: Tracked, folder: Path) -> Sequence[Path] | None:
    """The files that the command may print in this folder; None if they are not known."""
    files = tracked_files(Path(os.path.realpath(folder)))
    specs = _specs(tracked, folder)
    if not files or not specs:
        return files
    matches = re.compile("|".join(map(_as_expression, specs)), re.IGNORECASE | re.DOTALL).match
    top = os.path.realpath(folder)
    return [file for file in files if matches(os.path.relpath(file, top))]


def _specs(tracked: Tracked, folder: Path) -> tuple[str, ...]:
    """The paths that limit the command, empty if any of them has more than names and `*`.

    Git refuses a word that may be a revision as well as a file, so the first file begins the paths.
    """
    specs = tracked.specs
    if not tracked.sure:
        first = next((at for at, word in enumerate(specs) if os.path.lexists(folder / word)), len(specs))
        specs = specs[first:]
    return specs if all(map(_PLAIN_SPEC.fullmatch, specs)) else ()


def _as_expression(spec: str) -> str:
    """A regular expression for the path from the folder; `*` matches `/` too, and a folder all that is in it."""
    plain = os.path.normpath(spec).replace("**/", "*")
    if plain == "." or plain.startswith("/"):
        return ""
    return ".*".join(map(re.escape, plain.split("*"))) + r"(?:/|\Z)"
