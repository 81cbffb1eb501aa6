"""Patterns of files: `src/**`, `*.lock`, `docs/`, `~/notes/**`, `/etc/**`.

`*` and `?` stay within a folder, `**` does not; a folder with `/` at its end is all that is in it. A pattern without
a folder is a name at any depth. Others begin at the work dir (or the added dir that the file is in).
"""

import re
from functools import lru_cache
from pathlib import Path


def matches_file(pattern: str, real: Path, folder: Path | None, *, strict: bool) -> bool:
    """Whether the real path is meant. `strict`: upper and lower case are the same, and a name is meant anywhere."""
    if pattern.startswith("~/") or pattern == "~":
        pattern = f"{Path.home()}{pattern[1:]}"
    expression = _expression(pattern, strict)
    if pattern.startswith("/"):
        return expression.fullmatch(str(real)) is not None
    if folder is not None:
        return expression.fullmatch(real.relative_to(folder).as_posix()) is not None
    return strict and "/" not in pattern and expression.fullmatch(str(real).lstrip("/")) is not None


@lru_cache(256)
def _expression(pattern: str, any_case: bool) -> re.Pattern[str]:
    pattern = pattern.removeprefix("./")
    at_any_depth = "/" not in pattern
    if pattern.endswith("/"):
        pattern += "**"
    pieces = ["(?:.*/)?"] if at_any_depth else []
    for piece in re.split(r"(\*\*/|/\*\*$|\*\*|\*|\?)", pattern):
        match piece:
            case "**/":
                pieces.append("(?:.*/)?")
            case "/**":
                pieces.append("(?:/.*)?")
            case "**":
                pieces.append(".*")
            case "*":
                pieces.append("[^/]*")
            case "?":
                pieces.append("[^/]")
            case _:
                pieces.append(re.escape(piece))
    return re.compile("".join(pieces), re.DOTALL | (re.IGNORECASE if any_case else 0))
