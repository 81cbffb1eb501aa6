"""Files that others may have put in our way are opened without being waited for."""

import os
import socket
from pathlib import Path

import pytest

from kimi_tui.regular_file import (
    NotRegularError,
    TooLargeError,
    is_regular_or_absent,
    open_fd,
    open_regular,
    read_bytes,
    read_start,
    read_text,
)

pytestmark = pytest.mark.timeout(20)


def test_a_regular_file_is_read_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    (tmp_path / "b").symlink_to("a")
    assert read_text(tmp_path / "b") == "one\ntwo\nthree\n"
    assert read_start(tmp_path / "b", 6) == b"\xef\xbb\xbfone"
    with open_regular(tmp_path / "a") as file:
        assert len(file.read()) == 18
    assert is_regular_or_absent(tmp_path / "b")


def test_a_pipe_a_folder_a_socket_and_a_device_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "zero").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for name in ("pipe", "folder", "zero", "socket"):
            assert not is_regular_or_absent(tmp_path / name)
            for flags in (os.O_RDONLY, os.O_RDWR | os.O_CREAT | os.O_APPEND):
                with pytest.raises(NotRegularError, match="this is not a regular file"):
                    open_fd(tmp_path / name, flags)
            with pytest.raises(NotRegularError):
                read_text(tmp_path / name)


def test_a_file_that_is_absent_is_made_where_that_is_wanted(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    assert is_regular_or_absent(file)
    with pytest.raises(FileNotFoundError):
        open_fd(file)
    os.close(open_fd(file, os.O_RDWR | os.O_CREAT))
    assert file.stat().st_mode & 0o777 == 0o600


def test_more_than_the_bound_is_an_error_and_exactly_it_is_not(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 1024)
    assert len(read_bytes(tmp_path / "a", most=1024)) == 1024
    with pytest.raises(TooLargeError, match="it is larger than"):
        read_bytes(tmp_path / "a", most=1023)


def test_a_link_that_leads_back_to_itself_and_a_file_below_a_file_are_no_hang(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_text("")
    for name in ("loop", "file/below"):
        assert not is_regular_or_absent(tmp_path / name)
        with pytest.raises(OSError, match=r"."):
            read_bytes(tmp_path / name)
