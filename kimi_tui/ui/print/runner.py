"""The headless UI: prints text or JSON lines to stdout, returns an exit status, and asks no questions."""

import asyncio
import shlex
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Protocol, cast

from pydantic import ValidationError

from kimi_tui import json_text
from kimi_tui.errors import EXIT_FAILURE, EXIT_OK, EXIT_WAITING, KimiTuiError, OutputError, UsageError
from kimi_tui.flow.run.run_ending import how_to_raise
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.turn_protocol import OpenQuestion, OverBudget, TurnResult
from kimi_tui.llm.message import Message
from kimi_tui.text_safety import for_terminal, one_line
from kimi_tui.ui.print.json_output import JsonOutput
from kimi_tui.ui.print.output_stream import OutputStream
from kimi_tui.ui.print.stdin_lines import read_lines
from kimi_tui.ui.print.text_output import TextOutput
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import Notification, TurnBegin
from kimi_tui.wire.flow_events import FlowPaused, FlowSpending
from kimi_tui.wire.parts import JsonObject, TextPart, UserInput

EXIT_INTERRUPTED = 128 + signal.SIGINT
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # defence: print-hangup
_PATIENCE_S = 2.0


class Engine(Protocol):
    """The engine functions that this UI needs."""

    wire: Wire

    @property
    def runner(self) -> FlowRunner | None: ...
    async def prompt(self, user_input: UserInput) -> TurnResult: ...
    def stop_flow(self, reason: str | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class Output:
    """What to print: `progress` is for a terminal on stderr, in addition to stdout."""

    json: bool = False
    final_only: bool = False
    flow_events: bool = False
    progress: bool = False


@dataclass(frozen=True, slots=True)
class _Printers:
    printer: JsonOutput | TextOutput
    stdout: OutputStream


async def answer(engine: Engine, prompt: UserInput, output: Output) -> int:
    """Run one prompt to its end. Raises the KimiTuiError that ended it."""
    with _printing(engine, output) as printing:
        return await _answer(engine, prompt, printing)


@contextmanager
def _printing(engine: Engine, output: Output) -> Generator["_Printers"]:
    """Print the Wire's messages inside the `with` block."""
    stdout = OutputStream(sys.stdout)
    printer = (
        JsonOutput(stdout, final_only=output.final_only, flow_events=output.flow_events)
        if output.json
        else TextOutput(stdout, sys.stderr if output.progress else None, final_only=output.final_only)
    )
    unlisten = (engine.wire.listen(printer), engine.wire.listen(_warn))
    try:
        yield _Printers(printer, stdout)
    finally:
        for end in unlisten:
            end()
        printer.finish()
        stdout.flush()


async def _answer(engine: Engine, prompt: UserInput, printing: "_Printers") -> int:
    result, interrupted_by = await _turn(engine, prompt, printing)
    if printing.stdout.interrupted_by:
        return 128 + printing.stdout.interrupted_by
    printing.stdout.check()  # defence: check-stdout
    match result.stop:
        case "finished":
            return EXIT_OK
        case "cancelled" if result.question is not None:
            printing.printer.waiting(result.question)
            printing.stdout.flush()
            sys.stderr.write(f"kimi-tui: {for_terminal(_how_to_answer(result.question))}\n")
            return EXIT_WAITING
        case "cancelled" if result.waits_for is not None:
            printing.printer.over_budget(result.waits_for)
            printing.stdout.flush()
            complain(_how_to_continue(result.waits_for))
            return EXIT_WAITING
        case "cancelled":
            return 128 + interrupted_by if interrupted_by else EXIT_FAILURE
        case "rejected" | "max_steps" | "failed":
            if result.message:
                complain(result.message)
            return EXIT_FAILURE


def _how_to_answer(question: OpenQuestion) -> str:
    text = question.question.strip()
    end = "\n" if "\n" in text else " "
    answer = shlex.quote(f"{question.node_id}={question.choices[0]}")
    return (
        f"the flow waits for you: {text}{end}({', '.join(question.choices)})\n"
        f"Answer with: kimi-tui flow resume {question.run_id[:8]} --choose {answer}"
    )


def _how_to_continue(over: OverBudget) -> str:
    return f"the budget of the flow is used up: {over.spent}. Continue with: {how_to_raise(over.run_id[:8], over)}"


async def answer_lines(engine: Engine, lines: IO[bytes], output: Output, *, at_once: Callable[[str], bool]) -> int:
    """Answer one JSON user message per line until the input ends; invalid lines are skipped with a warning on stderr.

    Messages are answered in order; a command for which `at_once` is true runs during an answer, and its output appears
    among that answer's lines. Returns the status of the last message that failed. Raises UsageError if the input is not
    empty but has no message.
    """
    prompts: asyncio.Queue[UserInput | None] = asyncio.Queue()
    started = asyncio.Event()
    answering = received = passed_over = False
    unlisten = engine.wire.listen(
        lambda message: started.set() if isinstance(message, TurnBegin) or _waits_for_user(message) else None
    )

    async def sort() -> None:
        nonlocal received, passed_over
        number = 0
        async for line in read_lines(lines):
            number += 1
            prompt = _prompt(line)
            if prompt is None:
                if line.strip():
                    passed_over = True
                    complain(f"line {number} is not a user message; ignored")
                continue
            received = True
            idle = prompts.empty() and not answering
            if idle or not (isinstance(prompt, str) and at_once(prompt)):
                started.clear()
                await prompts.put(prompt)
                continue
            if not prompts.empty() and not _flow_waits(engine):  # defence: command-to-a-paused-flow
                await started.wait()
            try:
                await engine.prompt(prompt)
            except KimiTuiError as error:
                complain(str(error))
        await prompts.put(None)
        for _ in range(10):  # a command that ended a pause takes effect in the next iterations of the event loop
            await asyncio.sleep(0)
        _let_nothing_wait(engine)

    status = EXIT_OK
    sorting = asyncio.create_task(sort())
    try:
        with _printing(engine, output) as printing:
            while (prompt := await prompts.get()) is not None:
                answering = True
                try:
                    status = await _answer(engine, prompt, printing) or status
                    if status >= EXIT_INTERRUPTED:
                        return status
                except OutputError:
                    raise
                except KimiTuiError as error:
                    complain(str(error))
                    status = error.exit_code
                finally:
                    answering = False
                    started.set()
            await sorting
        if passed_over and not received:
            raise UsageError('no message: each line must be {"role": "user", "content": "..."}')
    finally:
        sorting.cancel()
        unlisten()
    return status


def _warn(message: WireMessage) -> None:
    """Print a warning if a requested feature does not work, for users who read only the answer."""
    if isinstance(message, Notification) and message.severity == "warning":
        complain(f"{message.title}: {message.body}".rstrip(": "))


def complain(message: str) -> None:
    """Tell the user on standard error."""
    sys.stderr.write(f"kimi-tui: {one_line(message)}\n")


def _let_nothing_wait(engine: Engine) -> None:
    """Stop flows that pause after the end of the input, since no command can resume them."""
    loop = asyncio.get_running_loop()

    def stop(message: WireMessage) -> None:
        if _waits_for_user(message):
            loop.call_soon(_stop_flow, engine)

    engine.wire.listen(stop)
    if _flow_waits(engine):
        _stop_flow(engine)


def _waits_for_user(message: WireMessage) -> bool:
    """Whether the message says that a flow waits for a command of the user."""
    return isinstance(message, FlowPaused) or (isinstance(message, FlowSpending) and message.held)


def _flow_waits(engine: Engine) -> bool:
    """Whether a flow waits for a command of the user."""
    runner = engine.runner
    return runner is not None and (runner.paused is not None or runner.meter.held)


def _stop_flow(engine: Engine) -> None:
    if engine.runner is not None:
        engine.stop_flow("it was paused, and the input has ended")


def _prompt(line: bytes) -> UserInput | None:
    """Parse the user message of a line: a plain message, or one wrapped as `{"type": "user", "message": ...}`."""
    try:
        value = json_text.loads(line)
        if isinstance(value, dict) and cast(JsonObject, value).get("type") == "user":
            value = cast(JsonObject, value).get("message")
        message = Message.model_validate(value)
    except (ValueError, ValidationError, RecursionError):
        return None
    if message.role != "user" or not message.content:
        return None
    match message.content:
        case (TextPart(text=text),):
            return text
        case content:
            return content


def interrupting_signals() -> list[signal.Signals]:
    """Return SIGINT, SIGTERM, and SIGHUP unless it is ignored, as with `nohup`."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [number for number in _SIGNALS if number != signal.SIGHUP or not ignored]


async def _turn(engine: Engine, prompt: UserInput, printing: _Printers) -> tuple[TurnResult, int]:
    """Run the turn; return its result, and the number of the signal that interrupted it. SIGINT, SIGTERM and
    SIGHUP (unless `nohup` ignores it) interrupt from the start.

    A closed output pipe interrupts too, at the next write. A signal also ends a write that waits for its reader, which
    blocks the event loop.
    """
    loop, stdout = asyncio.get_running_loop(), printing.stdout
    turn = asyncio.ensure_future(engine.prompt(prompt))
    received: list[int] = []

    def give_up(message: WireMessage) -> None:
        if stdout.broken and not received:
            received.append(signal.SIGPIPE)
            loop.call_soon(turn.cancel)

    def interrupt(number: int) -> None:
        if not received:
            turn.cancel()
        received.append(number)

    def end_write(number: int, _frame: object) -> None:
        def end_later_write(_number: int, _frame: object) -> None:
            stdout.interrupt(number)

        signal.signal(signal.SIGALRM, end_later_write)
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE_S, _PATIENCE_S)
        stdout.interrupt(number)

    unlisten = engine.wire.listen(give_up)
    numbers = interrupting_signals()
    for number in numbers:
        loop.add_signal_handler(number, interrupt, number)
        signal.signal(number, end_write)  # defence: interrupt-blocked-write
    try:
        return await turn, 0
    except asyncio.CancelledError:
        if not received:
            raise
        return TurnResult("cancelled"), received[0]
    finally:
        unlisten()
        printing.printer.finish()
        stdout.flush()
        if received or stdout.interrupted_by:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number in numbers:
            loop.remove_signal_handler(number)
