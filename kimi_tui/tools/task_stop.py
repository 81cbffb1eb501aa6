"""TaskStop: ends a background task with all its processes."""

from pydantic import Field

from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals, ProposedAction
from kimi_tui.permission.subject import ArgumentsSubject
from kimi_tui.tools.core.ask_approval import ask_approval
from kimi_tui.tools.core.tool import Params, Tool, failed, ok
from kimi_tui.tools.shell_support.background import NO_BACKGROUND, BackgroundTasks
from kimi_tui.wire.parts import ToolReturnValue


class TaskStopParams(Params):
    task_id: str = Field(description="The task's id.")
    reason: str = Field(default="", description="Why it is stopped, in a few words.")


class TaskStop(Tool[TaskStopParams]):
    name = "TaskStop"
    params = TaskStopParams
    asks = True

    def __init__(self, approvals: Approvals, background: BackgroundTasks = NO_BACKGROUND) -> None:
        self._approvals = approvals
        self._background = background

    async def call(self, params: TaskStopParams) -> ToolReturnValue:
        task = self._background.get(params.task_id)
        if task is None:
            return failed(f"There is no background task `{params.task_id}`. TaskList lists them.")
        if not task.running:
            return ok(message=f"It has ended already: {task.line}.", display=(task.block,))
        refused = await ask_approval(
            self._approvals,
            ProposedAction(
                sender=self.name,
                action=tr("stop background task"),
                description=tr("Stop background task `{task}`: {what}", task=task.id, what=task.description),
                subject=ArgumentsSubject(params.model_dump(exclude_unset=True)),
            ),
        )
        if refused is not None:
            return refused
        await self._background.stop(task.id, params.reason or tr("stopped by the agent"))
        return ok(message=f"Stopped: {task.line}.", display=(task.block,))
