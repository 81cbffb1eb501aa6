"""Calls of the C library without `ctypes`, and what the programs that start a command load."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kimi_tui.tools.shell_support import libc
from kimi_tui.tools.shell_support.program_files import PYTHON, program_file


def test_a_result_is_returned_and_a_failure_raises_with_the_number_of_the_error(tmp_path: Path) -> None:
    assert libc.call("getpid") == os.getpid()
    missing = libc.Memory(os.fsencode(tmp_path / "missing") + b"\0")
    with pytest.raises(FileNotFoundError):
        libc.call("open", missing.address, os.O_RDONLY)
    with pytest.raises(OSError, match=r".") as failed:
        libc.call("close", -1)
    assert failed.value.errno == errno.EBADF


def test_an_unknown_function_is_named() -> None:
    with pytest.raises(AttributeError, match="there_is_no_such_function"):
        libc.call("there_is_no_such_function")


def test_words_are_passed_whole_and_memory_stays_as_it_is() -> None:
    reading, writing = os.pipe()
    content = libc.Memory(bytes(range(256)))
    try:
        assert libc.call("write", writing, content.address, 256) == 256
        assert os.read(reading, 512) == bytes(range(256))
    finally:
        os.close(reading)
        os.close(writing)


@pytest.mark.skipif(sys.platform != "linux", reason="the programs are for Linux")
def test_the_programs_that_start_a_command_load_no_module_that_takes_long() -> None:
    names = ("supervisor", "netns", "mount_check", "landlock")
    folder = str(program_file("supervisor.py").parent)
    code = f"import sys; sys.path.append({folder!r}); import {', '.join(names)}; print(*sys.modules)"
    loaded = subprocess.run([PYTHON, "-I", "-S", "-c", code], capture_output=True, text=True, check=True, timeout=60)
    long = {"contextlib", "ctypes", "enum", "pathlib", "re", "signal", "socket", "subprocess", "typing"}
    assert set(loaded.stdout.split()) & long == set()
