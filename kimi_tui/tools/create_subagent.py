"""CreateSubagent: defines a new subagent with the tools of the agent that creates it."""

from pydantic import Field

from kimi_tui.tools.core.tool import Params, Tool, failed, ok
from kimi_tui.tools.task import Subagents
from kimi_tui.wire.parts import ToolReturnValue

MAX_PROMPT = 100_000


class CreateSubagentParams(Params):
    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="What to call it in Task.")
    system_prompt: str = Field(min_length=1, max_length=MAX_PROMPT, description="Who it is and how it works.")


class CreateSubagent(Tool[CreateSubagentParams]):
    name = "CreateSubagent"
    params = CreateSubagentParams

    def __init__(self, subagents: Subagents) -> None:
        self._subagents = subagents

    async def call(self, params: CreateSubagentParams) -> ToolReturnValue:
        try:
            self._subagents.register(params.name, params.system_prompt)
        except ValueError as error:
            return failed(str(error))
        return ok(f"There are now: {', '.join(self._subagents.names())}.", f"Subagent {params.name} was made.")
