"""`--plain`, in a real terminal: what a screen reader gets."""

import os
import re
import signal
from pathlib import Path

from textual.widgets import Input

from tests.faults.terminal import Terminal, scripted
from tests.soul.scripted_engine import tool_call
from tests.ui.tui.test_screen import play


def test_nothing_is_said_again_because_of_the_clock_alone_and_the_caret_is_where_the_focus_is(tmp_path: Path) -> None:
    arguments = scripted(tmp_path, tool_call("Shell", command="echo first; sleep 30"), tool_call("Shell", command="ls"))
    with Terminal([*arguments, "--plain", "--prompt", "do it"], cwd=tmp_path) as terminal:
        terminal.wait_for("this once")
        terminal.settle(0.7)
        caret = terminal.screen.cursor
        assert not caret.hidden
        assert "asks to run" in terminal.screen.display[caret.y]
        terminal.type(b"y")
        terminal.wait_for("first")
        terminal.wait_for("working")
        terminal.settle()
        assert terminal.read(2.2) == b""
        assert not re.search(r"working \d", terminal.text)
        assert terminal.text.isascii()
        assert "|" not in terminal.text
        terminal.type(b"hello")
        terminal.wait_for("> hello")
        terminal.settle()
        assert terminal.screen.display[caret.y][: caret.x].rstrip().endswith("> hello")
        os.kill(int(terminal.process.pid), signal.SIGTERM)
        assert terminal.end() == 143


async def test_no_cursor_blinks() -> None:
    app, run = play([])
    async with app.run_test(size=(100, 30)) as pilot:
        await run(pilot)
        assert not app.main_screen.composer.prompt.cursor_blink
        await pilot.press("ctrl+f")
        focused = app.focused
        assert isinstance(focused, Input)
        assert not focused.cursor_blink
