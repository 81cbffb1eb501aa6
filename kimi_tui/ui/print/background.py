"""Waits for background tasks after the answer, and reports each end to the model."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

from kimi_tui.errors import EXIT_FAILURE, EXIT_OK
from kimi_tui.tools.shell_support.background import BackgroundTasks
from kimi_tui.ui.print.runner import EXIT_INTERRUPTED, Engine, Output, answer, complain, interrupting_signals

ENDED = "<system>A background task has ended. Continue the work that it was for, or report how it ended.</system>"
STOPPED = "<system>There is no more time: the background tasks were stopped. Say what is left to do.</system>"


@contextmanager
def _received_signal() -> Generator["asyncio.Future[int]"]:
    """Yield a future for the number of the first signal that interrupts within the `with` block."""
    loop = asyncio.get_running_loop()
    received: asyncio.Future[int] = loop.create_future()

    def interrupt(number: int) -> None:
        if not received.done():
            received.set_result(number)

    numbers = interrupting_signals()
    for number in numbers:
        loop.add_signal_handler(number, interrupt, number)  # defence: signal-while-waiting
    try:
        yield received
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


async def wait_for_background(engine: Engine, background: BackgroundTasks, output: Output, *, ceiling_s: float) -> int:
    """Run a turn each time tasks end, until no task is running; returns the exit status.

    Tasks that run longer than `ceiling_s` seconds are stopped, which counts as failure. A signal ends the wait.
    """
    if names := ", ".join(task.description for task in background.tasks if task.running):
        complain(f"waiting for commands in the background, at most {ceiling_s / 60:g} min; Ctrl+C ends them: {names}")
    status = EXIT_OK
    until = asyncio.get_running_loop().time() + ceiling_s
    while running := [task for task in background.tasks if task.running]:
        tasks = [asyncio.create_task(task.ended.wait()) for task in running]
        seconds = max(0.0, until - asyncio.get_running_loop().time())
        try:
            with _received_signal() as received:
                finished, _ = await asyncio.wait(
                    [*tasks, received], timeout=seconds, return_when=asyncio.FIRST_COMPLETED
                )
        finally:
            for wait in tasks:
                wait.cancel()
        if received in finished:
            return 128 + received.result()
        if not finished:
            await asyncio.gather(*(background.stop(task.id, "print waits no longer") for task in running))
            return await answer(engine, STOPPED, output) or EXIT_FAILURE
        status = await answer(engine, ENDED, output) or status
        if status >= EXIT_INTERRUPTED:
            break
    return status
