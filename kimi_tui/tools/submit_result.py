"""SubmitResult: gives the typed result of a flow's node, and ends the turn."""

from typing import Any

from kimi_tui.flow.run.node_result import RESULT_TOOL, ResultRule, as_json, recorded, result_line
from kimi_tui.tools.core.tool import Params, Tool, ok
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import JsonObject, ToolReturnValue


class SubmitResult(Tool[Any]):
    """The tool for one turn, with the turn's result type. `given` is the last valid result."""

    name = RESULT_TOOL
    params: type[Params] = Params
    read_only = True

    def __init__(self, rule: ResultRule) -> None:
        self.params = rule.model(Params)
        self.given: JsonObject | None = None

    async def call(self, params: Params) -> ToolReturnValue:
        self.given = as_json(params)
        shown = BriefBlock(text=result_line(recorded(self.given)))
        return ok(message="The result is recorded.", display=(shown,), extras={"ends_turn": True})
