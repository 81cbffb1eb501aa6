"""Output of the subcommands: safe for a terminal, in the encoding of standard output."""

import sys

from kimi_tui.errors import OutputError
from kimi_tui.text_safety import dump_json, escape_unsafe, for_terminal


def printable(text: str) -> str:
    """Escape control characters in `text`; line breaks stay."""
    return escape_unsafe(text, keep="\n")


def print_out(text: str) -> None:
    """Write to stdout; control characters and characters outside the encoding are escaped."""
    if text:
        encoding = sys.stdout.encoding or "utf-8"
        # defence: print-to-terminal
        _write(for_terminal(text).encode(encoding, "backslashreplace").decode(encoding) + "\n")


def print_json(value: object, *, indent: int | None = 2) -> None:
    """Write JSON to stdout; control characters and characters outside the encoding are escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    text = dump_json(value, indent=indent)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = dump_json(value, indent=indent, ascii_only=True)
    _write(text + "\n")


def _write(text: str) -> None:
    """Write to stdout. Raises OutputError, and BrokenPipeError if the reader has closed the pipe."""
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.strerror or str(error)) from error
