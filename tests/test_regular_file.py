"""Files that others may have put in our way are opened without being waited for."""

import ast
import os
import socket
from pathlib import Path

import pytest

import kimi_tui
from kimi_tui.regular_file import (
    NotRegularError,
    TooLargeError,
    is_regular_or_absent,
    open_fd,
    open_regular,
    read_bytes,
    read_end,
    read_start,
    read_text,
)

PROGRAM = Path(kimi_tui.__file__).parent

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


def test_the_end_of_a_file_is_read_with_the_size_of_the_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"0123456789")
    assert read_end(tmp_path / "a", 4) == (b"6789", 10)
    assert read_end(tmp_path / "a", 20) == (b"0123456789", 10)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotRegularError):
        read_end(tmp_path / "pipe", 4)


READ_AS_THEY_ARE = {
    "cli/commands/doctor_checks.py": "a file of the kernel",
    "cli/completions/__init__.py": "part of the program",
    "cli/commands/flow_dry_run.py": "the user names it, and it may be a pipe",
    "documentation.py": "part of the program",
    "soul/commands/session.py": "in a temporary folder of ours",
    "tools/core/tool.py": "part of the program",
    "tools/shell_support/inotify.py": "files of the kernel",
    "tools/shell_support/mount_check.py": "files of the kernel",
    "tools/shell_support/supervision.py": "files of the kernel",
    "tools/shell_support/supervisor.py": "files of the kernel",
    "tools/shell_support/unix_sockets.py": "a file of the kernel",
    "ui/tui/i18n/catalog.py": "part of the program",
    "ui/tui/navigation/external_editor.py": "in a temporary folder of ours",
    "ui/tui/terminal/job_control.py": "a file of the kernel",
    "ui/web/server.py": "part of the program",
}
"""The files that read otherwise than through `regular_file`, and why nothing there can block or flood them."""


def reads_without_bounds(call: ast.Call) -> bool:
    match call:
        case ast.Call(func=ast.Attribute(attr="read_text" | "read_bytes")):
            return True
        case ast.Call(func=ast.Attribute(attr="open"), args=[ast.Constant(value=str(mode)), *_]):
            return set(mode) <= set("rbt+")
        case ast.Call(func=ast.Name(id="open"), args=[_, ast.Constant(value=str(mode)), *_]):
            return set(mode) <= set("rbt+")
        case ast.Call(func=ast.Name(id="open"), args=[_]):
            return True
        case _:
            return False


def test_files_are_read_through_the_functions_that_have_bounds() -> None:
    found = {
        file.relative_to(PROGRAM).as_posix()
        for file in PROGRAM.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and reads_without_bounds(node)
    }
    assert found == READ_AS_THEY_ARE.keys()
