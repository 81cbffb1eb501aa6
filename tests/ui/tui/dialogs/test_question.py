"""Questions under keys."""

import asyncio

from kimi_tui.ui.tui.dialogs.question import QuestionDialog
from kimi_tui.wire.events import TurnBegin
from kimi_tui.wire.requests import Question, QuestionOption, QuestionRequest
from tests.ui.tui.pilot_driver import Start
from tests.ui.tui.screen_text import app_rows


async def test_questions_are_asked_one_after_the_other_and_answered_together(start: Start) -> None:
    which = Question(question="Which?", options=(QuestionOption(label="red"), QuestionOption(label="blue")))
    many = which.model_copy(update={"question": "Many?", "multi_select": True})
    async with start() as driver:
        asking = asyncio.create_task(driver.engine.questions.ask((which, many, which), tool_call_id="q"))
        await driver.pilot.pause()
        await driver.pilot.pause()
        assert driver.app.main_screen.query_one(QuestionDialog).has_focus
        await driver.press("1")
        assert driver.app.main_screen.facts.asking == 1
        for keys in (("2",), ("1", "2", "d"), ("o", "g", "o", "l", "d", "enter")):
            driver.clock.now += 1
            await driver.press(*keys)
        assert (await asking).by_question == {"Which?": "gold", "Many?": "red, blue"}
        assert driver.app.main_screen.composer.prompt.has_focus


async def test_an_own_answer_goes_beside_what_was_ticked(start: Start) -> None:
    options = (QuestionOption(label="red"), QuestionOption(label="blue"))
    async with start() as driver:
        many = Question(question="Many?", options=options, multi_select=True)
        asking = asyncio.create_task(driver.engine.questions.ask((many,), tool_call_id="q"))
        await driver.pilot.pause()
        await driver.pilot.pause()
        driver.clock.now += 1
        await driver.press("1", "o", *"gold", "enter")
        assert (await asking).by_question == {"Many?": "red, gold"}


async def test_an_own_answer_is_in_the_message_when_the_program_ends(start: Start) -> None:
    options = (QuestionOption(label="red"), QuestionOption(label="blue"))
    async with start() as driver:
        which = Question(question="Which?", options=options)
        asking = asyncio.create_task(driver.engine.questions.ask((which,), tool_call_id="q"))
        await driver.pilot.pause()
        await driver.pilot.pause()
        driver.clock.now += 1
        await driver.press("o", *"gold")
        driver.app.exit(0)
        assert driver.composer == "gold"
        asking.cancel()


async def test_escape_dismisses_a_question(start: Start) -> None:
    which = Question(question="Which?", options=(QuestionOption(label="red"), QuestionOption(label="blue")))
    async with start() as driver:
        asking = asyncio.create_task(driver.engine.questions.ask((which,), tool_call_id="q"))
        await driver.pilot.pause()
        await driver.pilot.pause()
        await driver.press("escape")
        assert (await asking).dismissed


async def test_the_hints_name_only_the_numbers_that_the_question_has(start: Start) -> None:
    two = Question(question="Which?", options=(QuestionOption(label="red"), QuestionOption(label="blue")))
    three = Question(question="Many?", options=(*two.options, QuestionOption(label="gold")), multi_select=True)
    async with start() as driver:
        asking = asyncio.create_task(driver.engine.questions.ask((two, three), tool_call_id="q"))
        await driver.pilot.pause()
        await driver.pilot.pause()
        assert "1…2 answer" in app_rows(driver.app)[-1]
        driver.clock.now += 1
        await driver.press("1")
        await driver.pilot.pause()
        assert "1…3 tick" in app_rows(driver.app)[-1]
        await driver.press("escape")
        await asking


async def test_a_plan_is_in_the_question_only_where_the_conversation_is_hidden_and_not_as_raw_text(
    start: Start,
) -> None:
    options = (QuestionOption(label="yes"), QuestionOption(label="no"))
    question = Question(question="Carry it out?", options=options, body="# The plan\n\n- **one** step\n")
    for size, shown in (((140, 42), False), ((80, 24), True)):
        async with start(size=size) as driver:
            await driver.say(
                TurnBegin(user_input="go"), QuestionRequest(id="q", tool_call_id="q", questions=(question,))
            )
            await driver.pilot.pause()
            text = "\n".join(app_rows(driver.app))
            assert "Carry it out?" in text
            assert ("• one step" in text) is shown
            assert "**one**" not in text
