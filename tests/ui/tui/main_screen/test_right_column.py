"""When the right column is open: while there is work to show, or as the user chose."""

from kimi_tui.ui.tui.main_screen.status_line import StatusLine
from kimi_tui.ui.tui.main_screen.todo_pane import TodoPane
from kimi_tui.wire.events import TurnBegin, TurnEnd
from kimi_tui.wire.flow_events import FlowEnd
from kimi_tui.wire.parts import TextPart
from tests.ui.tui import wire_scenarios
from tests.ui.tui.pilot_driver import PilotDriver, Start

CHAT = (TurnBegin(user_input="hello"), TextPart(text="Hello."), TurnEnd())


def is_open(driver: PilotDriver) -> bool:
    return bool(driver.app.main_screen.query_one("#right").display)


async def test_the_flow_list_gives_its_room_to_the_conversation_at_the_first_message(start: Start) -> None:
    async with start() as driver:
        assert is_open(driver)
        await driver.say(*CHAT)
        home = driver.app.main_screen
        assert not is_open(driver)
        assert home.transcript.size.width > 130
        assert not home.query_one(StatusLine).display, "the flows alone are worth no row"


async def test_the_column_opens_for_a_run_and_closes_at_the_next_chat_after_it(start: Start) -> None:
    async with start() as driver:
        await driver.say(*CHAT)
        await driver.say(*wire_scenarios.flow_at_decision())
        assert is_open(driver)
        await driver.say(FlowEnd(run_id="run", status="stopped", moves=3), TurnEnd())
        assert is_open(driver), "the result stays until the user goes on"
        await driver.say(wire_scenarios.result("none", "", wire_scenarios.todo(4)), *CHAT)
        assert not is_open(driver)
        await driver.pilot.click("#strip")
        assert is_open(driver)


async def test_the_column_opens_for_todos_without_the_flow_list(start: Start) -> None:
    async with start() as driver:
        await driver.say(*CHAT, TurnBegin(user_input="go"), wire_scenarios.result("t", "", wire_scenarios.todo(1)))
        home = driver.app.main_screen
        assert is_open(driver)
        assert not home.flow_pane.display
        todo = home.query_one(TodoPane)
        assert [todo.render_line(row).text.strip() for row in (1, 2)] == ["◐ fix", "○ tag"]


async def test_nothing_moves_while_the_user_types(start: Start) -> None:
    async with start() as driver:
        await driver.say(*CHAT)
        await driver.type("and then")
        width = driver.app.main_screen.composer.size.width
        await driver.say(*wire_scenarios.flow_at_decision())
        assert (is_open(driver), driver.app.main_screen.composer.size.width) == (False, width)
        await driver.press("ctrl+c")
        assert is_open(driver)


async def test_a_key_opens_the_column_and_the_choice_is_kept(start: Start) -> None:
    async with start() as driver:
        await driver.say(*CHAT)
        await driver.press("f7")
        assert is_open(driver)
        await driver.say(*CHAT)
        assert is_open(driver)
        await driver.press("f7")
        assert not is_open(driver)
        await driver.say(*wire_scenarios.flow_at_decision())
        assert is_open(driver), "closed where it would be closed, it follows the work again"
        await driver.press("f7")
        await driver.say(TextPart(text="more"))
        assert not is_open(driver)
        assert driver.app.main_screen.composer.prompt.has_focus


async def test_a_visit_to_the_flow_list_lasts_until_the_next_message(start: Start) -> None:
    async with start() as driver:
        await driver.say(*CHAT)
        await driver.press("f3")
        assert (is_open(driver), driver.app.main_screen.focused_pane) == (True, "flow")
        await driver.press("i")
        assert is_open(driver)
        await driver.say(*CHAT)
        assert not is_open(driver)


async def test_f6_passes_over_a_closed_column(start: Start) -> None:
    async with start() as driver:
        await driver.say(*CHAT)
        await driver.press("f6")
        assert driver.app.main_screen.focused_pane == "conversation"
        await driver.press("f6")
        assert driver.app.main_screen.composer.prompt.has_focus
