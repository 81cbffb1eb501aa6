"""Glob: paths that match a pattern, within the workspace."""

import asyncio
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path, PurePosixPath

from pydantic import Field

from kimi_tui.interaction.approvals import Approvals
from kimi_tui.paths import real_path
from kimi_tui.tools.core.permission_subject import denied_paths
from kimi_tui.tools.core.tool import Params, Tool, failed, ok
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
            listing = await asyncio.to_thread(_listing, folder)
            return failed(
                "A pattern that begins with `**` matches too much. Begin with a folder of the listing below.",
                output=listing,
                brief=f"{params.pattern} matches too much",
            )
        try:
            return await asyncio.to_thread(_search, folder, params, self._is_hidden)
        except (ValueError, NotImplementedError) as error:
            return failed(f"The pattern cannot be used: {error}.")

    def _is_hidden(self, path: Path) -> bool:
        """Whether a path is left out: because of its name, its real path, or a rule."""
        if is_sensitive(path):
            return True
        resolved = self._workspace.resolve_real(real_path(path))
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
        if not resolved.real.is_dir():
            raise PathRefusedError(f"`{path_text}` is not a folder.")
        return resolved.real


def _search(folder: Path, params: GlobParams, is_hidden: Callable[[Path], bool]) -> ToolReturnValue:
    until = time.monotonic() + _MAX_SECONDS
    matches: list[str] = []
    hidden = 0
    complete = True
    for path in folder.glob(params.pattern):
        if len(matches) >= MAX_HITS or time.monotonic() > until:
            complete = False
            break
        is_dir = path.is_dir()
        if is_dir and not params.include_dirs:
            continue
        if is_hidden(path):
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


def _listing(folder: Path) -> str:
    try:
        entries = sorted(islice(folder.iterdir(), 10 * _LISTED), key=lambda path: path.name)
    except OSError as error:
        return f"(cannot be listed: {error.strerror})"
    names = [path.name + ("/" if path.is_dir() else "") for path in entries if not is_sensitive(path)]
    remainder = f"\n... and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return "\n".join(names[:_LISTED]) + remainder
