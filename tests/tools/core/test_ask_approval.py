"""Questions, plan mode and pictures."""

import asyncio
import json
from pathlib import Path

import pytest

from kimi_tui.interaction.questions import Questions
from kimi_tui.tools.ask_user_question import AskUserQuestion
from kimi_tui.tools.core.plan_mode import PlanMode
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.tools.enter_plan_mode import EnterPlanMode
from kimi_tui.tools.exit_plan_mode import QUESTION, ExitPlanMode
from kimi_tui.tools.read_file import ReadFile
from kimi_tui.tools.read_media_file import MediaSupport, ReadMediaFile
from kimi_tui.tools.write_file import WriteFile
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import PlanDisplay, StatusUpdate
from kimi_tui.wire.parts import ImageURLPart
from kimi_tui.wire.requests import QuestionRequest
from tests.tools.harness import ToolHarness

ASKED = [{"question": "Which way?", "header": "Way", "options": [{"label": "Left"}, {"label": "Right"}]}]


def answering(harness: ToolHarness, questions: Questions, answers: dict[str, str]) -> list[QuestionRequest]:
    """Answer whatever is asked; returns what was."""
    asked: list[QuestionRequest] = []

    def hear(message: WireMessage) -> None:
        if isinstance(message, QuestionRequest):
            asked.append(message)
            assert questions.settle(message.id, answers)

    harness.wire.listen(hear)
    return asked


async def test_an_answer_comes_back_as_json(harness: ToolHarness) -> None:
    questions = Questions(harness.wire)
    asked = answering(harness, questions, {"Which way?": "Right"})
    value = await harness.use(AskUserQuestion(questions), questions=ASKED)
    assert json.loads(str(value.output)) == {"answers": {"Which way?": "Right"}}
    assert (asked[0].tool_call_id, asked[0].questions[0].options[1].label) == ("call_1", "Right")
    assert questions.pending == ()
    assert not questions.settle(asked[0].id, {})


async def test_a_question_that_nobody_answers_is_dismissed(harness: ToolHarness) -> None:
    for questions in (Questions(harness.wire, attended=False), Questions(harness.wire)):
        answering(harness, questions, {})
        value = await harness.use(AskUserQuestion(questions), questions=ASKED)
        assert not value.is_error
        assert json.loads(str(value.output)) == {"answers": {}}
        assert "did not answer" in value.message


async def test_cancelling_takes_the_question_back(harness: ToolHarness) -> None:
    questions = Questions(harness.wire)
    task = asyncio.create_task(harness.use(AskUserQuestion(questions), questions=ASKED))
    while not questions.pending:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert questions.pending == ()


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ASKED * 5,
        [{**ASKED[0], "options": [{"label": "Left"}]}],
        [{**ASKED[0], "header": "much too long a header"}],
    ],
)
async def test_questions_have_bounds(harness: ToolHarness, wrong: object) -> None:
    assert (await harness.use(AskUserQuestion(Questions(harness.wire)), questions=wrong)).is_error


async def test_only_what_changes_nothing_runs_in_plan_mode(harness: ToolHarness) -> None:
    plan_mode = PlanMode(harness.wire.send)
    received: list[WireMessage] = []
    harness.wire.listen(received.append)
    (harness.dir / "a").write_text("x\n")
    tools = [
        EnterPlanMode(plan_mode),
        ReadFile(harness.workspace, harness.approvals),
        WriteFile(harness.workspace, harness.approvals),
    ]
    toolset = Toolset(tools, plan_mode=plan_mode)
    await toolset.handle(harness.call_of("EnterPlanMode", {}))
    assert received == [StatusUpdate(plan_mode=True)]
    assert not (await toolset.handle(harness.call_of("ReadFile", {"path": "a"}))).return_value.is_error
    value = (await toolset.handle(harness.call_of("WriteFile", {"path": "b", "content": "x"}))).return_value
    assert "does not run in plan mode" in value.message
    plan_mode.on = False
    toolset.begin_step()
    value = (await toolset.handle(harness.call_of("WriteFile", {"path": "b", "content": "x"}))).return_value
    assert not value.is_error


@pytest.mark.parametrize(
    ("answer", "options", "on", "said"),
    [
        ({QUESTION: "Yes"}, [], False, "agreed to the plan. Plan mode is off"),
        ({QUESTION: "Yes: Fast"}, [{"label": "Fast"}, {"label": "Slow"}], False, "in this way: Fast"),
        ({QUESTION: "No"}, [], True, "did not agree to the plan. Plan mode is still on"),
        ({QUESTION: "tests first"}, [], True, "What to change: tests first"),
        ({}, [], True, "did not agree"),
    ],
)
async def test_a_plan_is_shown_and_agreed_to_or_not(
    harness: ToolHarness, tmp_path: Path, answer: dict[str, str], options: list[dict[str, str]], on: bool, said: str
) -> None:
    plan_mode = PlanMode(harness.wire.send, folder=tmp_path / "plans", on=True)
    questions = Questions(harness.wire)
    received: list[WireMessage] = []
    harness.wire.listen(received.append)
    asked = answering(harness, questions, answer)
    value = await harness.use(ExitPlanMode(plan_mode, questions), plan="# Do it", options=options)
    assert said in value.message
    assert plan_mode.on is on
    assert asked[0].questions[0].body == "# Do it"
    (shown,) = [message for message in received if isinstance(message, PlanDisplay)]
    assert Path(shown.file_path).read_text() == "# Do it"


@pytest.mark.parametrize("label", ["No", "no", "No ", "Cancel"])
@pytest.mark.parametrize("answer", [{QUESTION: "No"}, {}])
async def test_a_way_that_the_model_calls_no_is_no_answer_of_the_user(
    harness: ToolHarness, label: str, answer: dict[str, str]
) -> None:
    plan_mode, questions = PlanMode(on=True), Questions(harness.wire)
    asked = answering(harness, questions, answer)
    value = await harness.use(ExitPlanMode(plan_mode, questions), plan="x", options=[{"label": label}])
    assert [option.label for option in asked[0].questions[0].options] == [f"Yes: {label}", "No"]
    assert plan_mode.on
    assert "did not agree" in value.message


async def test_without_a_user_the_model_leaves_only_the_plan_mode_that_it_chose(harness: ToolHarness) -> None:
    plan_mode = PlanMode(on=True)
    tool = ExitPlanMode(plan_mode, Questions(harness.wire, attended=False))
    for _ in range(2):
        assert "stays on" in (await harness.use(tool, plan="x")).message
        assert plan_mode.on
        await harness.use(EnterPlanMode(plan_mode))
    plan_mode.on = False
    await harness.use(EnterPlanMode(plan_mode))
    assert not (await harness.use(tool, plan="x")).is_error
    assert not plan_mode.on
    assert (await harness.use(tool, plan="x")).message == "Plan mode is not on."


PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


async def test_a_picture_is_given_to_a_model_that_can_see_it(harness: ToolHarness) -> None:
    (harness.dir / "a.png").write_bytes(PNG)
    support = MediaSupport(frozenset({"image_in"}))
    tool = ReadMediaFile(harness.workspace, harness.approvals, support)
    value = await harness.use(tool, path="a.png")
    assert isinstance(value.output, tuple)
    assert isinstance(value.output[1], ImageURLPart)
    assert value.output[1].image_url.url.startswith("data:image/png;base64,iVBORw0KGgo")
    support.capabilities = frozenset()
    assert "cannot see a picture" in (await harness.use(tool, path="a.png")).message


async def test_what_is_no_picture_is_said(harness: ToolHarness) -> None:
    (harness.dir / "a.txt").write_text("text")
    tool = ReadMediaFile(harness.workspace, harness.approvals, MediaSupport())
    for path, said in [("a.txt", "neither a picture"), ("b", "does not exist"), (".", "folder"), ("../x", "leads out")]:
        assert said in (await harness.use(tool, path=path)).message
