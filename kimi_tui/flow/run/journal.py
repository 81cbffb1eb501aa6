"""A session's `flow.jsonl`: the history of every run. Invariant: a record is on disk before anything reports it.

Runs of one session share the file; each record names its run.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kimi_tui.failpoints import crash_point
from kimi_tui.flow.run.journal_records import BranchChosen, Record, RunStarted, TurnFinished, dump_record, load_record
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.jsonl import JsonlWriter, read


class Journal:
    """Appends records to the file at `path`; the first record creates it.

    A disk that is full or read-only does not stop a run: `on_trouble` gets the error, and the next record retries what
    could not be written.
    """

    def __init__(self, path: Path, *, on_trouble: Callable[[OSError | None], None] | None = None) -> None:
        self.path = path
        self._writer = JsonlWriter(path, on_trouble=on_trouble)

    def append(self, record: Record) -> None:
        """Write the record; once this returns, it survives a crash of the machine."""
        crash_point("journal.before_append")
        self._writer.append(dump_record(record), sync=True)  # defence: journal-first
        crash_point("journal.after_append")
        crash_point(f"journal.after_{record.r}")
        if isinstance(record, TurnFinished | BranchChosen) and record.choice is not None and record.to is not None:
            crash_point("journal.after_decision")

    def close(self) -> None:
        """Close the file; another record opens it again."""
        self._writer.close()


@dataclass(frozen=True, slots=True)
class JournalContents:
    """The runs of a journal, oldest first, and the numbers of unusable lines."""

    runs: tuple[RunState, ...]
    bad_lines: tuple[int, ...] = ()


def read_journal(path: Path) -> JournalContents:
    """Read a journal; empty if there is no file. Raises OSError if reading fails."""
    lines = read(path)
    runs: dict[str, RunState] = {}
    bad_lines = [number for number, _raw in lines.bad]
    for number, value in lines.rows:
        record = load_record(value)
        if record is None or (record.run not in runs and not isinstance(record, RunStarted)):
            bad_lines.append(number)
        elif record.run not in runs and isinstance(record, RunStarted):
            runs[record.run] = RunState.from_start(record)
        else:
            runs[record.run].apply(record)
    return JournalContents(tuple(runs.values()), tuple(sorted(bad_lines)))


def load_runs(path: Path) -> list[RunState]:
    """The runs in a journal, oldest first; an empty list if there is no file."""
    return list(read_journal(path).runs)
