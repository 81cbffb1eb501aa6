"""Text for a terminal or a pipe that may come from anywhere."""

import sys


def printable(text: str) -> str:
    """`text` with what a terminal would obey spelled out; line breaks stay."""
    if text.replace("\n", "").isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else f"\\u{ord(char):04x}" for char in text)


def print_out(text: str) -> None:
    """Write to stdout; what the locale's encoding cannot say is spelled out."""
    if text:
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
