"""Another model: what is chosen answers from then on."""

from pathlib import Path

from kimi_tui.config.loader import load_config
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.screens.first_start import SetupWizard
from kimi_tui.ui.tui.screens.models import ModelPicker
from tests.ui.tui.app_harness import Open


async def test_the_model_that_is_chosen_answers_from_then_on(open_app: Open, tmp_path: Path) -> None:
    async with open_app() as harness:
        await harness.until(lambda: harness.app.engine)
        harness.app.screen_router.handle_slash("/model")
        await harness.on(ModelPicker)
        await harness.pilot.press("down")
        await harness.pilot.press("ctrl+s")
        await harness.until(lambda: harness.engine.model_name == "small")
        assert load_config(tmp_path / "home" / "config.yaml").config.default_model == "small"
        await harness.until(lambda: harness.app.main_screen.facts.model == "small")


async def test_without_a_model_the_first_start_asks_for_one(open_app: Open, tmp_path: Path) -> None:
    async with open_app(model=False) as harness:
        await harness.on(SetupWizard)
        await harness.pilot.press("escape")
        await harness.on(MainScreen)
        assert not (tmp_path / "home" / "config.yaml").exists()


async def test_a_theme_that_is_chosen_on_the_way_to_the_demo_is_kept(open_app: Open, tmp_path: Path) -> None:
    file = tmp_path / "home" / "config.yaml"
    async with open_app(model=False) as harness:
        await harness.on(SetupWizard)
        before = harness.app.theme_registry.current
        await harness.pilot.press("down")
        await harness.until(lambda: harness.app.theme_registry.current != before)
        await harness.pilot.press("enter", "end", "enter")
        await harness.on(MainScreen)
        await harness.until(file.exists)
        assert load_config(file).config.theme == harness.app.theme_registry.current
