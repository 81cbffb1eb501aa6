"""Reads the desktop's clipboard with the system's tool; the terminal itself can paste only text."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kimi_tui.errors import KimiTuiError
from kimi_tui.formats import byte_count
from kimi_tui.paths import find_program
from kimi_tui.program_output import OutputTooLargeError, program_output
from kimi_tui.ui.tui.composer.image_chips import MAX_BYTES
from kimi_tui.ui.tui.i18n.catalog import _

_SECONDS = 3.0
_TEXT = ("text/plain;charset=utf-8", "text/plain", "UTF8_STRING", "STRING", "TEXT")
_IMAGES = ("image/png", "image/jpeg", "image/webp", "image/gif")


class ClipboardTooLargeError(KimiTuiError):
    """The clipboard holds more than an image may have; the message is for the user."""


@dataclass(frozen=True, slots=True)
class ClipboardContent:
    """A text or an image, or nothing. `tool` is the program used, "" if none is installed."""

    tool: str = ""
    text: str = ""
    image: bytes = b""


def clipboard(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> ClipboardContent:
    """The clipboard's content. Text takes precedence: copied tables and text are often available as an image.

    Raises ClipboardTooLargeError.
    """
    if platform == "darwin":
        return _mac()
    if environ.get("WAYLAND_DISPLAY") and shutil.which("wl-paste"):
        types = _run("wl-paste", "--list-types").decode("utf-8", "replace").split("\n")
        return _read_clipboard("wl-paste", types, lambda kind: ("wl-paste", "--no-newline", "--type", kind))
    if environ.get("DISPLAY") and shutil.which("xclip"):
        ask = ("xclip", "-selection", "clipboard", "-o", "-t")
        types = _run(*ask, "TARGETS").decode("utf-8", "replace").split("\n")
        return _read_clipboard("xclip", types, lambda kind: (*ask, kind))
    return ClipboardContent()


def _read_clipboard(tool: str, types: Sequence[str], ask: Callable[[str], tuple[str, ...]]) -> ClipboardContent:
    if (kind := next((kind for kind in _TEXT if kind in types), None)) is not None:
        return ClipboardContent(tool, text=_run(*ask(kind)).decode("utf-8", "replace"))
    if (kind := next((kind for kind in _IMAGES if kind in types), None)) is not None:
        return ClipboardContent(tool, image=_run(*ask(kind)))
    return ClipboardContent(tool)


def _mac() -> ClipboardContent:
    if text := _run("pbpaste"):
        return ClipboardContent("pbpaste", text=text.decode("utf-8", "replace"))
    if shutil.which("pngpaste"):
        return ClipboardContent("pngpaste", image=_run("pngpaste", "-"))
    return ClipboardContent()


def _run(*command: str) -> bytes:
    """The command's output; empty if it fails or takes too long. Raises ClipboardTooLargeError."""
    program = find_program(command[0], outside=[Path.cwd()])
    if program is None:
        return b""
    try:
        return program_output([program, *command[1:]], most=MAX_BYTES, seconds=_SECONDS)
    except OutputTooLargeError:
        words = _("the clipboard's content is larger than {most}", most=byte_count(MAX_BYTES))
        raise ClipboardTooLargeError(words) from None
    except (OSError, subprocess.SubprocessError):
        return b""
