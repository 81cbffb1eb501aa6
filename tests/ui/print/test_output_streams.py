"""The print face and its standard streams: full, closed, in another encoding, or a terminal."""

import contextlib
import json
import os
import pty
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ui.print.test_print import command
from tests.ui.sleeper import sleeper

FULL = Path("/dev/full")
JSON = ("--output-format", "stream-json")
CANNOT = "kimi-tui: the output cannot be written"
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    return {**kept, **more}


@needs_full
@pytest.mark.parametrize("extra", [(), JSON, ("--final-message-only",)], ids=["text", "json", "final"])
def test_an_answer_that_cannot_be_written_is_a_failure(tmp_path: Path, extra: tuple[str, ...]) -> None:
    with FULL.open("wb") as full:
        argv = command(tmp_path, "text: hi", extra=("-p", "hi", *extra))
        done = subprocess.run(argv, stdout=full, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 1
    assert f"{CANNOT}: No space left on device\n" in done.stderr
    assert "Traceback" not in done.stderr


@needs_full
@pytest.mark.parametrize("words", [("session", "list"), ("info",), ("info", "--json"), ("flow", "list")])
def test_a_list_that_cannot_be_written_is_a_failure(words: tuple[str, ...]) -> None:
    with FULL.open("wb") as full:
        argv = [sys.executable, "-m", "kimi_tui", *words]
        done = subprocess.run(argv, stdout=full, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 1
    assert done.stderr == f"{CANNOT}: No space left on device\n"


LATIN = {"PYTHONIOENCODING": "ascii"}
POSIX = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize("variables", [LATIN, POSIX], ids=["ascii", "posix"])
def test_json_lines_are_utf_8_whatever_the_locale(tmp_path: Path, variables: dict[str, str]) -> None:
    argv = command(tmp_path, "text: 你好 😀", extra=("-p", "早上好", *JSON))
    done = subprocess.run(argv, capture_output=True, env=environment(**variables), stdin=subprocess.DEVNULL)
    assert done.returncode == 0
    assert "你好 😀" in done.stdout.decode("utf-8")


@pytest.mark.parametrize("variables", [LATIN, POSIX], ids=["ascii", "posix"])
def test_what_the_encoding_cannot_say_is_spelled_out_in_text(tmp_path: Path, variables: dict[str, str]) -> None:
    argv = command(tmp_path, "text: ok 你好", extra=("-p", "早上好", "--quiet"))
    done = subprocess.run(argv, capture_output=True, env=environment(**variables), stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"ok \\u4f60\\u597d\n", b"")


@pytest.mark.parametrize(
    ("closed", "status", "told"),
    [
        ("<&-", 0, ""),
        (">&-", 1, "kimi-tui: the output cannot be written: standard output is closed\n"),
        ("2>&-", 0, ""),
    ],
)
def test_a_closed_stream_leads_to_no_traceback(tmp_path: Path, closed: str, status: int, told: str) -> None:
    argv = command(tmp_path, "text: hello", extra=("-p", "hi", "--quiet"))
    done = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", *argv], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (status, told)
    assert done.stdout == ("hello\n" if status == 0 else "")


def test_no_prompt_and_a_closed_input_is_a_usage_error(tmp_path: Path) -> None:
    argv = command(tmp_path, "text: hello")
    done = subprocess.run(["sh", "-c", 'exec "$@" <&-', "sh", *argv], capture_output=True, text=True)
    assert done.returncode == 2
    assert "no prompt: " in done.stderr
    assert done.stderr.count("\n") == 1


def test_lines_of_claude_code_are_messages_too(tmp_path: Path) -> None:
    lines = [
        {"type": "user", "message": {"role": "user", "content": "one"}},
        {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "two"}]}, "uuid": "x"},
    ]
    argv = command(tmp_path, "text: 1", "text: 2", extra=("--input-format", "stream-json", *JSON))
    done = subprocess.run(argv, input="\n".join(map(json.dumps, lines)), capture_output=True, text=True)
    assert [json.loads(line)["content"] for line in done.stdout.splitlines()] == ["1", "2"]
    assert "ignored" not in done.stderr


def test_lines_without_a_message_among_them_are_a_usage_error(tmp_path: Path) -> None:
    argv = command(tmp_path, "text: 1", extra=("--input-format", "stream-json", *JSON))
    done = subprocess.run(argv, input='\n{"type": "control_request"}\n', capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "line 2 is not a user message" in done.stderr
    assert "no message: " in done.stderr


def at_a_terminal(argv: list[str], **variables: str) -> str:
    """What a program writes to a terminal."""
    control, terminal = pty.openpty()
    with subprocess.Popen(
        argv,
        stdout=terminal,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **variables},
    ) as running:
        os.close(terminal)
        shown = b""
        while True:
            try:
                piece = os.read(control, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        running.wait()
    os.close(control)
    return shown.decode("utf-8")


def test_what_the_model_says_to_a_terminal_does_nothing_there(tmp_path: Path) -> None:
    evil = "a\x1b]52;c;aGk=\x07b\x9b2Jc\u202ed\x1bc\be"
    extra = ("-p", "hi", "--quiet")
    shown = at_a_terminal(command(tmp_path, f"text: {evil} 中文\ttab", extra=extra))
    assert not set(shown) & set("\x1b\x07\x9b\u202e\b")
    assert "\\u001b]52" in shown
    assert "中文\ttab" in shown
    piped = subprocess.run(
        command(tmp_path, f"text: {evil}", extra=extra), capture_output=True, stdin=subprocess.DEVNULL
    )
    assert piped.stdout.decode("utf-8") == f"{evil}\n"


def test_json_lines_hold_nothing_that_a_terminal_would_obey(tmp_path: Path) -> None:
    evil = "a\x9b2Jc\u202ed\x7f"
    argv = command(tmp_path, f"text: {evil}", extra=("-p", "hi", *JSON))
    done = subprocess.run(argv, capture_output=True, stdin=subprocess.DEVNULL)
    assert not set(done.stdout.decode("utf-8")) & set("\x9b\u202e\x7f")
    assert json.loads(done.stdout)["content"] == evil


def limited(what: int, most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(what, (most, most))


@pytest.mark.parametrize("most", [0, 100, 3000, 20_000])
def test_a_disk_that_is_full_from_the_start_gives_an_answer_and_says_that_it_is_not_kept(
    tmp_path: Path, most: int
) -> None:
    argv = command(tmp_path, "text: hello", extra=("-p", "hi"))
    done = subprocess.run(
        argv,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        preexec_fn=limited(resource.RLIMIT_FSIZE, most),
    )
    assert (done.returncode, done.stdout) == (0, "hello\n")
    assert "not kept" in done.stderr or "cannot be written" in done.stderr
    assert all(line.startswith("kimi-tui: ") for line in done.stderr.splitlines() if "Resume this session" not in line)


def test_a_session_whose_last_messages_are_not_on_disk_is_not_offered_to_be_resumed(tmp_path: Path) -> None:
    argv = command(tmp_path, f"text: {'hello ' * 20_000}", extra=("-p", "hi"))
    done = subprocess.run(
        argv,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        preexec_fn=limited(resource.RLIMIT_FSIZE, 50_000),
    )
    assert done.returncode == 0
    assert "cannot be written to disk" in done.stderr
    assert "are not on disk" in done.stderr.splitlines()[-1]
    assert "Resume this session" not in done.stderr


@pytest.mark.parametrize("mebibytes", [60, 90, 120, 160])
def test_little_memory_is_told_in_a_line(tmp_path: Path, mebibytes: int) -> None:
    argv = command(tmp_path, "text: hello", extra=("-p", "hi", "--quiet"))
    limit = limited(resource.RLIMIT_AS, mebibytes << 20)
    done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, preexec_fn=limit)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0 or (done.returncode == 1 and done.stderr.startswith("kimi-tui: "))


@pytest.mark.parametrize("count", [2, 3, 6])
def test_many_interrupts_end_it_with_the_status_of_one(tmp_path: Path, count: int) -> None:
    sleep, _ = sleeper()
    argv = command(tmp_path, sleep, extra=("-p", "hi"))
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as running:
        while not (tmp_path / "work" / "begun").exists():
            assert running.poll() is None
        for _number in range(count):
            if running.poll() is None:
                running.send_signal(signal.SIGINT)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    running.wait(0.05)
        assert running.wait() == 130
        assert running.stderr is not None
        assert b"Traceback" not in running.stderr.read()


def test_an_end_that_waits_for_a_hook_says_so_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    argv = command(tmp_path, "text: hi", extra=("-p", "hi", "--quiet"))
    with (tmp_path / "config.yaml").open("a") as config:
        config.write("hooks: [{event: SessionEnd, command: sleep 100}]\n")
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == (
            b"kimi-tui: running work or a hook is still ending; Ctrl+C ends it at once\n"
        )
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 128 + signal.SIGINT


@pytest.mark.parametrize("extra", [(), JSON, ("--final-message-only",)], ids=["text", "json", "final"])
def test_a_signal_ends_an_answer_whose_reader_does_not_read(tmp_path: Path, extra: tuple[str, ...]) -> None:
    argv = command(tmp_path, "text: " + "x" * 300_000, extra=("-p", "hi", *extra))
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.read(1)  # it writes, and the rest exceeds what a pipe holds
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM
        assert process.stderr is not None
        assert process.stderr.read().startswith(b"Resume this session")
