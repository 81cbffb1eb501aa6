"""Whatever ends the screen, or stops it for a while, the terminal is as it was, and what is told is one line."""

import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from kimi_tui.ui.tui.terminal.drawn_reports import REQUEST
from kimi_tui.ui.tui.terminal.driver import LAST_REPORT_S
from tests.faults.terminal import ENTERED, LEFT, Terminal, scripted
from tests.faults.test_terminal import left_on
from tests.tools.harness import processes_with

pytestmark = pytest.mark.faults
SAVED, RESTORED = b"\x1b[22;2t", b"\x1b[23;2t"
"""The window's title, kept and brought back."""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))


def check_given_back(terminal: Terminal) -> None:
    assert left_on(terminal.raw) == set()
    assert terminal.is_set_as_before
    assert terminal.raw.count(SAVED) == terminal.raw.count(RESTORED)
    assert b"Traceback" not in terminal.raw


def after_the_screen(terminal: Terminal) -> str:
    return terminal.raw.rpartition(LEFT)[2].decode()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_a_signal_in_the_first_moment_takes_the_first_paint_away(tmp_path: Path, number: signal.Signals) -> None:
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path) as terminal:
        terminal.wait(lambda: ENTERED in terminal.raw)
        os.kill(terminal.process.pid, number)
        assert terminal.end() == 128 + number
        check_given_back(terminal)


def test_the_terminal_is_given_back_after_the_report_that_it_was_asked_for(tmp_path: Path) -> None:
    """Over a slow connection the report comes later than the end: the shell would read it as typed letters."""
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path) as terminal:
        terminal.wait(lambda: REQUEST.encode() in terminal.raw)
        asked = time.monotonic()
        os.kill(terminal.process.pid, signal.SIGTERM)
        terminal.wait(lambda: LEFT in terminal.raw)
        assert time.monotonic() - asked > LAST_REPORT_S * 0.9
        assert terminal.end() == 143
        check_given_back(terminal)


def test_a_stop_in_the_first_moment_takes_the_first_paint_away_until_it_goes_on(tmp_path: Path) -> None:
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path) as terminal:
        terminal.wait(lambda: ENTERED in terminal.raw)
        os.kill(terminal.process.pid, signal.SIGTSTP)
        terminal.wait(lambda: LEFT in terminal.raw)
        terminal.settle(0.2)
        check_given_back(terminal)
        os.kill(terminal.process.pid, signal.SIGCONT)
        terminal.wait_for("○ ready")
        terminal.type(b"\x04")
        assert terminal.end() == 0
        check_given_back(terminal)


def test_what_is_typed_from_the_first_moment_on_is_written_and_exit_leaves(tmp_path: Path) -> None:
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path) as terminal:
        terminal.wait(lambda: ENTERED in terminal.raw)
        terminal.type(b"hello")
        terminal.wait_for("› hello")
        terminal.type(b"\x03")
        terminal.wait(lambda: "› hello" not in terminal.text)
        terminal.type(b"/exit")
        terminal.wait_for("› /exit")
        terminal.settle(0.2)
        terminal.type(b"\r")
        assert terminal.end() == 0
        check_given_back(terminal)


@pytest.mark.parametrize("kind", ["handler", "worker", "render", "memory", "closing"])
def test_a_fault_of_ours_is_one_line_that_says_where_the_report_is(tmp_path: Path, kind: str) -> None:
    with Terminal([kind], cwd=tmp_path, module="tests.faults.failing_app") as terminal:
        terminal.wait_for("○ ready")
        terminal.type(b"\x1bOP")
        assert terminal.end() == 1
        check_given_back(terminal)
        told = after_the_screen(terminal)
    error = "MemoryError" if kind == "memory" else r"ValueError: not \u001b]52;c;SEVJTA==\u0007as [bold]meant"
    (report,) = (tmp_path / "home/logs").glob("crash-*.txt")
    assert f"kimi-tui: crashed ({error}); details in {report}" in told.replace("\r\n", "")
    assert "Traceback (most recent call last)" in report.read_text()
    assert report.stat().st_mode & 0o777 == 0o600
    assert b"\x1b]52" not in terminal.raw


def with_site(folder: Path) -> str:
    """A PYTHONPATH that begins with this folder."""
    return os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))


UNLOADABLE = """
import sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            raise ImportError("no name 'split' in " + name)

sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("module", ["kimi_tui.ui.tui.main", "textual.app", "kimi_tui.ui.tui.dialogs.approval"])
def test_a_library_that_cannot_be_loaded_is_one_line_and_the_terminal_is_as_it_was(tmp_path: Path, module: str) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(UNLOADABLE.format(module=module), "utf-8")
    env = {"PYTHONPATH": with_site(site)}
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path, env=env) as terminal:
        assert terminal.end(20) == 1
        check_given_back(terminal)
        assert f"no name 'split' in {module}" in after_the_screen(terminal).replace("\r\n", "")


HALF_STARTED = """
import sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "kimi_tui.ui.tui.terminal.driver":
            from textual.drivers.linux_driver import LinuxDriver

            def fail(driver):
                raise ImportError("half started")

            LinuxDriver._enable_bracketed_paste = fail

sys.meta_path.insert(0, Finder())
"""


def test_a_driver_that_fails_while_it_starts_switches_off_what_is_on(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(HALF_STARTED, "utf-8")
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path, env={"PYTHONPATH": with_site(site)}) as terminal:
        assert terminal.end(20) == 1
        check_given_back(terminal)
        assert b"half started" in terminal.raw


def test_an_engine_that_cannot_be_made_leaves_the_screen_up(tmp_path: Path) -> None:
    with Terminal(["engine"], cwd=tmp_path, module="tests.faults.failing_app") as terminal:
        terminal.wait_for("ValueError: not ␛]52")
        terminal.type(b"\x04")
        assert terminal.end() == 0
        assert b"\x1b]52" not in terminal.raw


@pytest.mark.parametrize("kind", ["endless", "stuck"])
def test_a_second_signal_ends_what_does_not_come_to_an_end(tmp_path: Path, kind: str) -> None:
    """The engine that is not closed, and the loop that stands still."""
    with Terminal([kind], cwd=tmp_path, module="tests.faults.failing_app") as terminal:
        terminal.wait_for("○ ready")
        terminal.type(b"\x1bOP")
        terminal.settle(0.3)
        os.kill(terminal.process.pid, signal.SIGTERM)
        terminal.settle(0.8)
        assert terminal.process.isalive()
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end(3) == 128 + signal.SIGTERM
        assert left_on(terminal.raw) == set()
        assert terminal.is_set_as_before


def test_after_a_stop_without_warning_all_is_painted_again_and_nothing_is_switched_on_twice(tmp_path: Path) -> None:
    """SIGSTOP: what has the terminal meanwhile has changed it."""
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path) as terminal:
        terminal.wait_for("○ ready")
        terminal.settle()
        tasks = Path(f"/proc/{terminal.process.pid}/task")
        before, threads = len(terminal.raw), len(list(tasks.iterdir()))
        os.kill(terminal.process.pid, signal.SIGSTOP)
        terminal.resize(24, 90)
        os.kill(terminal.process.pid, signal.SIGCONT)
        terminal.wait(lambda: b"F1" in terminal.raw[before:] and b"kimi-tui" in terminal.raw[before:])
        terminal.settle()
        assert len(list(tasks.iterdir())) == threads
        terminal.type(b"abc")
        terminal.wait_for("› abc")
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end() == 143
        check_given_back(terminal)


JOB = '"$@"; echo stopped; read line; echo got $line; fg; echo over'


def test_ctrl_z_goes_to_the_shell_and_fg_comes_back(tmp_path: Path) -> None:
    shell = ("/bin/bash", "--norc", "--noprofile", "-i", "-c", JOB, "sh")
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path, wrapper=shell) as terminal:
        terminal.wait_for("○ ready")
        terminal.type(b"ab")
        terminal.wait_for("› ab")
        terminal.settle()
        terminal.type(b"\x1a")  # while there is something to undo, that
        terminal.wait(lambda: "› ab" not in terminal.text)
        terminal.type(b"\x1a")
        terminal.wait_for("stopped")
        assert left_on(terminal.raw) == set()
        assert terminal.is_set_as_before
        before = len(terminal.raw)
        terminal.type(b"line\n")
        terminal.wait(lambda: b"got line" in terminal.raw[before:])
        terminal.wait(lambda: b"\xe2\x97\x8b ready" in terminal.raw[before:])
        terminal.settle()
        terminal.type(b"\x04")
        terminal.wait_for("over")
        assert left_on(terminal.raw) == set()


def test_ctrl_z_where_no_shell_is_to_go_back_to_says_so(tmp_path: Path) -> None:
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path) as terminal:
        terminal.wait_for("○ ready")
        terminal.settle()
        terminal.type(b"\x1a")
        terminal.wait_for("cannot suspend: not started from a shell")
        terminal.type(b"\x04")
        assert terminal.end() == 0


def test_the_title_of_before_comes_back(tmp_path: Path) -> None:
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path) as terminal:
        terminal.wait_for("○ ready")
        terminal.settle()
        terminal.type(b"\x11")
        assert terminal.end() == 0
        titles = re.findall(rb"\x1b\[2[23];2t|\x1b\]2;[^\x07]*\x07", terminal.raw)
    assert titles == [SAVED, "\x1b]2;kimi-tui · work\x07".encode(), b"\x1b]2;\x07", RESTORED]


def test_errors_that_go_into_a_file_leave_the_picture_on_the_screen(tmp_path: Path) -> None:
    to_file = ("/bin/sh", "-c", '"$@" 2>errors', "sh")
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path, wrapper=to_file) as terminal:
        terminal.wait_for("○ ready")
        terminal.settle()
        terminal.type(b"\x04")
        assert terminal.end() == 0
        check_given_back(terminal)
    assert (tmp_path / "errors").read_text() == ""


def test_a_terminal_that_sends_what_makes_no_sense_is_read_on(tmp_path: Path) -> None:
    """Bytes that are no text, and a window of no pixels with the mouse on it."""
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path) as terminal:
        terminal.wait_for("○ ready")
        terminal.settle()
        terminal.type(b"\x1b[?2048;2$y")
        terminal.wait(lambda: b"\x1b[?2048h" in terminal.raw)
        for odd in (b"\x1b[48;30;100;0;0t", b"\x1b[<35;10;10M\x1b[<0;10;29M\x1b[<0;10;29m", b"\xff\xfe\x80"):
            terminal.type(odd)
            terminal.settle(0.2)
        terminal.type(b"fine")
        terminal.wait_for("fine")
        assert b"\x1b[?1016h" not in terminal.raw
        terminal.type(b"\x03")
        terminal.settle(0.2)
        terminal.type(b"\x11")
        assert terminal.end() == 0
        check_given_back(terminal)


def test_a_terminal_that_is_closed_ends_it_as_a_hang_up_would(tmp_path: Path) -> None:
    """Whatever is written or set after that, nothing is thrown."""
    with Terminal(scripted(tmp_path, "text: first\ndelay: 30\ntext: no"), cwd=tmp_path) as terminal:
        terminal.wait_for("○ ready")
        terminal.settle()
        terminal.process.fileobj.close()
        until = time.monotonic() + 8
        while terminal.process.isalive():
            assert time.monotonic() < until
            time.sleep(0.02)
        assert terminal.process.exitstatus == 128 + signal.SIGHUP
    assert list((tmp_path / "home/logs").glob("crash-*")) == []


def test_an_editor_that_fails_gives_the_screen_back(tmp_path: Path) -> None:
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path, env={"VISUAL": "false"}) as terminal:
        terminal.wait_for("○ ready")
        terminal.type(b"ab")
        terminal.wait_for("› ab")
        terminal.type(b"\x07")
        terminal.wait_for("false: ended with status 1")
        terminal.type(b"c")
        terminal.wait_for("› abc")
        terminal.type(b"\x11")
        assert terminal.end() == 0
        check_given_back(terminal)


def test_a_signal_while_an_editor_runs_ends_both(tmp_path: Path) -> None:
    editor = f"{sys.executable} -c 'import time; print(\"editing\", flush=True); time.sleep(987.65)'"
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path, env={"VISUAL": editor}) as terminal:
        terminal.wait_for("○ ready")
        terminal.settle()
        terminal.type(b"\x07")
        terminal.wait_for("editing")
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end() == 143
        check_given_back(terminal)
    assert processes_with("time.sleep(987.65)") == []


def test_ctrl_c_twice_leaves_from_the_first_question_too(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "config.yaml").write_text("")
    arguments = ["--work-dir", str(tmp_path / "work"), "--config-file", str(tmp_path / "config.yaml")]
    with Terminal(arguments, cwd=tmp_path) as terminal:
        terminal.wait_for("welcome to kimi-tui")
        terminal.settle()
        terminal.type(b"\x03")
        terminal.wait_for("press Ctrl+C again to quit")
        terminal.type(b"\x03")
        assert terminal.end() == 0
        check_given_back(terminal)


def test_it_ends_when_what_has_started_it_is_killed_and_the_shell_has_the_terminal_again(tmp_path: Path) -> None:
    inner = """/bin/sh -c 'echo $$ > pid; "$@"; true' sh "$@"; read line"""
    shell = ("/bin/bash", "--norc", "--noprofile", "-i", "-c", inner, "sh")
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path, wrapper=shell) as terminal:
        terminal.wait_for("○ ready")
        terminal.settle()
        starter = int((tmp_path / "pid").read_text())
        (program,) = Path(f"/proc/{starter}/task/{starter}/children").read_text().split()
        os.kill(starter, signal.SIGKILL)
        until = time.monotonic() + 8
        while Path(f"/proc/{program}/exe").exists():
            assert time.monotonic() < until, "it goes on in a terminal that is not its own"
            terminal.read(0.05)
        assert b"Traceback" not in terminal.raw
        assert left_on(terminal.raw) == set()
