"""What a session keeps of files before they are edited, also when its own files are damaged."""

import json

import pytest

from kimi_tui.session.file_checkpoints import FileCheckpoints

ODD = [None, True, -1, 1e308, "", "\0x", "../../x", [], [1], [None], [["a"]], ["\0"], {}, {"a": 1}]


@pytest.fixture
def folder(tmp_path):
    """A history with two turns, an edit of each, and a rewind of files."""
    file, folder = tmp_path / "file", tmp_path / "files"
    checkpoints = FileCheckpoints(folder)
    first = checkpoints.begin_turn("first")
    checkpoints.before_edit(file, b"old", b"new")
    checkpoints.begin_turn("second")
    checkpoints.before_edit(file, b"new", b"newer")
    checkpoints.rewind(first, conversation=False, files=True, left=[file])
    checkpoints.close()
    return folder


def contents(checkpoints):
    turns = [turn.id for turn in checkpoints.turns if turn.id]
    found = [checkpoints.versions_before(turn) for turn in turns]
    return [version.content for versions, _ in found for version in versions], [
        path for _, gone in found for path in gone
    ]


def test_no_value_in_the_history_is_an_error(folder):
    log = folder / "log.jsonl"
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    for number, row in enumerate(rows):
        for key in row:
            for value in ODD:
                damaged = [*rows[:number], {**row, key: value}, *rows[number + 1 :]]
                log.write_text("".join(json.dumps(one) + "\n" for one in damaged))
                restored, gone = contents(FileCheckpoints(folder))
                assert {*restored} <= {b"old", b"new", None}
                assert not any("\0" in str(path) for path in gone)


def test_content_that_is_not_what_was_kept_is_not_restored(folder, tmp_path):
    restored, gone = contents(FileCheckpoints(folder))
    assert (restored, gone) == ([b"old", b"new"], [])
    for blob in (folder / "blobs").iterdir():
        if blob.read_bytes() == b"old":
            blob.write_bytes(b"ol")
    restored, gone = contents(FileCheckpoints(folder))
    assert (restored, gone) == ([b"new"], [tmp_path / "file"])
