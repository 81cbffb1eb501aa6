"""An export is a new file, or replaces a regular one on demand."""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from kimi_tui.export_file import export_file


def write(target: Path, content: bytes, *, replace: bool = False) -> None:
    with export_file(target, replace=replace) as stream:
        stream.write(content)


def test_an_export_replaces_no_file_unasked(tmp_path: Path) -> None:
    target = tmp_path / "a.md"
    write(target, b"first")
    with pytest.raises(FileExistsError):
        write(target, b"second")
    assert target.read_bytes() == b"first"
    write(target, b"second", replace=True)
    assert target.read_bytes() == b"second"
    assert [*tmp_path.iterdir()] == [target]


def test_an_export_goes_through_no_link_and_into_no_pipe(tmp_path: Path) -> None:
    other, link, pipe = tmp_path / "other", tmp_path / "link.md", tmp_path / "pipe.md"
    other.write_bytes(b"kept")
    os.mkfifo(pipe)
    link.symlink_to(other)
    for target, replace in ((link, False), (pipe, False), (pipe, True), (tmp_path, True)):
        with pytest.raises(FileExistsError):
            write(target, b"new", replace=replace)
    write(link, b"new", replace=True)
    assert (other.read_bytes(), link.read_bytes(), link.is_symlink()) == (b"kept", b"new", False)
    assert pipe.is_fifo()


def test_an_export_to_a_place_that_cannot_be_reached_says_why(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        write(tmp_path / "loop" / "a.md", b"new")


def test_an_export_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "a.md"
    write(target, b"first")
    stream = ExitStack()
    stream.enter_context(export_file(target, replace=True)).write(b"half")
    with pytest.raises(ZeroDivisionError), stream:
        raise ZeroDivisionError
    assert target.read_bytes() == b"first"
    assert [*tmp_path.iterdir()] == [target]
