"""Runs one hook command.

The command gets JSON on standard input. It blocks with exit status 2, its standard error being the reason, or with a
`permissionDecision` of `deny` in the JSON on its standard output. Any other failure allows.
"""

import asyncio
import json
import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self, cast

from kimi_tui import json_text
from kimi_tui.text_safety import is_safe
from kimi_tui.tools.shell_support.process_runner import ProcessResult, run
from kimi_tui.wire.parts import JsonObject

BLOCKS = 2
_MAX_CHARS = 1 << 20
_REASON_CHARS = 2_000
_log = logging.getLogger(__name__)

_MAX_ERROR_BYTES = 1 << 16
_CHUNK = 1 << 16
_REST_S = 0.005
# Standard error goes into a pipe of its own, which is read to its end: the status is always the command's.
_WRAPPER = 'exec /bin/sh -c "$3" <"$1" 2>"$2"'
_DENIAL = re.compile(r'"permissionDecision"\s*:\s*"deny"|"decision"\s*:\s*"block"')


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
    from kimi_tui.tools.shell_support.remove_tree import session_folder

    with session_folder() as folder:
        input_file, pipe = folder / "input.json", folder / "errors"
        await asyncio.to_thread(input_file.write_text, json.dumps(payload), "utf-8")
        printed = _LimitedOutput()
        try:
            with _Errors(pipe) as errors:
                result = await run(
                    ["/bin/sh", "-c", _WRAPPER, "hook", str(input_file), str(pipe), command],
                    cwd=cwd,
                    env=env,
                    on_text=printed.take,
                    seconds=seconds,
                )
        except OSError as error:
            _log.warning("a hook could not be started: %s: %s", command, error)
            return ALLOW
        return await asyncio.to_thread(_verdict, command, result, printed, errors.text)


class _Errors:
    """Reads a command's standard error through a named pipe, made here, and keeps its beginning as `text`.

    What exceeds the limit is read as well, and a process that the command left behind is not waited for: neither
    changes the command's exit status.
    """

    def __init__(self, pipe: Path) -> None:
        self._pipe = pipe
        self._kept = bytearray()
        self._loop = asyncio.get_running_loop()
        self._resting: asyncio.TimerHandle | None = None

    @property
    def text(self) -> str:
        return self._kept.decode("utf-8", "replace")

    def __enter__(self) -> Self:
        os.mkfifo(self._pipe, 0o600)
        self._fd = os.open(self._pipe, os.O_RDONLY | os.O_NONBLOCK)
        self._listen()
        return self

    def __exit__(self, *_: object) -> None:
        if self._resting is not None:
            self._resting.cancel()
        while len(self._kept) < _MAX_ERROR_BYTES and self._take():
            pass
        self._loop.remove_reader(self._fd)
        os.close(self._fd)

    def _listen(self) -> None:
        self._loop.add_reader(self._fd, self._read)

    def _read(self) -> None:
        received = self._take()
        if received is None:
            return
        if received == 0 or received == _CHUNK:
            self._loop.remove_reader(self._fd)
        # Heavy output leaves time for the UI.
        # defence: hook-errors-to-the-end
        if received == _CHUNK:
            self._resting = self._loop.call_later(_REST_S, self._listen)

    def _take(self) -> int | None:
        """Read a piece; returns its size, 0 at the end, None if there is nothing yet."""
        try:
            piece = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return None
        self._kept += piece[: _MAX_ERROR_BYTES - len(self._kept)]
        return len(piece)


class _LimitedOutput:
    """Collects the output of a command up to a limit."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._room = _MAX_CHARS
        self.cut = False

    def take(self, text: str) -> None:
        self.cut = self.cut or len(text) > self._room
        self._pieces.append(text[: self._room])
        self._room -= len(self._pieces[-1])

    @property
    def text(self) -> str:
        return "".join(self._pieces)


def _verdict(command: str, result: ProcessResult, printed: _LimitedOutput, errors: str) -> HookResult:
    if result.exit_code == BLOCKS:
        return HookResult(True, plain(errors))
    if result.exit_code != 0:
        _log.warning("a hook failed (%s): %s", "timeout" if result.timed_out else result.exit_code, command)
        return ALLOW
    return _decision(printed)


def _decision(printed: _LimitedOutput) -> HookResult:
    """Read the decision from a hook's output, if it is JSON with one.

    Output that cannot be parsed but says a denial blocks, and so does an object that is too long: it may be nested too
    deeply or followed by a log line. The model decides on size and nesting if the hook repeats what the model wrote.
    """
    text = printed.text.removeprefix("\ufeff")
    try:
        parsed: object = json_text.loads(text)
    except (ValueError, RecursionError):
        is_denial = _DENIAL.search(text) or (printed.cut and text.lstrip().startswith("{"))
        return HookResult(True) if is_denial else ALLOW  # defence: denial-in-bad-json
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
