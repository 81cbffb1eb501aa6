"""EnterPlanMode: switches to read-only planning."""

from kimi_tui.i18n import tr
from kimi_tui.tools.core.plan_mode import PlanMode
from kimi_tui.tools.core.tool import Params, Tool, ok
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import ToolReturnValue


class EnterPlanModeParams(Params):
    pass


class EnterPlanMode(Tool[EnterPlanModeParams]):
    name = "EnterPlanMode"
    params = EnterPlanModeParams
    read_only = True

    def __init__(self, plan_mode: PlanMode) -> None:
        self._plan_mode = plan_mode

    async def call(self, params: EnterPlanModeParams) -> ToolReturnValue:
        self._plan_mode.turn_on_for_model()
        return ok(
            message="Plan mode is on: read and search, make a plan, then call ExitPlanMode with it. Nothing else runs.",
            display=(BriefBlock(text=tr("Plan mode is on")),),
        )
