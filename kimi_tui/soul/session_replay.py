"""Replays the recorded messages of a session, with notes on omitted ones."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kimi_tui import jsonl
from kimi_tui.i18n import tr, tr_n
from kimi_tui.session.record_tail import SHOWN_BYTES, recent_start, tail_start
from kimi_tui.soul.notices import notice
from kimi_tui.wire.events import Notification
from kimi_tui.wire.recorder import Recorded, Recorder, read_recorded


@dataclass(frozen=True, slots=True)
class Replay:
    """The recorded messages of a session in two parts: the last turns, and all before, which are read when iterated.

    `earlier` is None if `recent` holds everything.
    """

    recent: Iterable[Recorded]
    earlier: Iterator[Recorded] | None = None


def replayed(recorder: Recorder, wire_file: Path, *, whole: bool = False) -> Iterator[Recorded]:
    """Yield the messages of the session; those that could not be written to disk come last.

    Unless `whole`, a very long session yields only its last turns, after a note about that. Unreadable lines are copied
    to `wire.bad.jsonl`, and a note at the end gives their number.
    """
    start = 0 if whole else tail_start(wire_file, SHOWN_BYTES)
    bad: list[bytes] = []
    recorded = recorder.recorded(start, bad=bad)
    return _with_notices(recorded, wire_file, bad, hidden=start > 0)


def replayed_in_parts(recorder: Recorder, wire_file: Path) -> Replay:
    """The messages as `replayed` yields them, the last turns of a long session first. Raises OSError."""
    shown_from = tail_start(wire_file, SHOWN_BYTES)
    start = recent_start(wire_file, shown_from)
    if start == shown_from:
        return Replay(replayed(recorder, wire_file))
    bad: list[bytes] = []
    recent = list(_with_notices(recorder.recorded(start, bad=bad), wire_file, bad))
    if not recent:  # defence: no-recent-message
        return Replay(replayed(recorder, wire_file))
    bad_before: list[bytes] = []
    earlier = read_recorded(wire_file, shown_from, start, bad=bad_before)
    return Replay(recent, _with_notices(earlier, wire_file, bad_before, hidden=shown_from > 0))


def _with_notices(
    recorded: Iterator[Recorded], wire_file: Path, bad: list[bytes], *, hidden: bool = False
) -> Iterator[Recorded]:
    """Add a note in front if turns before these are `hidden`, and one at the end if lines were `bad`."""
    if hidden and (first := next(recorded, None)) is not None:
        title, body = tr("Earlier turns are hidden"), tr("Saved in {file}", file=wire_file)
        yield Recorded(first.timestamp, notice(title, body, kind="tail"))
        yield first
    timestamp = 0.0
    for one in recorded:
        timestamp = one.timestamp
        yield one
    if bad:
        jsonl.set_aside(wire_file, bad)
        yield Recorded(timestamp, damage_notice(len(bad), wire_file))


def damage_notice(count: int, wire_file: Path) -> Notification:
    """Return the notice of lines that were saved beside the record."""
    lines = tr_n("{count} unreadable line", "{count} unreadable lines", count)
    copy = tr("saved in {file}", file=wire_file.with_suffix(".bad.jsonl").name)
    title = tr("Some lines of this session's record cannot be read")
    return notice(title, " · ".join((lines, copy)), severity="warning", kind="damage")
