"""Clipboards besides the terminal's own (OSC 52): tmux, or this machine's desktop.

tmux accepts text, and forwards it to its terminal, only through its own command.
"""

import base64
import contextlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from kimi_tui.paths import find_program
from kimi_tui.ui.tui.i18n.catalog import _

_PATIENCE_S = 2.0
_CHUNK = 240  # the most that GNU screen passes on at once


def clipboard_command(
    environ: Mapping[str, str], *, platform: str = sys.platform, which: Callable[[str], object] = shutil.which
) -> list[str] | None:
    """Return the command that reads the text from stdin; None if only OSC 52 is available, as over SSH."""
    if environ.get("TMUX"):
        return ["tmux", "load-buffer", "-w", "-"]
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        return None
    if platform == "darwin":
        return ["pbcopy"]
    if environ.get("WAYLAND_DISPLAY") and which("wl-copy"):
        return ["wl-copy"]
    if environ.get("DISPLAY") and which("xclip"):
        return ["xclip", "-selection", "clipboard"]
    if environ.get("DISPLAY") and which("xsel"):
        return ["xsel", "--clipboard", "--input"]
    return None


def copy_with_command(command: list[str], text: str) -> None:
    """Pass the text to the command; on failure, only the terminal has the copy."""
    program = command[0] if "/" in command[0] else find_program(command[0], outside=[Path.cwd()])
    if program is None:
        return
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            [program, *command[1:]], input=text.encode(), timeout=_PATIENCE_S, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip


def copy_in_background(text: str, environ: Mapping[str, str] = os.environ) -> None:
    """Copy with the command, if there is one, without waiting."""
    if (command := clipboard_command(environ)) is not None:
        threading.Thread(target=copy_with_command, args=(command, text), name="clipboard", daemon=True).start()


def copy_method(environ: Mapping[str, str] = os.environ) -> str:
    """Return a label of the method that copies text."""
    command = clipboard_command(environ)
    return _("the terminal") if command is None else _("the terminal and {tool}", tool=command[0])


def osc52_sequence(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Encode the text as OSC 52, wrapped for GNU screen to pass to its terminal; empty elsewhere."""
    if not environ.get("STY") or environ.get("TMUX"):
        return ""
    sequence = f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07"
    pieces = (sequence[at : at + _CHUNK] for at in range(0, len(sequence), _CHUNK))
    return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
