"""What went wrong, on one line of stderr, with nothing in it that a terminal would act on."""

import os
import sys

from kimi_tui.errors import EXIT_FAILURE


def complain(message: str) -> None:
    try:
        sys.stderr.write(f"kimi-tui: {_one_line(message)}\n")
    except OSError:
        os._exit(EXIT_FAILURE)


def _one_line(message: str) -> str:
    text = " ".join(message.split())
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)
