"""`NO_COLOR`, in a real terminal: no code for a colour is sent, and what colours said is still said."""

import json
import os
import re
import signal
from pathlib import Path

import pytest

from kimi_tui.ui.tui.terminal.no_color import is_requested
from tests.faults.terminal import Terminal, scripted
from tests.soul.scripted_engine import tool_call

REPLY = "text: " + json.dumps(
    "# Title\n\nSome `code`, a [link](https://example.com) and\n\n```python\nx = 1  # z\n```\n"
)


def colours_in(raw: bytes) -> set[str]:
    """The codes that set a colour, among all that set how text looks."""
    found: set[str] = set()
    for codes in re.findall(rb"\x1b\[([\d;:]*)m", raw):
        parts = codes.decode().replace(":", ";").split(";")
        found |= {code for code in parts if code.isdigit() and (30 <= int(code) <= 49 or 90 <= int(code) <= 107)}
    return found


def looks(terminal: Terminal, text: str) -> set[str]:
    """How the first such text on the screen looks."""
    for y, row in enumerate(terminal.screen.display):
        if (x := row.find(text)) >= 0:
            cell = terminal.screen.buffer[y][x]
            return {name for name in ("bold", "reverse", "underscore") if getattr(cell, name)}
    raise AssertionError(f"{text!r} is not on the screen:\n{terminal.text}")


def test_no_colour_is_sent_and_what_is_chosen_is_seen(tmp_path: Path) -> None:
    """From the first byte on: a reply, a diff that is to be approved, and all that opens over them."""
    arguments = scripted(
        tmp_path, REPLY + "\n" + tool_call("WriteFile", path="a.py", content="def one():\n    return 2\n")
    )
    (tmp_path / "work" / "a.py").write_text("def one():\n    return 1\n")
    env = {"NO_COLOR": "1", "COLORTERM": "truecolor"}
    with Terminal([*arguments, "--prompt", "do it"], cwd=tmp_path, env=env, rows=42, columns=140) as terminal:
        terminal.wait_for("this once")
        terminal.settle()
        assert looks(terminal, "return 2") == {"bold"}  # a keyword, on a line that a sign marks
        for key, shows in ((b"\x10", "all actions"), (b"\x1bOP", "Esc close"), (b"\x06", "Ctrl+F Esc back")):
            terminal.type(key)
            terminal.wait_for(shows)
            terminal.settle(0.2)
            if key == b"\x10":
                assert "asks to edit" not in terminal.text  # what is around a card cannot be dimmed
                terminal.type(b"light")
                terminal.wait_for("› Kimi light")
                terminal.settle(0.2)
                assert looks(terminal, "Kimi light") == {"bold"}
                assert looks(terminal, "light") == {"underscore"}  # where one writes
            terminal.type(b"\x1b")
            terminal.settle(0.3)
        terminal.settle(0.7)  # the dialog takes no key until it has been seen for a while
        terminal.type(b"n")
        terminal.wait(lambda: "this once" not in terminal.text)
        terminal.type(b"hello\x1b[D\x1b[D")
        terminal.wait_for("hello")
        terminal.settle()
        assert looks(terminal, "hello") == set()
        assert looks(terminal, "lo ") == {"reverse"}  # the cursor
        os.kill(int(terminal.process.pid), signal.SIGTERM)
        assert terminal.end() == 143
    assert colours_in(terminal.raw) == set()


@pytest.mark.parametrize(("environ", "asked"), [({}, False), ({"NO_COLOR": ""}, False), ({"NO_COLOR": "0"}, True)])
def test_it_is_asked_for_by_any_value_but_nothing(environ: dict[str, str], asked: bool) -> None:
    assert is_requested(environ) is asked
