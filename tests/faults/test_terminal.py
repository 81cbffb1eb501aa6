"""The terminal is given back as it was, whatever ends the program, and what it sends is taken for what it is."""

import json
import os
import re
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults.terminal import ENTERED, Terminal, scripted
from tests.soul.scripted_engine import tool_call
from tests.tools.harness import processes_with

SLEEP = "sleep 986.53"
pytestmark = pytest.mark.faults


def left_on(raw: bytes) -> set[str]:
    """The modes that were switched on, or the cursor off, and were not put back."""
    state: dict[str, bool] = {}
    for modes, letter in re.findall(rb"\x1b\[\?([\d;]+)([hl])", raw):
        for mode in modes.decode().split(";"):
            state[mode] = letter == b"h"
    wanted = {"25": True, "7": True}
    wrong = {mode for mode, on in state.items() if on is not wanted.get(mode, False) and mode not in ("2026", "2048")}
    if len(re.findall(rb"\x1b\[>\d+u", raw)) > len(re.findall(rb"\x1b\[<\d*u", raw)):
        wrong.add("the keyboard's protocol")
    return wrong


@pytest.mark.parametrize(
    ("number", "state"),
    [
        (signal.SIGTERM, "idle"),
        (signal.SIGHUP, "streaming"),
        (signal.SIGINT, "approval"),
        (signal.SIGTERM, "tool"),
        (signal.SIGTERM, "flow"),
        (signal.SIGQUIT, "tool"),
    ],
)
def test_a_signal_ends_it_and_the_terminal_is_as_it_was(tmp_path: Path, number: signal.Signals, state: str) -> None:
    """Cases sigterm, sighup and sigint."""
    shell = tool_call("Shell", command=f"{SLEEP} & {SLEEP}")
    replies = {"streaming": "text: first\ndelay: 30\ntext: never"}.get(state, shell)
    arguments = scripted(tmp_path, replies)
    if state in ("tool", "flow"):
        arguments.append("--yolo")
    if state == "flow":
        chart = tmp_path / "chart.mmd"
        chart.write_text("flowchart TD\n B([BEGIN]) --> A[Do it] --> E([END])\n")
        arguments += ["--prompt-flow", str(chart), "--prompt", "/begin"]
    elif state != "idle":
        arguments += ["--prompt", "do it"]
    with Terminal(arguments, cwd=tmp_path) as terminal:
        match state:
            case "idle":
                terminal.wait_for("message")
                terminal.settle()
            case "streaming":
                terminal.wait_for("first")
            case "approval":
                terminal.wait_for("Yes, this once")
            case _:
                terminal.wait(lambda: processes_with(SLEEP) != [])
        os.kill(terminal.process.pid, number)
        assert terminal.end() == 128 + number
        assert left_on(terminal.raw) == set()
        assert b"Traceback" not in terminal.raw
    assert processes_with(SLEEP) == []
    for file in (tmp_path / "home").rglob("*.jsonl"):
        assert file.read_bytes().endswith(b"\n")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))


def test_sigtstp_gives_the_terminal_back_and_sigcont_paints_again(tmp_path: Path) -> None:
    with Terminal(scripted(tmp_path, "text: hi"), cwd=tmp_path) as terminal:
        terminal.wait_for("message")
        terminal.settle()
        os.kill(terminal.process.pid, signal.SIGTSTP)
        terminal.wait(lambda: b"\x1b[?1049l" in terminal.raw)
        terminal.settle(0.2)
        assert left_on(terminal.raw) == set()
        before = len(terminal.raw)
        os.kill(terminal.process.pid, signal.SIGCONT)
        terminal.wait(lambda: ENTERED in terminal.raw[before:])
        terminal.wait_for("message")
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end() == 143


def test_a_text_that_the_editor_saved_is_kept_when_the_terminal_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho saved >> "$1"\necho written\nexec sleep 30\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    arguments = scripted(tmp_path, "text: hi")
    with Terminal(arguments, cwd=tmp_path) as terminal:
        terminal.wait_for("message")
        terminal.settle()
        terminal.type(b"draft")
        terminal.wait_for("○ ready")
        terminal.type(b"\x07")
        terminal.wait_for("written")
        os.kill(terminal.process.pid, signal.SIGHUP)
        assert terminal.end() == 129
    (history,) = (tmp_path / "home" / "history").glob("*.jsonl")
    assert json.loads(history.read_text("utf-8"))["content"] == "draftsaved"


def test_pty_gone(tmp_path: Path) -> None:
    """The master closes and no signal comes, since the session's leader ignores it: it ends soon and does not spin."""
    arguments = scripted(tmp_path, "text: first\ndelay: 30\ntext: never")
    deaf = ("/bin/sh", "-c", 'trap "" HUP; "$@"; exit', "sh")
    with Terminal([*arguments, "--prompt", "do it"], cwd=tmp_path, wrapper=deaf) as terminal:
        terminal.wait_for("first")
        (program,) = _children(terminal.process.pid)
        own = _cpu_seconds(program)
        terminal.process.fileobj.close()
        until = time.monotonic() + 6
        spent = own
        while _children(terminal.process.pid) == [program]:
            assert time.monotonic() < until, "it goes on without a terminal"
            with suppress(OSError):
                spent = _cpu_seconds(program)
            time.sleep(0.05)
        assert spent - own < 2


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def test_resize_storm(tmp_path: Path) -> None:
    with Terminal([*scripted(tmp_path, "text: " + "word " * 300), "--prompt", "do it"], cwd=tmp_path) as terminal:
        terminal.wait_for("word")
        sizes = [(24, 80), (1, 1), (5, 20), (200, 500), (3, 200), (50, 9)]
        for number in range(200):
            terminal.resize(*sizes[number % len(sizes)])
            terminal.read(0.005)
        terminal.resize(26, 90)
        terminal.wait(lambda: "message" in terminal.text and len(terminal.screen.display) == 26)
        terminal.settle()
        assert re.search(r"─{60}", terminal.text)
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end() == 143
        assert b"Traceback" not in terminal.raw


def test_split_input(tmp_path: Path) -> None:
    """A mouse report, a paste with a focus event in it and Chinese, each cut at every byte."""
    with Terminal(scripted(tmp_path, "text: never"), cwd=tmp_path) as terminal:
        terminal.wait_for("message")
        terminal.settle()
        for text in (b"\x1b[<35;10;12M", b"\x1b[200~one\x1b[I 1\ny\x1b[201~", "你好".encode()):
            for place in range(1, len(text)):
                terminal.type(text[:place])
                terminal.read(0.02)
                terminal.type(text[place:])
                terminal.read(0.02)
        terminal.settle()
        assert "你" in terminal.text
        assert re.search(r"35;10;12|200~|201~|\[I|M\b<", terminal.text) is None
        assert "�" not in terminal.text
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end() == 143


def test_a_paste_of_a_mebibyte_is_no_keys(tmp_path: Path) -> None:
    with Terminal(scripted(tmp_path, "text: never"), cwd=tmp_path) as terminal:
        terminal.wait_for("message")
        terminal.settle()
        piece = b"\x1b[200~" + b"y\n" * (1 << 19) + b"\x1b[201~"
        for start in range(0, len(piece), 4096):
            terminal.type(piece[start : start + 4096])
            terminal.read(0)
        terminal.wait_for("lines", seconds=10)
        assert "you  y" not in terminal.text
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end() == 143


def test_a_paste_without_its_end_is_in_the_message_after_a_silence_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    with Terminal(scripted(tmp_path, "text: answered"), cwd=tmp_path) as terminal:
        terminal.wait_for("message")
        terminal.settle()
        terminal.type(b"\x1b[200~half a line\r")
        terminal.wait_for("half a line")
        terminal.wait_for("Ctrl+C to end")
        terminal.type(b"\r")
        terminal.wait(lambda: terminal.text.count("Ctrl+C to end") == 2)
        assert "answered" not in terminal.text
        terminal.type(b"\x03")
        terminal.settle(1.5)
        terminal.type(b"and the rest")
        terminal.wait_for("and the rest", seconds=2)
        terminal.type(b"\r")
        terminal.wait_for("answered")


def test_a_word_and_its_enter_in_one_packet_are_sent_and_the_lines_of_a_paste_are_not(tmp_path: Path) -> None:
    """Over a slow link keys come together; a terminal without bracketed paste sends lines as keys."""
    arguments = scripted(tmp_path, "text: answered one", "text: answered two")
    with Terminal(arguments, cwd=tmp_path) as terminal:
        terminal.wait_for("message")
        terminal.settle(1.2)
        terminal.type(b"hello\r")
        terminal.wait_for("answered one")
        terminal.settle()
        terminal.type(b"{\r" + b"".join(b"line %d of a long paste\r" % number for number in range(30)) + b"}")
        terminal.wait_for("   }")
        terminal.settle()
        assert "answered two" not in terminal.text
        terminal.type(b"\r")
        terminal.wait_for("answered two")
        os.kill(terminal.process.pid, signal.SIGTERM)
        terminal.end()
    (context,) = (tmp_path / "home").rglob("context.jsonl")
    assert "line 0 of a long paste\\n" in context.read_text()
    assert "line 29 of a long paste\\n}" in context.read_text()


def test_spaces_joiners_and_private_symbols_that_are_typed_are_sent(tmp_path: Path) -> None:
    """Python counts them as not printable; input methods, emoji pickers and Option+Space type them."""
    text = "全角\u3000空格 prix\u00a0: 5 👩\u200d👧 \ue0b0 می\u200cخواهم"
    with Terminal(scripted(tmp_path, "text: answered"), cwd=tmp_path) as terminal:
        terminal.wait_for("message")
        terminal.settle(1.2)
        terminal.type(text.encode())
        terminal.settle()
        terminal.type(b"\r")
        terminal.wait_for("answered")
        os.kill(terminal.process.pid, signal.SIGTERM)
        terminal.end()
    (context,) = (tmp_path / "home").rglob("context.jsonl")
    assert text in [json.loads(line).get("content") for line in context.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("is_running", [False, True], ids=["before-the-program", "before-the-first-frame"])
def test_lines_typed_while_the_program_starts_are_sent(tmp_path: Path, is_running: bool) -> None:
    with Terminal(scripted(tmp_path, "text: answered"), cwd=tmp_path) as terminal:
        if is_running:
            terminal.wait(lambda: ENTERED in terminal.raw)
        terminal.type(b"look at this:\rall of it\r")
        terminal.wait_for("answered")
        terminal.wait_for("all of it")
        os.kill(terminal.process.pid, signal.SIGTERM)
        terminal.end()


def test_a_paste_with_colours_comes_at_once_and_without_them(tmp_path: Path) -> None:
    with Terminal(scripted(tmp_path, "text: never"), cwd=tmp_path) as terminal:
        terminal.wait_for("message")
        terminal.settle()
        line = b"\x1b[31mFAILED\x1b[0m tests/test_a.py::test_it\r"
        piece = b"\x1b[200~" + line * 4000 + b"\x1b[201~"
        for start in range(0, len(piece), 4096):
            terminal.type(piece[start : start + 4096])
            terminal.read(0)
        terminal.wait_for("pasted", seconds=10)
        terminal.type(b"\x03" + b"\x1b[200~" + line * 3 + b"\x1b[201~")
        terminal.wait_for("FAILED tests/test_a.py", seconds=10)
        assert "31m" not in terminal.text
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end() == 143


@pytest.mark.parametrize(
    "env",
    [
        {"TERM": "screen"},
        {"TERM": "tmux-256color", "TMUX": "/none,1,0"},
        {"TERM": "linux"},
        {"TERM": "dumb"},
        {"NO_COLOR": "1"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"},
    ],
    ids=lambda env: "-".join(env.values()).replace("/", "_"),
)
def test_tmux_env(tmp_path: Path, env: dict[str, str]) -> None:
    """It starts in a poor terminal, or says why not."""
    with Terminal([*scripted(tmp_path, "text: answer"), "--prompt", "do it"], cwd=tmp_path, env=env) as terminal:
        if env.get("TERM") == "dumb":
            assert terminal.end() == 2
            assert "cannot show a screen; use --print" in terminal.text.replace("\n", "")
        else:
            terminal.wait_for("answer")
            os.kill(terminal.process.pid, signal.SIGTERM)
            assert terminal.end() == 143
        if env.get("LANG") == "C":
            assert terminal.raw.isascii()
        assert b"Traceback" not in terminal.raw
        assert left_on(terminal.raw) == set()


@pytest.mark.parametrize("ahead", [b"y", b"y\x7f"], ids=["typed", "taken-back"])
def test_approval_keys_that_were_typed_ahead_or_pasted_do_not_approve(tmp_path: Path, ahead: bytes) -> None:
    """Keys from before the dialog, a paste of answers, a held key, Shift+Tab and a focus report.

    The dialog gets the focus only where nothing is being written, so that the guard alone is left for `taken-back`.
    """
    arguments = scripted(tmp_path, "think: hm\ndelay: 1\n" + tool_call("Shell", command="touch ran"))
    with Terminal([*arguments, "--prompt", "do it"], cwd=tmp_path) as terminal:
        terminal.wait(lambda: ENTERED in terminal.raw)
        until = time.monotonic() + 10
        while "Yes, this once" not in terminal.text and time.monotonic() < until:
            terminal.type(ahead)
            terminal.read(0.02)
        terminal.wait_for("Yes, this once")
        for keys in (b"y" * 20, b"\x1b[Z", b"\x1b[I", b"\x1b[200~1\ny\n\x1b[201~", b"1", b"\r"):
            terminal.type(keys)
            terminal.read(0.02)
        terminal.settle()
        assert not (tmp_path / "work/ran").exists()
        os.kill(terminal.process.pid, signal.SIGTERM)
        terminal.end()
    assert not (tmp_path / "work/ran").exists()


def test_what_a_hook_prints_does_not_reach_the_terminal(tmp_path: Path) -> None:
    """Not by its output, not by its errors, and not by the terminal's own name."""
    attack = "printf '\\033]52;c;SEVJTA==\\007\\033[2Jhooked'"
    hook = f"{attack}; {attack} >&2; {attack} > /dev/tty; touch hooked; exit 2"
    config = "hooks: [" + json.dumps({"event": "PreToolUse", "command": hook}) + "]\n"
    arguments = scripted(tmp_path, tool_call("Shell", command="true"), "text: all done", config=config)
    with Terminal([*arguments, "--yolo", "--prompt", "do it"], cwd=tmp_path) as terminal:
        terminal.wait_for("all done")
        terminal.settle()
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end() == 143
    assert (tmp_path / "work/hooked").exists()
    assert b"\x1b]52" not in terminal.raw
    assert b"\x1b[2Jhooked" not in terminal.raw


def test_a_flood_of_output_takes_no_memory_and_keys_are_seen(tmp_path: Path) -> None:
    """`yes` for ten seconds, a line of 100 MB, and random bytes, on the whole program."""
    commands = ("yes", "head -c 100000000 /dev/zero | tr '\\0' a", "head -c 30000000 /dev/urandom")
    replies = [tool_call("Shell", f"c{number}", command=one, timeout=10) for number, one in enumerate(commands)]
    arguments = scripted(tmp_path, *replies, "text: all done")
    with Terminal([*arguments, "--yolo"], cwd=tmp_path) as terminal:
        terminal.wait_for("message")
        terminal.settle()
        before = _memory(terminal.process.pid)
        terminal.type(b"go\r")
        most, written = 0, ""
        until = time.monotonic() + 60
        while "all done" not in terminal.text and time.monotonic() < until:
            if len(written) < 40 and "working" in terminal.text:
                written += "x"
                terminal.type(b"x")
                terminal.wait_for(written, seconds=5)
            terminal.read(0.2)
            most = max(most, _memory(terminal.process.pid))
        assert "all done" in terminal.text
        assert len(written) > 10
        assert most - before < 50_000
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end() == 143
    (context,) = (tmp_path / "home").rglob("context.jsonl")
    assert context.read_text().count("Output is truncated to fit in the message.") == 3


def _memory(pid: int) -> int:
    """KiB in use now."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) if found else 0


def test_who_looks_elsewhere_is_called_and_sees_progress(tmp_path: Path) -> None:
    """Bell, notification (OSC 9) and progress (OSC 9;4), without the focus only; taken back at the end."""
    arguments = scripted(tmp_path, "text: one", tool_call("Shell", command="touch called"))
    with Terminal(arguments, cwd=tmp_path, env={"TERM_PROGRAM": "ghostty"}) as terminal:
        terminal.wait_for("message")
        terminal.settle()
        terminal.type(b"first\r")
        terminal.wait_for("one")
        terminal.settle()
        assert b"\x1b]9;" not in terminal.raw
        terminal.type(b"second")
        terminal.settle()
        terminal.type(b"\r\x1b[O")
        terminal.wait_for("Yes, this once")
        terminal.wait(lambda: b"\x07\x1b]9;kimi-tui: " in terminal.raw)
        terminal.wait(lambda: b"\x1b]9;4;4;100\x07" in terminal.raw)
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end() == 143
        assert terminal.raw.count(b"\x1b]9;4;0\x07") == 1
        assert left_on(terminal.raw) == set()
