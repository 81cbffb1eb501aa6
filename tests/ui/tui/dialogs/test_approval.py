"""Approvals under keys and mouse."""

import asyncio

import pytest
from textual import events

from kimi_tui.interaction.approvals import ProposedAction, Scope
from kimi_tui.tools.file_support.diff import diff_blocks
from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
from kimi_tui.ui.tui.dialogs.approval_body import ApprovalBody, approval_lines
from kimi_tui.ui.tui.dialogs.approval_header import ApprovalHeader
from kimi_tui.ui.tui.dialogs.option_list import OptionList
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.wire.display import BriefBlock, DiffBlock, ShellBlock
from kimi_tui.wire.requests import ApprovalRequest
from tests.ui.tui import wire_scenarios
from tests.ui.tui.pilot_driver import Start
from tests.ui.tui.screen_text import app_text


async def test_no_key_approves_before_the_dialog_has_stood_still(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        for _ in range(20):
            driver.clock.now += 0.1
            await driver.press("y")
        assert driver.verdicts == []
        driver.clock.now += 0.6
        await driver.press("y")
        assert driver.verdicts == [("approve", None)]


@pytest.mark.parametrize("key", ["y", "a", "n"])
async def test_a_key_pressed_before_the_dialog_stood_still_answers_nothing_however_late_it_is_handled(
    start: Start, key: str
) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 2
        driver.clock.key_age = 2
        await driver.press(key)
        assert driver.verdicts == []
        driver.clock.now += 1
        driver.clock.key_age = 0
        await driver.press("y")
        assert driver.verdicts == [("approve", None)]


async def test_a_key_pressed_after_the_dialog_stood_still_answers_though_it_is_handled_late(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 3
        driver.clock.key_age = 2
        await driver.press("y")
        assert driver.verdicts == [("approve", None)]


@pytest.mark.parametrize(
    ("key", "verdict"), [("1", "approve"), ("a", "approve_for_session"), ("2", "approve_for_session"), ("n", "reject")]
)
async def test_keys_answer_an_approval(start: Start, key: str, verdict: str) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 1
        await driver.press(key)
        assert driver.verdicts == [(verdict, None)]


async def test_enter_on_nothing_does_not_approve(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 1
        await driver.press("enter", "enter")
        assert driver.verdicts == []


async def test_a_rejection_can_say_why(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 1
        await driver.press("f", "n", "o", "t", "enter")
        assert driver.verdicts == [("reject", "not")]


async def test_escape_takes_back_the_wish_to_say_why(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 1
        await driver.press("f", "escape")
        driver.clock.now += 1
        await driver.press("y")
        assert driver.verdicts == [("approve", None)]


async def test_without_a_scope_there_is_no_broad_answer(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval(scope=None))
        driver.clock.now += 1
        await driver.press("a")
        assert driver.verdicts == []
        options = driver.app.main_screen.query_one(ApprovalDialog).query_one(OptionList).options
        assert [option.id for option in options] == ["once", "no", "why", "edit"]


@pytest.mark.parametrize(
    ("words", "shown"),
    [("`git push` with safe options", "git push with safe options"), ("edits of `a`b`", "edits of `a`b`")],
)
async def test_code_in_the_scope_has_no_backticks_but_a_name_keeps_its_own(
    start: Start, words: str, shown: str
) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval(scope=words))
        assert f"a  Yes, for this session:  {shown}  " in app_text(driver.app)


async def test_the_broad_answer_is_withheld_until_the_whole_text_was_seen(start: Start) -> None:
    command = "\n".join(f"echo {n}" for n in range(100))
    async with start() as driver:
        await driver.say(*wire_scenarios.approval(command))
        driver.clock.now += 1
        dialog = driver.app.main_screen.query_one(ApprovalDialog)
        assert "session" not in dialog.enabled_options
        await driver.press("a")
        assert driver.verdicts == []
        for _ in range(16):
            await driver.press("pagedown")
            await driver.pilot.pause()
        assert "session" in dialog.enabled_options
        driver.clock.now += 1
        await driver.press("a")
        assert driver.verdicts == [("approve_for_session", None)]


async def test_a_text_that_does_not_fit_is_told_as_such_with_its_warnings_first(start: Start) -> None:
    request = ApprovalRequest(
        id="ask",
        tool_call_id="3",
        sender="Shell",
        action="run command",
        description="",
        display=(
            ShellBlock(command="ls" + "\n" * 100 + "touch x"),
            BriefBlock(text="Careful: blank lines"),
            BriefBlock(text="Needs approval: a secret"),
        ),
    )
    async with start() as driver:
        await driver.say(*wire_scenarios.approval()[:-1], request)
        shown = app_text(driver.app)
        assert shown.index("Careful: blank lines") < shown.index("Needs approval: a secret") < shown.index("$ ls")
        assert "Yes, this once (its end has not been on screen)" in shown
        await driver.press("end")
        await driver.pilot.pause()
        assert "(its end has not been on screen)" not in app_text(driver.app)
        assert "touch x" in app_text(driver.app)


async def test_hidden_characters_of_a_command_are_spelled_out(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval("ls \x1b[8m\u202e; rm -rf /"))
        shown = app_text(driver.app)
        assert "‹U+202E›" in shown
        assert "␛" in shown
        assert "rm -rf /" in shown


async def test_a_dialog_does_not_take_the_focus_from_somebody_who_writes(start: Start) -> None:
    async with start() as driver:
        await driver.type("I am writing")
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 1
        await driver.type("y")
        assert (driver.composer, driver.verdicts) == ("I am writingy", [])
        await driver.press("f5")
        driver.clock.now += 1
        await driver.press("y")
        assert driver.verdicts == [("approve", None)]


async def test_a_letter_that_answers_nothing_goes_into_the_message(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 1
        await driver.press("h")
        await driver.type("ey")
        assert (driver.composer, driver.verdicts) == ("hey", [])


async def test_a_click_that_gives_the_window_its_focus_answers_nothing(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        await driver.pilot.click(OptionList, offset=(4, 0))
        await driver.pilot.pause()
        assert driver.verdicts == []


@pytest.mark.parametrize("way", ["key", "click"])
@pytest.mark.parametrize("back", ["focus", "resume"])
async def test_an_approval_that_comes_back_into_view_is_guarded_anew(start: Start, way: str, back: str) -> None:
    """The key was for the shell or the editor, the click raised the window."""

    async def answer() -> None:
        if way == "key":
            await driver.press("n")
        else:
            await driver.pilot.click(OptionList, offset=(4, 2))
            await driver.pilot.pause()

    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 1
        if back == "focus":
            driver.app.post_message(events.AppBlur())
            driver.app.post_message(events.AppFocus())
        else:
            driver.app.app_suspend_signal.publish(driver.app)
            driver.app.app_resume_signal.publish(driver.app)
        await driver.pilot.pause()
        await answer()
        assert driver.verdicts == []
        driver.clock.now += 1
        await answer()
        assert driver.verdicts == [("reject", None)]


@pytest.mark.parametrize("size", [(140, 42), (80, 24), (80, 12), (60, 8)])
async def test_an_approval_that_waits_is_not_laid_out_again(start: Start, size: tuple[int, int]) -> None:
    layouts: list[object] = []
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        await driver.pilot.resize_terminal(*size)
        for focused in (driver.app.screen.query_one(ApprovalDialog), driver.app.main_screen.composer.prompt):
            driver.app.screen.set_focus(focused)
            for _ in range(5):
                await driver.pilot.pause()
            driver.app.screen.screen_layout_refresh_signal.subscribe(driver.app, layouts.append, immediate=True)
            for _ in range(5):
                await driver.pilot.pause()
            driver.app.screen.screen_layout_refresh_signal.unsubscribe(driver.app)
    assert len(layouts) <= 2


async def test_digits_in_a_reason_answer_nothing(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 1
        await driver.press("f", "1", "2", "y")
        assert driver.verdicts == []
        await driver.press("enter")
        assert driver.verdicts == [("reject", "12y")]


async def test_an_approval_is_answered_by_a_click(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 1
        await driver.pilot.click(OptionList, offset=(4, 2))
        await driver.pilot.pause()
        assert driver.verdicts == [("reject", None)]


@pytest.mark.parametrize(("button", "verdicts"), [(1, [("approve", None)]), (2, []), (3, [])])
async def test_only_the_left_button_answers(start: Start, button: int, verdicts: list[tuple[str, str | None]]) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 1
        x, y = driver.app.main_screen.query_one(ApprovalDialog).query_one(OptionList).region.offset
        x += 4
        for kind in (events.MouseDown, events.MouseUp):  # as the driver sends them: the pilot leaves the app out
            driver.app.post_message(kind(None, x, y, 0, 0, button, False, False, False, x, y))
        for _ in range(3):
            await driver.pilot.pause()
        assert driver.verdicts == verdicts


async def test_the_next_of_several_approvals_is_shown_and_guarded_anew(start: Start) -> None:
    async with start() as driver:

        async def ask(name: str) -> bool:
            verdict = await driver.engine.approvals.ask(
                ProposedAction(
                    sender="Shell",
                    action="run command",
                    description=name,
                    scope=Scope((name,), name),
                ),
                tool_call_id=name,
            )
            return verdict.approved

        first, second = asyncio.create_task(ask("one")), asyncio.create_task(ask("two"))
        await driver.pilot.pause()
        await driver.pilot.pause()
        assert "1 of 2" in str(driver.app.main_screen.query_one(ApprovalDialog).border_title)
        driver.clock.now += 1
        await driver.press("y", "y", "y")
        assert await first
        assert not second.done()
        driver.clock.now += 1
        await driver.press("n")
        assert not await second


async def test_a_change_too_long_to_show_says_so(start: Start) -> None:
    change = DiffBlock(path="big.py", old_text="1 line", new_text="10001 lines", is_summary=True)
    *before, asked = wire_scenarios.approval()
    assert isinstance(asked, ApprovalRequest)
    async with start() as driver:
        await driver.say(*before, asked.model_copy(update={"display": (change,)}))
        assert "too long to show: 1 line before, 10001 lines after" in app_text(driver.app)


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("a:\n    rm x\n", "a:\n\trm x\n", "‹U+0009›rm x"),
        ("a\x1b", "a␛", "a‹U+001B›"),
        ("👩\u200d👩", "👩👩", "‹U+1F469›‹U+200D›‹U+1F469›"),
        ("a\nb", "a\nb\n", "the line feed at the end of the file changes"),
    ],
)
def test_lines_that_would_look_the_same_show_their_difference(old: str, new: str, shown: str) -> None:
    lines = approval_lines(diff_blocks("Makefile", old, new), 80, Palette())
    text = "\n".join("".join(part for part, _ in line.runs) for line in lines)
    assert shown in text
    assert "no change" not in text


@pytest.mark.parametrize("size", [(20, 5), (28, 6)])
@pytest.mark.parametrize("key", ["y", "a"])
async def test_what_a_tiny_window_does_not_show_is_not_approved(start: Start, key: str, size: tuple[int, int]) -> None:
    async with start(size=size) as driver:
        await driver.say(*wire_scenarios.approval())
        driver.app.main_screen.query_one(ApprovalDialog).focus()
        driver.clock.now += 1
        await driver.press(key)
        assert driver.verdicts == []
        await driver.pilot.resize_terminal(100, 30)
        await driver.pilot.pause()
        driver.clock.now += 1
        await driver.press(key)
        assert [verdict for verdict, _feedback in driver.verdicts] == [
            "approve" if key == "y" else "approve_for_session"
        ]


@pytest.mark.parametrize(("rows", "blank"), [(24, 2), (12, 0)])
async def test_blank_rows_go_only_where_the_terminal_has_no_room_for_them(start: Start, rows: int, blank: int) -> None:
    async with start(size=(80, rows)) as driver:
        await driver.say(*wire_scenarios.approval())
        dialog = driver.app.main_screen.query_one(ApprovalDialog)
        body, answers = dialog.query_one(ApprovalBody), dialog.query_one(OptionList)
        above = body.region.y - dialog.query_one(ApprovalHeader).region.bottom
        assert above + answers.region.y - body.region.bottom == blank
        assert answers.region.bottom < dialog.region.bottom


@pytest.mark.parametrize(("language", "sign"), [("bash", "$ "), ("json", "  ")])
def test_only_a_command_has_the_sign_of_a_shell(language: str, sign: str) -> None:
    block = ShellBlock(language=language, command="{}")
    assert [line.text for line in approval_lines((block,), 40, Palette())] == [f"{sign}{{}}"]
