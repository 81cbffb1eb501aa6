"""Settings that the screen itself follows, on a real engine."""

from pathlib import Path

from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.screens.settings import Settings
from kimi_tui.ui.tui.widgets.pick_list import ItemList
from kimi_tui.wire.events import StepBegin, StepInterrupted, TurnBegin
from kimi_tui.wire.parts import ThinkPart
from tests.ui.tui.app_harness import AppHarness, Open
from tests.ui.tui.screen_text import app_text


async def think(harness: AppHarness) -> None:
    for message in (TurnBegin(user_input="go"), StepBegin(n=1), ThinkPart(think="a secret plan")):
        harness.engine.wire.send(message)
    await harness.until(lambda: "thinking" in app_text(harness.app))


async def test_what_the_model_thinks_is_shown_as_it_comes_until_that_is_switched_off(open_app: Open) -> None:
    async with open_app() as harness:
        await harness.until(lambda: harness.app.engine)
        await think(harness)
        assert "a secret plan" in app_text(harness.app)
        harness.engine.wire.send(StepInterrupted())
        harness.app.screen_router.open("settings")
        await harness.on(Settings)
        harness.app.screen.query_one(ItemList).select("show_thinking_stream")
        await harness.pilot.pause()
        await harness.pilot.press("enter")
        await harness.until(lambda: not harness.app.main_screen.transcript.thoughts)
        await harness.pilot.press("escape")
        await harness.on(MainScreen)
        await think(harness)
        assert "a secret plan" not in app_text(harness.app)


async def test_a_configuration_without_thoughts_counts_from_the_start(open_app: Open, tmp_path: Path) -> None:
    async with open_app(also="show_thinking_stream: false\n") as harness:
        await harness.until(lambda: harness.app.engine)
        await think(harness)
        assert "a secret plan" not in app_text(harness.app)
