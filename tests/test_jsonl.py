import errno
import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui import jsonl
from kimi_tui.jsonl import JsonlWriter

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
RECORDS = [{"n": 1, "text": "first"}, {"n": 2, "text": "zwei 二 🎉"}, {"n": 3, "text": "last"}]


def rows(path):
    return [value for _, value in jsonl.read(path).rows]


def written(path, values):
    writer = JsonlWriter(path)
    writer.append(*values)
    writer.close()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(values=st.lists(VALUES, max_size=5))
def test_what_is_written_is_read_back_one_line_each(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    written(path, values)
    assert rows(path) == values
    if values:
        assert len(path.read_text("utf-8").splitlines()) == len(values)


def test_characters_that_readers_split_lines_at_stay_within_their_line(tmp_path):
    path = tmp_path / "a.jsonl"
    written(path, ["a\u2028b\u2029c\x85d\ne"])
    assert len(path.read_text("utf-8").splitlines()) == 1
    assert rows(path) == ["a\u2028b\u2029c\x85d\ne"]


def test_half_a_surrogate_pair_becomes_a_replacement_and_a_whole_one_its_character(tmp_path):
    path = tmp_path / "a.jsonl"
    written(path, ["a\ud83d", "\ud83c\udf89"])
    assert rows(path) == ["a\ufffd", "🎉"]


def test_torn_tail_every_cut_keeps_the_whole_records_and_the_next_append_starts_a_line(tmp_path):
    whole = b"".join(jsonl.dump(record) for record in RECORDS)
    ends = [len(b"".join(jsonl.dump(r) for r in RECORDS[:count])) for count in range(4)]
    for cut in range(len(whole) + 1):
        path = tmp_path / f"{cut}.jsonl"
        path.write_bytes(whole[:cut])
        # A record that lacks only its line break is whole.
        kept = [record for record, end in zip(RECORDS, ends[1:], strict=True) if cut >= end - 1]
        assert rows(path) == kept
        written(path, [{"n": 4}])
        assert rows(path) == [*kept, {"n": 4}]


def test_nul_tail_is_cut_off(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl.dump(RECORDS[0]) + b"\0" * 4096)
    assert rows(path) == RECORDS[:1]
    written(path, [RECORDS[1]])
    assert path.read_bytes() == jsonl.dump(RECORDS[0]) + jsonl.dump(RECORDS[1])


@pytest.mark.parametrize(("tail", "kept"), [(b'{"to', b'{"to'), (b'{"to\0\0', b'{"to'), (b"\0" * 4096, b"\0")])
def test_a_torn_tail_is_saved_beside_the_file_before_it_is_cut(tmp_path, tail, kept):
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl.dump(RECORDS[0]) + tail)
    assert jsonl.save_torn_tail(path)
    assert (path.read_bytes(), (tmp_path / "a.bad.jsonl").read_bytes()) == (jsonl.dump(RECORDS[0]), kept + b"\n")
    assert not jsonl.save_torn_tail(path), "it is told once"


def test_a_file_that_lacks_only_its_last_line_break_is_not_torn(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl.dump(RECORDS[0]).rstrip())
    assert not jsonl.save_torn_tail(path)
    assert not jsonl.save_torn_tail(tmp_path / "none.jsonl")
    assert path.read_bytes() == jsonl.dump(RECORDS[0])


def test_a_torn_tail_longer_than_a_block_is_cut_at_its_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl.dump(RECORDS[0]) + b'"' + b"x" * 300_000)
    written(path, [2])
    assert rows(path) == [RECORDS[0], 2]


@pytest.mark.timeout(60)
def test_a_tail_of_many_nuls_is_cut_off_in_one_pass(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl.dump(RECORDS[0]))
    with path.open("r+b") as file:
        file.truncate(256 << 20)
    written(path, [RECORDS[1]])
    assert path.read_bytes() == jsonl.dump(RECORDS[0]) + jsonl.dump(RECORDS[1])


def test_corrupt_middle_is_told_with_its_line_and_the_rest_is_read(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl.dump(1) + b"{broken\n" + jsonl.dump(3))
    lines = jsonl.read(path)
    assert lines.rows == [(1, 1), (3, 3)]
    assert lines.bad == [(2, b"{broken")]


def test_a_byte_order_mark_is_no_part_of_the_first_record(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + jsonl.dump(1))
    assert rows(path) == [1]


def test_enospc_what_could_not_be_written_is_kept_and_written_when_there_is_room(tmp_path):
    """A file size limit of the process stands for the full disk: writes fail, then do not."""
    code = """
import resource, signal, sys
from pathlib import Path
from kimi_tui.jsonl import JsonlWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
told = []
writer = JsonlWriter(Path(sys.argv[1]), on_trouble=lambda error: told.append(error and error.errno))
writer.append("first")
resource.setrlimit(resource.RLIMIT_FSIZE, (20, resource.RLIM_INFINITY))
writer.append("second, too long for the limit")
writer.append("third")
assert writer.waiting == 2, writer.waiting
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
writer.append("fourth")
assert writer.waiting == 0
print(told)
"""
    path = tmp_path / "a.jsonl"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.replace("None", "null")) == [errno.EFBIG, None]
    assert rows(path) == ["first", "second, too long for the limit", "third", "fourth"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 20


def test_a_half_written_line_that_cannot_be_cut_off_is_cut_later_and_no_line_comes_twice(tmp_path):
    code = """
import os, resource, signal, sys
from pathlib import Path
from kimi_tui.jsonl import JsonlWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
cut = os.ftruncate
def refuse(*arguments):
    raise OSError("input/output error")
for limit in range(8, 45):
    path = Path(sys.argv[1]) / f"{limit}.jsonl"
    writer = JsonlWriter(path)
    writer.append("first")
    os.ftruncate = refuse
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    writer.append("second", 3, "the fourth line")
    os.ftruncate = cut
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    writer.append("fifth")
    lines = path.read_text("utf-8").splitlines()
    assert lines == ['"first"', '"second"', "3", '"the fourth line"', '"fifth"'], (limit, lines)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len([*tmp_path.iterdir()]) == 37


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc, a place that refuses files")
def test_a_place_that_cannot_be_written_is_told_once_and_stops_nobody():
    told = []
    writer = JsonlWriter(Path("/proc/kimi-tui/a.jsonl"), on_trouble=told.append)
    writer.append(1)
    writer.append(2)
    assert len(told) == 1
    assert writer.waiting == 2
