"""TaskList: lists the background tasks of the session."""

from pydantic import Field

from kimi_tui.tools.core.tool import Params, Tool, ok
from kimi_tui.tools.shell_support.background import NO_BACKGROUND, BackgroundTasks
from kimi_tui.wire.parts import ToolReturnValue


class TaskListParams(Params):
    active_only: bool = Field(default=True, description="Only those that are running.")
    limit: int = Field(default=20, ge=1, le=100, description="At most so many, the newest.")


class TaskList(Tool[TaskListParams]):
    name = "TaskList"
    params = TaskListParams
    read_only = True

    def __init__(self, background: BackgroundTasks = NO_BACKGROUND) -> None:
        self._background = background

    async def call(self, params: TaskListParams) -> ToolReturnValue:
        tasks = [task for task in self._background.tasks if task.running or not params.active_only]
        if not tasks:
            return ok(
                message="No background task is running." if params.active_only else "There is no background task."
            )
        listed = tasks[-params.limit :]
        summary = f"{len(listed)} of {len(tasks)} background task{'s' if len(tasks) != 1 else ''}."
        return ok("\n".join(task.line for task in listed), summary, display=tuple(task.block for task in listed))
