"""Dialogs without the focus: they say so, F5 focuses them, and no key of their answers goes astray."""

from pathlib import Path

import pytest

from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
from kimi_tui.ui.tui.dialogs.branch_choice import BranchDialog
from kimi_tui.ui.tui.dialogs.question import QuestionDialog
from kimi_tui.ui.tui.main_screen.footer import KeyFooter
from kimi_tui.wire.events import ApprovalResponse
from kimi_tui.wire.requests import Question, QuestionOption, QuestionRequest
from tests.ui.tui import wire_scenarios
from tests.ui.tui.fake_engine import FakeEngine
from tests.ui.tui.flow_pane.flow_driver import FlowDriver, open_flow
from tests.ui.tui.pilot_driver import PilotDriver, Start
from tests.ui.tui.screen_text import app_text

TODO_CALL = wire_scenarios.call("t", "SetTodoList", "{}")
TODO = wire_scenarios.result("t", "", wire_scenarios.todo(1))


def hints_of(app: object) -> str:
    return app.main_screen.query_one(KeyFooter).render_line(0).text  # type: ignore[attr-defined]


def foot_of(driver: PilotDriver | FlowDriver) -> str:
    asks = driver.app.main_screen.current_dialog
    assert asks is not None
    return str(asks.border_subtitle)


async def at_choice(one: FlowDriver) -> None:
    """A draft is written, and a decision of the flow waits for the user."""
    await one.run()
    one.runner.ask_at_decisions("always")
    one.app.main_screen.composer.prompt.focus()
    await one.press("d", "o")
    await one.reply("I looked.", "I fixed it.", "<choice>no</choice>")
    assert one.app.main_screen.query_one(BranchDialog).is_open


async def test_f5_leads_from_a_draft_to_a_branch_that_waits(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await at_choice(one)
        assert one.app.main_screen.composer.prompt.has_focus
        assert "F5" not in hints_of(one.app)
        assert foot_of(one) == "F5 to answer"
        await one.press("f5")
        assert isinstance(one.app.focused, BranchDialog)
        assert foot_of(one) == ""
        one.clock.now += 1
        await one.press("2")
        assert (one.runner.node_id, one.app.main_screen.composer.text) == ("fix", "do")
        assert one.app.main_screen.composer.prompt.has_focus


async def test_f5_leads_from_a_draft_to_a_question(start: Start) -> None:
    async with start() as driver:
        await driver.type("draft")
        question = Question(question="Which?", options=(QuestionOption(label="One"), QuestionOption(label="Two")))
        await driver.say(QuestionRequest(id="q", tool_call_id="t", questions=(question,)))
        assert foot_of(driver) == "F5 to answer"
        await driver.press("f5")
        assert isinstance(driver.app.focused, QuestionDialog)
        assert foot_of(driver) == ""
        assert "F5" not in hints_of(driver.app)


async def test_an_approval_without_the_focus_says_so_and_its_keys_look_dead(start: Start) -> None:
    async with start() as driver:
        await driver.type("draft")
        await driver.say(*wire_scenarios.approval())
        muted = driver.app.main_screen.query_one(ApprovalDialog).query_one("#answers").palette.muted.color
        assert foot_of(driver) == "F5 to answer"
        assert key_colour(driver) == muted
        await driver.press("f5")
        assert "F5" not in foot_of(driver)
        assert key_colour(driver) != muted


def key_colour(driver: PilotDriver) -> object:
    strip = driver.app.main_screen.query_one(ApprovalDialog).query_one("#answers").render_line(0)
    return next(segment.style.color for segment in strip if segment.text.strip() == "y" and segment.style)


@pytest.mark.parametrize("pane", ["f2", "f3", "f4"])
async def test_the_key_to_an_approval_is_named_once_by_its_dialog_or_first_of_all_hints(
    start: Start, pane: str
) -> None:
    async with start() as driver:
        await driver.say(TODO_CALL, TODO, *wire_scenarios.approval())
        await driver.press(pane)
        assert foot_of(driver) == "F5 to answer"
        assert "F5" not in hints_of(driver.app)
        await driver.press("f11")
        is_covered = driver.app.main_screen.zoomed not in (None, "conversation")
        assert is_covered is (pane != "f2")
        assert hints_of(driver.app).startswith(" F5 answer the approval") is is_covered


@pytest.mark.parametrize("pane", ["f2", "f3"])
async def test_a_key_of_an_answer_is_never_a_letter_of_the_message(start: Start, pane: str) -> None:
    async with start() as driver:
        await driver.say(TODO_CALL, TODO, *wire_scenarios.approval())
        driver.clock.now += 5
        await driver.press(pane)
        where = driver.app.main_screen.focused_pane
        for key in "ynf":
            await driver.press(key)
        assert (driver.composer, driver.verdicts, driver.app.main_screen.focused_pane) == ("", [], where)
        await driver.press("f5")
        driver.clock.now += 1
        await driver.press("y")
        assert driver.verdicts == [("approve", None)]


async def test_an_approval_takes_the_focus_from_the_chart_in_spite_of_a_draft_and_gives_it_back(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.press("d", "o")
        await one.run()
        await one.press("f3", "down")
        one.clock.now += 3
        await one.say(*wire_scenarios.approval())
        assert one.app.main_screen.query_one(ApprovalDialog).has_focus
        await one.say(ApprovalResponse(request_id="ask", response="approve"))
        assert (one.app.main_screen.focused_pane, one.app.main_screen.composer.text) == ("flow", "do")


async def test_an_approval_leaves_the_focus_to_who_has_just_steered(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.press("f3", "down")
        one.engine.say(*wire_scenarios.approval())
        await one.settle()
        assert one.app.main_screen.focused_pane == "flow"
        assert foot_of(one) == "F5 to answer"


async def test_a_pause_asked_for_while_an_approval_waits_is_seen_and_taken_back(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.say(*wire_scenarios.approval())
        await one.press("f3", "space")
        shown = one.shown()
        assert shown.count("pauses after this turn") == 2
        assert "your approval?" in shown
        assert "Space continue" in shown
        await one.press("space")
        assert "pauses after this turn" not in one.shown()
        assert "Space pause" in one.shown()


async def test_escape_leaves_a_zoomed_chart_before_it_interrupts(start: Start) -> None:
    async with start() as driver:
        await driver.type("one")
        await driver.press("enter")
        await driver.say(*wire_scenarios.approval())
        await driver.press("f3", "f11")
        assert "Esc leave zoom" in hints_of(driver.app)
        await driver.press("escape")
        assert (driver.app.main_screen.zoomed, driver.engine.cancelled) == (None, 0)
        await driver.press("escape")
        assert driver.engine.cancelled == 1


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_where_an_approval_leaves_the_chart_no_rows_it_is_opened_zoomed(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with open_flow(tmp_path, size=size, engine=FakeEngine(tmp_path)) as one:
        await one.run()
        await one.say(*wire_scenarios.approval("\n".join(f"echo {n}" for n in range(9))))
        await one.press("f3")
        assert one.app.main_screen.zoomed == "flow"
        assert one.pane.chart.size.height >= 8
        await one.press("escape")
        assert (one.app.main_screen.zoomed, one.app.main_screen.query_one(ApprovalDialog).has_focus) == (None, True)


@pytest.mark.parametrize("rows", [8, 10, 12])
async def test_in_a_low_terminal_the_message_is_in_sight_while_it_has_the_focus(start: Start, rows: int) -> None:
    async with start(size=(80, rows)) as driver:
        screen = driver.app.main_screen
        await driver.type("hello")
        await driver.say(*wire_scenarios.approval())
        await driver.pilot.pause()
        assert screen.composer.prompt.has_focus
        assert screen.region.contains_region(screen.composer.prompt.region)
        assert "› hello" in app_text(driver.app)
        await driver.press("f5")
        await driver.pilot.pause()
        assert "y  Yes, this once" in app_text(driver.app)
