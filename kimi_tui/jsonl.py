"""Append-only files of JSON lines that survive a crash at any byte.

Invariant: a file ends with a line break before anything is appended. A torn or NUL-filled tail is cut off; reading
skips and reports an invalid line in the middle.
"""

import contextlib
import json
import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

from kimi_tui import json_text
from kimi_tui.regular_file import open_fd, open_regular, read_bytes

_syncing = ThreadPoolExecutor(max_workers=1, thread_name_prefix="jsonl-sync")
_TAIL = 1 << 16
_SHOWN = 1024
MAX_LINE_BYTES = 256 << 20
"""Longer lines count as broken."""


@dataclass(slots=True)
class Lines:
    """The lines of a file: valid ones as `(line number, value)`, bad ones as `(line number, raw bytes)`."""

    rows: list[tuple[int, Any]] = field(default_factory=list[tuple[int, Any]])
    bad: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])


def dump(value: object) -> bytes:
    """Format `value` as one line of UTF-8 JSON with its line break.

    The output has no character that any reader treats as a line break. Half surrogates become U+FFFD, NaN and Infinity
    null.
    """
    try:
        text = _dumps(value)
    except ValueError:
        text = _dumps(_without_constants(value))
    if not text.isascii():
        for char in ("\u2028", "\u2029", "\x85"):  # defence: escape-line-ends
            text = text.replace(char, f"\\u{ord(char):04x}")
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # defence: replace-half-characters
    return text.encode() + b"\n"


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _without_constants(value: object) -> object:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {key: _without_constants(item) for key, item in cast(dict[object, object], value).items()}
        case list() | tuple():
            return [_without_constants(item) for item in cast(list[object], value)]
        case _:
            return value


def read(path: Path) -> Lines:
    """Read every complete line of the file; an absent file is empty. Raises OSError."""
    result = Lines()
    for number, raw in _raw_lines(path, 0):
        if not raw.strip(b"\0 \t\r"):
            continue
        try:
            result.rows.append((number, json_text.loads(raw)))
        except ValueError:
            result.bad.append((number, raw))  # defence: skip-bad-line
    return result


def each(path: Path, start: int = 0, end: int | None = None, *, bad: list[bytes] | None = None) -> Iterator[Any]:
    """Yield the values of the complete lines between the bytes `start` and `end`; invalid lines are added to `bad`.

    Raises OSError.
    """
    for _, raw in _raw_lines(path, start, end):
        if raw.strip(b"\0 \t\r"):
            try:
                value = json_text.loads(raw)
            except ValueError:
                if bad is not None:
                    bad.append(raw)
            else:
                yield value


def _raw_lines(path: Path, start: int, end: int | None = None) -> Iterator[tuple[int, bytes]]:
    try:
        file = open_regular(path)
    except FileNotFoundError:
        return
    with file:
        file.seek(start)
        for number, raw in enumerate(_bounded_lines(file, end), 1):
            if not raw.endswith(b"\n"):
                raw = raw.rstrip(b"\0")  # the part that cut_torn_tail would leave
                try:  # complete except for its line break: everything before the crash was written
                    json_text.loads(raw)
                except ValueError:
                    return
            yield number, raw.rstrip(b"\n")


def _bounded_lines(file: BinaryIO, end: int | None) -> Iterator[bytes]:
    """Yield the lines that begin before `end`; one longer than MAX_LINE_BYTES is cut, which makes it invalid JSON."""
    while (end is None or file.tell() < end) and (raw := file.readline(MAX_LINE_BYTES)):
        piece = raw
        while len(piece) == MAX_LINE_BYTES and not piece.endswith(b"\n"):
            piece = file.readline(MAX_LINE_BYTES)
        yield raw if raw.endswith(b"\n") or piece is raw else raw[:_SHOWN] + b"\n"


def _is_json(raw: bytes) -> bool:
    try:
        json_text.loads(raw)
    except ValueError:
        return False
    return True


def set_aside(path: Path, lines: Sequence[bytes]) -> int:
    """Save bad lines of a file in `NAME.bad.jsonl` beside it; returns the number of new ones."""
    kept = path.with_suffix(".bad.jsonl")
    with contextlib.suppress(OSError):
        known = set(read_bytes(kept).splitlines()) if kept.exists() else set[bytes]()
        fresh = [line for line in lines if line not in known]  # defence: copy-bad-line-once
        if fresh:
            with os.fdopen(open_fd(kept, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "wb") as file:
                file.write(b"\n".join(fresh) + b"\n")
        return len(fresh)
    return len(lines)


class JsonlWriter:
    """Appends values to one file, created with its first line. At most one process may write to the file.

    The writer keeps a value that it could not write (full disk, read-only home) and retries it with the next one. It
    calls `on_trouble` with the error on the first failure, and with None on recovery.
    """

    def __init__(self, path: Path, *, on_trouble: Callable[[OSError | None], None] | None = None) -> None:
        self.path = path
        self.on_trouble = on_trouble
        self._fd: int | None = None
        self._kept: list[bytes] = []
        self._troubled = False
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """The number of values not yet written."""
        return len(self._kept)

    def unwritten(self) -> list[Any]:
        """Return the unwritten values, in the form in which they would be read."""
        with self._lock:
            kept = [*self._kept]
        return [json_text.loads(raw) for raw in kept]

    def append(self, *values: object, sync: bool = False) -> None:
        """Write `values`; written values survive the death of this process.

        With `sync` they also survive a crash of the machine, once this returns.
        """
        with self._lock:
            self._kept.extend(dump(value) for value in values)
            self._write(sync)  # defence: write-at-once

    def sync_soon(self) -> None:
        """Start syncing to disk, without waiting for it."""
        if self._fd is not None:
            _syncing.submit(self._sync)

    def close(self) -> None:
        with self._lock:
            if self._kept:
                self._write(sync=True)
            fd, self._fd = self._fd, None
        if fd is not None:
            with contextlib.suppress(OSError):
                os.fsync(fd)
            os.close(fd)

    def forget(self) -> None:
        """Close the file, which is about to be replaced, and drop unwritten values."""
        with self._lock:
            self._kept.clear()
        self.close()

    def _sync(self) -> None:
        with self._lock, contextlib.suppress(OSError):
            if self._fd is not None:
                os.fsync(self._fd)

    def _write(self, sync: bool) -> None:
        troubled = self._troubled
        try:
            if self._fd is None:
                self._fd = _opened_for_append(self.path)
            data = b"".join(self._kept)
            start = os.lseek(self._fd, 0, os.SEEK_END)
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(self._fd, view) :]
            except OSError:
                self._take_back(start, len(data) - len(view))
                raise
            self._kept.clear()
            if sync:
                os.fsync(self._fd)
        except OSError as error:
            self._troubled = True  # defence: keep-unwritten-lines
            if not troubled and self.on_trouble is not None:
                self.on_trouble(error)
        else:
            self._troubled = False
            if troubled and self.on_trouble is not None:
                self.on_trouble(None)

    def _take_back(self, start: int, written: int) -> None:
        """Cut the file at `start`, or if that fails keep the complete lines among the last `written` bytes."""
        assert self._fd is not None
        try:
            os.ftruncate(self._fd, start)
        except OSError:
            # opening it again cuts the torn line
            fd, self._fd = self._fd, None  # defence: cut-half-written-line
            os.close(fd)
            while self._kept and written >= len(self._kept[0]) - 1:  # a missing line break is added by opening it
                written -= len(self._kept.pop(0))


def _opened_for_append(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = open_fd(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        cut_torn_tail(fd)  # defence: cut-torn-tail
    except OSError:
        os.close(fd)
        raise
    return fd


def save_torn_tail(path: Path) -> bool:
    """Cut what follows the last complete line, which a crash tore, and save it in `NAME.bad.jsonl`; returns whether
    there was such a tail. No other process may write to the file.
    """
    with contextlib.suppress(OSError), os.fdopen(open_fd(path, os.O_RDWR), "rb") as file:
        start, end, size = _torn_tail(file.fileno())
        if start != size:
            content = os.pread(file.fileno(), min(end - start, MAX_LINE_BYTES), start)
            set_aside(path, [content or b"\0"])  # where only the room for lines was written
            os.ftruncate(file.fileno(), start)
            return True
    return False


def cut_torn_tail(fd: int) -> None:
    """Make the file end with a complete line: add a missing line break, or cut a torn line. Memory stays bounded."""
    start, _, size = _torn_tail(fd)
    if start != size:
        os.ftruncate(fd, start)


def _torn_tail(fd: int) -> tuple[int, int, int]:
    """Return where the incomplete last line starts and ends, and the size of the file; first add a line break that is
    all that is missing.
    """
    size = os.fstat(fd).st_size
    end = next((at + len(kept) for at, piece in _pieces_from_end(fd, size) if (kept := piece.rstrip(b"\0"))), 0)
    start = next((at + found + 1 for at, piece in _pieces_from_end(fd, end) if (found := piece.rfind(b"\n")) >= 0), 0)
    if start != end and end - start <= MAX_LINE_BYTES and _is_json(os.pread(fd, end - start, start)):
        os.ftruncate(fd, end)
        os.pwrite(fd, b"\n", end)
        start = end = size = end + 1
    return start, end, size


def _pieces_from_end(fd: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Yield the pieces of the file before `end` and their positions, the last one first."""
    while end > 0:
        start = max(0, end - _TAIL)
        yield start, os.pread(fd, end - start, start)  # defence: one-pass-from-the-end
        end = start
