"""Flows from the screen: begun, looked into, and their branches."""

from kimi_tui.ui.tui.dialogs.branch_choice import BranchDialog
from kimi_tui.ui.tui.flow_pane.start_flow import StartFlow
from kimi_tui.wire.flow_events import FlowBegin, FlowNodeBegin, FlowPaused
from tests.ui.tui import wire_scenarios
from tests.ui.tui.pilot_driver import Start
from tests.ui.tui.screen_text import app_text


async def test_enter_on_a_listed_flow_shows_its_chart_and_starts_it_with_arguments(start: Start) -> None:
    async with start() as driver:
        await driver.press("f3", "enter")
        assert isinstance(driver.app.screen, StartFlow)
        await driver.press("v", "2", "enter")
        assert driver.engine.prompts == ["/flow:plan v2"]


async def test_a_click_on_a_listed_flow_shows_its_chart_and_escape_leaves_it(start: Start) -> None:
    async with start() as driver:
        await driver.pilot.click("#flows", offset=(4, 0))
        await driver.pilot.pause()
        assert isinstance(driver.app.screen, StartFlow)
        await driver.press("escape")
        assert driver.engine.prompts == []


async def test_a_flow_that_asks_offers_its_branches(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.flow_asks())
        assert driver.app.main_screen.query_one(BranchDialog).has_focus
        assert driver.app.main_screen.query_one(BranchDialog).labels == ("no", "yes")


async def test_the_question_of_a_flow_has_its_values_also_when_it_is_asked_for_later(start: Start) -> None:
    async with start() as driver:
        question = "Tag it? 12 passed:\nall of them"
        asks = FlowPaused(run_id="run", node_id="green", reason="choice", question=question)
        await driver.say(*wire_scenarios.flow_asks()[:-1], asks)
        assert "12 passed:" in app_text(driver.app)
        assert "all of them" in app_text(driver.app)
        await driver.press("escape")
        assert "all of them" not in app_text(driver.app)
        await driver.press("f3", "c")
        assert "all of them" in app_text(driver.app)


async def test_a_question_says_which_branch_is_taken_without_an_answer_and_when(start: Start) -> None:
    async with start() as driver:
        gate = {"ask": "human", "timeout": "1d", "default": "yes"}
        for message in wire_scenarios.flow_asks():
            if isinstance(message, FlowBegin):
                nodes = [
                    node.model_copy(update={"settings": gate}) if node.id == "green" else node for node in message.nodes
                ]
                await driver.say(message.model_copy(update={"nodes": tuple(nodes)}))
            else:
                await driver.say(message)
        assert "yes  without an answer within 1d" in " ".join(app_text(driver.app).split(" "))
        await driver.press("escape", "f3", "c")
        assert "without an answer within 1d" in app_text(driver.app)


async def test_arrows_walk_along_the_chart_and_enter_opens_the_node(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.flow_at_decision())
        chart = driver.app.main_screen.flow_pane.chart
        await driver.press("f3")
        assert chart.selected == "green"
        await driver.press("down")
        assert chart.selected == "tag"
        await driver.press("up", "up")
        assert chart.selected == "fix"
        await driver.press("enter")
        assert type(driver.app.screen).__name__ == "NodeDetails"
        await driver.press("t")
        assert driver.app.main_screen.focused_pane == "conversation"


async def test_only_rows_that_changed_are_drawn_again_when_a_flow_goes_on(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.flow_at_decision())
        chart = driver.app.main_screen.flow_pane.chart
        before = dict(chart.drawn_rows)
        await driver.say(FlowNodeBegin(run_id="run", node_id="tag", move=6))
        drawn = {row for row, strip in chart.drawn_rows.items() if strip is not before.get(row)}
        assert drawn
        assert len(drawn) < len(chart.drawn_rows) / 2
