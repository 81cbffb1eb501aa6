"""Flows from the screen: begun, looked into, and their branches."""

from kimi_tui.ui.tui.flow_pane.start_flow import StartFlow
from kimi_tui.wire.flow_events import FlowNodeBegin
from tests.ui.tui import scenes
from tests.ui.tui.hands import Start


async def test_enter_on_a_listed_flow_shows_its_chart_and_starts_it_with_arguments(start: Start) -> None:
    async with start() as stage:
        await stage.press("f3", "enter")
        assert isinstance(stage.app.screen, StartFlow)
        await stage.press("v", "2", "enter")
        assert stage.engine.prompts == ["/flow:plan v2"]


async def test_a_click_on_a_listed_flow_shows_its_chart_and_escape_leaves_it(start: Start) -> None:
    async with start() as stage:
        await stage.pilot.click("#flows", offset=(4, 0))
        await stage.pilot.pause()
        assert isinstance(stage.app.screen, StartFlow)
        await stage.press("escape")
        assert stage.engine.prompts == []


async def test_a_flow_that_asks_offers_its_branches(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_asks())
        assert stage.app.home.branch.has_focus
        assert stage.app.home.branch.labels == ("no", "yes")


async def test_arrows_walk_along_the_chart_and_enter_opens_the_node(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_at_decision())
        chart = stage.app.home.flow.chart
        await stage.press("f3")
        assert chart.selected == "green"
        await stage.press("down")
        assert chart.selected == "tag"
        await stage.press("up", "up")
        assert chart.selected == "fix"
        await stage.press("enter")
        assert type(stage.app.screen).__name__ == "NodeDetails"
        await stage.press("t")
        assert stage.app.home.focused_pane == "talk"


async def test_only_rows_that_changed_are_drawn_again_when_a_flow_goes_on(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_at_decision())
        chart = stage.app.home.flow.chart
        before = dict(chart._strips)
        await stage.say(FlowNodeBegin(run_id="run", node_id="tag", move=6))
        drawn = {row for row, strip in chart._strips.items() if strip is not before.get(row)}
        assert drawn
        assert len(drawn) < len(chart._strips) / 2
