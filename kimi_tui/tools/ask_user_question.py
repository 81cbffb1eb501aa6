"""AskUserQuestion: one to four multiple-choice questions, for decisions that belong to the user."""

import json

from pydantic import Field

from kimi_tui.i18n import tr
from kimi_tui.interaction.questions import Questions
from kimi_tui.tools.core.tool import Params, Tool, current_tool_call, ok
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import ToolReturnValue
from kimi_tui.wire.requests import Question, QuestionOption


class OptionParams(Params):
    label: str = Field(description="The answer, in one to five words.", min_length=1)
    description: str = Field(default="", description="What it means or leads to.")


class QuestionParams(Params):
    question: str = Field(description="The whole question.", min_length=1)
    header: str = Field(default="", max_length=12, description="A word or two that stand for it.")
    options: list[OptionParams] = Field(min_length=2, max_length=4, description="The answers to choose from.")
    multi_select: bool = Field(default=False, description="Whether several may be chosen.")


class AskUserQuestionParams(Params):
    questions: list[QuestionParams] = Field(min_length=1, max_length=4, description="One to four questions.")


class AskUserQuestion(Tool[AskUserQuestionParams]):
    name = "AskUserQuestion"
    params = AskUserQuestionParams
    read_only = True

    def __init__(self, questions: Questions) -> None:
        self._questions = questions

    async def call(self, params: AskUserQuestionParams) -> ToolReturnValue:
        questions = [
            Question(
                question=question.question,
                header=question.header,
                options=tuple(
                    QuestionOption(label=option.label, description=option.description) for option in question.options
                ),
                multi_select=question.multi_select,
            )
            for question in params.questions
        ]
        answers = await self._questions.ask(questions, tool_call_id=current_tool_call.get().id)
        output = json.dumps({"answers": dict(answers.by_question)}, ensure_ascii=False)
        if answers.dismissed:
            message = "The user did not answer. Proceed with what you think best, and state your assumptions."
            return ok(output, message, display=(BriefBlock(text=tr("Not answered")),))
        brief = "\n".join(f"{question} {answer}" for question, answer in answers.by_question.items())
        return ok(output, display=(BriefBlock(text=brief),), extras={"answers": dict(answers.by_question)})
