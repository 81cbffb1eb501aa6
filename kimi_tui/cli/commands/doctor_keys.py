"""`kimi-tui doctor --keys`: shows the bytes that the terminal sends for each key."""

import os
import sys
import termios
import tty

from kimi_tui.errors import UsageError

_ASK = "\x1b[>1u\x1b[?2004h"
_LEAVE = "\x1b[?2004l\x1b[<u"
_QUIT = frozenset({b"q", b"\x03", b"\x04", b"\x1b[99;5u", b"\x1b[100;5u"})


def show_keys() -> int:
    """Show keys until the user presses q. Raises UsageError without a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("--keys needs a terminal")
    fd = sys.stdin.fileno()
    attributes = termios.tcgetattr(fd)
    try:
        tty.setraw(fd, termios.TCSANOW)
        sys.stdout.write("Press keys to see what arrives; q ends it.\r\n" + _ASK)
        sys.stdout.flush()
        while (keys := os.read(fd, 256)) and keys not in _QUIT:
            sys.stdout.write(f"{shown(keys)}\r\n")
            sys.stdout.flush()
    finally:
        termios.tcsetattr(fd, termios.TCSANOW, attributes)
        sys.stdout.write(_LEAVE)
        sys.stdout.flush()
    return 0


def shown(keys: bytes) -> str:
    """Format keys like `ESC [ A`: printable characters as they are, others by name or number."""
    names = {0x1B: "ESC", 0x0D: "CR", 0x0A: "LF", 0x09: "TAB", 0x20: "SPACE", 0x7F: "DEL", 0x00: "NUL"}
    text = keys.decode("utf-8", "replace")
    return " ".join(names.get(ord(char)) or (char if char.isprintable() else f"0x{ord(char):02x}") for char in text)
