"""TaskOutput: returns the output of a background task, at once or after its end."""

import asyncio
import contextlib
from pathlib import Path

from pydantic import Field

from kimi_tui.formats import byte_count
from kimi_tui.regular_file import read_end
from kimi_tui.tools.core.tool import Params, Tool, failed, ok
from kimi_tui.tools.shell_support.background import NO_BACKGROUND, BackgroundTasks
from kimi_tui.wire.parts import ToolReturnValue

PREVIEW_BYTES = 32 << 10


class TaskOutputParams(Params):
    task_id: str = Field(description="The task's id.")
    block: bool = Field(default=False, description="Wait until the task has ended.")
    timeout: int = Field(default=30, ge=0, le=3600, description="Seconds to wait at most.")


class TaskOutput(Tool[TaskOutputParams]):
    name = "TaskOutput"
    params = TaskOutputParams
    read_only = True

    def __init__(self, background: BackgroundTasks = NO_BACKGROUND) -> None:
        self._background = background

    async def call(self, params: TaskOutputParams) -> ToolReturnValue:
        task = self._background.get(params.task_id)
        if task is None:
            return failed(f"There is no background task `{params.task_id}`. TaskList lists them.")
        if params.block:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(params.timeout):
                    await task.ended.wait()
        try:
            text, size = await asyncio.to_thread(_tail, task.log)
        except OSError as error:
            return failed(f"Its output cannot be read: {error.strerror}.")
        message = task.line
        if size > PREVIEW_BYTES:
            message += (
                f". These are the last {byte_count(PREVIEW_BYTES)} of {size} bytes; ReadFile reads all of {task.log}"
            )
        return ok(text, f"{message}.", display=(task.block,))


def _tail(log: Path) -> tuple[str, int]:
    content, size = read_end(log, PREVIEW_BYTES)
    if size > PREVIEW_BYTES:
        content = content[content.find(b"\n") + 1 :]
    return content.decode("utf-8", "replace"), size
