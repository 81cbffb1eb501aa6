"""Think: records a thought in the conversation."""

from pydantic import Field

from kimi_tui.tools.core.tool import Params, Tool, ok
from kimi_tui.wire.parts import ToolReturnValue


class ThinkParams(Params):
    thought: str = Field(description="The thought.")


class Think(Tool[ThinkParams]):
    name = "Think"
    params = ThinkParams
    read_only = True

    async def call(self, params: ThinkParams) -> ToolReturnValue:
        return ok(message="Thought noted.")
