"""What is typed as a dialog opens, and where the focus is after it."""

import asyncio

import pytest

from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
from kimi_tui.ui.tui.dialogs.branch_choice import BranchDialog
from kimi_tui.ui.tui.dialogs.choice_dialog import ChoiceDialog
from kimi_tui.ui.tui.dialogs.option_list import Option
from kimi_tui.ui.tui.dialogs.question import QuestionDialog
from kimi_tui.ui.tui.widgets.key_guard import KeyGuard
from kimi_tui.wire.requests import Question, QuestionOption
from tests.ui.tui import wire_scenarios
from tests.ui.tui.fuzz_driver import EDIT
from tests.ui.tui.pilot_driver import Start


async def test_the_letters_of_a_word_that_is_being_typed_as_a_dialog_opens_are_a_message(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        await driver.press(*"any")
        assert (driver.composer, driver.verdicts) == ("any", [])
        assert driver.app.main_screen.composer.prompt.has_focus


@pytest.mark.parametrize(("early", "then", "kept"), [("y", "y", ""), ("a", "n", "a"), ("y", "", "y")])
async def test_a_letter_right_when_a_dialog_opens_is_no_answer_and_is_not_lost(
    start: Start, early: str, then: str, kept: str
) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        await driver.press(early)
        assert driver.verdicts == []
        driver.clock.now += 1
        if then:
            await driver.press(then)
        else:
            driver.app.main_screen.query_one(ApprovalDialog).show(())
        await driver.pilot.pause()
        assert driver.composer == kept
        assert len(driver.verdicts) == len(then)


async def test_an_answers_key_that_a_sentence_begins_with_answers_nothing(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        assert KimiTui.answer_hold_s >= 0.25
        driver.app.main_screen.query_one(ApprovalDialog).ahead.hold_s = 60.0
        for sentence in ("yes, kindly", "a test is missing", "no!", "ffix it"):
            driver.app.main_screen.composer.text = ""
            await driver.press("f5")
            driver.clock.now += 1
            await driver.type(sentence)
            assert (driver.composer, driver.verdicts) == (sentence, [])
        await driver.press("f5")
        driver.clock.now += 1
        await driver.press("y", "enter")
        assert driver.verdicts == [("approve", None)]


async def test_a_blank_goes_on_with_a_sentence_and_begins_none(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        await driver.press("space")
        assert (driver.composer, driver.app.main_screen.query_one(ApprovalDialog).has_focus) == ("", True)
        driver.app.main_screen.composer.text = "begin"
        await driver.press("space", "a", "g")
        assert (driver.composer, driver.verdicts) == ("begin ag", [])


async def test_a_question_that_opens_by_itself_makes_way_for_a_sentence(start: Start) -> None:
    async with start() as driver:
        answers: list[str | None] = []
        for wait in (0.0, 1.0):
            options = (Option("go", "g", "Go on"), Option("no", "n", "No"))
            dialog = ChoiceDialog("cut off", "A flow was cut off.", options, typed=driver.app.main_screen.write)
            driver.app.push_screen(dialog, answers.append)
            await driver.pilot.pause()
            dialog.guard = KeyGuard(driver.clock)
            driver.clock.now += wait
            await driver.press(*("geton" if not wait else "what"))
            assert driver.composer == ("geton" if not wait else "what")
            driver.app.main_screen.composer.text = ""
        assert answers == [None, None]


async def test_an_answer_that_is_held_is_given_to_what_was_asked_and_to_nothing_else(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 1
        ahead = driver.app.main_screen.query_one(ApprovalDialog).ahead
        ahead.hold_s = 60.0
        await driver.press("y")
        driver.app.main_screen.query_one(ApprovalDialog).show((EDIT,))
        ahead.settle()
        assert (driver.verdicts, driver.app.main_screen.query_one(ApprovalDialog).current) == ([], EDIT)
        driver.clock.now += 1
        await driver.press("n", "escape")
        assert (driver.verdicts, ahead.holds, driver.engine.cancelled) == ([], False, 0)
        driver.clock.now += 1
        ahead.hold_s = 0.01
        await driver.press("n")
        while not driver.verdicts:
            await driver.pilot.pause()
        assert driver.verdicts == [("reject", None)]


async def test_letters_come_to_the_message_from_a_question_and_from_a_branch_too(start: Start) -> None:
    which = Question(question="Which?", options=(QuestionOption(label="red"), QuestionOption(label="blue")))
    async with start() as driver:
        asking = asyncio.create_task(driver.engine.questions.ask((which,), tool_call_id="q"))
        await driver.pilot.pause()
        await driver.pilot.pause()
        await driver.press(*"2 of them")
        assert driver.composer == "2 of them"
        driver.app.main_screen.composer.text = ""
        driver.app.main_screen.query_one(QuestionDialog).focus()
        await driver.press("escape")
        await asking
        await driver.say(*wire_scenarios.flow_asks())
        await driver.press(*"wait")
        assert driver.composer == "wait"


async def test_the_key_of_an_answer_that_cannot_be_given_leaves_the_dialog_as_it_is(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 1
        await driver.press("h")
        assert driver.app.main_screen.query_one(ApprovalDialog).has_focus
        driver.clock.now += 1
        await driver.press("n")
        assert (driver.composer, driver.verdicts) == ("", [("reject", None)])


async def test_after_an_answer_the_focus_is_where_it_was_before(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.flow_asks())
        home = driver.app.main_screen
        home.query_one(BranchDialog).close()
        await driver.press("f3")
        assert home.flow_pane.chart.has_focus
        driver.app.presenter.refresh({"flow"})
        await driver.pilot.pause()
        assert home.query_one(BranchDialog).has_focus
        driver.clock.now += 1
        await driver.press("2")
        assert home.flow_pane.chart.has_focus
        await driver.say(*wire_scenarios.approval()[-1:])
        assert home.query_one(ApprovalDialog).has_focus
        driver.clock.now += 1
        await driver.press("n")
        assert driver.verdicts == [("reject", None)]
