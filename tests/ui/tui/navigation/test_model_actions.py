"""Another model: what is chosen answers from then on."""

from pathlib import Path

from kimi_tui.config.loader import load_config
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.screens.first_start import SetupWizard
from kimi_tui.ui.tui.screens.models import ModelPicker
from tests.ui.tui.house import Open


async def test_the_model_that_is_chosen_answers_from_then_on(open_house: Open, tmp_path: Path) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        house.app.doors.handle_slash("/model")
        await house.on(ModelPicker)
        await house.pilot.press("down")
        await house.pilot.press("ctrl+s")
        await house.until(lambda: house.engine.model_name == "small")
        assert load_config(tmp_path / "home" / "config.yaml").config.default_model == "small"
        await house.until(lambda: house.app.home.header.facts.model == "small")


async def test_without_a_model_the_first_start_asks_for_one(open_house: Open, tmp_path: Path) -> None:
    async with open_house(model=False) as house:
        await house.on(SetupWizard)
        await house.pilot.press("escape")
        await house.on(MainScreen)
        assert not (tmp_path / "home" / "config.yaml").exists()


async def test_a_theme_that_is_chosen_on_the_way_to_the_demo_is_kept(open_house: Open, tmp_path: Path) -> None:
    file = tmp_path / "home" / "config.yaml"
    async with open_house(model=False) as house:
        await house.on(SetupWizard)
        before = house.app.shelf.current
        await house.pilot.press("down")
        await house.until(lambda: house.app.shelf.current != before)
        await house.pilot.press("enter", "end", "enter")
        await house.on(MainScreen)
        await house.until(file.exists)
        assert load_config(file).config.theme == house.app.shelf.current
