"""ReadFile: lines of a text file, with their numbers, within bounds."""

import asyncio
import os
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from pydantic import Field, field_validator

from kimi_tui.formats import byte_count
from kimi_tui.interaction.approvals import Approvals
from kimi_tui.tools.core.result_builder import MARKER, MAX_LINE_CHARS
from kimi_tui.tools.core.tool import Params, Tool, failed, ok
from kimi_tui.tools.file_support.client_editor import NO_EDITOR, Editor
from kimi_tui.tools.file_support.read_approval import ask_to_read
from kimi_tui.tools.file_support.safe_open import open_checked, open_folder
from kimi_tui.tools.file_support.text_encoding import MAX_EDIT_BYTES, decode, is_binary, media_kind
from kimi_tui.tools.file_support.workspace import PathRefusedError, ResolvedPath, Workspace
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import ToolReturnValue

MAX_LINES = 1000
MAX_BYTES = 100 << 10
MAX_SCANNED = 512 << 20
_MAX_UTF16 = 50 << 20
_CHUNK = 1 << 20


class ReadFileParams(Params):
    path: str = Field(description="The file; absolute, or relative to the working directory.")
    line_offset: int = Field(
        default=1,
        ge=-MAX_LINES,
        description="The first line to read, from 1; a negative number counts from the end (-1 is the last line).",
    )
    n_lines: int = Field(default=MAX_LINES, ge=1, description=f"How many lines to read, at most {MAX_LINES}.")

    @field_validator("line_offset")
    @classmethod
    def _never_zero(cls, value: int) -> int:
        if value == 0:
            raise ValueError("lines are counted from 1, or from -1 at the end; 0 is neither")
        return value


class ReadFile(Tool[ReadFileParams]):
    name = "ReadFile"
    params = ReadFileParams
    read_only = True
    asks = True

    def __init__(self, workspace: Workspace, approvals: Approvals, editor: Editor = NO_EDITOR) -> None:
        self._workspace = workspace
        self._approvals = approvals
        self._editor = editor

    async def call(self, params: ReadFileParams) -> ToolReturnValue:
        try:
            resolved = self._workspace.resolve(params.path)
        except PathRefusedError as error:
            return failed(str(error))
        try:
            refused = await ask_to_read(self._approvals, resolved, sender=self.name)
            if refused is not None:
                return refused
            buffer_text = await self._buffer_text(resolved)
            return await asyncio.to_thread(
                _read, resolved, params.line_offset, min(params.n_lines, MAX_LINES), buffer_text
            )
        except FileNotFoundError:
            return failed(f"`{params.path}` does not exist.{_similar(resolved.real)}")
        except OSError as error:
            return failed(str(error) if error.strerror is None else f"`{params.path}`: {error.strerror}.")

    async def _buffer_text(self, resolved: ResolvedPath) -> str | None:
        """Return the editor's text of a workspace file, including unsaved changes."""
        async with self._editor.using_buffers() as buffers:
            if buffers is None or not resolved.inside or not await asyncio.to_thread(_may_be_held, resolved):
                return None
            return await buffers.read(resolved.real)


class _NotCountedError(Exception):
    """The file is too long to count its lines."""


@dataclass(slots=True)
class _Lines:
    """The lines read. `total` is None if the file is too long to count."""

    lines: list[str]
    first: int
    total: int | None
    cut: bool = False
    full: bool = False


def _may_be_held(resolved: ResolvedPath) -> bool:
    """Whether the editor may have the file: a text file, or no file yet. Raises OSError for other file types."""
    try:
        with open_checked(resolved.real) as descriptor:
            start = os.pread(descriptor, 8192, 0)
            return not media_kind(start) and not is_binary(start) and os.fstat(descriptor).st_size <= MAX_EDIT_BYTES
    except FileNotFoundError:
        return True


def _read(resolved: ResolvedPath, offset: int, count: int, buffer_text: str | None) -> ToolReturnValue:
    if buffer_text is not None:
        return _result(resolved, _found(_lines_of(buffer_text), offset, count))
    with open_checked(resolved.real) as descriptor:
        start = os.pread(descriptor, 8192, 0)
        if kind := media_kind(start):
            return failed(
                f"`{resolved.given}` is a {'picture' if kind == 'image' else kind}. ReadMediaFile reads those."
            )
        if is_binary(start):
            return failed(f"`{resolved.given}` is a binary file. Use Shell with a program that understands it.")
        if offset < 0 and os.fstat(descriptor).st_size > MAX_SCANNED:
            return failed(f"`{resolved.given}` is too large to be read from its end. Use `tail` with Shell.")
        found = _found(_decoded(descriptor, start), offset, count)
    return _result(resolved, found)


def _found(lines: Iterable[bytes], offset: int, count: int) -> _Lines:
    return _from_start(lines, offset, count) if offset > 0 else _from_end(lines, -offset, count)


def _result(resolved: ResolvedPath, lines: _Lines) -> ToolReturnValue:
    last = lines.first + len(lines.lines) - 1
    total = "more than can be counted" if lines.total is None else str(lines.total)
    if lines.total == 0:
        return ok(message="The file is empty.", display=(BriefBlock(text=f"{resolved.shown}: empty"),))
    if not lines.lines:
        return failed(f"`{resolved.given}` has {total} lines; there is no line {lines.first}.")
    message = f"Lines {lines.first} to {last} of {total}."
    if lines.full:
        message += (
            f" At most {MAX_LINES} lines and {byte_count(MAX_BYTES)} are read at once; continue at line {last + 1}."
        )
    if lines.cut:
        message += f" Lines longer than {MAX_LINE_CHARS} characters are cut."
    text = "".join(f"{number:6d}\t{line}\n" for number, line in enumerate(lines.lines, lines.first))
    return ok(text, message, display=(BriefBlock(text=f"{resolved.shown}: lines {lines.first}-{last} of {total}"),))


def _from_start(lines: Iterable[bytes], offset: int, count: int) -> _Lines:
    lines_read = _Lines([], offset, None)
    remaining, number, is_full = MAX_BYTES, 0, False
    try:
        for number, line in enumerate(lines, 1):
            if number < offset or is_full:
                continue
            text, truncated = _text(line)
            remaining -= len(text.encode("utf-8", "replace")) + 8
            if len(lines_read.lines) >= count or (remaining < 0 and lines_read.lines):
                is_full = True
                lines_read.full = remaining < 0 or count >= MAX_LINES
                continue
            lines_read.lines.append(text)
            lines_read.cut |= truncated
    except _NotCountedError:
        return lines_read
    lines_read.total = number
    return lines_read


def _from_end(lines: Iterable[bytes], back: int, count: int) -> _Lines:
    tail: deque[bytes] = deque(maxlen=back)
    number = 0
    for line in lines:
        number += 1
        tail.append(line)
    lines_read = _from_start(tail, 1, count)
    lines_read.first, lines_read.total = number - len(tail) + 1, number
    return lines_read


def _text(line: bytes) -> tuple[str, bool]:
    text = line.decode("utf-8", "replace").removesuffix("\r")
    return (text[:MAX_LINE_CHARS] + MARKER, True) if len(text) > MAX_LINE_CHARS else (text, False)


def _decoded(descriptor: int, start: bytes) -> Iterator[bytes]:
    """Yield the file's lines as UTF-8, truncated if very long. Raises _NotCountedError for a very long file."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        content = os.pread(descriptor, _MAX_UTF16, 0)
        text, _ = decode(content[: len(content) & ~1])
        yield from _lines_of(text)
        return
    yield from _lines(descriptor, 3 if start.startswith(b"\xef\xbb\xbf") else 0)


def _lines_of(text: str) -> Iterator[bytes]:
    if text:
        yield from (line.encode("utf-8", "replace") for line in text.removesuffix("\n").split("\n"))


def _lines(descriptor: int, skip: int) -> Iterator[bytes]:
    longest = MAX_LINE_CHARS * 4 + 4
    os.lseek(descriptor, skip, os.SEEK_SET)
    partial, scanned = b"", 0
    while chunk := os.read(descriptor, _CHUNK):
        scanned += len(chunk)
        if scanned > MAX_SCANNED:
            raise _NotCountedError
        first, *complete = chunk.split(b"\n")
        partial += first[: max(0, longest - len(partial))]
        for line in complete:
            yield partial
            partial = line[:longest]
    if partial:
        yield partial


def _similar(path: Path) -> str:
    try:
        with open_folder(path.parent) as (descriptor, place):
            if place != path.parent:  # defence: similar-names-of-the-place
                return ""
            with os.scandir(descriptor) as entries:
                names = [entry.name for entry in entries]
    except OSError:
        return ""
    close = get_close_matches(path.name, names[:2000], n=3)
    return f" There is {' and '.join(f'`{name}`' for name in close)}." if close else ""
