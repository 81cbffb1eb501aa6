"""Which files the words of a command line name, as Bash would expand them: braces, a tilde, patterns; bounded."""

import re

UNKNOWN = "\0"
_SPECIAL = re.compile(r"[][*?{},~\\!^-]")


def quoted(text: str) -> str:
    """Text in which nothing is expanded."""
    return _SPECIAL.sub(r"\\\g<0>", text)
