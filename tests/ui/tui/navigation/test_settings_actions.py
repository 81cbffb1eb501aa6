"""Settings that the screen itself follows, on a real engine."""

from pathlib import Path

from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.screens.settings import Settings
from kimi_tui.ui.tui.widgets.pick_list import ItemList
from kimi_tui.wire.events import StepBegin, StepInterrupted, TurnBegin
from kimi_tui.wire.parts import ThinkPart
from tests.ui.tui.house import House, Open
from tests.ui.tui.painted import app_text


async def think(house: House) -> None:
    for message in (TurnBegin(user_input="go"), StepBegin(n=1), ThinkPart(think="a secret plan")):
        house.engine.wire.send(message)
    await house.until(lambda: "thinking" in app_text(house.app))


async def test_what_the_model_thinks_is_shown_as_it_comes_until_that_is_switched_off(open_house: Open) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        await think(house)
        assert "a secret plan" in app_text(house.app)
        house.engine.wire.send(StepInterrupted())
        house.app.doors.open("settings")
        await house.on(Settings)
        house.app.screen.query_one(ItemList).select("show_thinking_stream")
        await house.pilot.pause()
        await house.pilot.press("enter")
        await house.until(lambda: not house.app.home.transcript.thoughts)
        await house.pilot.press("escape")
        await house.on(MainScreen)
        await think(house)
        assert "a secret plan" not in app_text(house.app)


async def test_a_configuration_without_thoughts_counts_from_the_start(open_house: Open, tmp_path: Path) -> None:
    async with open_house(also="show_thinking_stream: false\n") as house:
        await house.until(lambda: house.app.engine)
        await think(house)
        assert "a secret plan" not in app_text(house.app)
