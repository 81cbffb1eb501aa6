"""What comes from outside never reaches the terminal as it is: held by the bytes that are written to it."""

import os
import re
import signal
from pathlib import Path

import pytest

from tests.faults.terminal import LEFT, Terminal, scripted
from tests.soul.scripted_engine import tool_call

ATTACKS = (
    *("\x1b]0;owned\x07", "\x1b]8;;http://evil\x1b\\x", "\x1b]9;call\x07", "\x1b]52;c;SEVJTA==\x07", "\x1b[2J"),
    *("\x1b[6n", "\x1b[?1049l", "\x1bPq#0\x1b\\", "\x1b_apc\x1b\\", "\x1b^pm\x1b\\", "\x1bXsos\x1b\\", "\x1bc"),
    *("\x9b6n", "\x9d52;c;QQ==\x9c", "\x90q\x9c", "\x07", "\x08\x08", "\x7f", "\x0e", "\u202edrow", "\u200b"),
    "\U000e0041",
)
ALL = " ".join(ATTACKS)
LINES = "\n".join(("a\rb", *ATTACKS))


@pytest.mark.faults
def test_esc_matrix(tmp_path: Path) -> None:
    """Model text and code, tool output and errors, file names, diffs, todos, approvals, titles, branch."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "out.txt").write_text(ALL)
    head = work / ".git/HEAD"
    head.parent.mkdir()
    head.write_text(f"ref: refs/heads/{ALL}\n")
    calls = [
        tool_call("Shell", "a", command="cat out.txt; cat out.txt >&2; exit 3"),
        tool_call("ReadFile", "b", path=f"no{ALL}"),
        tool_call("SetTodoList", "c", todos=[{"title": ALL, "status": "pending"}]),
        tool_call("WriteFile", "d", path=f"name{ATTACKS[3]}", content=LINES),
        tool_call("WriteFile", "e", path=".env", content=LINES),
        tool_call(ALL, "f"),
    ]
    said = [f"# {ALL}", f"`{ALL}` [{ALL}](http://{ALL})", "```", *ATTACKS, "```"]
    reply = "\n".join((f"think: {ALL}", *(f"text: {line}" for line in said), *calls))
    arguments = scripted(tmp_path, reply, "text: done")
    prompt = f"say {ATTACKS[0]}{ATTACKS[3]}\x9b2J"
    with Terminal([*arguments, "--yolo", "--prompt", prompt], cwd=tmp_path, rows=60, columns=120) as terminal:
        terminal.wait_for("Yes, this once")
        terminal.settle()
        seen = terminal.text
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end() == 143
    raw = terminal.raw
    assert "␛" in seen
    assert b"Traceback" not in raw
    whole = raw.decode("utf-8")
    assert re.findall("[\x80-\x9f\u202a-\u202e\u2066-\u2069\u200b\U000e0000-\U000e007f]", whole) == []
    rest, titles = [], []
    for piece in re.split(r"(\x1b\][^\x07\x1b]*(?:\x07|\x1b\\))", whole):
        (titles if piece.startswith("\x1b]") else rest).append(piece)
    assert {title[2:].partition(";")[0] for title in titles} <= {"2", "8", "9", "10", "11", "22"}
    assert all(title[2:].rstrip("\x07\x1b\\").isprintable() for title in titles)
    plain = "".join(rest)
    assert re.findall("[\x00-\x06\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]", plain) == []
    for attack in (b"\x1b[6n", b"\x1b[2Jx", b"\x1bP", b"\x1b_a", b"\x1b^", b"\x1bX", b"]52;c;SEVJTA"):
        assert not re.search(rb"\x1b" + re.escape(attack.removeprefix(b"\x1b")), raw), attack
    assert raw.count(LEFT) == 1
