"""What is typed as a dialog opens, and where the focus is after it."""

import asyncio

import pytest

from kimi_tui.ui.tui.dialogs.choice_dialog import ChoiceDialog
from kimi_tui.ui.tui.dialogs.key_guard import KeyGuard
from kimi_tui.ui.tui.dialogs.option_list import Option
from kimi_tui.ui.tui.dialogs.type_ahead import HOLD_S
from kimi_tui.wire.requests import Question, QuestionOption
from tests.ui.tui import scenes
from tests.ui.tui.hands import Start
from tests.ui.tui.walk import EDIT


async def test_the_letters_of_a_word_that_is_being_typed_as_a_dialog_opens_are_a_message(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        await stage.press(*"any")
        assert (stage.composer, stage.verdicts) == ("any", [])
        assert stage.app.home.composer.prompt.has_focus


@pytest.mark.parametrize(("early", "then", "kept"), [("y", "y", ""), ("a", "n", "a"), ("y", "", "y")])
async def test_a_letter_right_when_a_dialog_opens_is_no_answer_and_is_not_lost(
    start: Start, early: str, then: str, kept: str
) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        await stage.press(early)
        assert stage.verdicts == []
        stage.clock.now += 1
        if then:
            await stage.press(then)
        else:
            stage.app.home.approval.show(())
        await stage.pilot.pause()
        assert stage.composer == kept
        assert len(stage.verdicts) == len(then)


async def test_an_answers_key_that_a_sentence_begins_with_answers_nothing(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        assert HOLD_S >= 0.25
        stage.app.home.approval.ahead.hold_s = 60.0
        for sentence in ("yes, kindly", "a test is missing", "no!", "ffix it"):
            stage.app.home.composer.text = ""
            await stage.press("f5")
            stage.clock.now += 1
            await stage.type(sentence)
            assert (stage.composer, stage.verdicts) == (sentence, [])
        await stage.press("f5")
        stage.clock.now += 1
        await stage.press("y", "enter")
        assert stage.verdicts == [("approve", None)]


async def test_a_blank_goes_on_with_a_sentence_and_begins_none(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        await stage.press("space")
        assert (stage.composer, stage.app.home.approval.has_focus) == ("", True)
        stage.app.home.composer.text = "begin"
        await stage.press("space", "a", "g")
        assert (stage.composer, stage.verdicts) == ("begin ag", [])


async def test_a_question_that_opens_by_itself_makes_way_for_a_sentence(start: Start) -> None:
    async with start() as stage:
        answers: list[str | None] = []
        for wait in (0.0, 1.0):
            options = (Option("go", "g", "Go on"), Option("no", "n", "No"))
            dialog = ChoiceDialog("cut off", "A flow was cut off.", options, typed=stage.app.home.write)
            stage.app.push_screen(dialog, answers.append)
            await stage.pilot.pause()
            dialog.guard = KeyGuard(stage.clock)
            stage.clock.now += wait
            await stage.press(*("geton" if not wait else "what"))
            assert stage.composer == ("geton" if not wait else "what")
            stage.app.home.composer.text = ""
        assert answers == [None, None]


async def test_an_answer_that_is_held_is_given_to_what_was_asked_and_to_nothing_else(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        ahead = stage.app.home.approval.ahead
        ahead.hold_s = 60.0
        await stage.press("y")
        stage.app.home.approval.show((EDIT,))
        ahead.settle()
        assert (stage.verdicts, stage.app.home.approval.current) == ([], EDIT)
        stage.clock.now += 1
        await stage.press("n", "escape")
        assert (stage.verdicts, ahead.holds, stage.engine.cancelled) == ([], False, 0)
        stage.clock.now += 1
        ahead.hold_s = 0.01
        await stage.press("n")
        while not stage.verdicts:
            await stage.pilot.pause()
        assert stage.verdicts == [("reject", None)]


async def test_letters_come_to_the_message_from_a_question_and_from_a_branch_too(start: Start) -> None:
    which = Question(question="Which?", options=(QuestionOption(label="red"), QuestionOption(label="blue")))
    async with start() as stage:
        asking = asyncio.create_task(stage.engine.questions.ask((which,), tool_call_id="q"))
        await stage.pilot.pause()
        await stage.pilot.pause()
        await stage.press(*"2 of them")
        assert stage.composer == "2 of them"
        stage.app.home.composer.text = ""
        stage.app.home.question.focus()
        await stage.press("escape")
        await asking
        await stage.say(*scenes.flow_asks())
        await stage.press(*"wait")
        assert stage.composer == "wait"


async def test_the_key_of_an_answer_that_cannot_be_given_leaves_the_dialog_as_it_is(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.press("h")
        assert stage.app.home.approval.has_focus
        stage.clock.now += 1
        await stage.press("n")
        assert (stage.composer, stage.verdicts) == ("", [("reject", None)])


async def test_after_an_answer_the_focus_is_where_it_was_before(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_asks())
        home = stage.app.home
        home.branch.close()
        await stage.press("f3")
        assert home.flow.chart.has_focus
        stage.app.stage.refresh({"flow"})
        await stage.pilot.pause()
        assert home.branch.has_focus
        stage.clock.now += 1
        await stage.press("2")
        assert home.flow.chart.has_focus
        await stage.say(*scenes.approval()[-1:])
        assert home.approval.has_focus
        stage.clock.now += 1
        await stage.press("n")
        assert stage.verdicts == [("reject", None)]
