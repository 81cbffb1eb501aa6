"""The log: what cannot be written is not logged, and nothing else notices."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kimi_tui.cli.log_file import log_file

LOGS = """
import logging, resource, signal, sys
from pathlib import Path
from kimi_tui.cli.log_file import log_file, start_logging
start_logging(False)
if "libraries" in sys.argv:
    start_logging(True)
    for name in ("kimi_tui.mcp", "mcp.client"):
        logging.getLogger(name).debug("words of %s", name)
    logging.getLogger("mcp.client").error("500 for https://me:hidden-0123@a/mcp?api_key=hidden-0123")
if "full" in sys.argv:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
for number in range(50):
    logging.getLogger("a").warning("number %d of \\udcff", number)
if "full" in sys.argv:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    logging.getLogger("a").warning("room again")
print("done")
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LOGS, *arguments], capture_output=True, text=True, check=False, timeout=30
    )


def test_a_record_with_half_characters_is_logged() -> None:
    assert (run().stdout, run().stderr) == ("done\n", "")
    assert log_file().read_text("utf-8").count("of \\udcff\n") == 100


def test_of_libraries_only_warnings_are_logged_and_nothing_with_secrets() -> None:
    run("libraries")
    logged = log_file().read_text("utf-8")
    assert "words of kimi_tui.mcp" in logged
    assert "words of mcp.client" not in logged
    assert "500 for https://me:[redacted]@a/mcp?api_key=[redacted]" in logged


@pytest.mark.parametrize("kind", ["folder", "pipe", "device"])
def test_something_else_in_the_place_of_the_log_ends_and_prints_nothing(kind: str) -> None:
    file = log_file()
    file.parent.mkdir(parents=True)
    match kind:
        case "folder":
            file.mkdir()
        case "pipe":
            os.mkfifo(file)
        case _:
            file.symlink_to("/dev/full")
    ended = run()
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")


def test_a_full_disk_prints_nothing_and_what_comes_when_there_is_room_is_logged() -> None:
    ended = run("full")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")
    assert "room again" in log_file().read_text("utf-8")


def test_backups_that_cannot_be_made_print_nothing() -> None:
    file = Path(log_file())
    for number in (1, 2, 3):
        (file.parent / f"{file.name}.{number}" / "not empty").mkdir(parents=True)
    file.write_text("x" * (1 << 20))
    ended = run()
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")
