"""Approvals under keys and mouse."""

import asyncio

import pytest

from kimi_tui.interaction.approvals import Scope
from kimi_tui.ui.tui.dialogs.option_list import OptionList
from tests.ui.tui import scenes
from tests.ui.tui.hands import Start
from tests.ui.tui.painted import app_text


async def test_no_key_approves_before_the_dialog_has_stood_still(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        for _ in range(20):
            stage.clock.now += 0.1
            await stage.press("y")
        assert stage.verdicts == []
        stage.clock.now += 0.6
        await stage.press("y")
        assert stage.verdicts == [("approve", None)]


@pytest.mark.parametrize(
    ("key", "verdict"), [("1", "approve"), ("a", "approve_for_session"), ("2", "approve_for_session"), ("n", "reject")]
)
async def test_keys_answer_an_approval(start: Start, key: str, verdict: str) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.press(key)
        assert stage.verdicts == [(verdict, None)]


async def test_enter_on_nothing_does_not_approve(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.press("enter", "enter")
        assert stage.verdicts == []


async def test_a_rejection_can_say_why(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.press("f", "n", "o", "t", "enter")
        assert stage.verdicts == [("reject", "not")]


async def test_escape_takes_back_the_wish_to_say_why(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.press("f", "escape")
        stage.clock.now += 1
        await stage.press("y")
        assert stage.verdicts == [("approve", None)]


async def test_without_a_scope_there_is_no_broad_answer(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval(scope=None))
        stage.clock.now += 1
        await stage.press("a")
        assert stage.verdicts == []
        assert [option.id for option in stage.app.home.approval.query_one(OptionList).options] == [
            "once",
            "no",
            "why",
            "edit",
        ]


async def test_the_broad_answer_is_withheld_until_the_whole_text_was_seen(start: Start) -> None:
    command = "\n".join(f"echo {n}" for n in range(100))
    async with start() as stage:
        await stage.say(*scenes.approval(command))
        stage.clock.now += 1
        await stage.press("a")
        assert stage.verdicts == []
        for _ in range(16):
            await stage.press("pagedown")
            await stage.pilot.pause()
        stage.clock.now += 1
        await stage.press("a")
        assert stage.verdicts == [("approve_for_session", None)]


async def test_hidden_characters_of_a_command_are_spelled_out(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval("ls \x1b[8m\u202e; rm -rf /"))
        shown = app_text(stage.app)
        assert "‹U+202E›" in shown
        assert "␛" in shown
        assert "rm -rf /" in shown


async def test_a_dialog_does_not_take_the_focus_from_somebody_who_writes(start: Start) -> None:
    async with start() as stage:
        await stage.type("I am writing")
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.type("y")
        assert (stage.composer, stage.verdicts) == ("I am writingy", [])
        await stage.press("f5")
        stage.clock.now += 1
        await stage.press("y")
        assert stage.verdicts == [("approve", None)]


async def test_a_letter_that_answers_nothing_goes_into_the_message(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.press("h")
        await stage.type("ey")
        assert (stage.composer, stage.verdicts) == ("hey", [])


async def test_a_click_that_gives_the_window_its_focus_answers_nothing(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        await stage.pilot.click(OptionList, offset=(4, 0))
        await stage.pilot.pause()
        assert stage.verdicts == []


async def test_digits_in_a_reason_answer_nothing(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.press("f", "1", "2", "y")
        assert stage.verdicts == []
        await stage.press("enter")
        assert stage.verdicts == [("reject", "12y")]


async def test_an_approval_is_answered_by_a_click(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.pilot.click(OptionList, offset=(4, 2))
        await stage.pilot.pause()
        assert stage.verdicts == [("reject", None)]


async def test_the_next_of_several_approvals_is_shown_and_guarded_anew(start: Start) -> None:
    async with start() as stage:

        async def ask(name: str) -> bool:
            verdict = await stage.engine.approvals.ask(
                tool_call_id=name, sender="Shell", action="run command", description=name, scope=Scope((name,), name)
            )
            return verdict.approved

        first, second = asyncio.create_task(ask("one")), asyncio.create_task(ask("two"))
        await stage.pilot.pause()
        await stage.pilot.pause()
        assert "1 of 2" in str(stage.app.home.approval.border_title)
        stage.clock.now += 1
        await stage.press("y", "y", "y")
        assert await first
        assert not second.done()
        stage.clock.now += 1
        await stage.press("n")
        assert not await second
