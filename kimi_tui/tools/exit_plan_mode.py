"""ExitPlanMode: shows the plan to the user, who approves, rejects or requests changes; also in yolo mode.

Without a user, the model can leave plan mode only if it turned plan mode on.
"""

from collections.abc import Mapping

from pydantic import Field

from kimi_tui.i18n import tr
from kimi_tui.interaction.questions import Questions
from kimi_tui.tools.core.plan_mode import PlanMode
from kimi_tui.tools.core.tool import Params, Tool, current_tool_call, failed, ok
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import ToolReturnValue
from kimi_tui.wire.requests import Question, QuestionOption

QUESTION = tr("Carry out this plan?")
_YES = tr("Yes")
_NO = tr("No")


class PlanOption(Params):
    label: str = Field(description="The way, in a few words.", min_length=1)
    description: str = Field(default="", description="What speaks for it.")


class ExitPlanModeParams(Params):
    plan: str = Field(description="The whole plan, in Markdown.", min_length=1)
    options: list[PlanOption] = Field(
        default_factory=list[PlanOption],
        max_length=3,
        description="Ways to carry it out, where the user is to choose one; at most 3.",
    )


class ExitPlanMode(Tool[ExitPlanModeParams]):
    name = "ExitPlanMode"
    params = ExitPlanModeParams
    read_only = True

    def __init__(self, plan_mode: PlanMode, questions: Questions) -> None:
        self._plan_mode = plan_mode
        self._questions = questions

    async def call(self, params: ExitPlanModeParams) -> ToolReturnValue:
        if not self._plan_mode.on:
            return failed("Plan mode is not on.")
        self._plan_mode.show(params.plan)
        if not self._questions.attended:
            if not self._plan_mode.chosen_by_model:  # defence: plan-mode-of-the-user
                return failed(
                    "The user turned plan mode on but is away and cannot approve the plan, so plan mode stays on. "
                    "End with the plan as your last message.",
                    brief=tr("No user is present to approve the plan"),
                )
            self._plan_mode.on = False
            return ok(message="The user is away; the plan counts as approved. Carry it out.")
        # defence: ways-are-yeses
        ways = {tr("Yes: {way}", way=approach.label): approach for approach in params.options}
        options = [QuestionOption(label=label, description=ways[label].description) for label in ways]
        answers = await self._questions.ask(
            [
                Question(
                    question=QUESTION,
                    header=tr("Plan"),
                    options=(*(options or [QuestionOption(label=_YES)]), QuestionOption(label=_NO)),
                    body=params.plan,
                    other_label=tr("Change it"),
                    other_description=tr("Describe what should change."),
                )
            ],
            tool_call_id=current_tool_call.get().id,
        )
        return self._result_of_answer(
            answers.by_question.get(QUESTION, _NO), {label: ways[label].label for label in ways} or {_YES: ""}
        )

    def _result_of_answer(self, answer: str, agreed: Mapping[str, str]) -> ToolReturnValue:
        """`agreed` has the way of carrying it out by the label of the answer."""
        if answer in agreed:
            self._plan_mode.on = False
            way = agreed[answer]
            how = f" in this way: {way}" if way else ""
            brief = tr("Plan approved with option: {way}", way=way) if how else tr("Plan approved")
            return ok(
                message=f"The user agreed to the plan{how}. Plan mode is off; carry it out.",
                display=(BriefBlock(text=brief),),
            )
        feedback = None if answer == _NO else answer
        message = "The user did not agree to the plan." + (f" What to change: {feedback}" if feedback else "")
        brief = tr("Plan rejected: {feedback}", feedback=feedback) if feedback else tr("Plan rejected")
        return failed(f"{message} Plan mode is still on.", brief=brief).model_copy(
            update={"extras": {"rejected": True, "feedback": feedback}}
        )
