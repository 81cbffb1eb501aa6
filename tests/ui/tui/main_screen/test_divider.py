"""The line between conversation and right side meets the title lines beside it."""

import pytest

from kimi_tui.ui.tui.main_screen.divider import Divider
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.main_screen.todo_pane import TodoPane
from kimi_tui.wire.codec import WireMessage
from tests.ui.tui import wire_scenarios
from tests.ui.tui.screen_text import screen_strips
from tests.ui.tui.test_screen import play


def edge(home: MainScreen) -> str:
    """The signs of that line, from its top down."""
    line = home.query_one(Divider)
    rows = [strip.text for strip in screen_strips(home)]
    return "".join(rows[y][line.region.x] for y in range(line.region.y, line.region.bottom))


@pytest.mark.parametrize("messages", [wire_scenarios.flow_asks(), wire_scenarios.flow_done()], ids=["asks", "done"])
@pytest.mark.parametrize("size", [(120, 30), (140, 42)])
async def test_the_edge_is_joined_wherever_a_title_line_comes_to_it(
    size: tuple[int, int], messages: list[WireMessage]
) -> None:
    app, run = play(messages)
    async with app.run_test(size=size) as pilot:
        await run(pilot)
        for _ in range(3):
            await pilot.pause()
        home = app.main_screen
        top = home.query_one("#conversation").region.y
        left, right = home.composer.region.y - top, home.query_one(TodoPane).region.y - top
        signs = edge(home)
        assert signs[0] == "┬"
        joints = {left: "┼"} if left == right else {left: "┤", right: "├"}
        assert {y: sign for y, sign in enumerate(signs[1:], 1) if sign != "│"} == {
            y: sign for y, sign in joints.items() if y < len(signs)
        }
