"""The face without a screen: prose or JSON lines on stdout, an exit status, and nothing asked."""

import asyncio
import json
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Protocol

from pydantic import ValidationError

from kimi_tui.errors import EXIT_FAILURE, EXIT_OK, KimiTuiError
from kimi_tui.flow.turn import TurnResult
from kimi_tui.llm.message import Message
from kimi_tui.ui.print.json_lines import JsonLines
from kimi_tui.ui.print.prose import Prose
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.parts import UserInput

EXIT_INTERRUPTED = 130


class Engine(Protocol):
    """What this face needs of an engine."""

    wire: Wire

    async def prompt(self, user_input: UserInput) -> TurnResult: ...
    def cancel(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Output:
    """What to print: `progress` is for a terminal on stderr, beside what goes to stdout."""

    json: bool = False
    final_only: bool = False
    flow_events: bool = False
    progress: bool = False


async def answer(engine: Engine, prompt: UserInput, output: Output) -> int:
    """Take one prompt to its end. Raises the KimiTuiError that ended it."""
    printer = (
        JsonLines(sys.stdout, final_only=output.final_only, flow_events=output.flow_events)
        if output.json
        else Prose(sys.stdout, sys.stderr if output.progress else None, final_only=output.final_only)
    )
    unlisten = engine.wire.listen(printer)
    try:
        with _interruptible(engine) as interrupted:
            result = await engine.prompt(prompt)
    finally:
        unlisten()
        printer.finish()
        sys.stdout.flush()
    if printer.broken:
        raise BrokenPipeError
    match result.stop:
        case "finished":
            return EXIT_OK
        case "cancelled":
            return EXIT_INTERRUPTED if interrupted() else EXIT_FAILURE
        case "rejected" | "max_steps" | "failed":
            if result.message:
                sys.stderr.write(f"kimi-tui: {' '.join(result.message.split())}\n")
            return EXIT_FAILURE


async def answer_lines(engine: Engine, lines: IO[bytes], output: Output) -> int:
    """One user message of JSON a line until the input ends; lines that are none are passed over.

    The status is that of the last message that went wrong.
    """
    status = EXIT_OK
    while line := await asyncio.to_thread(lines.readline):
        message = _user_message(line)
        if message is None:
            continue
        try:
            status = await answer(engine, message.content, output) or status
        except KimiTuiError as error:
            sys.stderr.write(f"kimi-tui: {error}\n")
            status = error.exit_code
    return status


def _user_message(line: bytes) -> Message | None:
    try:
        message = Message.model_validate(json.loads(line))
    except (ValueError, ValidationError, RecursionError):
        return None
    return message if message.role == "user" and message.content else None


@contextmanager
def _interruptible(engine: Engine) -> Generator["_Asked"]:
    """While this lasts, SIGINT and SIGTERM interrupt the turn; what runs is ended with it."""
    loop = asyncio.get_running_loop()
    asked = _Asked()

    def interrupt() -> None:
        asked.yes = True
        engine.cancel()

    signals = (signal.SIGINT, signal.SIGTERM)
    for number in signals:
        loop.add_signal_handler(number, interrupt)
    try:
        yield asked
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


class _Asked:
    yes = False

    def __call__(self) -> bool:
        return self.yes
