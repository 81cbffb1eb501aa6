"""Handles standard streams that are closed or cannot be written."""

import os
import sys
from contextlib import suppress

from kimi_tui.errors import OutputError
from kimi_tui.i18n import tr


def fill_closed_streams() -> None:
    """Open the null device for each closed standard stream.

    Otherwise a file opened later would get that descriptor and receive the output. Raises OutputError if standard
    output is closed.
    """
    had_output = sys.stdout is not None  # pyright: ignore[reportUnnecessaryComparison]
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False))
    if not had_output:
        raise OutputError(tr("standard output is closed"))


def flush_output() -> None:
    """Flush the output. Raises OutputError, and BrokenPipeError if the reader has closed the pipe."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.strerror or str(error)) from error


def end_output() -> None:
    """Discard output that cannot be written, so that the interpreter's shutdown does not fail."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, sys.stdout.fileno())
            os.close(null)
