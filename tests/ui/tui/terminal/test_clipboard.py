"""What is copied arrives where the user can paste it from."""

import sys
from pathlib import Path

import pytest

from kimi_tui.ui.tui.terminal.clipboard import clipboard_command, copy_with_command, osc52_sequence


@pytest.mark.parametrize(
    ("environ", "platform", "installed", "command"),
    [
        ({"TMUX": "x", "SSH_TTY": "y", "DISPLAY": ":0"}, "linux", {"xclip"}, "tmux load-buffer -w -"),
        ({"SSH_CONNECTION": "x", "DISPLAY": ":10"}, "linux", {"xclip"}, None),
        ({}, "darwin", set(), "pbcopy"),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux", {"wl-copy", "xclip"}, "wl-copy"),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux", {"xsel"}, "xsel --clipboard --input"),
        ({"DISPLAY": ":0"}, "linux", {"xclip", "xsel"}, "xclip -selection clipboard"),
        ({"DISPLAY": ":0"}, "linux", set(), None),
        ({}, "linux", {"xclip"}, None),
    ],
)
def test_the_tool_is_that_of_what_shows_this_machine(
    environ: dict[str, str], platform: str, installed: set[str], command: str | None
) -> None:
    found = clipboard_command(environ, platform=platform, which=lambda name: name if name in installed else None)
    assert found == (command.split() if command else None)


def test_the_tool_gets_the_text_and_its_absence_harms_nobody(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    copy_with_command(
        [sys.executable, "-c", f"import sys; open({str(kept)!r}, 'wb').write(sys.stdin.buffer.read())"], "Grüße, 世界"
    )
    assert kept.read_text("utf-8") == "Grüße, 世界"
    copy_with_command(["/nowhere/clip"], "x")
    copy_with_command([sys.executable, "-c", "raise SystemExit(1)"], "x" * 1_000_000)


def test_gnu_screen_is_asked_to_pass_it_on_in_pieces_that_it_takes() -> None:
    assert osc52_sequence("x", {}) == ""
    assert osc52_sequence("x", {"STY": "1", "TMUX": "2"}) == ""
    sequence = osc52_sequence("long " * 500, {"STY": "1"})
    pieces = sequence.removeprefix("\x1bP").removesuffix("\x1b\\").split("\x1b\\\x1bP")
    assert all(len(piece) <= 250 for piece in pieces)
    assert "".join(pieces).startswith("\x1b]52;c;bG9uZyBs")
    assert "".join(pieces).endswith("\x07")
