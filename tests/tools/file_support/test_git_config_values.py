"""The values of a file of Git's settings: what Git reads is found."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kimi_tui.tools.file_support.git_config_values import config_values

_PIECES = st.sampled_from(
    [*('"', "\\\\", '\\"', "\\n", "a", ".h", "/", " ", "\t", ";", " ; c", "# c", "\\\n", "\n", "[x]\n", "\r\n"),
     *("hooksPath = ", "\thookspath=", "[core] ", '[a "]"]\n', "\ufeff")]
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(_PIECES, min_size=1, max_size=10))
def test_what_git_reads_is_found(tmp_path: Path, pieces: list[str]) -> None:
    content = ("[core]\n\thooksPath = " + "".join(pieces) + "\n").encode()
    file = tmp_path / "config"
    file.write_bytes(content)
    command = ["git", "config", "--file", str(file), "--null", "--get-regexp", r"\.hookspath$"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    if ended.returncode == 0:
        read = [one.partition("\n")[2].replace("\t", " ") for one in ended.stdout.split("\0")[:-1] if "\n" in one]
        found = [value.replace("\t", " ") for _, value in config_values(content, "hookspath")]
        assert set(read) <= set(found)


@pytest.mark.parametrize("text", ["", "[core", "[core]\nhooksPath", '[core]\nhooksPath = "a', "hookspath = a\\"])
def test_a_damaged_file_ends_without_an_error(text: str) -> None:
    assert len(config_values(text.encode(), "hookspath")) <= 1
