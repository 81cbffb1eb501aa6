"""Where a copied text goes beside the terminal itself (OSC 52): to tmux, or to the desktop that this machine shows.

tmux takes the text, and gives it to its terminal, only when it is asked by its own command.
"""

import base64
import contextlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping

from kimi_tui.ui.tui.i18n.catalog import _

_PATIENCE_S = 2.0
_CHUNK = 240  # what GNU screen passes on at once


def clipboard_command(
    environ: Mapping[str, str], *, platform: str = sys.platform, which: Callable[[str], object] = shutil.which
) -> list[str] | None:
    """What takes the text on its stdin; None where the terminal has to do, as for a person at another machine."""
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
    """Have the command take the text; what fails is no more than a copy that the terminal alone has."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            command, input=text.encode(), timeout=_PATIENCE_S, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip


def copy_in_background(text: str, environ: Mapping[str, str] = os.environ) -> None:
    """Give it, where there is something to give it to, without waiting."""
    if (command := clipboard_command(environ)) is not None:
        threading.Thread(target=copy_with_command, args=(command, text), name="clipboard", daemon=True).start()


def copy_method(environ: Mapping[str, str] = os.environ) -> str:
    """By what a copied text goes to the clipboard, in words."""
    command = clipboard_command(environ)
    return _("the terminal") if command is None else _("the terminal and {tool}", tool=command[0])


def osc52_sequence(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """What GNU screen passes on to its terminal as OSC 52; nothing elsewhere."""
    if not environ.get("STY") or environ.get("TMUX"):
        return ""
    sequence = f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07"
    pieces = (sequence[at : at + _CHUNK] for at in range(0, len(sequence), _CHUNK))
    return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
