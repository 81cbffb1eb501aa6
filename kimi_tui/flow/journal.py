"""A session's `flow.jsonl`: every run's way, appended and on disk before it is told to anybody."""

from pathlib import Path

from kimi_tui.flow.run_state import RunState


class Journal:
    """Appends records to the file at `path`, which is made with the first."""

    def __init__(self, path: Path) -> None:
        self.path = path


def load_runs(path: Path) -> list[RunState]:
    """The runs in a journal, oldest first; an empty list where there is no file."""
    raise NotImplementedError
