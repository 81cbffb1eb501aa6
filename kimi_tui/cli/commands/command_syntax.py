"""Checks the Bash of the commands of a chart with Bash itself, which only parses it (`bash -n`)."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kimi_tui.flow.model.command_template import CommandTemplateError, read_command
from kimi_tui.flow.model.graph import Chart
from kimi_tui.flow.model.settings import WrittenSetting, last_of_each
from kimi_tui.paths import find_program

_SECONDS = 10.0
_MOST = 1000
_MAX_CAUSE = 200
_LINE = re.compile(r"\Aline \d+: ")


@dataclass(frozen=True, slots=True)
class CommandFinding:
    """A problem of a command, at its key in the chart."""

    severity: Literal["error", "note"]
    text: str
    line: int
    column: int


def check_commands(chart: Chart, untrusted: Sequence[Path]) -> Iterator[CommandFinding]:
    """The commands that Bash cannot parse; without Bash, one note. No program is started from an `untrusted` folder."""
    bash: str | None = None
    causes: dict[str, str | None] = {}
    for command in _commands(chart):
        line = _line(command.value or "")
        if line is None:
            continue
        if bash is None and (bash := find_program("bash", outside=untrusted)) is None:
            text = "the commands are not checked: Bash is not installed"
            yield CommandFinding("note", text, command.line, command.column)
            return
        if len(causes) == _MOST and line not in causes:  # a process for each takes some milliseconds
            text = f"the commands from here on are not checked: Bash checks at most {_MOST:,}"
            yield CommandFinding("note", text, command.line, command.column)
            return
        if line not in causes:
            causes[line] = _cause(bash, line)
        if (cause := causes[line]) is not None:
            yield CommandFinding("error", f"Bash cannot parse the command: {cause}", command.line, command.column)


def _commands(chart: Chart) -> Iterator[WrittenSetting]:
    for node in chart.nodes:
        if (command := last_of_each(node.settings).get("run")) is not None and command.value is not None:
            yield command


def _line(command: str) -> str | None:
    """The command as Bash gets it; None if it has an error that is reported elsewhere."""
    try:
        return read_command(command).text
    except CommandTemplateError:
        return None


def _cause(bash: str, line: str) -> str | None:
    """What Bash says about a line that it cannot parse; None for a correct one. No part of the line is run."""
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}  # defence: check-without-start-files
    try:
        checked = subprocess.run(
            [bash, "--norc", "--noprofile", "-n"],  # defence: check-without-running
            input=line.encode("utf-8", "replace"),
            env=env,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if checked.returncode == 0:
        return None
    said = checked.stderr.decode("utf-8", "replace").partition("\n")[0].removeprefix(f"{bash}: ")
    return _LINE.sub("", said)[:_MAX_CAUSE]
