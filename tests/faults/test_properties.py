"""Whatever is in a journal, and whatever a pattern says: bounded here, run for long by hand."""

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kimi_tui import jsonl
from kimi_tui.permission.file_pattern import matches_file

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
ROWS = st.lists(JSON.map(lambda value: {"v": value}), max_size=5)
BOUNDED = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


@BOUNDED
@given(before=ROWS, junk=st.binary(max_size=60), cut=st.integers(0, 400), after=ROWS)
def test_whole_records_survive_any_tail_and_what_is_appended_is_read(tmp_path: Path, before, junk, cut, after) -> None:
    file = tmp_path / "journal.jsonl"
    data = b"".join(jsonl.dump(row) for row in before)
    file.write_bytes(data[:cut] + junk)
    writer = jsonl.JsonlWriter(file)
    writer.append(*after)
    writer.close()
    read = [value for _, value in jsonl.read(file).rows]
    whole, size = [], 0
    for row in before:
        size += len(jsonl.dump(row))
        if size <= cut:
            whole.append(json.loads(jsonl.dump(row)))
    assert read[: len(whole)] == whole
    assert read[len(read) - len(after) :] == [json.loads(jsonl.dump(row)) for row in after]


@BOUNDED
@given(pattern=st.text("ab*?/.~[]{}\\()é", min_size=1, max_size=20), path=st.text("ab/.", max_size=20))
def test_a_pattern_that_surely_covers_a_file_may_cover_it_too(pattern: str, path: str) -> None:
    real = Path(os.path.normpath(f"/work/{path}"))
    folder = Path("/work") if real.is_relative_to("/work") else None
    if matches_file(pattern, real, folder, strict=False):
        assert matches_file(pattern, real, folder, strict=True)


@pytest.mark.parametrize("pattern", ["*a" * 30 + "b", "**a" * 30 + "/b", "**/" * 60 + "b", "?" * 200 + "*" * 200])
def test_no_pattern_takes_long(pattern: str) -> None:
    """A stranger's project may bring it."""
    began = time.process_time()
    for path in ("/work/" + "a" * 2000, "/work/" + "a/" * 1000):
        matches_file(pattern, Path(path), Path("/work"), strict=True)
    assert time.process_time() - began < 5
