"""Grep: searches file contents by regular expression, with ripgrep."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import ConfigDict, Field

from kimi_tui.formats import byte_count
from kimi_tui.interaction.approvals import Approvals
from kimi_tui.paths import is_file, is_folder, path_exists, real_path
from kimi_tui.tools.core.permission_subject import denied_paths
from kimi_tui.tools.core.result_builder import ResultBuilder
from kimi_tui.tools.core.tool import Params, Tool, failed, ok
from kimi_tui.tools.file_support.ripgrep import find_ripgrep, unreadable_ignore_file
from kimi_tui.tools.file_support.sensitive_names import is_sensitive
from kimi_tui.tools.file_support.workspace import PathRefusedError, ResolvedPath, Workspace
from kimi_tui.tools.shell_support.child_env import DEFAULT_ENV
from kimi_tui.tools.shell_support.process_runner import ProcessResult, run
from kimi_tui.tools.shell_support.sandbox import NO_SANDBOX, Sandbox
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import ToolReturnValue

SECONDS = 20
MAX_CHARS = 20 << 20
_MAX_COLUMNS = 2000
_PARTLY = 2
"""ripgrep's exit status for any error: without a text of its own, some files or folders could not be read."""
_VCS = (".git", ".svn", ".hg", ".bzr", ".jj", ".sl")


class GrepParams(Params):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    pattern: str = Field(description="The regular expression (ripgrep's, Rust syntax).", min_length=1)
    path: str = Field(default=".", description="File or folder to search; the working directory if left out.")
    glob: str | None = Field(default=None, description="Only files whose path matches, such as `*.py`.")
    output_mode: Literal["files_with_matches", "content", "count_matches"] = Field(
        default="files_with_matches", description="What is listed: paths, matching lines, or numbers of matches."
    )
    before: int | None = Field(default=None, alias="-B", ge=0, description="Lines before each match (content).")
    after: int | None = Field(default=None, alias="-A", ge=0, description="Lines after each match (content).")
    around: int | None = Field(default=None, alias="-C", ge=0, description="Lines around each match (content).")
    numbers: bool = Field(default=True, alias="-n", description="Line numbers (content).")
    ignore_case: bool = Field(default=False, alias="-i", description="Upper and lower case are the same.")
    type: str | None = Field(default=None, description="Only files of this type, such as `py`, `rust`, `js`.")
    head_limit: int = Field(default=250, ge=0, description="At most so many entries; 0 lists all.")
    offset: int = Field(default=0, ge=0, description="Leave out so many entries at the start.")
    multiline: bool = Field(default=False, description="Let the pattern match across lines; `.` matches line ends.")
    include_ignored: bool = Field(default=False, description="Search files that `.gitignore` leaves out, too.")


class Grep(Tool[GrepParams]):
    name = "Grep"
    params = GrepParams
    read_only = True
    asks = True

    def __init__(self, workspace: Workspace, approvals: Approvals, sandbox: Sandbox = NO_SANDBOX) -> None:
        self._workspace = workspace
        self._approvals = approvals
        self._sandbox = sandbox

    async def call(self, params: GrepParams) -> ToolReturnValue:
        program = find_ripgrep(*self._workspace.written_folders)
        if program is None:
            return failed("ripgrep (`rg`) is not installed; use `grep -rn` with Shell.")
        if "\0" in params.pattern:
            return failed("The pattern holds a NUL character.")
        try:
            resolved = self._workspace.resolve(params.path)
        except PathRefusedError as error:
            return failed(str(error))
        if not path_exists(resolved.real):
            return failed(f"`{params.path}` does not exist.")
        if "\n" in str(resolved.real.relative_to(resolved.folder or resolved.real.anchor)):
            return failed("Paths with a line break are not searched. ReadFile reads such a file.")
        if not is_folder(resolved.real) and not is_file(resolved.real):  # defence: only-files-are-searched
            return failed(f"`{params.path}` is not searched: it is a pipe, a device or a socket.")
        if resolved.sensitive and not is_folder(resolved.real):
            return failed(f"`{params.path}` by its name holds secrets and is not searched. ReadFile asks the user.")
        if not is_folder(resolved.real) and denied_paths(self.name, resolved, self._approvals.policy):
            return failed(f"`{params.path}` is not searched: a rule of the user's is against it.")
        text, process, unreadable = await self._search_ignoring(program, params, resolved)
        partly = process.exit_code == _PARTLY and ("\0" in text or not text.strip())  # defence: unreadable-parts
        if not process.timed_out and process.exit_code not in (0, 1) and not partly and "\0" not in text:
            return failed(f"ripgrep: {text.strip()[:1000] or 'it failed'}", brief="ripgrep failed")
        value = await asyncio.to_thread(_result, params, self._workspace.work_dir, self._is_secret, text, process)
        notes = " Some files or folders cannot be read, and were not searched." if partly else ""
        if unreadable is not None:
            notes += (
                f" Ignored files are searched too: `{unreadable}`, which lists some, is no regular file or too large."
            )
        return value.model_copy(update={"message": value.message + notes}) if notes else value

    def _is_secret(self, path: str) -> bool:
        """Whether matches in this file are left out: because of its name, its real path, or a rule."""
        resolved = self._workspace.resolve_real(real_path(self._workspace.work_dir / path))
        return (
            is_sensitive(self._workspace.work_dir / path)
            or resolved.sensitive
            or denied_paths(self.name, resolved, self._approvals.policy)
        )

    async def _search_ignoring(
        self, program: str, params: GrepParams, resolved: ResolvedPath
    ) -> tuple[str, ProcessResult, Path | None]:
        """Search; where an ignore file would hold ripgrep up, search without ignore files, and return that file too."""
        searching = asyncio.ensure_future(self._search_again([program, *_options(params)], resolved))
        ended = threading.Event()
        try:
            if not params.include_ignored:
                top = resolved.real if is_folder(resolved.real) else resolved.real.parent
                checking = asyncio.ensure_future(asyncio.to_thread(unreadable_ignore_file, top, ended.is_set))
                await asyncio.wait((searching, checking), return_when=asyncio.FIRST_COMPLETED)
                if not searching.done() and (file := await checking) is not None:  # defence: ignore-file-is-a-pipe
                    return *await self._search_again([program, "--no-ignore", *_options(params)], resolved), file
            return *await searching, None
        finally:
            ended.set()
            searching.cancel()
            await asyncio.gather(searching, return_exceptions=True)

    async def _search_again(self, command: list[str], resolved: ResolvedPath) -> tuple[str, ProcessResult]:
        """Search; if there were too many threads, once more with one."""
        text, process = await self._search(command, resolved)
        if "os error 11" in text and "\0" not in text:
            text, process = await self._search([command[0], "-j1", *command[1:]], resolved)
        return text, process

    async def _search(self, command: list[str], resolved: ResolvedPath) -> tuple[str, ProcessResult]:
        target = resolved.shown if resolved.folder == self._workspace.work_dir else str(resolved.real)
        text, process = "", ProcessResult(None)
        try:
            for argv in self._sandbox.searching([*command, "--", target], resolved):
                text, process = await self._attempt(argv)
                if process.timed_out:
                    break
        except OSError as error:
            return f"{error.strerror}", ProcessResult(2)
        return text, process

    async def _attempt(self, argv: list[str]) -> tuple[str, ProcessResult]:
        chunks: list[str] = []
        size = 0

        def take(text: str) -> bool:
            nonlocal size
            size += len(text)
            if size <= MAX_CHARS:
                chunks.append(text)
            return size > MAX_CHARS

        process = await run(argv, cwd=self._workspace.work_dir, env=DEFAULT_ENV.build(), on_text=take, seconds=SECONDS)
        return "".join(chunks), ProcessResult(None, timed_out=True) if size > MAX_CHARS else process


def _options(params: GrepParams) -> Iterator[str]:
    yield from (
        "--no-config",
        "--color=never",
        "--no-heading",
        "--with-filename",
        "--null",
        "--hidden",
        "--no-messages",
    )
    for folder in _VCS:
        yield f"--glob=!{folder}"
    if params.glob:
        yield f"--glob={params.glob}"
    yield "--glob=!*\n*"  # defence: names-of-one-line
    if params.type:
        yield f"--type={params.type}"
    if params.ignore_case:
        yield "--ignore-case"
    if params.multiline:
        yield from ("--multiline", "--multiline-dotall")
    if params.include_ignored:
        yield "--no-ignore"
    match params.output_mode:
        case "files_with_matches":
            yield "--files-with-matches"
        case "count_matches":
            yield "--count-matches"
        case "content":
            yield from ("--line-number" if params.numbers else "--no-line-number", "--max-columns-preview")
            yield f"--max-columns={_MAX_COLUMNS}"
            for letter, lines in (("B", params.before), ("A", params.after), ("C", params.around)):
                if lines:
                    yield f"-{letter}{lines}"
    yield f"--regexp={params.pattern}"


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line of the result; `path` is None for the separator between two ranges."""

    path: str | None
    text: str


def _result(
    params: GrepParams, work_dir: Path, is_secret: Callable[[str], bool], text: str, process: ProcessResult
) -> ToolReturnValue:
    files: dict[str, list[_Entry]] = {}
    current = ""
    for entry in _entries(text, params.output_mode):
        current = entry.path if entry.path is not None else current
        files.setdefault(current, []).append(entry)
    # Nothing counts what is left out: that would tell the model whether a secret matches.
    files = {path: found for path, found in files.items() if not path or not is_secret(path)}
    newest = sorted(files, key=lambda path: _changed_at(work_dir / path), reverse=True)
    entries = [entry.text for path in newest for entry in files[path]]
    while entries and entries[-1] == "--":
        entries.pop()
    end = params.offset + params.head_limit if params.head_limit else None
    page = list(islice(entries, params.offset, end))
    output = ResultBuilder(max_line_chars=_MAX_COLUMNS + 500)
    for line in page:
        output.write(f"{line}\n")
    message = _summary(params, len(files), len(entries), len(page))
    if process.timed_out:
        message += f" It was stopped after {SECONDS} s or {byte_count(MAX_CHARS)}: there may be more. Narrow it down."
    return ok(output.build(), output.note(message), display=(BriefBlock(text=message.partition(".")[0]),))


def _summary(params: GrepParams, files: int, entries: int, page: int) -> str:
    if not entries:
        return "Nothing matches."
    message = f"Matches in {files} file{'s' if files != 1 else ''}."
    if page < entries:
        message += f" Entries {params.offset + 1} to {params.offset + page} of {entries}; `offset` leads on."
    return message


def _entries(text: str, mode: str) -> Iterable[_Entry]:
    if mode == "files_with_matches":
        for path in text.split("\0"):
            if path.strip("\n"):
                yield _Entry(_tidy(path.strip("\n")), _tidy(path.strip("\n")))
        return
    for line in text.split("\n"):
        path, nul, tail = line.partition("\0")
        if nul:
            path = _tidy(path)
            yield _Entry(path, f"{path}:{tail}")
        elif line == "--":
            yield _Entry(None, line)


def _tidy(path: str) -> str:
    return path.removeprefix("./")


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
