"""A command that ends only when somebody ends it, told apart from all others on this machine."""

from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from tests.soul.scripted_engine import tool_call


def sleeper(begin="touch begun"):
    """A call of a command that goes on for ever after `begin`, and how to know whether it still does."""
    seconds = f"1000.{uuid4().int}"

    def sleeps():
        command_lines = []
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                command_lines.append(process.read_bytes())
        return any(f"sleep\0{seconds}".encode() in line for line in command_lines)

    return tool_call("Shell", command=f"{begin}; exec sleep {seconds}"), sleeps
