"""Decides which paths a command may read without approval, as Bash and the kernel resolve the words that name them."""

import os
import re
from pathlib import Path

from kimi_tui.paths import real_path
from kimi_tui.permission.subject import Pattern
from kimi_tui.tools.file_support.sensitive_names import is_sensitive
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.globs import expand

_MAX_PATH = 4096
_MAX_LINKS = 40
_OPEN_PLACES = ("/usr", "/opt", "/lib", "/lib64", "/bin", "/sbin", "/nix/store", "/etc/os-release", "/etc/hosts")
_NO_FILES = frozenset({"/dev/null", "-", "/dev/stdin", "/dev/stdout", "/dev/stderr"})
_WILD = re.compile(r"[*?\[]")
_STACK = re.compile(r"~[+-]?\d+(?:/|\Z)|~[+-](?:/|\Z)")


def word_may_be_read(part: str, folder: Path, workspace: Workspace) -> bool:
    """Whether no file that the word may name is outside the workspace or holds secrets."""
    if part in _NO_FILES:
        return True
    places = named_places(part, folder)
    return places is not None and all(place_may_be_read(place, workspace) for place in places)


def named_places(part: str, folder: Path) -> list[Path] | None:
    """What the word, or a part of it between colons, may name; None if that is not known."""
    if "\0" in part or len(part) > _MAX_PATH:
        return None
    places: list[Path] = []
    for word in {part, *part.split(":")} if ":" in part else (part,):
        if not word:
            continue
        names = expand_tilde(word)
        if names is None:
            return None
        places += [folder / name for name in names]
        if _WILD.search(word):
            expanded = expand(word, folder)
            if expanded.cut:
                return None
            places += [folder / path for path in expanded.paths]
    return places


def matches_may_be_read(word: Pattern, folder: Path, workspace: Workspace) -> bool:
    """Whether all files that the pattern matches now may be read."""
    expanded = expand(word.spelled, folder)
    return not expanded.cut and all(place_may_be_read(folder / path, workspace) for path in expanded.paths)


def place_may_be_read(path: Path, workspace: Workspace) -> bool:
    """Whether the file at this path is in the workspace, or open to all, and holds no secrets."""
    try:
        real = real_path(path)
        if leads_through_processes(path):  # defence: folders-of-processes
            return False
    except (OSError, ValueError):
        return False
    if is_sensitive(path) and not any(char.isspace() for char in path.name):
        return False
    place = workspace.resolve_real(real)
    if place.sensitive:
        return False
    if place.folder is None:
        if not any(real.is_relative_to(open_place) for open_place in _OPEN_PLACES):
            return any(real.is_relative_to(folder) for folder in workspace.readable)
        return True
    within = [part.lower() for part in real.relative_to(place.folder).parts]
    if ".git" in within:
        below = within[within.index(".git") + 1 :]
        return below[:1] != ["hooks"] and below[-1:] not in (["config"], ["config.worktree"])
    return not any(real.is_relative_to(own) for own in workspace.protected)


def leads_through_processes(path: Path) -> bool:
    """Whether the path, or a link on its way, is below `/proc`: there each process finds other files, as its own folder
    in `/proc/self/cwd`.
    """
    done, pending, links = "/", list(reversed(path.parts[1:])), 0
    while pending:
        part = pending.pop()
        step = os.path.normpath(os.path.join(done, part))  # noqa: PTH118 - many times for each word
        if step == "/proc":
            return True
        done, target = (step, "") if part == ".." else _link_target(done, step)
        if target:
            links += 1
            if links > _MAX_LINKS:
                return True
            pending += reversed(Path(target).parts)
    return False


def _link_target(folder: str, step: str) -> tuple[str, str]:
    """Return where to go on, and the target of the link `step`; for another file itself and ""."""
    try:
        target = os.readlink(step)  # noqa: PTH115
    except OSError:
        return step, ""
    return ("/" if target.startswith("/") else folder), target.lstrip("/")


def expand_tilde(word: str) -> tuple[str, ...] | None:
    """Return the word, and its form after tilde expansion; None for an entry of Bash's directory stack."""
    if not word.startswith("~"):
        return (word,)
    if _STACK.match(word):  # defence: directory-stack
        return None
    return (word, os.path.expanduser(word))  # noqa: PTH111 - what a Path makes of `~nobody` is an error
