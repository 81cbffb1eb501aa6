"""ReadFile: lines of a text file, with their numbers, within bounds."""

import asyncio
import os
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from pydantic import Field, field_validator

from kimi_tui.interaction.approvals import Approvals
from kimi_tui.tools.core.result_builder import MARKER, MAX_LINE_CHARS
from kimi_tui.tools.core.tool import Params, Tool, failed, ok
from kimi_tui.tools.file_support.client_editor import NO_EDITOR, Editor
from kimi_tui.tools.file_support.read_approval import ask_to_read
from kimi_tui.tools.file_support.safe_open import open_checked
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
            place = self._workspace.place(params.path)
        except PathRefusedError as error:
            return failed(str(error))
        try:
            refused = await ask_to_read(self._approvals, place, sender=self.name)
            if refused is not None:
                return refused
            held = await self._held(place)
            return await asyncio.to_thread(_read, place, params.line_offset, min(params.n_lines, MAX_LINES), held)
        except FileNotFoundError:
            return failed(f"`{params.path}` does not exist.{_similar(place.real)}")
        except OSError as error:
            return failed(str(error) if error.strerror is None else f"`{params.path}`: {error.strerror}.")

    async def _held(self, place: ResolvedPath) -> str | None:
        """Return the editor's text of a workspace file, including unsaved changes."""
        buffers = self._editor.buffers
        if buffers is None or not place.inside or not await asyncio.to_thread(_may_be_held, place):
            return None
        return await buffers.read(place.real)


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


def _may_be_held(place: ResolvedPath) -> bool:
    """Whether the editor may have the file: a text file, or no file yet. Raises OSError for other file types."""
    try:
        with open_checked(place.real) as descriptor:
            start = os.pread(descriptor, 8192, 0)
            return not media_kind(start) and not is_binary(start) and os.fstat(descriptor).st_size <= MAX_EDIT_BYTES
    except FileNotFoundError:
        return True


def _read(place: ResolvedPath, offset: int, count: int, held: str | None) -> ToolReturnValue:
    if held is not None:
        return _result(place, _found(_lines_of(held), offset, count))
    with open_checked(place.real) as descriptor:
        start = os.pread(descriptor, 8192, 0)
        if kind := media_kind(start):
            return failed(f"`{place.given}` is a {'picture' if kind == 'image' else kind}. ReadMediaFile reads those.")
        if is_binary(start):
            return failed(f"`{place.given}` is a binary file. Use Shell with a program that understands it.")
        if offset < 0 and os.fstat(descriptor).st_size > MAX_SCANNED:
            return failed(f"`{place.given}` is too large to be read from its end. Use `tail` with Shell.")
        found = _found(_decoded(descriptor, start), offset, count)
    return _result(place, found)


def _found(lines: Iterable[bytes], offset: int, count: int) -> _Lines:
    return _from_start(lines, offset, count) if offset > 0 else _from_end(lines, -offset, count)


def _result(place: ResolvedPath, found: _Lines) -> ToolReturnValue:
    last = found.first + len(found.lines) - 1
    total = "more than can be counted" if found.total is None else str(found.total)
    if found.total == 0:
        return ok(message="The file is empty.", display=(BriefBlock(text=f"{place.shown}: empty"),))
    if not found.lines:
        return failed(f"`{place.given}` has {total} lines; there is no line {found.first}.")
    said = f"Lines {found.first} to {last} of {total}."
    if found.full:
        said += (
            f" Not more than {MAX_LINES} lines and {MAX_BYTES >> 10} KiB are read at once; go on at line {last + 1}."
        )
    if found.cut:
        said += f" Lines longer than {MAX_LINE_CHARS} characters are cut."
    text = "".join(f"{number:6d}\t{line}\n" for number, line in enumerate(found.lines, found.first))
    return ok(text, said, display=(BriefBlock(text=f"{place.shown}: lines {found.first}-{last} of {total}"),))


def _from_start(lines: Iterable[bytes], offset: int, count: int) -> _Lines:
    found = _Lines([], offset, None)
    room, number, done = MAX_BYTES, 0, False
    try:
        for number, line in enumerate(lines, 1):
            if number < offset or done:
                continue
            text, cut = _text(line)
            room -= len(text.encode("utf-8", "replace")) + 8
            if len(found.lines) >= count or (room < 0 and found.lines):
                done = True
                found.full = room < 0 or count >= MAX_LINES
                continue
            found.lines.append(text)
            found.cut |= cut
    except _NotCountedError:
        return found
    found.total = number
    return found


def _from_end(lines: Iterable[bytes], back: int, count: int) -> _Lines:
    kept: deque[bytes] = deque(maxlen=back)
    number = 0
    for line in lines:
        number += 1
        kept.append(line)
    found = _from_start(kept, 1, count)
    found.first, found.total = number - len(kept) + 1, number
    return found


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
    rest, scanned = b"", 0
    while piece := os.read(descriptor, _CHUNK):
        scanned += len(piece)
        if scanned > MAX_SCANNED:
            raise _NotCountedError
        first, *more = piece.split(b"\n")
        rest += first[: max(0, longest - len(rest))]
        for line in more:
            yield rest
            rest = line[:longest]
    if rest:
        yield rest


def _similar(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ""
    close = get_close_matches(path.name, names[:2000], n=3)
    return f" There is {' and '.join(f'`{name}`' for name in close)}." if close else ""
