"""Waits for background tasks after the answer, and reports each end to the model."""

import asyncio

from kimi_tui.errors import EXIT_FAILURE, EXIT_OK
from kimi_tui.tools.shell_support.background import BackgroundTasks
from kimi_tui.ui.print.runner import EXIT_INTERRUPTED, Engine, Output, answer

ENDED = "<system>A background task has ended. Go on with what it was for, or say how it ended.</system>"
STOPPED = "<system>There is no more time: the background tasks were stopped. Say what is left to do.</system>"


async def wait_for_background(engine: Engine, background: BackgroundTasks, output: Output, *, ceiling_s: float) -> int:
    """Run a turn each time tasks end, until no task is running; returns the exit status.

    Tasks that run longer than `ceiling_s` seconds are stopped, which counts as failure.
    """
    status = EXIT_OK
    until = asyncio.get_running_loop().time() + ceiling_s
    while running := [task for task in background.tasks if task.running]:
        tasks = [asyncio.create_task(task.ended.wait()) for task in running]
        seconds = max(0.0, until - asyncio.get_running_loop().time())
        try:
            finished, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in tasks:
                wait.cancel()
        if not finished:
            await asyncio.gather(*(background.stop(task.id, "print waits no longer") for task in running))
            return await answer(engine, STOPPED, output) or EXIT_FAILURE
        status = await answer(engine, ENDED, output) or status
        if status >= EXIT_INTERRUPTED:
            break
    return status
