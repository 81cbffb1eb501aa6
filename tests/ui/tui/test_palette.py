"""The palette: everything there is, found by a few letters, by keys or by the mouse."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.navigation.command_palette import CommandPalette
from kimi_tui.ui.tui.screens.help import Help
from kimi_tui.ui.tui.screens.screen_commands import SCREEN_COMMANDS
from kimi_tui.ui.tui.widgets.key_bar import KeyBar
from kimi_tui.ui.tui.widgets.pick_list import ItemList
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.test_screen import SMALL, ready


@pytest.fixture
def app(tmp_path: Path) -> KimiTui:
    return make_app(FakeEngine(tmp_path))[0]


async def opened(app: KimiTui, pilot: Pilot[int]) -> ItemList:
    await ready(pilot)
    await pilot.press("ctrl+p")
    await pilot.pause()
    assert isinstance(app.screen, CommandPalette)
    return app.screen.query_one(ItemList)


async def test_a_few_letters_and_enter_do_it(app: KimiTui) -> None:
    async with app.run_test(size=SMALL) as pilot:
        picks = await opened(app, pilot)
        height = picks.size.height
        await pilot.press(*"keys available")
        await pilot.pause()
        assert [pick.label for pick in picks.picks if pick.key] == ["Keys available here"]
        assert picks.size.height == height
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, Help)
        await pilot.click(KeyBar, offset=(15, 0))
        await pilot.pause()
        assert app.screen is app.main_screen


async def test_a_click_on_a_row_does_it_and_nothing_stands_there_twice(app: KimiTui) -> None:
    async with app.run_test(size=(140, 42)) as pilot:
        picks = await opened(app, pilot)
        said = [(pick.label, pick.right) for pick in picks.picks if pick.key]
        assert len(said) == len(set(said))
        assert not {f"/{screen.name}" for screen in SCREEN_COMMANDS} & {label for label, _ in said}
        await pilot.press(*"zoom")
        await pilot.pause()
        row = next(index for index, pick in enumerate(picks.picks) if pick.label.startswith("Zoom"))
        await pilot.click(ItemList, offset=(6, row))
        await pilot.pause()
        assert app.screen is app.main_screen
        assert app.main_screen.zoomed == "conversation"
