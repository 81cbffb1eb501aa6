"""The panes of the screen one lives in: focus, zoom, the border between the columns."""

import pytest
from textual import events

from kimi_tui.ui.tui.dialogs.branch_choice import BranchDialog
from kimi_tui.ui.tui.main_screen.approvals_pane import ApprovalsPane
from kimi_tui.ui.tui.main_screen.footer import KeyFooter
from kimi_tui.ui.tui.main_screen.status_line import StatusLine
from kimi_tui.ui.tui.main_screen.todo_pane import TodoPane
from kimi_tui.ui.tui.screens.help import Help
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import TurnEnd
from kimi_tui.wire.requests import ApprovalRequest
from tests.ui.tui import wire_scenarios
from tests.ui.tui.pilot_driver import PilotDriver, Start
from tests.ui.tui.screen_text import app_rows


async def test_f_keys_go_to_the_panes_and_escape_back_to_the_message(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.flow_at_decision())
        for key, pane in (("f2", "conversation"), ("f3", "flow"), ("f4", "todo")):
            await driver.press(key)
            assert driver.app.main_screen.focused_pane == pane
        await driver.say(TurnEnd())
        await driver.press("escape")
        assert driver.app.main_screen.composer.prompt.has_focus


async def test_the_message_has_the_focus_after_a_search_where_nothing_was_said(start: Start) -> None:
    async with start() as driver:
        await driver.press("ctrl+f", "escape", "o", "k")
        assert driver.composer == "ok"


PLACES = {"f2": "conversation", "f3": "flow", "f4": "todo", "f5": "approvals"}


@pytest.mark.parametrize(
    "messages", [[], wire_scenarios.flow_at_decision(), wire_scenarios.flow_done(), wire_scenarios.flow_asks()]
)
@pytest.mark.parametrize("key", ["f2", "f3", "f4"])
async def test_a_letter_in_a_pane_acts_or_is_refused_and_never_gets_into_the_message(
    start: Start, key: str, messages: list[WireMessage]
) -> None:
    async with start() as driver:
        await driver.say(*messages)
        await driver.press(key)
        home = driver.app.main_screen
        if home.focused_pane is None:
            return  # there is nothing in it
        home.query_one(BranchDialog).close()
        for letter in "qu, w!中é7":
            driver.app.main_screen.query_one(KeyFooter).show_note("")
            driver.clock.now += 1
            await driver.press("comma" if letter == "," else "space" if letter == " " else letter)
            where = home.focused_pane
            acts = letter == " " and messages and key == "f3"
            assert where == PLACES[key]
            assert acts or "i focuses the message" in hint(driver) or ": " in hint(driver), letter
        assert driver.composer == ""
        driver.clock.now += 1
        await driver.press("i", "o", "k")
        assert driver.composer == "ok"


async def test_a_click_into_the_conversation_leaves_the_focus_in_the_message(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.streaming())
        await driver.pilot.click("#transcript", offset=(20, 3))
        await driver.type("just say yes, kindly")
        assert driver.composer == "just say yes, kindly"


async def test_no_key_of_an_idle_chart_gets_into_the_message(start: Start) -> None:
    async with start() as driver:
        await driver.press("f3", "v", "b")
        assert "b: no flow is running; press s to start one" in hint(driver)
        await driver.press("n", "x", "k")
        assert (driver.composer, driver.app.main_screen.focused_pane) == ("", "flow")
        driver.clock.now += 1
        await driver.press("i", "s")
        assert driver.composer == "s"


async def test_a_text_pasted_in_a_pane_is_in_the_message_whole(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.streaming())
        await driver.press("f2")
        driver.app.post_message(events.Paste("just say yes\nkindly"))
        await driver.pilot.pause()
        await driver.press("!")
        assert driver.composer == "just say yes\nkindly!"


async def test_the_last_line_names_no_letter_that_would_be_refused(start: Start) -> None:
    async with start() as driver:
        for messages in ([], wire_scenarios.flow_at_decision(), wire_scenarios.flow_asks(), wire_scenarios.flow_done()):
            await driver.say(*messages)
            driver.app.main_screen.query_one(BranchDialog).close()
            for keys in (["f2"], ["f3"], ["f3", "l"], ["f4"]):
                await driver.press(*keys)
                driver.app.hint()
                named = [
                    key
                    for key, _meaning in driver.app.main_screen.query_one(KeyFooter).hints
                    if len(key) == 1 and key.isalpha()
                ]
                bound = driver.app.main_screen.active_bindings
                assert [key for key in named if key not in bound or not bound[key].enabled] == []


def hint(driver: PilotDriver) -> str:
    return driver.app.main_screen.query_one(KeyFooter).render_line(0).text


def asks(number: int) -> ApprovalRequest:
    return ApprovalRequest(
        id=f"ask-{number}", tool_call_id=str(number), sender="Shell", action="run command", description="Run `make`"
    )


TWO_ASK = (asks(1), asks(2))


def shown_panes(driver: PilotDriver) -> list[str]:
    home = driver.app.main_screen
    panes = {
        "conversation": home.query_one("#conversation"), "flow": home.flow_pane,
        "todo": home.query_one(TodoPane), "approvals": home.query_one(ApprovalsPane),
    }  # fmt: skip
    return [name for name, pane in panes.items() if pane.is_on_screen]


async def test_zoom_gives_a_pane_the_whole_screen_and_gives_it_back(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.flow_at_decision())
        await driver.press("f3", "f11")
        assert driver.app.main_screen.flow_pane.size.width == 140
        assert not driver.app.main_screen.query_one("#conversation").is_on_screen
        await driver.press("f11")
        assert driver.app.main_screen.flow_pane.size.width < 70


@pytest.mark.parametrize(
    ("keys", "pane"), [("f2 f11", "conversation"), ("f3 f11", "flow"), ("f4 f11", "todo"), ("f4 f6 f11", "approvals")]
)
async def test_a_zoomed_pane_is_alone_on_the_screen(start: Start, keys: str, pane: str) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.flow_at_decision(), *TWO_ASK)
        await driver.press(*keys.split())
        home = driver.app.main_screen
        assert (home.zoomed, shown_panes(driver)) == (pane, [pane])


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_where_there_is_no_room_beside_it_the_next_pane_is_alone_on_the_screen(
    start: Start, size: tuple[int, int]
) -> None:
    async with start(size) as driver:
        await driver.say(*wire_scenarios.flow_at_decision(), *TWO_ASK)
        await driver.press("f3")
        for pane in ("flow", "todo", "approvals"):
            assert (driver.app.main_screen.focused_pane, shown_panes(driver)) == (pane, [pane])
            await driver.press("f6")


async def test_an_approval_that_is_not_open_opens_the_right_column(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.error(), TWO_ASK[0])
        assert shown_panes(driver) == ["conversation"]
        await driver.say(TWO_ASK[1])
        assert shown_panes(driver) == ["conversation", "approvals"]
        await driver.press("f7")
        assert shown_panes(driver) == ["conversation"]


async def test_going_from_pane_to_pane_opens_none_that_is_not_shown(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.tool_running(), TurnEnd())
        panes = shown_panes(driver)
        assert panes == ["conversation", "todo"]
        for pane in panes:
            await driver.press("f6")
            assert (driver.app.main_screen.focused_pane, shown_panes(driver)) == (pane, panes)
        await driver.press("f6")
        assert driver.app.main_screen.composer.prompt.has_focus


async def test_who_goes_to_write_leaves_the_zoom_of_another_pane(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.flow_at_decision())
        await driver.press("f3", "f11")
        driver.app.main_screen.composer.prompt.focus()
        await driver.press("h", "i")
        assert driver.app.main_screen.zoomed is None
        assert driver.app.main_screen.composer.is_on_screen
        assert driver.app.main_screen.composer.text == "hi"


async def test_the_focus_goes_to_the_composer_where_there_is_nothing_else_to_see(start: Start) -> None:
    async with start() as driver:
        home = driver.app.main_screen
        for keys in (("f2",), ("f6", "f6", "f6"), ("f3", "f2")):
            await driver.press(*keys)
            assert home.focused is not home.transcript
        assert home.focused is home.composer.prompt
        await driver.press("f3")
        assert home.focused is not home.composer.prompt
        driver.engine.skills.change()
        for _ in range(3):  # what is hidden gives the focus up when it is laid out, and it is looked for after that
            await driver.pilot.pause()
        assert home.focused is home.composer.prompt


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (60, 18)])
@pytest.mark.parametrize("key", ["f3", "f4", "f7"])
async def test_where_there_is_no_room_beside_it_a_pane_takes_the_place_of_the_conversation(
    start: Start, size: tuple[int, int], key: str
) -> None:
    async with start(size) as driver:
        await driver.say(*wire_scenarios.flow_at_decision())
        home = driver.app.main_screen
        assert (home.query_one("#right").display, home.query_one(StatusLine).display) == (False, True)
        await driver.press(key)
        assert home.focused_pane == ("todo" if key == "f4" else "flow")
        assert (
            home.query_one("#right").size.width,
            home.query_one("#conversation").is_on_screen,
            home.composer.is_on_screen,
        ) == (
            size[0],
            False,
            False,
        )
        assert "Esc back" in hint(driver)
        await driver.press("i")
        assert home.composer.prompt.has_focus
        assert not home.query_one("#right").display


async def test_a_pane_that_was_opened_goes_beside_the_conversation_when_there_is_room(start: Start) -> None:
    async with start((100, 30)) as driver:
        await driver.say(*wire_scenarios.flow_at_decision())
        await driver.press("f3")
        await driver.pilot.resize_terminal(140, 42)
        await driver.press("down")
        home = driver.app.main_screen
        assert (home.zoomed, home.focused_pane, home.query_one("#conversation").is_on_screen) == (None, "flow", True)


async def test_the_border_between_the_columns_can_be_dragged(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.flow_at_decision())
        home = driver.app.main_screen
        width = home.query_one("#right").size.width
        await driver.pilot.mouse_down("#divider", offset=(0, 5))
        await driver.pilot.hover("#divider", offset=(-10, 5))
        await driver.pilot.mouse_up("#divider", offset=(-10, 5))
        await driver.pilot.pause()
        assert home.query_one("#right").size.width > width


@pytest.mark.parametrize("size", [(140, 42), (100, 30), (80, 24), (60, 18)])
async def test_the_last_key_of_the_help_can_be_read(start: Start, size: tuple[int, int]) -> None:
    async with start(size) as driver:
        driver.app.animation_level = "none"
        await driver.press("f1", "end")
        rows = app_rows(driver.app)
        bar = next(index for index, row in enumerate(rows) if "Esc close" in row)
        assert not rows[bar - 1].strip(" │")
        assert "editor" in rows[bar - 2]


async def test_a_key_that_the_welcome_text_names_is_no_hint_too(start: Start) -> None:
    async with start() as driver:
        assert "Enter send · Shift+Enter newline · F1 help" in hint(driver)
        await driver.say(*wire_scenarios.flow_done())
        assert "/ commands" in hint(driver)
    async with start((100, 10)) as driver:
        assert "/ commands" in hint(driver)


async def test_f1_lists_the_keys_that_act_here(start: Start) -> None:
    async with start() as driver:
        await driver.press("f1")
        assert isinstance(driver.app.screen, Help)
        await driver.press("escape")
        assert not isinstance(driver.app.screen, Help)
        await driver.press("f1", "f1")
        assert not isinstance(driver.app.screen, Help)
