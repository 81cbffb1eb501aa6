"""Glob: paths that match a pattern, within the workspace."""

import asyncio
import contextlib
import os
import re
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from fnmatch import translate
from itertools import islice
from pathlib import Path, PurePosixPath

from pydantic import Field

from kimi_tui.interaction.approvals import Approvals
from kimi_tui.paths import is_folder, real_path
from kimi_tui.tools.core.permission_subject import denied_paths
from kimi_tui.tools.core.tool import Params, Tool, failed, ok
from kimi_tui.tools.file_support.safe_open import open_folder
from kimi_tui.tools.file_support.sensitive_names import is_sensitive
from kimi_tui.tools.file_support.workspace import PathRefusedError, ResolvedPath, Workspace
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import ToolReturnValue

MAX_HITS = 1000
_MAX_SECONDS = 20.0
_LISTED = 100


class GlobParams(Params):
    pattern: str = Field(description="The pattern, such as `src/**/*.py`.", min_length=1)
    directory: str | None = Field(
        default=None, description="Absolute path of the folder to search in; the working directory if left out."
    )
    include_dirs: bool = Field(default=True, description="Whether folders are listed too.")


class Glob(Tool[GlobParams]):
    name = "Glob"
    params = GlobParams
    read_only = True
    asks = True

    def __init__(self, workspace: Workspace, approvals: Approvals) -> None:
        self._workspace = workspace
        self._approvals = approvals

    async def call(self, params: GlobParams) -> ToolReturnValue:
        try:
            folder = self._folder(params.directory)
        except PathRefusedError as error:
            return failed(str(error))
        parts = PurePosixPath(params.pattern).parts
        if PurePosixPath(params.pattern).is_absolute() or ".." in parts or "\0" in params.pattern:
            return failed("The pattern must be relative to the folder and must not hold `..`.")
        if params.pattern.startswith("**"):
            listing = await asyncio.to_thread(_listing, folder, self._is_hidden)
            return failed(
                "A pattern that begins with `**` matches too much. Begin with a folder of the listing below.",
                output=listing,
                brief=f"{params.pattern} matches too much",
            )
        try:
            return await asyncio.to_thread(_search, folder, params, self._is_hidden)
        except ValueError as error:
            return failed(f"The pattern cannot be used: {error}.")

    def _is_hidden(self, path: Path, real: Path) -> bool:
        """Whether a path is left out: because of its name, its real path, or a rule."""
        if is_sensitive(path):
            return True
        resolved = self._workspace.resolve_real(real)
        if not self._may_be_listed(resolved):
            return True
        policy = self._approvals.policy
        return resolved.sensitive or (bool(policy.rules) and denied_paths(self.name, resolved, policy))

    def _may_be_listed(self, resolved: ResolvedPath) -> bool:
        return resolved.inside or any(resolved.real.is_relative_to(folder) for folder in self._workspace.readable)

    def _folder(self, path_text: str | None) -> Path:
        if path_text is None:
            return self._workspace.work_dir
        if not path_text.startswith(("/", "~")):
            raise PathRefusedError("`directory` must be an absolute path.")
        resolved = self._workspace.resolve(path_text)
        if not self._may_be_listed(resolved):
            raise PathRefusedError(f"`{path_text}` is outside of the working directory.")
        if not is_folder(resolved.real):
            raise PathRefusedError(f"`{path_text}` is not a folder.")
        return resolved.real


def _search(folder: Path, params: GlobParams, is_hidden: Callable[[Path, Path], bool]) -> ToolReturnValue:
    until = time.monotonic() + _MAX_SECONDS
    matches: list[str] = []
    hidden = 0
    complete = True
    for found in _paths(folder, PurePosixPath(params.pattern).parts):
        if len(matches) >= MAX_HITS or time.monotonic() > until:  # defence: bound-glob
            complete = False
            break
        if found is None:
            continue
        path, real, is_dir = found
        if is_dir and not params.include_dirs:
            continue
        if is_hidden(path, real):
            hidden += 1
            continue
        matches.append(path.relative_to(folder).as_posix() + ("/" if is_dir else ""))
    matches.sort()
    message = f"{len(matches)} match{'es' if len(matches) != 1 else ''} in `{folder}`."
    if not complete:
        message += f" There may be more: it stops after {MAX_HITS} matches or {_MAX_SECONDS:.0f} seconds."
    if hidden:
        message += f" {hidden} of them, which by their names hold secrets, which a rule keeps closed, or which"
        message += " a link leads out to, are left out."
    return ok("\n".join(matches), message, display=(BriefBlock(text=message.partition(" in ")[0]),))


def _paths(folder: Path, parts: Sequence[str]) -> Iterator[tuple[Path, Path, bool] | None]:
    """Yield the paths below the folder that match, each with its real path and whether it is a folder; and None for
    each entry that does not match, so that the caller can stop.

    Each folder is read once, however many `**` there are; they lead through no links. Raises ValueError.
    """
    if not parts or any("**" in part and part != "**" for part in parts):
        raise ValueError("`**` is a whole part of a path" if parts else "it is empty")
    accepts = [re.compile(translate(part)).match for part in parts]

    def closed(states: set[int]) -> frozenset[int]:
        """Add the states behind each `**`, which may match nothing."""
        for state in sorted(states):
            while state < len(parts) and parts[state] == "**":
                states.add(state := state + 1)
        return frozenset(states)

    pending = [(folder, closed({0}))]
    while pending:
        here, states = pending.pop()
        with contextlib.suppress(OSError), _opened(here) as entries:
            for entry, real in entries:
                is_dir, is_own_dir = _is_dir(entry)
                reached = {
                    state if parts[state] == "**" else state + 1
                    for state in states
                    if state < len(parts)
                    and (is_own_dir if parts[state] == "**" else accepts[state](entry.name))
                    and (is_dir or state + 1 == len(parts))
                }
                following = closed(reached)
                yield (here / entry.name, real, is_dir) if len(parts) in following else None
                if is_dir and following - {len(parts)}:
                    pending.append((here / entry.name, following))


@contextlib.contextmanager
def _opened(folder: Path) -> Generator[Iterator[tuple[os.DirEntry[str], Path]]]:
    """Open a folder; yield its entries with their real paths. A command can put a link in the place of the folder, so
    the real path is that of the folder that was opened. Raises OSError.
    """
    with open_folder(folder) as (descriptor, place), os.scandir(descriptor) as entries:
        # defence: names-of-the-opened-folder
        yield ((entry, _real(place / entry.name, entry)) for entry in entries)


def _real(path: Path, entry: os.DirEntry[str]) -> Path:
    return real_path(path) if entry.is_symlink() else path


def _is_dir(entry: os.DirEntry[str]) -> tuple[bool, bool]:
    """Whether it is a folder or a link to one, and whether it is a folder itself."""
    try:
        return entry.is_dir(), entry.is_dir(follow_symlinks=False)
    except OSError:
        return False, False


def _listing(folder: Path, is_hidden: Callable[[Path, Path], bool]) -> str:
    try:
        with _opened(folder) as entries:
            listed = sorted(
                (entry.name, _is_dir(entry)[0])
                for entry, real in islice(entries, 10 * _LISTED)
                if not is_hidden(folder / entry.name, real)
            )
    except OSError as error:
        return f"(cannot be listed: {error.strerror})"
    names = [name + ("/" if is_dir else "") for name, is_dir in listed]
    remainder = f"\n... and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return "\n".join(names[:_LISTED]) + remainder
