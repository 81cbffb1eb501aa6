"""Task: runs a subagent, with its own context."""

from collections.abc import Mapping
from typing import Protocol

from pydantic import Field

from kimi_tui.errors import KimiTuiError
from kimi_tui.tools.core.tool import Params, Tool, current_tool_call, failed, ok
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import ToolReturnValue


class SubagentStoppedError(KimiTuiError):
    """The user stopped a subagent, but not its parent."""


class Subagents(Protocol):
    """The available subagents, and a way to run one."""

    def names(self) -> Mapping[str, str]:
        """Name to description, of all current subagents."""
        ...

    def configured(self) -> Mapping[str, str]:
        """Name to description, of the subagents in the agent's file: they stay the same for the whole session."""
        ...

    def edits_nothing(self, name: str) -> bool:
        """Whether it edits no files; in plan mode its other tools are read-only. False for an unknown name."""
        ...

    async def run(self, name: str, prompt: str, *, description: str, tool_call_id: str) -> str:
        """Return the subagent's last message.

        Raises LookupError for an unknown name, SubagentStoppedError, and the KimiTuiError that ended it.
        """
        ...

    def register(self, name: str, system_prompt: str) -> None:
        """Create a subagent with the parent's tools. Raises ValueError."""
        ...


class TaskParams(Params):
    description: str = Field(min_length=1, description="The task in three to five words, for the person.")
    subagent_name: str = Field(description="Who is to do it.")
    prompt: str = Field(min_length=1, description="The whole task: the subagent knows nothing of this conversation.")


class Task(Tool[TaskParams]):
    name = "Task"
    params = TaskParams
    may_read = True

    def __init__(self, subagents: Subagents) -> None:
        self._subagents = subagents

    @property
    def description(self) -> str:
        # Only what stays the same: services cache a request up to the first word that differs from the last one's.
        listing = "\n".join(f"- `{name}`: {description}" for name, description in self._subagents.configured().items())
        return f"{super().description}\n\nThere are:\n{listing or '- none yet'}"

    def reads(self, params: TaskParams) -> bool:
        return self._subagents.edits_nothing(params.subagent_name)

    async def call(self, params: TaskParams) -> ToolReturnValue:
        try:
            report = await self._subagents.run(
                params.subagent_name,
                params.prompt,
                description=params.description,
                tool_call_id=current_tool_call.get().id,
            )
        except LookupError:
            listing = ", ".join(self._subagents.names()) or "nobody"
            return failed(f"There is no subagent {params.subagent_name!r}. There are: {listing}.")
        except SubagentStoppedError as error:
            return failed(str(error), brief="Stopped").model_copy(update={"extras": {"interrupted": True}})
        except KimiTuiError as error:
            return failed(f"The subagent failed: {error}")
        first = report.strip().split("\n", 1)[0]
        return ok(report, display=(BriefBlock(text=first),))
