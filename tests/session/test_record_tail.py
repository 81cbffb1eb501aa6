import json
from pathlib import Path

import pytest

from kimi_tui.session import record_tail
from kimi_tui.session.record_tail import recent_start


def row(kind: str, text: str = "") -> str:
    return (
        json.dumps({"timestamp": 1.0, "message": {"type": kind, "payload": {"x": text}}}, separators=(",", ":")) + "\n"
    )


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_tail, "RECENT_BYTES", 5_000)


def turns(count: int) -> list[str]:
    return [row("TurnBegin", f"{n}") + row("ContentPart", "y" * 1000) + row("TurnEnd") for n in range(count)]


def recent(wire: Path, *rows: str, shown_from: int = 0) -> str:
    wire.write_text("".join(rows))
    return wire.read_text()[recent_start(wire, shown_from) :]


def test_the_recent_part_begins_at_a_turn(tmp_path: Path) -> None:
    rows = turns(50)
    assert recent(tmp_path / "wire.jsonl", *rows) == "".join(rows[-4:])


def test_a_short_record_is_recent_as_a_whole(tmp_path: Path) -> None:
    rows = turns(3)
    assert recent(tmp_path / "wire.jsonl", *rows) == "".join(rows)
    assert recent_start(tmp_path / "none", 0) == 0


def test_the_recent_part_never_begins_within_a_run_of_a_flow(tmp_path: Path) -> None:
    start = row("TurnBegin", "/flow:a") + row("FlowBegin")
    running = [*turns(5), start, *turns(20)]
    assert recent(tmp_path / "wire.jsonl", *running) == "".join(running[5:])
    ended = [*turns(5), start, *turns(5), row("FlowEnd"), *turns(20)]
    assert recent(tmp_path / "wire.jsonl", *ended) == "".join(ended[-4:])


@pytest.mark.parametrize("end", ["", row("TurnEnd")])
def test_a_last_line_that_is_longer_than_the_recent_part_belongs_to_it(tmp_path: Path, end: str) -> None:
    rows = [*turns(5), row("ContentPart", "y" * 3_000_000)]
    assert recent(tmp_path / "wire.jsonl", *rows) == rows[-1]
    assert recent(tmp_path / "wire.jsonl", *rows, end) == (end or rows[-1])


def test_nothing_before_the_shown_part_is_recent(tmp_path: Path) -> None:
    rows = [row("TurnBegin", "/flow:a") + row("FlowBegin"), *turns(20)]
    hidden = len("".join(rows[:10]))
    assert recent(tmp_path / "wire.jsonl", *rows, shown_from=hidden) == "".join(rows[-4:])
