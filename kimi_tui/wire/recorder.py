"""`wire.jsonl`: every message on the Wire, merged, with its time."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from kimi_tui import jsonl
from kimi_tui.timestamps import steady_time, valid_timestamp
from kimi_tui.wire.codec import UnknownMessage, WireFormatError, WireMessage, decode, encode
from kimi_tui.wire.events import StepBegin, TurnBegin, TurnEnd

PROTOCOL_VERSION = "1.10"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A message and its time, in seconds since the epoch."""

    timestamp: float
    message: WireMessage


class Recorder:
    """A merged listener that writes each message to a file; creates the file with the first one."""

    def __init__(self, writer: jsonl.JsonlWriter, *, clock: Callable[[], float] = steady_time) -> None:
        self._writer = writer
        self._clock = clock
        self._has_header = writer.path.exists() and writer.path.stat().st_size > 0

    def __call__(self, message: WireMessage) -> None:
        if not self._has_header:
            self._has_header = True
            self._writer.append({"type": "metadata", "protocol_version": PROTOCOL_VERSION})
        self._writer.append({"timestamp": self._clock(), "message": encode(message)})
        if isinstance(message, TurnBegin | StepBegin | TurnEnd):
            self._writer.sync_soon()

    @property
    def is_written(self) -> bool:
        """Whether the file has every message."""
        return not self._writer.waiting

    def close(self) -> None:
        """Write what could not be written yet, and close the file; another message opens it again."""
        self._writer.close()

    def recorded(self, start: int = 0, *, bad: list[bytes] | None = None) -> Iterator[Recorded]:
        """The messages of the file from byte `start`, then those that could not be written yet; `bad` gets the
        invalid lines.
        """
        yield from read_recorded(self._writer.path, start, bad=bad)
        yield from _valid(self._writer.unwritten())  # defence: show-unwritten-messages


def read_recorded(
    path: Path, start: int = 0, end: int | None = None, *, bad: list[bytes] | None = None
) -> Iterator[Recorded]:
    """The messages of a file between the bytes `start` and `end`, in order; unknown types are skipped, invalid lines go
    to `bad`.

    A file without a first metadata line (an old one) reads the same.
    """
    rows = jsonl.each(path, start, end, bad=bad)  # defence: recorded-order
    yield from _valid(rows)


def _valid(rows: Iterable[Any]) -> Iterator[Recorded]:
    for row in rows:
        recorded = _recorded(row)
        if recorded is not None:
            yield recorded


def _recorded(row: Any) -> Recorded | None:
    if not isinstance(row, dict) or "message" not in row:
        return None
    timestamp = cast(dict[str, object], row).get("timestamp")
    try:
        message = decode(row["message"])  # pyright: ignore[reportUnknownArgumentType]
    except WireFormatError:
        return None
    if isinstance(message, UnknownMessage):
        return None
    return Recorded(valid_timestamp(timestamp), message)  # defence: valid-timestamp
