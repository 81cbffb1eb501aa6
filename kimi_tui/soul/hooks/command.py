"""Runs one hook command.

The command gets JSON on standard input. It blocks with exit status 2, its standard error being the reason, or with a
`permissionDecision` of `deny` in the JSON on its standard output. Any other failure allows.
"""

import asyncio
import contextlib
import json
import logging
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from kimi_tui import json_text
from kimi_tui.text_safety import is_safe
from kimi_tui.tools.shell_support.process_runner import ProcessResult, run
from kimi_tui.wire.parts import JsonObject

BLOCKS = 2
_MOST_CHARS = 1 << 20
_REASON_CHARS = 2_000
_log = logging.getLogger(__name__)

# The command's standard error goes to a file of at most 64 KiB, its standard output to us; the status is its own.
_WRAPPER = """{ /bin/sh -c "$3" <"$1" 2>&1 1>&4 | head -c 65536 >"$2"; exit "${PIPESTATUS[0]}"; } 4>&1"""


@dataclass(frozen=True, slots=True)
class HookResult:
    """The decision of one hook, or of several combined. `reason` is plain text."""

    blocked: bool = False
    reason: str = ""


ALLOW = HookResult()


async def run_hook(
    command: str, payload: JsonObject, *, cwd: Path, env: Mapping[str, str], seconds: float
) -> HookResult:
    """Run the command until it ends or `seconds` have passed. Its process tree is then killed."""
    with tempfile.TemporaryDirectory(prefix="kimi-tui-hook-") as folder:
        input_file, errors = Path(folder, "input.json"), Path(folder, "errors")
        await asyncio.to_thread(input_file.write_text, json.dumps(payload), "utf-8")
        printed = _Printed()
        try:
            result = await run(
                ["/bin/bash", "-c", _WRAPPER, "hook", str(input_file), str(errors), command],
                cwd=cwd,
                env=env,
                on_text=printed.take,
                seconds=seconds,
            )
        except OSError as error:
            _log.warning("a hook could not be started: %s: %s", command, error)
            return ALLOW
        return await asyncio.to_thread(_verdict, command, result, printed, errors)


class _Printed:
    """Collects the output of a command up to a limit."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._room = _MOST_CHARS

    def take(self, text: str) -> None:
        self._pieces.append(text[: self._room])
        self._room -= len(self._pieces[-1])

    @property
    def text(self) -> str:
        return "".join(self._pieces)


def _verdict(command: str, result: ProcessResult, printed: _Printed, errors: Path) -> HookResult:
    if result.exit_code == BLOCKS:
        with contextlib.suppress(OSError):
            return HookResult(True, plain(errors.read_bytes().decode("utf-8", "replace")))
        return HookResult(True)
    if result.exit_code != 0:
        _log.warning("a hook failed (%s): %s", "timeout" if result.timed_out else result.exit_code, command)
        return ALLOW
    return _decision(printed.text)


def _decision(printed: str) -> HookResult:
    """Read the decision from a hook's output, if it is JSON with one."""
    try:
        parsed: object = json_text.loads(printed)
    except (ValueError, RecursionError):
        return ALLOW
    if not isinstance(parsed, dict):
        return ALLOW
    fields = cast(dict[str, object], parsed)
    inner = fields.get("hookSpecificOutput")
    if isinstance(inner, dict):
        fields = {**fields, **cast(dict[str, object], inner)}
    if fields.get("permissionDecision") != "deny" and fields.get("decision") != "block":
        return ALLOW
    return HookResult(True, plain(str(fields.get("permissionDecisionReason") or fields.get("reason") or "")))


def plain(text: str) -> str:
    """Remove control and invisible characters from a hook's text, and bound its length."""
    printable = "".join(char if char == "\n" or is_safe(char) else " " for char in text)
    return printable.strip()[:_REASON_CHARS]
