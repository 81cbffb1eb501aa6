"""Prints an error as one line on stderr, without control characters."""

import os
import sys

from kimi_tui.errors import EXIT_FAILURE
from kimi_tui.text_safety import one_line


def print_error(message: str) -> None:
    try:
        sys.stderr.write(f"kimi-tui: {one_line(message)}\n")
    except OSError:
        os._exit(EXIT_FAILURE)
